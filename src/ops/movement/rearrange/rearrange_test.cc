// SPDX-License-Identifier: Apache-2.0
//
// Permute, Flatten, Flip, Roll and Slice: the promises that follow from schemas and oracle, worked examples, and the
// valid ranges of attributes.
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_expand.h"
#include "aclnnop/aclnn_flatten.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_roll.h"
#include "aclnnop/aclnn_slice.h"
#include "aclnnop/aclnn_slice_v2.h"
#include "calls/tensor_builder.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Rearrange, rearrange);

namespace portacl::ops::rearrange {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::DeviceArray;
using testing::Example;

class Rearrange : public testing::DeviceTest {};

Example Floats(Dims shape, std::vector<double> values) { return {ACL_FLOAT, std::move(shape), std::move(values)}; }

class Array {
 public:
  Array(const std::vector<int64_t>& values)  // NOLINT(google-explicit-constructor): stands for the array
      : array_(aclCreateIntArray(values.data(), values.size())) {}
  ~Array() { aclDestroyIntArray(array_); }
  Array(const Array&) = delete;
  const aclIntArray* get() const { return array_; }

 private:
  aclIntArray* array_;
};

TEST_F(Rearrange, PermuteGivesAxesAnotherOrder) {
  testing::ExpectExample(
      Operators()[0], {{"self", Floats({1, 2, 3}, {1, 2, 3, 4, 5, 6})}, {"out", Floats({3, 1, 2}, {1, 4, 2, 5, 3, 6})}},
      {}, 0, {{"dims", {2, 0, -2}}});
}

TEST_F(Rearrange, FlipReversesSeveralAxes) {
  testing::ExpectExample(Operators()[2],
                         {{"self", Floats({2, 3}, {1, 2, 3, 4, 5, 6})}, {"out", Floats({2, 3}, {6, 5, 4, 3, 2, 1})}},
                         {}, 0, {{"dims", {-1, 0}}});
}

// One register, and slightly fewer or more elements than several registers.
TEST_F(Rearrange, FlipReversesRowsOfAnyLength) {
  for (const aclDataType dtype : {ACL_INT8, ACL_FLOAT16, ACL_FLOAT, ACL_INT64}) {
    for (const int64_t columns : {15, 16, 17, 31, 63, 64, 65, 127, 128, 200}) {
      std::vector<double> values(static_cast<size_t>(2 * columns)), flipped(values.size());
      for (int64_t i = 0; i < 2 * columns; ++i) {
        const int64_t row = i / columns;
        values[static_cast<size_t>(i)] = static_cast<double>(i % 100);
        flipped[static_cast<size_t>((2 * row + 1) * columns - 1 - i)] = static_cast<double>(i % 100);
      }
      SCOPED_TRACE(columns);
      testing::ExpectExample(Operators()[2],
                             {{"self", {dtype, {2, columns}, values}}, {"out", {dtype, {2, columns}, flipped}}}, {}, 0,
                             {{"dims", {1}}});
    }
  }
}

TEST_F(Rearrange, RollGivesTheDocumentedResults) {
  const auto roll = [](const Example& x, const Example& out, const Dims& shifts, const Dims& dims) {
    testing::ExpectExample(Operators()[3], {{"x", x}, {"out", out}}, {}, 0, {{"shifts", shifts}, {"dims", dims}});
  };
  const Example x = Floats({5}, {1, 2, 3, 4, 5});
  roll(x, Floats({5}, {4, 5, 1, 2, 3}), {2}, {0});
  roll(x, Floats({5}, {2, 3, 4, 5, 1}), {-1}, {0});
  roll(x, Floats({5}, {2, 3, 4, 5, 1}), {9}, {0});
  roll(x, x, {3, 2}, {0, -1});  // shifts of one axis add up
  roll(Floats({2, 2}, {1, 2, 3, 4}), Floats({2, 2}, {4, 1, 2, 3}), {1}, {});
}

TEST_F(Rearrange, SliceCountsFromBothEnds) {
  const Example self = Floats({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto slice = [&](double start, double end, double step, const std::vector<double>& values) {
    testing::ExpectExample(Operators()[4], {{"self", self}, {"out", Floats({std::ssize(values)}, values)}},
                           {{"dim", 0}, {"start", start}, {"end", end}, {"step", step}}, 0);
  };
  slice(-3, 20, 2, {7, 9});
  slice(2, 0, 1, {});
  slice(2, -20, 1, {});
  slice(-20, 3, 1, {0, 1, 2});
  slice(0, -1, 4, {0, 4, 8});
  slice(0, 10, 100, {0});
}

TEST_F(Rearrange, SliceV2CutsSeveralAxes) {
  const auto slice = [&](const Example& self, const Example& out, const std::vector<int64_t>& starts,
                         const std::vector<int64_t>& ends, const std::vector<int64_t>& axes,
                         const std::vector<int64_t>& steps) {
    testing::ExpectExample(testing::FindRow(Operators(), "aclnnSliceV2"), {{"self", self}, {"out", out}}, {}, 0,
                           {{"starts", starts}, {"ends", ends}, {"axes", axes}, {"steps", steps}});
  };
  const Example ten = Floats({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  slice(ten, Floats({2}, {7, 9}), {-3}, {20}, {0}, {2});
  slice(ten, Floats({0}, {}), {5}, {-8}, {0}, {1});
  slice(ten, ten, {}, {}, {}, {});
  slice(Floats({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), Floats({2, 2}, {1, 3, 9, 11}), {1, -20}, {4, 3},
        {-1, 0}, {2, 2});
}

TEST_F(Rearrange, SliceV2WantsArraysOfOneLength) {
  const auto self = TensorBuilder(ACL_FLOAT, {4, 4}).Build();
  const auto out = TensorBuilder(ACL_FLOAT, {4, 2}).Build();
  const auto status = [&](const Array& starts, const Array& ends, const Array& axes, const Array& steps) {
    return testing::PhaseOne(aclnnSliceV2GetWorkspaceSize, self.get(), starts.get(), ends.get(), axes.get(),
                             steps.get(), out.get());
  };
  EXPECT_EQ(status(Dims{2}, Dims{4}, Dims{1}, Dims{1}), 0);
  EXPECT_EQ(status(Dims{0, 2}, Dims{4, 4}, Dims{0, -1}, Dims{1, 1}), 0);
  EXPECT_EQ(status(Dims{2}, Dims{4}, Dims{1}, Dims{}), 161002);
  EXPECT_EQ(status(Dims{2, 0}, Dims{4}, Dims{1}, Dims{1}), 161002);
  EXPECT_EQ(status(Dims{2}, Dims{4}, Dims{1}, Dims{0}), 161002);
  EXPECT_EQ(status(Dims{2}, Dims{4}, Dims{2}, Dims{1}), 161002);
  EXPECT_EQ(status(Dims{2, 0}, Dims{4, 4}, Dims{1, -1}, Dims{1, 1}), 161002);
  EXPECT_EQ(status(Dims{2}, Dims{4}, Dims{0}, Dims{1}), 161002);
}

TEST_F(Rearrange, ExpandRepeatsAxesOfSizeOne) {
  testing::ExpectExample(
      testing::FindRow(Operators(), "aclnnExpand"),
      {{"self", Floats({2, 1}, {1, 2})}, {"out", Floats({2, 2, 3}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2})}}, {}, 0,
      {{"size", {2, -1, 3}}});
  const auto self = TensorBuilder(ACL_FLOAT, {2, 1}).Build();
  const auto status = [&](const Array& size, const Dims& out) {
    return testing::PhaseOne(aclnnExpandGetWorkspaceSize, self.get(), size.get(),
                             TensorBuilder(ACL_FLOAT, out).Build().get());
  };
  EXPECT_EQ(status(Dims{2, 3}, {2, 3}), 0);
  EXPECT_EQ(status(Dims{-1, 0}, {2, 0}), 0);
  EXPECT_EQ(status(Dims{3, 1}, {3, 1}), 161002);
  EXPECT_EQ(status(Dims{2}, {2}), 161002);
  EXPECT_EQ(status(Dims{-1, 2, 1}, {1, 2, 1}), 161002);
  EXPECT_EQ(status(Dims{2, -2}, {2, 1}), 161002);
  EXPECT_EQ(status(Dims{2, 3}, {2, 1}), 161002);
}

TEST_F(Rearrange, PermuteWantsAPermutation) {
  const auto self = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const auto status = [&](const Array& dims, const Dims& out) {
    return testing::PhaseOne(aclnnPermuteGetWorkspaceSize, self.get(), dims.get(),
                             TensorBuilder(ACL_FLOAT, out).Build().get());
  };
  EXPECT_EQ(status(Dims{1, 0}, {3, 2}), 0);
  EXPECT_EQ(status(Dims{-1, -2}, {3, 2}), 0);
  EXPECT_EQ(status(Dims{1, 0}, {2, 3}), 161002);
  EXPECT_EQ(status(Dims{1, 1}, {3, 3}), 161002);
  EXPECT_EQ(status(Dims{1, -1}, {3, 3}), 161002);
  EXPECT_EQ(status(Dims{1, 2}, {3, 2}), 161002);
  EXPECT_EQ(status(Dims{0, -3}, {3, 2}), 161002);
  EXPECT_EQ(status(Dims{0}, {2, 3}), 161002);
  EXPECT_EQ(status(Dims{0, 1, 2}, {2, 3}), 161002);
}

TEST_F(Rearrange, FlattenTakesEveryAxis) {
  const auto self = TensorBuilder(ACL_FLOAT, {2, 3, 4}).Build();
  const auto status = [&](int64_t axis, const Dims& out) {
    return testing::PhaseOne(aclnnFlattenGetWorkspaceSize, self.get(), axis,
                             TensorBuilder(ACL_FLOAT, out).Build().get());
  };
  EXPECT_EQ(status(0, {1, 24}), 0);
  EXPECT_EQ(status(-1, {6, 4}), 0);
  EXPECT_EQ(status(-3, {1, 24}), 0);
  EXPECT_EQ(status(1, {2, 3, 4}), 161002);
  EXPECT_EQ(status(3, {24, 1}), 161002);
  EXPECT_EQ(status(-4, {1, 24}), 161002);
}

TEST_F(Rearrange, FlipAndRollWantAxes) {
  const auto self = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const auto flip = [&](const Array& dims) {
    return testing::PhaseOne(aclnnFlipGetWorkspaceSize, self.get(), dims.get(), self.get());
  };
  EXPECT_EQ(flip(Dims{}), 0);
  EXPECT_EQ(flip(Dims{0, -1}), 0);
  EXPECT_EQ(flip(Dims{1, -1}), 161002);
  EXPECT_EQ(flip(Dims{2}), 161002);
  const auto roll = [&](const Array& shifts, const Array& dims) {
    return testing::PhaseOne(aclnnRollGetWorkspaceSize, self.get(), shifts.get(), dims.get(), self.get());
  };
  EXPECT_EQ(roll(Dims{5, -7}, Dims{0, 0}), 0);
  EXPECT_EQ(roll(Dims{5}, Dims{}), 0);
  EXPECT_EQ(roll(Dims{}, Dims{}), 161002);
  EXPECT_EQ(roll(Dims{1, 2}, Dims{}), 161002);
  EXPECT_EQ(roll(Dims{1}, Dims{0, 1}), 161002);
  EXPECT_EQ(roll(Dims{1}, Dims{2}), 161002);
}

TEST_F(Rearrange, SliceWantsAPositiveStep) {
  const auto self = TensorBuilder(ACL_FLOAT, {4}).Build();
  const auto status = [&](int64_t dim, int64_t step, int64_t size) {
    return testing::PhaseOne(aclnnSliceGetWorkspaceSize, self.get(), dim, int64_t{0}, int64_t{4}, step,
                             TensorBuilder(ACL_FLOAT, {size}).Build().get());
  };
  EXPECT_EQ(status(0, 2, 2), 0);
  EXPECT_EQ(status(0, 2, 3), 161002);
  EXPECT_EQ(status(0, 0, 4), 161002);
  EXPECT_EQ(status(0, -1, 4), 161002);
  EXPECT_EQ(status(1, 1, 4), 161002);
}

// Uses more than one thread, and non-temporal stores.
TEST_F(Rearrange, RollsAndFlipsManyElements) {
  constexpr int64_t kRows = 700, kColumns = 1031;
  std::vector<int32_t> values(kRows * kColumns), rolled(values.size()), flipped(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int32_t>(i);
    rolled[(i + 4321) % values.size()] = static_cast<int32_t>(i);
    flipped[values.size() - 1 - i] = static_cast<int32_t>(i);
  }
  const DeviceArray<int32_t> device(values);
  const DeviceArray<int32_t> result(values.size());
  const auto self = TensorBuilder(ACL_INT32, {kRows, kColumns}).Data(device.data()).Build();
  const auto out = TensorBuilder(ACL_INT32, {kRows, kColumns}).Data(result.data()).Build();
  testing::RunPhases(aclnnRollGetWorkspaceSize, aclnnRoll, self.get(), Array({4321}).get(), Array(Dims{}).get(),
                     out.get());
  EXPECT_TRUE(result.ToHost() == rolled);
  testing::RunPhases(aclnnFlipGetWorkspaceSize, aclnnFlip, self.get(), Array({0, 1}).get(), out.get());
  EXPECT_TRUE(result.ToHost() == flipped);
}

}  // namespace
}  // namespace portacl::ops::rearrange
