// SPDX-License-Identifier: Apache-2.0
#include "tensor/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace portacl {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

View MakeView(std::vector<int64_t> shape, std::vector<int64_t> strides, int64_t offset = 0,
              aclDataType dtype = ACL_FLOAT, uintptr_t address = 0x10000) {
  View view;
  view.data = reinterpret_cast<void*>(address);
  view.offset = offset;
  view.dtype = dtype;
  view.rank = static_cast<int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), view.shape);
  std::copy(strides.begin(), strides.end(), view.strides);
  return view;
}

View Contiguous(std::vector<int64_t> shape, aclDataType dtype = ACL_FLOAT) {
  std::vector<int64_t> strides(shape.size());
  ContiguousStrides(shape, strides.data());
  return MakeView(shape, strides, 0, dtype);
}

// All bytes of the view, one by one, relative to the data address.
std::set<int64_t> Bytes(const View& view, int64_t element) {
  std::set<int64_t> bytes;
  std::vector<int64_t> index(static_cast<size_t>(view.rank), 0);
  if (std::find(view.shape, view.shape + view.rank, 0) != view.shape + view.rank) return bytes;
  while (true) {
    int64_t place = view.offset;
    for (int32_t axis = 0; axis < view.rank; ++axis) place += index[static_cast<size_t>(axis)] * view.strides[axis];
    for (int64_t byte = 0; byte < element; ++byte) bytes.insert(place * element + byte);
    int32_t axis = view.rank - 1;
    while (axis >= 0 && ++index[static_cast<size_t>(axis)] == view.shape[axis]) index[static_cast<size_t>(axis--)] = 0;
    if (axis < 0) return bytes;
  }
}

View RandomView(std::mt19937& random) {
  std::vector<int64_t> shape(random() % 4);
  std::vector<int64_t> strides(shape.size());
  for (int64_t& dim : shape) dim = static_cast<int64_t>(random() % 4);
  for (int64_t& stride : strides) stride = static_cast<int64_t>(random() % 11) - 5;
  return MakeView(shape, strides, static_cast<int64_t>(random() % 9) - 4, random() % 2 == 0 ? ACL_FLOAT : ACL_FLOAT16,
                  0x10000 + 2 * (random() % 16));
}

int64_t Count(const std::vector<int64_t>& dims) {
  int64_t count = -1;
  return CountElements(dims, &count) ? count : -1;
}

TEST(View, CountsElements) {
  EXPECT_EQ(Count({}), 1);
  EXPECT_EQ(Count({2, 3, 4}), 24);
  EXPECT_EQ(Count({5, 0, 7}), 0);
  EXPECT_EQ(Count({kMost}), kMost);
}

TEST(View, CountRefusesNegativeDimsAndOverflow) {
  EXPECT_EQ(Count({2, -1}), -1);
  EXPECT_EQ(Count({0, -1}), -1);
  EXPECT_EQ(Count({kMost, 2}), -1);
  EXPECT_EQ(Count({int64_t{1} << 32, int64_t{1} << 31}), -1);
}

TEST(View, AZeroMakesAnyOtherDimsHarmless) { EXPECT_EQ(Count({kMost, kMost, 0}), 0); }

TEST(View, ContiguousStridesAreRowMajorAndNeverOverflow) {
  const std::vector<int64_t> dims = {2, 3, 4};
  std::vector<int64_t> strides(3);
  ContiguousStrides(dims, strides.data());
  EXPECT_EQ(strides, (std::vector<int64_t>{12, 4, 1}));
  const std::vector<int64_t> huge = {kMost, kMost, -5};
  ContiguousStrides(huge, strides.data());
  EXPECT_EQ(strides[2], 1);
}

TEST(View, ContiguousMeansRowMajorWithoutGaps) {
  EXPECT_TRUE(IsContiguous(Contiguous({})));
  EXPECT_TRUE(IsContiguous(Contiguous({2, 3, 4})));
  EXPECT_FALSE(IsContiguous(MakeView({3, 2}, {1, 3})));
  EXPECT_FALSE(IsContiguous(MakeView({2, 3}, {4, 1})));
  EXPECT_FALSE(IsContiguous(MakeView({3}, {0})));
  EXPECT_FALSE(IsContiguous(MakeView({3}, {-1})));
}

TEST(View, StridesOfAxesWithOneElementDoNotMatter) {
  EXPECT_TRUE(IsContiguous(MakeView({2, 1, 3}, {3, 77, 1})));
  EXPECT_TRUE(IsContiguous(MakeView({1}, {-9})));
}

TEST(View, AnEmptyViewIsContiguous) { EXPECT_TRUE(IsContiguous(MakeView({3, 0, 2}, {9, 9, 9}))); }

TEST(View, AStepIsTheStrideWhereThereIsASecondElement) {
  const View view = MakeView({2, 1, 3}, {-5, kMost, 0});
  EXPECT_EQ(view.step(0), -5);
  EXPECT_EQ(view.step(1), 0);
  EXPECT_EQ(view.step(2), 0);
  EXPECT_EQ(MakeView({3, 0}, {kMost, kMost}).step(0), 0);
  EXPECT_EQ(MakeView({3}, {kMost}).step(0), kMost);
}

TEST(View, ExtentIsThatOfTheElementsCountedOneByOne) {
  std::mt19937 random(7);
  int seen = 0;
  for (int i = 0; i < 3000; ++i) {
    const View view = RandomView(random);
    const std::set<int64_t> bytes = Bytes(view, view.dtype == ACL_FLOAT ? 4 : 2);
    ByteRange range;
    ASSERT_TRUE(ByteExtent(view, &range));
    if (bytes.empty()) {
      ASSERT_EQ(range.begin, range.end);
    } else {
      ASSERT_EQ(range.begin, *bytes.begin());
      ASSERT_EQ(range.end, *bytes.rbegin() + 1);
      ++seen;
    }
  }
  EXPECT_GT(seen, 500);
}

TEST(View, TwoElementsOfInt4ShareAByte) {
  const auto extent = [](int64_t elements, int64_t offset) {
    ByteRange range;
    EXPECT_TRUE(ByteExtent(MakeView({elements}, {1}, offset, ACL_INT4), &range));
    return std::pair(range.begin, range.end);
  };
  EXPECT_EQ(extent(4, 0), std::pair(int64_t{0}, int64_t{2}));
  EXPECT_EQ(extent(4, 1), std::pair(int64_t{0}, int64_t{3}));
  EXPECT_EQ(extent(1, 3), std::pair(int64_t{1}, int64_t{2}));
  EXPECT_EQ(extent(2, 5), std::pair(int64_t{2}, int64_t{4}));
  ByteRange range;
  EXPECT_TRUE(ByteExtent(MakeView({3, 8}, {16, 1}, 6, ACL_INT4), &range)) << "every other row";
  EXPECT_EQ(range.begin, 3);
  EXPECT_EQ(range.end, 23);
  EXPECT_TRUE(ByteExtent(MakeView({2}, {-3}, 4, ACL_INT4), &range));
  EXPECT_EQ(range.begin, 0);
  EXPECT_EQ(range.end, 3);
}

TEST(View, ExtentRefusesWhatDoesNotFit) {
  ByteRange range{7, 7};
  EXPECT_FALSE(ByteExtent(MakeView({3}, {kMost}), &range));
  EXPECT_FALSE(ByteExtent(MakeView({2}, {kMost / 4}), &range)) << "bytes overflow though elements do not";
  EXPECT_FALSE(ByteExtent(MakeView({2}, {1}, kMost), &range));
  EXPECT_FALSE(ByteExtent(MakeView({2, 2}, {kMost - 1, kMost - 1}, 0, ACL_INT8), &range));
  EXPECT_FALSE(ByteExtent(MakeView({2}, {-kMost}, -5, ACL_INT8), &range));
  EXPECT_FALSE(ByteExtent(MakeView({1}, {1}, kMost, ACL_INT8), &range)) << "the end is one past the last byte";
  EXPECT_FALSE(ByteExtent(MakeView({-1}, {1}), &range));
  EXPECT_FALSE(ByteExtent(Contiguous({2}, ACL_UINT1), &range));
  EXPECT_FALSE(ByteExtent(Contiguous({2}, static_cast<aclDataType>(5)), &range));
  EXPECT_EQ(range.begin, 7) << "left untouched";
  EXPECT_TRUE(ByteExtent(MakeView({0, 3}, {kMost, kMost}, kMost), &range));
  EXPECT_EQ(range.begin, range.end);
}

struct BroadcastRow {
  std::vector<int64_t> a, b, result;
  int32_t axis;
};

TEST(Broadcast, FollowsTheTable) {
  const BroadcastRow rows[] = {
      {{}, {}, {}, -1},
      {{3}, {}, {3}, -1},
      {{2, 3}, {3}, {2, 3}, -1},
      {{2, 1}, {1, 4}, {2, 4}, -1},
      {{1}, {0}, {0}, -1},
      {{0, 3}, {0, 1}, {0, 3}, -1},
      {{8, 1, 6, 1}, {7, 1, 5}, {8, 7, 6, 5}, -1},
      {{0}, {2}, {}, 0},
      {{2, 3}, {2}, {}, 1},
      {{4, 3}, {2, 5, 3}, {}, 1},
  };
  for (const BroadcastRow& row : rows) {
    for (const bool swapped : {false, true}) {
      const std::vector<int64_t>& first = swapped ? row.b : row.a;
      Shape shape;
      shape.rank = static_cast<int32_t>(first.size());
      std::copy(first.begin(), first.end(), shape.dims);
      EXPECT_EQ(BroadcastWith(&shape, swapped ? row.a : row.b), row.axis);
      const std::vector<int64_t>& expected = row.axis < 0 ? row.result : first;
      EXPECT_EQ(std::vector<int64_t>(shape.span().begin(), shape.span().end()), expected);
    }
  }
}

struct SelfOverlapRow {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  bool overlaps;
};

TEST(MayOverlapItself, FindsViewsInWhichTwoIndicesShareBytes) {
  const SelfOverlapRow rows[] = {
      {{}, {}, false},         {{5}, {1}, false},
      {{5}, {0}, true},        {{1}, {0}, false},
      {{2, 3}, {3, 1}, false}, {{3, 2}, {1, 3}, false},
      {{2, 3}, {2, 1}, true},  {{2, 3}, {0, 1}, true},
      {{2, 3}, {1, 0}, true},  {{4, 1, 3}, {6, 0, 2}, false},
      {{4, 3}, {1, 4}, false}, {{4, 3}, {1, 3}, true},
  };
  for (const SelfOverlapRow& row : rows) {
    View view;
    view.dtype = ACL_FLOAT;
    view.rank = static_cast<int32_t>(row.shape.size());
    std::copy(row.shape.begin(), row.shape.end(), view.shape);
    std::copy(row.strides.begin(), row.strides.end(), view.strides);
    EXPECT_EQ(MayOverlapItself(view), row.overlaps) << ::testing::PrintToString(row.strides);
  }
}

}  // namespace
}  // namespace portacl
