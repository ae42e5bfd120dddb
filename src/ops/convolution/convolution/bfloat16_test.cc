// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of bfloat16 with each kind of instructions that this machine has for them, and with float32.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_convolution.h"
#include "base/bfloat16.h"
#include "calls/views.h"
#include "ops/convolution/convolution/convolution_test_support.h"
#include "testing/bfloat16_units.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/random.h"
#include "testing/sample_size.h"
#include "testing/test_device.h"
#include "testing/two_phases.h"

namespace portacl::ops::convolution {
namespace {

using testing::ExpectRight;
using testing::ForEachUnit;

calls::Call Bfloat16Call(const Given& given) { return CallOf(given, ACL_BF16); }

// The results of a 3 x 3 convolution of one image of size x size pixels, with a border of zeros.
std::vector<float> Convolve(const std::vector<float>& input, const std::vector<float>& weight, int64_t channels,
                            int64_t size, int64_t outputs) {
  const auto narrow = [](const std::vector<float>& from) {
    std::vector<uint16_t> to;
    for (const float value : from) to.push_back(static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16));
    return to;
  };
  const testing::DeviceArray<uint16_t> x(narrow(input)), w(narrow(weight)),
      y(static_cast<size_t>(outputs * size * size));
  const auto tensor = [](void* data, const Dims& shape) {
    return aclCreateTensor(shape.data(), 4, ACL_BF16, calls::ContiguousStrides(shape).data(), 0, ACL_FORMAT_NCHW,
                           shape.data(), 4, data);
  };
  aclTensor* const tensors[] = {tensor(x.data(), {1, channels, size, size}),
                                tensor(w.data(), {outputs, channels, 3, 3}),
                                tensor(y.data(), {1, outputs, size, size})};
  const int64_t ones[] = {1, 1};
  aclIntArray* const array = aclCreateIntArray(ones, 2);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnConvolutionGetWorkspaceSize(tensors[0], tensors[1], nullptr, array, array, array, false, nullptr, 1,
                                             tensors[2], 0, &bytes, &executor),
            ACL_SUCCESS);
  const testing::DeviceArray<uint8_t> workspace(static_cast<size_t>(bytes));
  EXPECT_EQ(aclnnConvolution(workspace.data(), bytes, executor, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  for (aclTensor* const each : tensors) aclDestroyTensor(each);
  aclDestroyIntArray(array);
  std::vector<float> results;
  for (const uint16_t bits : y.ToHost()) results.push_back(Bfloat16ToFloat(bits));
  return results;
}

class Bfloat16Convolutions : public testing::DeviceTest {};

// Numbers of results, outputs and terms around blocks of 16 rows or columns and 32 terms, pairs of blocks, parts of 512
// terms and spans of 4096; runs of less than a block, of some blocks and a rest; several images in a chunk.
TEST_F(Bfloat16Convolutions, AreRightAroundTheEdgesOfBlocks) {
  const std::vector<Given> layers = {{{1, 3, 33, 31}, {33, 3, 7, 7}, {2, 2}, {3, 3}, {1, 1}, 1, false, {}, true},
                                     {{1, 16, 4, 4}, {15, 16, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                     {{1, 31, 1, 17}, {17, 31, 1, 3}, {1, 1}, {0, 1}, {1, 1}, 1, false, {}, true},
                                     {{2, 32, 5, 5}, {32, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                     {{3, 33, 7, 6}, {48, 33, 3, 2}, {1, 1}, {1, 0}, {1, 1}, 1, false, {}, true},
                                     {{1, 64, 20, 20}, {64, 64, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                     {{7, 57, 3, 3}, {130, 57, 3, 3}, {2, 2}, {1, 1}, {1, 1}},
                                     {{1, 455, 3, 3}, {20, 455, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                     {{1, 1024, 3, 2}, {16, 1024, 3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                     {{1, 64, 9, 9}, {1030, 64, 1, 1}, {2, 3}, {0, 0}, {1, 1}},
                                     {{2, 4, 12, 13}, {48, 4, 4, 4}, {4, 4}, {0, 0}, {1, 1}}};
  ForEachUnit([&] {
    for (size_t i = 0; i < layers.size(); i += testing::OneOf(3)) ExpectRight(Bfloat16Call(layers[i]));
  });
}

TEST_F(Bfloat16Convolutions, TakeAllAttributes) {
  const std::vector<Given> layers = {
      {{2, 40, 9, 11}, {24, 40, 3, 3}, {1, 2}, {2, 4}, {2, 3}, 1, false, {}, true},
      {{2, 96, 6, 7}, {60, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 3, false, {}, true},
      {{1, 40, 12, 12}, {80, 20, 5, 1}, {3, 1}, {2, 0}, {1, 1}, 2},
      {{1, 24, 3, 7, 5}, {40, 24, 2, 3, 3}, {1, 2, 1}, {1, 1, 0}, {1, 1, 2}},
      {{2, 48, 70}, {33, 48, 9}, {1}, {4}, {1}, 1, false, {}, true},
      {{1, 32, 1, 1}, {32, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}},   // padding is most of the image
      {{1, 32, 2, 70}, {32, 32, 1, 1}, {5, 9}, {2, 3}, {1, 1}},  // some results have padding only
      {{2, 64, 7, 6}, {64, 40, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, true, {}, true},
      {{2, 64, 7, 6}, {64, 20, 3, 3}, {2, 2}, {1, 0}, {1, 1}, 2, true, {}, true},
      {{1, 48, 6, 5}, {48, 32, 2, 2}, {3, 3}, {0, 0}, {1, 1}, 1, true, {}, true},  // some results have the bias only
      {{1, 48, 6, 5}, {48, 32, 4, 3}, {2, 3}, {2, 1}, {2, 1}, 1, true},
      {{1, 32, 3, 4, 5}, {32, 24, 2, 3, 2}, {2, 1, 3}, {0, 1, 0}, {1, 2, 1}, 1, true}};
  ForEachUnit([&] {
    for (size_t i = 0; i < layers.size(); i += testing::OneOf(3)) ExpectRight(Bfloat16Call(layers[i]));
  });
}

// Channels that are neighbours, which are read in place without padding; images and results with gaps.
TEST_F(Bfloat16Convolutions, TakeEveryLayout) {
  const auto with_last_channels = [](calls::TensorSpec& tensor) {
    const Dims& shape = tensor.shape;
    tensor.strides = Dims{shape[1] * shape[2] * shape[3], 1, shape[1] * shape[3], shape[1]};
  };
  ForEachUnit([&] {
    for (const int64_t padding : {0, 1}) {
      for (const bool transposed : {false, true}) {
        calls::Call call = Bfloat16Call({{2, 32, 5, 6}, {32, 32, 3, 3}, {1, 1}, {padding, 0}, {1, 1}, 1, transposed});
        for (const char* const name : {"weight", "input", "output"}) {
          with_last_channels(call.tensor(name));
          ExpectRight(call);
        }
        for (const char* const name : {"weight", "input", "output"}) {
          Dims wider = call.tensor(name).shape;
          wider.back() += 3;
          call.tensor(name).strides = calls::ContiguousStrides(wider);
          ExpectRight(call);
        }
      }
    }
  });
}

TEST_F(Bfloat16Convolutions, TouchNothingBeside) {
  ForEachUnit([&] {
    testing::Random random;
    for (const testing::GuardSide side : {testing::GuardSide::kBegin, testing::GuardSide::kEnd}) {
      calls::Call call = Bfloat16Call({{2, 33, 7, 5}, {40, 33, 3, 3}, {1, 1}, {0, 0}, {1, 1}, 1, false, {}, true});
      testing::ExpectConformanceAtGuard(call, side, random);
      call = Bfloat16Call({{2, 33, 7, 5}, {40, 33, 3, 3}, {1, 1}, {0, 0}, {1, 1}});
      call.tensor("input").strides = {33 * 35, 1, 33 * 5, 33};
      testing::ExpectConformanceAtGuard(call, side, random);
    }
  });
}

// Windows at borders, in padding only and apart from each other, of random sizes.
TEST_F(Bfloat16Convolutions, TakeRandomLayers) {
  testing::Random random;
  const auto drawn = [&](int64_t low, int64_t high) { return random.Between(low, high); };
  ForEachUnit([&] {
    for (int64_t i = testing::SampleSize(100); i > 0 && !HasFailure(); --i) {
      const int64_t groups = drawn(1, 2), inputs = drawn(14, 40), outputs = drawn(14, 40);
      Given given = {.input = {drawn(1, 3), groups * inputs}, .weight = {groups * outputs, inputs}};
      given.groups = groups;
      given.transposed = i % 3 == 0;
      given.has_bias = i % 2 == 0;
      if (given.transposed) given.weight = {groups * inputs, outputs};
      for (int axis = 0; axis < 2; ++axis) {
        const int64_t size = drawn(1, 9), padding = given.transposed ? 0 : drawn(0, 3), dilation = drawn(1, 2);
        given.input.push_back(size);
        given.weight.push_back(drawn(1, std::min<int64_t>(4, (size + 2 * padding - 1) / dilation + 1)));
        given.stride.push_back(drawn(1, 3));
        given.padding.push_back(padding);
        given.dilation.push_back(dilation);
      }
      calls::Call call = Bfloat16Call(given);
      testing::ExpectConformanceAtGuard(call, i % 4 < 2 ? testing::GuardSide::kEnd : testing::GuardSide::kBegin,
                                        random);
    }
  });
}

TEST_F(Bfloat16Convolutions, WithSpecialNumbersAreRight) {
  ForEachUnit([&] {
    for (const double share : {0.0001, 0.001, 0.2})
      ExpectRight(Bfloat16Call({{2, 80, 9, 8}, {70, 80, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, false, {}, true}), share);
  });
}

TEST_F(Bfloat16Convolutions, AreTheSameForAnyNumberOfThreads) {
  ForEachUnit([&] {
    for (const double share : {0.0, 0.0005}) {
      calls::Call call = Bfloat16Call({{3, 32, 30, 20}, {48, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, false, {}, true});
      testing::Random random;
      call.AllocateData();
      calls::DrawContents(call, random, share);
      testing::ExpectConformanceOfThreads(call, {1, 2, 3, 8});
    }
  });
}

// Two terms that cancel to the smallest normal number, and to subnormal ones; in the middle of an image of zeros.
TEST_F(Bfloat16Convolutions, KeepWhatIsLeftOfSmallTerms) {
  constexpr int64_t kChannels = 40, kSize = 5, kOutputs = 33, kPixels = kSize * kSize;
  for (const int exponent : {-56, -57, -59}) {
    ForEachUnit([&] {
      // (1 + 2^-7)^2 - (1 + 2^-6) = 2^-14.
      const float scale = std::ldexp(1.0F, exponent);
      std::vector<float> input(kChannels * kPixels, 0.0F), weight(kOutputs * kChannels * 9, 0.0F);
      input[3 * kPixels + kPixels / 2] = 1.0078125F * scale;
      input[37 * kPixels + kPixels / 2] = scale;
      for (int64_t output = 0; output < kOutputs; ++output) {
        for (int64_t tap = 0; tap < 9; ++tap) {
          weight[static_cast<size_t>((output * kChannels + 3) * 9 + tap)] = 1.0078125F * scale;
          weight[static_cast<size_t>((output * kChannels + 37) * 9 + tap)] = -1.015625F * scale;
        }
      }
      const std::vector<float> results = Convolve(input, weight, kChannels, kSize, kOutputs);
      for (int64_t i = 0; i < std::ssize(results); ++i) {
        const int64_t pixel = i % kPixels, y = pixel / kSize, x = pixel % kSize;
        const bool has_terms = y >= 1 && y <= 3 && x >= 1 && x <= 3;
        ASSERT_EQ(results[static_cast<size_t>(i)], has_terms ? std::ldexp(1.0F, 2 * exponent - 14) : 0.0F) << i;
      }
    });
  }
}

// Outputs with subnormal weights, and pixels with small values, among others: every result has its own terms.
TEST_F(Bfloat16Convolutions, KeepSmallNumbersBesideOthers) {
  constexpr int64_t kChannels = 80, kSize = 12, kOutputs = 50, kPixels = kSize * kSize;
  const auto of_output = [](int64_t output) { return output == 3 ? 0x1p-130F : output == 40 ? 0x1p-60F : 0.5F; };
  const auto of_pixel = [](int64_t pixel) { return pixel == 20 ? 0x1p-128F : pixel == 70 ? 0x1p-60F : 0x1p20F; };
  ForEachUnit([&] {
    std::vector<float> input(kChannels * kPixels, 0.0F), weight(kOutputs * kChannels * 9, 0.0F);
    for (int64_t pixel = 0; pixel < kPixels; ++pixel) input[static_cast<size_t>(7 * kPixels + pixel)] = of_pixel(pixel);
    for (int64_t output = 0; output < kOutputs; ++output)
      weight[static_cast<size_t>((output * kChannels + 7) * 9 + 4)] = of_output(output);
    const std::vector<float> results = Convolve(input, weight, kChannels, kSize, kOutputs);
    for (int64_t i = 0; i < std::ssize(results); ++i)
      ASSERT_EQ(results[static_cast<size_t>(i)], of_output(i / kPixels) * of_pixel(i % kPixels)) << i;
  });
}

// Terms of many magnitudes that cancel, so that results are the rounding errors of the sums. Units add in different
// orders.
TEST_F(Bfloat16Convolutions, AreMadeByTheUnitThatIsSet) {
  constexpr int64_t kChannels = 64, kHalf = kChannels / 2, kSize = 6, kOutputs = 32, kPixels = kSize * kSize;
  testing::Random random;
  const auto drawn = [&] {
    return std::bit_cast<float>(static_cast<uint32_t>(0x3F80 + random.Between(0, 0x7FF)) << 16);
  };
  std::vector<float> input(kChannels * kPixels), weight(kOutputs * kChannels * 9);
  for (int64_t i = 0; i < kHalf * kPixels; ++i)
    input[static_cast<size_t>(i)] = input[static_cast<size_t>(i + kHalf * kPixels)] = drawn();
  for (int64_t output = 0; output < kOutputs; ++output) {
    const auto of_output = weight.begin() + output * kChannels * 9;
    std::generate(of_output, of_output + kHalf * 9, drawn);
    std::transform(of_output, of_output + kHalf * 9, of_output + kHalf * 9, std::negate());
  }
  std::vector<std::vector<float>> results;
  ForEachUnit([&] { results.push_back(Convolve(input, weight, kChannels, kSize, kOutputs)); });
  for (size_t i = 0; i + 1 < results.size(); ++i) EXPECT_NE(results[i], results[i + 1]);
}

}  // namespace
}  // namespace portacl::ops::convolution
