// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schema and oracle, worked examples, typical convolutions, and the valid ranges of
// attributes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "calls/word_calls.h"
#include "ops/convolution/convolution/convolution_test_support.h"
#include "testing/call_memory.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/random.h"
#include "testing/sample_size.h"
#include "testing/two_phases.h"

OP_CONTRACT_TESTS(Convolution, convolution, 0);

namespace portacl::ops::convolution {
namespace {

using testing::ExpectRight;

class Convolution : public testing::DeviceTest {};

TEST_F(Convolution, GivesTheWorkedExamples) {
  const auto expect = [](bool transposed, const Dims& stride, const Dims& padding, const std::vector<double>& output) {
    testing::ExpectExample(Operators()[0],
                           {{"input", {ACL_FLOAT, {1, 1, 3}, {1, 2, 3}}},
                            {"weight", {ACL_FLOAT, {1, 1, 3}, {1, 10, 100}}},
                            {"output", {ACL_FLOAT, {1, 1, std::ssize(output)}, output}}},
                           {{"transposed", transposed}, {"groups", 1}, {"cubeMathType", 0}}, 0,
                           {{"stride", stride}, {"padding", padding}, {"dilation", {1}}, {"outputPadding", {0}}});
  };
  expect(true, {2}, {0}, {1, 10, 102, 20, 203, 30, 300});
  expect(false, {1}, {1}, {210, 321, 32});
}

// Only every third layer where tests are slow.
TEST_F(Convolution, TakesLayersOfModels) {
  const std::vector<std::pair<Given, aclDataType>> layers = {
      {{{1, 64, 14, 14}, {64, 64, 3, 3}, {1, 1}, {1, 1}, {1, 1}}, ACL_FLOAT},
      {{{2, 3, 33, 31}, {40, 3, 7, 7}, {2, 2}, {3, 3}, {1, 1}, 1, false, {}, true}, ACL_FLOAT},
      {{{1, 130, 9, 11}, {150, 130, 1, 1}, {1, 1}, {0, 0}, {1, 1}, 1, false, {}, true}, ACL_FLOAT},
      {{{1, 64, 28, 29}, {64, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 64}, ACL_FLOAT},
      {{{1, 33, 17, 15}, {66, 1, 3, 3}, {2, 2}, {1, 1}, {1, 1}, 33}, ACL_FLOAT},
      {{{2, 8, 5, 6, 7}, {12, 4, 2, 3, 3}, {1, 2, 1}, {1, 0, 1}, {1, 1, 2}, 2, false, {}, true}, ACL_FLOAT},
      {{{1, 24, 40}, {36, 8, 3}, {1}, {2, 3}, {2}, 3}, ACL_FLOAT16},
      {{{1, 16, 12, 12}, {16, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}}, ACL_BF16}};
  for (size_t i = 0; i < layers.size(); i += testing::OneOf(3)) ExpectRight(CallOf(layers[i].first, layers[i].second));
}

// Results at borders, where several images share a tile; several channels, strides and dilations; few outputs, whose
// count does or does not fill registers.
TEST_F(Convolution, TakesSmallImages) {
  const std::vector<std::pair<Given, aclDataType>> layers = {
      {{{16, 20, 3, 3}, {130, 20, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, false, {}, true}, ACL_FLOAT},
      {{{5, 70, 6, 5}, {83, 70, 3, 3}, {2, 2}, {1, 1}, {1, 1}}, ACL_FLOAT16},
      {{{3, 12, 9, 8}, {34, 12, 5, 3}, {2, 1}, {4, 2}, {2, 2}}, ACL_FLOAT},
      {{{3, 2, 9, 8}, {5, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, false, {}, true}, ACL_FLOAT},
      {{{2, 4, 9, 8}, {3, 4, 3, 3}, {1, 1}, {2, 0}, {1, 1}}, ACL_BF16},
      {{{2, 24, 7, 7}, {40, 12, 1, 1}, {2, 2}, {0, 0}, {1, 1}, 2}, ACL_FLOAT},
      {{{3, 19, 8, 8}, {19, 1, 5, 5}, {2, 2}, {2, 2}, {1, 1}, 19, false, {}, true}, ACL_FLOAT},
      {{{2, 34, 9, 70}, {34, 1, 3, 3}, {3, 2}, {1, 3}, {1, 2}, 34}, ACL_FLOAT},
      {{{2, 6, 40, 30}, {12, 1, 3, 3}, {1, 1}, {2, 2}, {2, 2}, 6}, ACL_FLOAT16},
      {{{2, 5, 8, 9}, {2, 5, 3, 3}, {1, 2}, {0, 5}, {1, 1}}, ACL_FLOAT}};
  for (size_t i = 0; i < layers.size(); i += testing::OneOf(3)) ExpectRight(CallOf(layers[i].first, layers[i].second));
}

TEST_F(Convolution, TakesChannelsThatAreNeighbours) {
  const auto with_last_channels = [](calls::TensorSpec& tensor) {
    const Dims& shape = tensor.shape;
    tensor.strides = Dims{shape[1] * shape[2] * shape[3], 1, shape[1] * shape[3], shape[1]};
  };
  for (const bool transposed : {false, true}) {
    for (const int64_t stride : {1, 2}) {
      calls::Call call = CallOf({{3, 18, 6, 7}, {18, 18, 3, 3}, {stride, stride}, {1, 1}, {1, 1}, 1, transposed});
      with_last_channels(call.tensor("weight"));
      ExpectRight(call);
      with_last_channels(call.tensor("input"));
      ExpectRight(call);
      with_last_channels(call.tensor("output"));
      ExpectRight(call);
    }
  }
}

// A kernel of one element is a product of matrices, whatever the strides: contiguous rows of the image, rows cut out of
// wider ones, and channels that are neighbours.
TEST_F(Convolution, MultipliesPixels) {
  const std::vector<Given> layers = {{{3, 35, 9, 7}, {20, 35, 1, 1}, {1, 1}, {0, 0}, {1, 1}, 1, false, {}, true},
                                     {{2, 20, 6, 8}, {20, 37, 1, 1}, {1, 1}, {0, 0}, {1, 1}, 1, true},
                                     {{1, 700, 8, 8}, {17, 700, 1, 1}, {1, 1}, {0, 0}, {1, 1}},
                                     {{2, 33, 3, 4, 5}, {16, 33, 1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
                                     {{2, 33, 40}, {16, 33, 1}, {1}, {0}, {1}, 1, false, {}, true}};
  for (const Given& given : layers) {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      calls::Call call = CallOf(given, dtype);
      ExpectRight(call);
      for (const char* const name : {"input", "output"}) {
        Dims wider = call.tensor(name).shape;
        wider.back() += 3;
        call.tensor(name).strides = calls::ContiguousStrides(wider);
        ExpectRight(call);
      }
      for (const char* const name : {"input", "output"}) {
        const Dims& shape = call.tensor(name).shape;
        Dims strides = calls::ContiguousStrides(shape);
        const int64_t channels = shape[1], pixels = strides[1];
        for (size_t axis = 2; axis < shape.size(); ++axis) strides[axis] *= channels;
        strides[1] = 1;
        strides[0] = channels * pixels;
        call.tensor(name).strides = strides;
        ExpectRight(call);
      }
    }
  }
}

// The gradient of weights: the batch plays the role of channels, and the results are the weights, which are larger than
// the results.
TEST_F(Convolution, TakesLargeWeightsForFewResults) {
  for (const int64_t dilation : {1, 2}) {
    const int64_t images = 6, channels = 10, outputs = 21, size = 11, results = dilation == 1 ? 11 : 6;
    calls::Call call = CallOf(
        {{channels, images, size, size}, {outputs, images, results, results}, {1, 1}, {1, 1}, {dilation, dilation}});
    ExpectRight(call);
    call.tensor("input").strides = Dims{size * size, channels * size * size, size, 1};
    call.tensor("weight").strides = Dims{results * results, outputs * results * results, results, 1};
    ExpectRight(call);
  }
}

TEST_F(Convolution, TransposesConvolutions) {
  for (const int64_t stride : {1, 2, 3, 5}) {
    for (const int64_t dilation : {1, 2, 3}) {
      const int64_t more = std::max(stride, dilation) - 1;
      ExpectRight(CallOf({{1, 6, 13}, {6, 5, 4}, {stride}, {0}, {dilation}, 1, true}));
      ExpectRight(CallOf({{2, 6, 7, 9}, {6, 2, 3, 2}, {stride, 2}, {1, 0}, {dilation, 1}, 2, true, {more, 1}, true}));
      ExpectRight(CallOf({{1, 6, 7, 9}, {6, 1, 3, 3}, {stride, stride}, {1, 2}, {1, dilation}, 6, true, {0, more}}));
    }
  }
  ExpectRight(CallOf({{1, 3, 3, 4, 5}, {3, 4, 2, 3, 2}, {2, 1, 3}, {0, 1, 0}, {1, 2, 1}, 1, true, {1, 0, 2}}));
  ExpectRight(CallOf({{1, 20, 32}, {20, 12, 255}, {3}, {0}, {1}, 1, true}));
}

// Depthwise, with results stored channel by channel, as layers of state space models use them.
TEST_F(Convolution, StoresTransposedResults) {
  for (const int64_t kernel : {3, 4, 9}) {
    const int64_t channels = 150, length = 70;
    calls::Call call = CallOf({{2, channels, length + kernel - 1}, {channels, 1, kernel}, {1}, {0}, {1}, channels});
    call.tensor("output").strides = Dims{length * channels, 1, channels};
    ExpectRight(call);
    call.tensor("weight").strides = Dims{1, 1, channels};
    ExpectRight(call);
  }
  EXPECT_EQ(testing::PhaseOne(CallOf({{1, 8192, 8}, {8192, 1, 4}, {1}, {0}, {1}, 8192})), 0);
}

TEST_F(Convolution, TakesDeepAndWideWeights) {
  const std::vector<Given> layers = {
      {{1, 700, 6}, {17, 700, 3}, {1}, {1}, {1}},
      {{1, 1, 9}, {2, 1, 2}, {1}, {3000}, {5000}},  // the weights extend beyond the image immediately
      {{1, 700, 6}, {1, 700, 3}, {1}, {1}, {1}},
      {{1, 2, 20, 20}, {2, 1, 31, 31}, {1, 1}, {15, 15}, {1, 1}, 2}};
  for (size_t i = 0; i < layers.size(); i += testing::OneOf(3)) ExpectRight(CallOf(layers[i]));
}

// Windows that contain padding only, before or after the image, and pixels outside all windows.
TEST_F(Convolution, TakesStridesBeyondTheKernel) {
  const auto expect_ones = [](const Dims& image, const Dims& kernel, const Dims& stride, const Dims& padding,
                              const Dims& shape, const std::vector<double>& output) {
    const auto ones = [](const Dims& of) { return std::vector<double>(static_cast<size_t>(of[2] * of[3]), 1); };
    testing::ExpectExample(Operators()[0],
                           {{"input", {ACL_FLOAT, image, ones(image)}},
                            {"weight", {ACL_FLOAT, kernel, ones(kernel)}},
                            {"output", {ACL_FLOAT, shape, output}}},
                           {{"transposed", 0}, {"groups", 1}, {"cubeMathType", 0}}, 0,
                           {{"stride", stride}, {"padding", padding}, {"dilation", {1, 1}}, {"outputPadding", {0, 0}}});
  };
  expect_ones({1, 1, 1, 1}, {1, 1, 2, 1}, {3, 1}, {2, 0}, {1, 1, 2, 1}, {0, 0});
  expect_ones({1, 1, 2, 8}, {1, 1, 4, 4}, {4, 4}, {3, 3}, {1, 1, 2, 3}, {1, 4, 3, 1, 4, 3});
  testing::Random random;
  for (int64_t i = testing::SampleSize(400); i > 0 && !HasFailure(); --i) {
    const auto axis = [&](int64_t low, int64_t high) { return random.Between(low, high); };
    const int64_t groups = axis(1, 2), inputs = axis(1, 3), outputs = axis(1, 9);
    Given given = {{axis(1, 2), groups * inputs, axis(1, 8), axis(1, 8)}, {groups * outputs, inputs}};
    given.groups = groups;
    given.transposed = i % 4 == 0;
    if (given.transposed) given.weight = {groups * inputs, outputs};
    for (size_t j = 0; j < 2; ++j) {
      const int64_t size = given.input[j + 2], padding = given.transposed ? 0 : axis(0, 6);
      given.weight.push_back(std::min(axis(1, 4), size + 2 * padding));
      given.stride.push_back(axis(1, 9));
      given.padding.push_back(padding);
      given.dilation.push_back(1);
    }
    calls::Call call = CallOf(given);
    testing::ExpectConformanceAtGuard(call, i % 2 == 0 ? testing::GuardSide::kEnd : testing::GuardSide::kBegin, random);
  }
}

// Equal terms round the same way each time.
TEST_F(Convolution, KeepsItsPromiseForEqualTerms) {
  for (const int64_t channels : {5, 16, 128}) {
    calls::Call call = CallOf({{1, channels, 6, 7}, {9, channels, 3, 3}, {1, 1}, {1, 1}, {1, 1}});
    call.AllocateData();
    testing::FillWith(call, "input", 1.9861369);
    testing::FillWith(call, "weight", 0.8242167);
    testing::ExpectConformance(call);
  }
}

TEST_F(Convolution, WantsNumbersThatFit) {
  const Given given = {{2, 4, 9, 9}, {6, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 2};
  EXPECT_EQ(testing::PhaseOne(CallOf(given)), 0);
  const auto with = [&](const char* name, const Dims& array) {
    calls::Call call = CallOf(given);
    call.argument(name).integers = array;
    calls::ComputeShapeOf(call, call.schema().Find("output"));
    return testing::PhaseOne(call);
  };
  EXPECT_EQ(with("stride", {1}), 161002);
  EXPECT_EQ(with("stride", {1, 0}), 161002);
  EXPECT_EQ(with("padding", {0, 1, 2, 3}), 0);
  EXPECT_EQ(with("padding", {0, 1, 2}), 161002);
  EXPECT_EQ(with("padding", {-1, 0}), 161002);
  EXPECT_EQ(with("dilation", {0, 1}), 161002);
  EXPECT_EQ(with("dilation", {6, 1}), 161002);  // larger than the padded image
  for (const int64_t groups : {0, 3, 4, 65'536}) {
    calls::Call call = CallOf(given);
    call.argument("groups").integer = groups;
    EXPECT_EQ(testing::PhaseOne(call), 161002) << groups;
  }
  for (const char* const name : {"weight", "bias", "output"}) {
    Given biased = given;
    biased.has_bias = true;
    calls::Call call = CallOf(biased);
    ++call.tensor(name).shape[name[0] == 'b' ? 0 : 1];
    EXPECT_EQ(testing::PhaseOne(call), 161002) << name;
  }
  EXPECT_EQ(testing::PhaseOne(CallOf({{0, 4, 9, 9}, {6, 4, 3, 3}, {1, 1}, {1, 1}, {1, 1}})), 0);
}

TEST_F(Convolution, TransposedWantsAnOutputPadding) {
  Given given = {{1, 4, 9}, {4, 2, 3}, {2}, {1}, {3}, 1, true, {2}};
  EXPECT_EQ(testing::PhaseOne(CallOf(given)), 0);
  given.output_padding = {3};
  EXPECT_EQ(testing::PhaseOne(CallOf(given)), 161002);
  given.output_padding = {0};
  given.padding = {1, 1};
  EXPECT_EQ(testing::PhaseOne(CallOf(given)), 161002);
  given.padding = {1};
  calls::Call call = CallOf(given);
  call.argument("outputPadding").null = true;
  EXPECT_EQ(testing::PhaseOne(call), 161001);
}

TEST_F(Convolution, OutputHasTheCommonDtype) {
  const auto status = [](aclDataType input, aclDataType weight, aclDataType output) {
    calls::Call call = CallOf({{1, 4, 9}, {4, 4, 3}, {1}, {1}, {1}});
    call.tensor("input").dtype = input;
    call.tensor("weight").dtype = weight;
    call.tensor("output").dtype = output;
    return testing::PhaseOne(call);
  };
  EXPECT_EQ(status(ACL_FLOAT16, ACL_FLOAT, ACL_FLOAT), 0);
  EXPECT_EQ(status(ACL_FLOAT16, ACL_BF16, ACL_FLOAT), 0);
  EXPECT_EQ(status(ACL_BF16, ACL_BF16, ACL_BF16), 0);
  EXPECT_EQ(status(ACL_BF16, ACL_BF16, ACL_FLOAT), 161002);
  EXPECT_EQ(status(ACL_FLOAT16, ACL_FLOAT, ACL_FLOAT16), 161002);
}

}  // namespace
}  // namespace portacl::ops::convolution
