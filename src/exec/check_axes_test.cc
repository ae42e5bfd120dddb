// SPDX-License-Identifier: Apache-2.0
// The words of a schema about axes and sizes: what each accepts, and the message with which it refuses.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "calls/tensor_builder.h"
#include "exec/check_fixture.h"

namespace portacl::exec {
namespace {

using calls::TensorHandle;

// An operator on axes, which halves one axis and compares sizes.
constexpr SchemaOf kGate(
    {.api = "aclnnGate"}, {In("x"), OptionalIn("mask"), Attribute("dim", ValueKind::kInt64), Out("out")},
    {NotNull("x", "out"), NotNull("workspaceSize", "executor"), Rank({"x"}, 1, 4), Rank({"mask"}, 2, 2), MaxRank("out"),
     DimInRange("dim", "x"), DivisibleAlong("x", "dim", 2), ShapeIs("out", HalfAlong("x", "dim")),
     SizeInRange({Axis("x", -1)}, 0, 100).On({SocFamily::kAscend950}, 0, 200).Status(kNoPlan),
     SameSize({Axis("x", 0), Axis("mask", 0)}), SameSizeOrOne({Axis("x", -1), Axis("mask", 1)}), NotEmpty("x")});

CheckResult Gate(calls::Dims x, int64_t dim, calls::Dims out, const TensorHandle& mask = nullptr) {
  const TensorHandle x_tensor = Floats(std::move(x));
  const TensorHandle out_tensor = Floats(std::move(out));
  return RunChecks(kGate, {x_tensor.get(), mask.get(), dim, out_tensor.get()});
}

TEST(CheckAxes, RankNamesItsRange) {
  EXPECT_TRUE(Refused(Gate({}, 0, {}), 161002, "argument 'x': expected a rank from 1 to 4, got rank 0"));
  EXPECT_TRUE(Refused(Gate({2, 2}, 0, {1, 2}, Floats({2})), 161002, "argument 'mask': expected rank 2, got rank 1"));
}

TEST(CheckAxes, DimInRangeCountsFromBothEnds) {
  EXPECT_EQ(Gate({4, 6}, 1, {4, 3}).status, kSuccess);
  EXPECT_EQ(Gate({4, 6}, -2, {2, 6}).status, kSuccess);
  EXPECT_TRUE(
      Refused(Gate({4, 6}, 2, {4, 3}), 161002, "argument 'dim': expected a value from -2 to 1 (axes of 'x'), got 2"));
  EXPECT_EQ(Gate({4, 6}, -3, {4, 3}).status, kInvalid);
  EXPECT_EQ(Gate({4, 6}, std::numeric_limits<int64_t>::min(), {4, 3}).status, kInvalid);
}

TEST(CheckAxes, HalfAlongHalves) {
  EXPECT_TRUE(
      Refused(Gate({4, 5}, -1, {4, 2}), 161002, "argument 'x': expected a multiple of 2 along axis 1, got [4,5]"));
  EXPECT_TRUE(Refused(Gate({4, 6}, -1, {4, 6}), 161002,
                      "argument 'out': expected [4,3] (shape of 'x', half of it along axis -1), got [4,6]"));
}

TEST(CheckAxes, SizesMayDependOnTheSocAndHaveTheirOwnStatus) {
  EXPECT_EQ(Gate({2, 100}, 0, {1, 100}).status, kSuccess);
  EXPECT_TRUE(Refused(Gate({2, 101}, 0, {1, 101}), 561002,
                      "argument 'x': expected at most 100 on Ascend910B, got 101 along axis -1"));
  const OnSoc soc(SocFamily::kAscend950);
  EXPECT_EQ(Gate({2, 200}, 0, {1, 200}).status, kSuccess);
  EXPECT_EQ(Gate({2, 201}, 0, {1, 201}).status, kNoPlan);
}

TEST(CheckAxes, SizesAgree) {
  EXPECT_EQ(Gate({2, 6}, 0, {1, 6}, Floats({2, 6})).status, kSuccess);
  EXPECT_EQ(Gate({2, 6}, 0, {1, 6}, Floats({2, 1})).status, kSuccess);
  EXPECT_TRUE(Refused(Gate({2, 6}, 0, {1, 6}, Floats({1, 6})), 161002,
                      "argument 'mask': expected 2 (that of 'x'), got 1 along axis 0"));
  EXPECT_TRUE(Refused(Gate({2, 6}, 0, {1, 6}, Floats({2, 3})), 161002,
                      "argument 'mask': expected 6 or 1 (that of 'x'), got 3 along axis 1"));
}

TEST(CheckAxes, NotEmptyRefusesAnEmptyTensor) {
  EXPECT_TRUE(Refused(Gate({0, 6}, 1, {0, 3}), 161002, "argument 'x': expected at least one element, got [0,6]"));
}

// An operator that reduces axes.
constexpr SchemaOf kFold({.api = "aclnnFold"},
                         {In("x"), Attribute("dims", ValueKind::kIntArray), Attribute("keep", ValueKind::kBool),
                          Out("out")},
                         {NotNull("x", "dims", "out"), NotNull("workspaceSize", "executor"), MaxRank("x", "out"),
                          AxesInRange("dims", "x"), ShapeIs("out", ReducedAlong("x", "dims", "keep")),
                          NotEmptyAlong("x", "dims")});

CheckResult Fold(calls::Dims x, const calls::Dims& dims, bool keep, calls::Dims out) {
  const TensorHandle x_tensor = Floats(std::move(x));
  const TensorHandle out_tensor = Floats(std::move(out));
  aclIntArray* const array = aclCreateIntArray(dims.data(), dims.size());
  const CheckResult result = RunChecks(kFold, {x_tensor.get(), array, keep, out_tensor.get()});
  aclDestroyIntArray(array);
  return result;
}

TEST(CheckAxes, AxesInRangeWantsEachOnce) {
  EXPECT_EQ(Fold({4, 6}, {-2}, false, {6}).status, kSuccess);
  EXPECT_EQ(Fold({}, {0}, false, {}).status, kSuccess);
  EXPECT_TRUE(Refused(Fold({4, 6}, {2}, false, {4}), 161002,
                      "argument 'dims': expected values from -2 to 1 (axes of 'x'), got 2"));
  EXPECT_TRUE(
      Refused(Fold({4, 6}, {1, -1}, false, {4}), 161002, "argument 'dims': expected different axes, got axis 1 twice"));
}

TEST(CheckAxes, ReducedAlongRemovesAxesOrKeepsThem) {
  EXPECT_EQ(Fold({4, 6, 5}, {0, -1}, false, {6}).status, kSuccess);
  EXPECT_EQ(Fold({4, 6, 5}, {0, -1}, true, {1, 6, 1}).status, kSuccess);
  EXPECT_EQ(Fold({4, 6}, {}, false, {}).status, kSuccess);
  EXPECT_EQ(Fold({4}, {0}, false, {1}).status, kSuccess);
  EXPECT_EQ(Fold({4}, {0}, true, {}).status, kSuccess);
  EXPECT_TRUE(Refused(Fold({4, 6}, {0}, true, {6}), 161002, "argument 'out': expected [1,6]"));
}

TEST(CheckAxes, NotEmptyAlongAsksForElementsWhereItReduces) {
  EXPECT_EQ(Fold({0, 6}, {1}, false, {0}).status, kSuccess);
  EXPECT_TRUE(Refused(Fold({0, 6}, {0}, false, {6}), 161002,
                      "argument 'x': expected at least one element along axis 0, got [0,6]"));
}

}  // namespace
}  // namespace portacl::exec
