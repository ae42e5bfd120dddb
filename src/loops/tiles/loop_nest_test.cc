// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/loop_nest.h"

#include <initializer_list>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace portacl::loops {
namespace {

View MakeView(aclDataType dtype, std::initializer_list<int64_t> shape, std::initializer_list<int64_t> strides) {
  View view;
  view.dtype = dtype;
  view.rank = static_cast<int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), view.shape);
  std::copy(strides.begin(), strides.end(), view.strides);
  return view;
}

View Contiguous(aclDataType dtype, std::initializer_list<int64_t> shape) {
  View view = MakeView(dtype, shape, {});
  ContiguousStrides(view.dims(), view.strides);
  return view;
}

// The shape, innermost axis first.
std::vector<int64_t> ShapeOf(const LoopNest& nest) { return {nest.shape, nest.shape + nest.rank}; }
std::vector<int64_t> StridesOf(const LoopNest& nest, int operand) {
  return {nest.strides[operand], nest.strides[operand] + nest.rank};
}

LoopNest NestOf(std::initializer_list<View> views) {
  std::vector<const View*> pointers;
  for (const View& view : views) pointers.push_back(&view);
  return MakeLoopNest(pointers.back()->dims(), pointers);
}

using Numbers = std::vector<int64_t>;

TEST(LoopNest, MergesContiguousOperandsIntoOneLoop) {
  const View view = Contiguous(ACL_FLOAT, {2, 3, 4, 5, 1, 2, 1, 3});
  const LoopNest nest = NestOf({view, view});
  EXPECT_EQ(ShapeOf(nest), (Numbers{720}));
  EXPECT_EQ(StridesOf(nest, 0), (Numbers{4}));
}

// Only the last element of a view is known to be addressable; one stride beyond it may not be.
TEST(LoopNest, TakesAViewThatEndsCloseToTheLargestAddress) {
  constexpr int64_t kFar = int64_t{1} << 60;
  const LoopNest nest = NestOf({MakeView(ACL_FLOAT, {2, 2}, {kFar, 1}), MakeView(ACL_FLOAT, {2, 2}, {1, kFar})});
  EXPECT_EQ(ShapeOf(nest), (Numbers{2, 2}));
}

TEST(LoopNest, TakesAnyStridesWhereNoStepIsMade) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(StridesOf(NestOf({MakeView(ACL_FLOAT, {1, 2}, {kMost, 1})}), 0), (Numbers{4}));
  const LoopNest nest = NestOf({MakeView(ACL_FLOAT, {3, 0}, {kMost, kMost})});
  EXPECT_EQ(nest.Elements(), 0);
  EXPECT_EQ(StridesOf(nest, 0), Numbers(static_cast<size_t>(nest.rank), 0));
}

TEST(LoopNest, MergesAPermutationThatAllOperandsShare) {
  const View view = MakeView(ACL_BF16, {3, 4, 5}, {1, 15, 3});
  const LoopNest nest = NestOf({view, view});
  EXPECT_EQ(ShapeOf(nest), (Numbers{60}));
  EXPECT_EQ(StridesOf(nest, 1), (Numbers{2}));
}

TEST(LoopNest, OrdersByTheStridesOfTheOutput) {
  const LoopNest nest = NestOf({Contiguous(ACL_FLOAT, {3, 4}), MakeView(ACL_FLOAT, {3, 4}, {1, 3})});
  EXPECT_EQ(ShapeOf(nest), (Numbers{3, 4}));
  EXPECT_EQ(StridesOf(nest, 0), (Numbers{16, 4}));
  EXPECT_EQ(StridesOf(nest, 1), (Numbers{4, 12}));
}

TEST(LoopNest, KeepsARowOfASliceAsItsOwnLoop) {
  const LoopNest nest = NestOf({MakeView(ACL_FLOAT, {3, 4}, {10, 1}), Contiguous(ACL_FLOAT, {3, 4})});
  EXPECT_EQ(ShapeOf(nest), (Numbers{4, 3}));
  EXPECT_EQ(StridesOf(nest, 0), (Numbers{4, 40}));
}

TEST(LoopNest, DropsAxesOfOneElementWhateverTheirStride) {
  const LoopNest nest = NestOf({MakeView(ACL_FLOAT, {1, 6, 1}, {999, 1, 77}), Contiguous(ACL_FLOAT, {1, 6, 1})});
  EXPECT_EQ(ShapeOf(nest), (Numbers{6}));
}

TEST(LoopNest, GivesASingleElementOneLoopOfOne) {
  for (const View& view : {Contiguous(ACL_FLOAT16, {}), Contiguous(ACL_FLOAT16, {1, 1, 1})}) {
    const LoopNest nest = NestOf({view});
    EXPECT_EQ(ShapeOf(nest), (Numbers{1}));
    EXPECT_EQ(StridesOf(nest, 0), (Numbers{2}));
  }
}

TEST(LoopNest, BroadcastsMissingAndSingleAxesWithStrideZero) {
  const LoopNest nest =
      NestOf({Contiguous(ACL_FLOAT, {4}), Contiguous(ACL_FLOAT16, {3, 1}), Contiguous(ACL_FLOAT, {3, 4})});
  EXPECT_EQ(ShapeOf(nest), (Numbers{4, 3}));
  EXPECT_EQ(StridesOf(nest, 0), (Numbers{4, 0}));
  EXPECT_EQ(StridesOf(nest, 1), (Numbers{0, 2}));
  EXPECT_EQ(StridesOf(nest, 2), (Numbers{4, 16}));
}

TEST(LoopNest, MergesAxesOfAScalarBroadcastOverAContiguousOutput) {
  const LoopNest nest = NestOf({Contiguous(ACL_FLOAT, {}), Contiguous(ACL_FLOAT, {3, 4, 5})});
  EXPECT_EQ(ShapeOf(nest), (Numbers{60}));
  EXPECT_EQ(StridesOf(nest, 0), (Numbers{0}));
}

TEST(LoopNest, TakesTheDensestAxisOfATransposedInputIntoTheTile) {
  const View x = MakeView(ACL_FLOAT, {2, 3, 4, 5}, {1, 2, 31, 6});
  const LoopNest nest = NestOf({x, Contiguous(ACL_FLOAT, {2, 3, 4, 5})});
  EXPECT_EQ(ShapeOf(nest), (Numbers{5, 2, 3, 4}));
  EXPECT_EQ(StridesOf(nest, 0), (Numbers{24, 4, 8, 124}));
  EXPECT_EQ(StridesOf(nest, 1), (Numbers{4, 240, 80, 20}));
}

LoopNest RowNestOf(std::initializer_list<View> views) {
  std::vector<const View*> pointers;
  for (const View& view : views) pointers.push_back(&view);
  return MakeRowNest(pointers.back()->dims(), pointers);
}

TEST(LoopNest, OfRowsKeepsTheLastAxisApart) {
  const View view = Contiguous(ACL_FLOAT, {2, 3, 4});
  EXPECT_EQ(ShapeOf(RowNestOf({view, view})), (Numbers{4, 6}));
  const LoopNest transposed = RowNestOf({MakeView(ACL_FLOAT, {2, 3, 4}, {1, 2, 6}), view});
  EXPECT_EQ(ShapeOf(transposed), (Numbers{4, 2, 3}));
  EXPECT_EQ(StridesOf(transposed, 0), (Numbers{24, 4, 8}));
  EXPECT_EQ(StridesOf(transposed, 1), (Numbers{4, 48, 16}));
}

TEST(LoopNest, OfRowsGivesALastAxisOfOneElementItsSize) {
  const LoopNest nest = RowNestOf({MakeView(ACL_FLOAT, {5, 1}, {3, 77}), Contiguous(ACL_FLOAT16, {5, 1})});
  EXPECT_EQ(ShapeOf(nest), (Numbers{1, 5}));
  EXPECT_EQ(StridesOf(nest, 0), (Numbers{4, 12}));
  EXPECT_EQ(ShapeOf(RowNestOf({Contiguous(ACL_FLOAT, {})})), (Numbers{1}));
  EXPECT_EQ(ShapeOf(RowNestOf({Contiguous(ACL_FLOAT, {1, 1, 9})})), (Numbers{9}));
  EXPECT_EQ(RowNestOf({Contiguous(ACL_FLOAT, {3, 0})}).Elements(), 0);
}

TEST(LoopNest, HoldsEightAxesThatCannotMerge) {
  const View view = MakeView(ACL_FLOAT, {2, 2, 2, 2, 2, 2, 2, 2}, {2187 * 3, 2187, 729, 243, 81, 27, 9, 3});
  const LoopNest nest = NestOf({view, view});
  EXPECT_EQ(nest.rank, 8);
  EXPECT_EQ(nest.Elements(), 256);
}

TEST(LoopNest, CountsNoElementsWhenAnAxisIsEmpty) {
  EXPECT_EQ(NestOf({Contiguous(ACL_FLOAT, {3, 0, 2})}).Elements(), 0);
}

TEST(LoopNest, MakesOneLoopOfAnEmptyShapeHoweverLargeItsOtherAxes) {
  constexpr int64_t kLarge = int64_t{1} << 40;
  const View view = Contiguous(ACL_FLOAT, {0, kLarge, kLarge, 3});
  for (const LoopNest& nest : {NestOf({view, view}), RowNestOf({view, view})}) {
    EXPECT_EQ(ShapeOf(nest), (Numbers{0}));
    EXPECT_EQ(StridesOf(nest, 1), (Numbers{0}));
    EXPECT_EQ(nest.Elements(), 0);
  }
}

}  // namespace
}  // namespace portacl::loops
