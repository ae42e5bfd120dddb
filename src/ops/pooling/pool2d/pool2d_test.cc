// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schema and oracle, worked examples, all code paths for windows, and the valid ranges of
// attributes.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "calls/element.h"
#include "calls/views.h"
#include "calls/word_calls.h"
#include "exec/bind.h"
#include "testing/call_memory.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Pool2d, pool2d);

namespace portacl::ops::pool2d {
namespace {

using calls::Dims;
using testing::ExpectRight;
using testing::StatusOf;

class Pool2d : public testing::DeviceTest {};

const exec::OperatorEntry& AvgPool() { return Operators()[0]; }
const exec::OperatorEntry& MaxPool() { return Operators()[1]; }

using Arrays = std::map<std::string, Dims>;
using Numbers = std::map<std::string, int64_t>;

// A call with these arrays and attributes, and the output shape that follows from them.
calls::Call CallOf(const exec::OperatorEntry& entry, aclDataType dtype, const Dims& self, const Arrays& arrays,
                   const Numbers& numbers = {}) {
  calls::Call call = calls::MakeValidCall(entry);
  call.tensor("self").dtype = call.tensor("out").dtype = dtype;
  call.tensor("self").shape = self;
  for (const auto& [name, array] : arrays) call.argument(name).integers = array;
  for (const auto& [name, number] : numbers) call.argument(name).integer = number;
  calls::ComputeShapeOf(call, call.schema().Find("out"));
  return call;
}

// The result of the call for an image 1, 2, 3 ...
std::vector<double> ResultOf(calls::Call call) {
  call.AllocateData();
  testing::FillWithCount(call.tensor("self"));
  testing::RunPhases(call);
  return calls::Decode(call.tensor("out").dtype, calls::ReadElements(call.tensor("out")));
}

void ExpectMeans(const Arrays& arrays, const Numbers& numbers, const std::vector<float>& means) {
  const std::vector<double> got = ResultOf(CallOf(AvgPool(), ACL_FLOAT, {1, 3, 3}, arrays, numbers));
  EXPECT_EQ(got, std::vector<double>(means.begin(), means.end()));
}

TEST_F(Pool2d, GivesTheDocumentedMeans) {
  const Arrays padded = {{"kernelSize", {2}}, {"strides", {2}}, {"paddings", {1}}};
  ExpectMeans(padded, {{"countIncludePad", 1}}, {0.25F, 1.25F, 2.75F, 7});
  ExpectMeans(padded, {}, {1, 2.5F, 5.5F, 7});
  ExpectMeans(padded, {{"divisorOverride", 3}}, {1 / 3.F, 5 / 3.F, 11 / 3.F, 28 / 3.F});
  for (const int64_t counts : {0, 1}) {
    ExpectMeans({{"kernelSize", {2}}, {"strides", {2}}, {"paddings", {0}}},
                {{"ceilMode", 1}, {"countIncludePad", counts}}, {3, 4.5F, 7.5F, 9});
  }
  ExpectMeans({{"kernelSize", {3}}, {"strides", {2}}, {"paddings", {1}}}, {{"ceilMode", 1}, {"countIncludePad", 1}},
              {12 / 9.F, 16 / 9.F, 24 / 9.F, 28 / 9.F});
}

TEST_F(Pool2d, GivesTheLargest) {
  const auto largest = [](const Arrays& arrays, const Numbers& numbers = {}) {
    return ResultOf(CallOf(MaxPool(), ACL_FLOAT, {1, 1, 3, 3}, arrays, numbers));
  };
  EXPECT_EQ(largest({{"kernelShape", {2}}, {"strides", {}}, {"pads", {}}}), (std::vector<double>{5, 6, 8, 9}));
  EXPECT_EQ(largest({{"kernelShape", {2}}, {"strides", {2}}, {"pads", {1}}}), (std::vector<double>{1, 3, 7, 9}));
  EXPECT_EQ(largest({{"kernelShape", {2}}, {"strides", {2}}, {"pads", {0}}}, {{"ceilMode", 1}}),
            (std::vector<double>{5, 6, 8, 9}));
  EXPECT_EQ(largest({{"kernelShape", {3, 1}}, {"strides", {1, 2}}, {"pads", {0, 0}}}), (std::vector<double>{7, 9}));
  // Padding: top 2, left 0, bottom 0, right 1. The windows of the first row contain no element.
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(largest({{"kernelShape", {2}}, {"strides", {2, 1}}, {"pads", {2, 0, 0, 1}}}),
            (std::vector<double>{kNone, kNone, kNone, 5, 6, 6}));
}

TEST_F(Pool2d, PaddingHasTheLowestValueOfIntegers) {
  const auto first = [](aclDataType dtype) {
    return ResultOf(
               CallOf(MaxPool(), dtype, {1, 2, 2}, {{"kernelShape", {2}}, {"strides", {2}}, {"pads", {2, 2, 0, 0}}}))
        .front();
  };
  EXPECT_EQ(first(ACL_INT8), -128);
  EXPECT_EQ(first(ACL_UINT8), 0);
  EXPECT_EQ(first(ACL_INT16), -32768);
  EXPECT_EQ(first(ACL_INT32), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(first(ACL_INT64), static_cast<double>(std::numeric_limits<int64_t>::min()));
}

// An image padded explicitly, by callers of MaxPool without pads.
TEST_F(Pool2d, TheLowestNumberIsNoPadding) {
  constexpr double kLowest = std::numeric_limits<float>::lowest();
  testing::ExpectExample(MaxPool(),
                         {{"self", {ACL_FLOAT, {1, 1, 2, 3}, {kLowest, kLowest, 1, kLowest, kLowest, 2}}},
                          {"out", {ACL_FLOAT, {1, 1, 1, 2}, {kLowest, 2}}}},
                         {{"autoPad", 0}, {"ceilMode", 0}}, 0,
                         {{"kernelShape", {2, 2}}, {"strides", {1, 1}}, {"pads", {0, 0}}, {"dilations", {1, 1}}});
}

// Every stride and kernel with a loop of its own, rows of all lengths around a register, channels first and last.
TEST_F(Pool2d, WindowsTakeEveryWay) {
  for (const int64_t kernel : {1, 2, 3, 4, 7}) {
    for (const int64_t stride : {1, 2, 3}) {
      for (const int64_t width : {7, 16, 33}) {
        for (const bool last : {false, true}) {
          const Dims shape = {2, 3, 9, width};
          const auto place = [&](calls::TensorSpec& tensor) {
            const Dims& s = tensor.shape;
            tensor.strides = Dims{s[1] * s[2] * s[3], 1, s[1] * s[3], s[1]};
          };
          calls::Call mean =
              CallOf(AvgPool(), ACL_FLOAT, shape,
                     {{"kernelSize", {kernel}}, {"strides", {stride}}, {"paddings", {kernel / 2, kernel / 3}}},
                     {{"countIncludePad", width % 2}, {"ceilMode", last}});
          mean.tensor("self").format = mean.tensor("out").format = ACL_FORMAT_NCHW;
          calls::Call largest = CallOf(MaxPool(), ACL_FLOAT16, shape,
                                       {{"kernelShape", {kernel}}, {"strides", {stride}}, {"pads", {kernel / 2}}});
          for (calls::Call* const call : {&mean, &largest}) {
            if (last) place(call->tensor("self"));
            if (last) place(call->tensor("out"));
            ExpectRight(*call, width == 33 ? 0.2 : 0);
          }
        }
      }
    }
  }
}

TEST_F(Pool2d, TakesLargeImagesAndWindows) {
  const Arrays halves = {{"kernelSize", {2}}, {"strides", {2}}, {"paddings", {0}}};
  ExpectRight(CallOf(AvgPool(), ACL_FLOAT, {3, 101, 1003}, halves));
  ExpectRight(CallOf(AvgPool(), ACL_BF16, {3, 101, 1003}, halves));
  // A window over the whole image; windows larger than the image and its padding.
  ExpectRight(CallOf(AvgPool(), ACL_FLOAT, {5, 56, 56}, {{"kernelSize", {56}}, {"strides", {1}}, {"paddings", {0}}}));
  ExpectRight(CallOf(AvgPool(), ACL_FLOAT, {2, 3, 4}, {{"kernelSize", {301}}, {"strides", {1}}, {"paddings", {150}}}));
  constexpr int64_t kHuge = (int64_t{1} << 31) - 2;
  EXPECT_EQ(ResultOf(CallOf(AvgPool(), ACL_FLOAT, {1, 2, 2},
                            {{"kernelSize", {kHuge}}, {"strides", {1}}, {"paddings", {kHuge / 2}}},
                            {{"divisorOverride", 5}})),
            (std::vector<double>{2, 2, 2, 2, 2, 2, 2, 2, 2}));
}

TEST_F(Pool2d, WantsNumbersInRange) {
  const auto mean = [](const char* name, const Dims& array) {
    Arrays arrays = {{"kernelSize", {3, 2}}, {"strides", {1, 1}}, {"paddings", {1, 1}}};
    arrays[name] = array;
    return StatusOf(CallOf(AvgPool(), ACL_FLOAT, {2, 4, 5}, arrays));
  };
  EXPECT_EQ(mean("kernelSize", {2}), 0);
  EXPECT_EQ(mean("kernelSize", {}), 161002);
  EXPECT_EQ(mean("kernelSize", {2, 2, 2}), 161002);
  EXPECT_EQ(mean("kernelSize", {0, 2}), 161002);
  EXPECT_EQ(mean("kernelSize", {2, 8}), 161002);  // larger than the padded image
  EXPECT_EQ(mean("strides", {}), 0);
  EXPECT_EQ(mean("strides", {2}), 0);
  EXPECT_EQ(mean("strides", {1, 0}), 161002);
  EXPECT_EQ(mean("strides", {1, 1, 1}), 161002);
  EXPECT_EQ(mean("paddings", {0}), 0);
  EXPECT_EQ(mean("paddings", {}), 161002);
  EXPECT_EQ(mean("paddings", {1, 2}), 161002);  // more than half of 2
  EXPECT_EQ(mean("paddings", {-1, 0}), 161002);
  const auto largest = [](const char* name, const Dims& array) {
    Arrays arrays = {{"kernelShape", {3, 2}}, {"strides", {1, 1}}, {"pads", {1, 1}}, {"dilations", {1}}};
    arrays[name] = array;
    return StatusOf(CallOf(MaxPool(), ACL_FLOAT, {2, 4, 5}, arrays));
  };
  EXPECT_EQ(largest("kernelShape", {2}), 0);
  EXPECT_EQ(largest("kernelShape", {}), 161002);
  EXPECT_EQ(largest("kernelShape", {2, 0}), 161002);
  EXPECT_EQ(largest("strides", {}), 0);
  EXPECT_EQ(largest("strides", {0}), 161002);
  EXPECT_EQ(largest("pads", {}), 0);
  EXPECT_EQ(largest("pads", {0, 2, 3, 0}), 0);
  EXPECT_EQ(largest("pads", {0, 0, 0}), 161002);
  EXPECT_EQ(largest("pads", {2, 0, 2, 0}), 161002);  // more than 3 together
  EXPECT_EQ(largest("pads", {-1}), 161002);
  EXPECT_EQ(largest("dilations", {}), 0);
  EXPECT_EQ(largest("dilations", {1, 1, 1, 1}), 0);
  EXPECT_EQ(largest("dilations", {1, 1, 1}), 161002);
  EXPECT_EQ(largest("dilations", {2}), 161002);
}

TEST_F(Pool2d, WantsImagesOfSomeHeightAndWidth) {
  const Arrays arrays = {{"kernelSize", {1}}, {"strides", {1}}, {"paddings", {0}}};
  EXPECT_EQ(StatusOf(CallOf(AvgPool(), ACL_FLOAT, {0, 2, 4, 5}, arrays)), 0);
  EXPECT_EQ(StatusOf(CallOf(AvgPool(), ACL_FLOAT, {1, 0, 4, 5}, arrays)), 0);
  for (const Dims& shape : {Dims{1, 2, 0, 5}, {1, 2, 4, 0}}) {
    calls::Call call = CallOf(AvgPool(), ACL_FLOAT, shape, arrays);
    call.tensor("out").shape = shape;
    EXPECT_EQ(StatusOf(call), 161002);
  }
}

}  // namespace
}  // namespace portacl::ops::pool2d
