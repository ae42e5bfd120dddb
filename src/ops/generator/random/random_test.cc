// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, known values of the stream, and properties of the distributions.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_normal_out.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_uniform.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Random, random);

namespace portacl::ops::random {
namespace {

using calls::TensorBuilder;
using testing::Example;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Random : public testing::DeviceTest {};

void ExpectCall(std::string_view api, const Example& out, const std::map<std::string, double>& attributes) {
  testing::ExpectExample(testing::FindRow(Operators(), api), {{"selfRef", out}}, attributes, 0);
}

// The published test vectors of Philox4x32-10.
TEST_F(Random, CountsAsPhiloxDoes) {
  const auto head = [](uint32_t word) { return static_cast<double>(word >> 8) * 0x1p-24; };
  const std::map<std::string, double> unit = {{"from", 0}, {"to", 1}, {"seed", 0}, {"offset", 0}};
  ExpectCall("aclnnInplaceUniform",
             {ACL_FLOAT, {4}, {head(0x6627e8d5), head(0xe169c58d), head(0xbc57ac4c), head(0x9b00dbd8)}}, unit);
  std::map<std::string, double> other = unit;
  other["seed"] = 42;
  ExpectCall("aclnnInplaceUniform", {ACL_FLOAT, {2, 2}, {0.61295986F, 0.46858650F, 0.07323170F, 0.34086150F}}, other);
  const double first = static_cast<double>(uint64_t{0x9ceaf053 >> 5} << 26 | 0x77f5493b >> 6) * 0x1p-53;
  const double second = static_cast<double>(uint64_t{0x12bf50ad >> 5} << 26 | 0x5742b3d7 >> 6) * 0x1p-53;
  ExpectCall("aclnnInplaceUniform", {ACL_DOUBLE, {2}, {first, second}}, other);
  other["to"] = 10;
  ExpectCall("aclnnInplaceUniform", {ACL_INT8, {4}, {6, 4, 0, 3}}, other);
}

// PyTorch advances the offset by 12 for each call, however many numbers it drew.
TEST_F(Random, AnotherOffsetIsAnotherStream) {
  ExpectCall("aclnnInplaceUniform", {ACL_FLOAT, {4}, {0.82991415F, 0.52422088F, 0.89314395F, 0.60464948F}},
             {{"from", 0}, {"to", 1}, {"seed", 42}, {"offset", 12}});
  constexpr size_t kCount = 1000;
  const auto draw = [](uint64_t offset) {
    const testing::DeviceArray<float> out(kCount);
    testing::RunPhases(aclnnInplaceUniformGetWorkspaceSize, aclnnInplaceUniform,
                       TensorBuilder(ACL_FLOAT, {kCount}).Data(out.data()).Build().get(), 0.0, 1.0, uint64_t{42},
                       offset);
    return out.ToHost();
  };
  const std::vector<float> first = draw(0), second = draw(12);
  EXPECT_EQ(std::ranges::search(first, std::span(second).first(4)).size(), 0);
}

TEST_F(Random, IntegersAreFromTheFirstToTheOneBeforeTheLast) {
  const auto expect = [](double from, double to, const Example& out) {
    ExpectCall("aclnnInplaceRandom", out, {{"from", from}, {"to", to}, {"seed", 42}, {"offset", 0}});
  };
  const std::vector<double> digits = {6, 4, 0, 3, 9, 3, 5, 4}, signs = {1, 0, -3, -1, 3, -1, 0, 0};
  for (const aclDataType dtype : {ACL_INT64, ACL_FLOAT, ACL_BF16, ACL_DOUBLE}) {
    expect(0, 10, {dtype, {8}, digits});
    expect(-3, 4, {dtype, {2, 4}, signs});
  }
  expect(0, 10, {ACL_UINT8, {8}, digits});
  expect(-3, 4, {ACL_INT8, {8}, signs});
  expect(0, 2, {ACL_BOOL, {4}, {1, 0, 0, 0}});
  expect(5, 6, {ACL_INT16, {3}, {5, 5, 5}});
  expect(0, 0x1p32, {ACL_INT64, {3}, {0x9ceaf053, 0x77f5493b, 0x12bf50ad}});
  expect(-0x1p31, 0x1p31, {ACL_INT32, {2}, {0x9ceaf053 - 0x1p31, 0x77f5493b - 0x1p31}});
  expect(0, 0x1p40, {ACL_INT64, {1}, {static_cast<double>(uint64_t{0x77f5493b9ceaf053} >> 24)}});
}

TEST_F(Random, EveryIntegerUpToTheLargestIsDrawn) {
  const auto largest = [](aclDataType dtype, int64_t* smallest) {
    constexpr int64_t kCount = 1 << 14;
    const testing::DeviceArray<uint16_t> out(kCount);
    testing::RunPhases(aclnnInplaceRandomWithoutFromToGetWorkspaceSize, aclnnInplaceRandomWithoutFromTo,
                       TensorBuilder(dtype, {kCount}).Data(out.data()).Build().get(), int64_t{7}, int64_t{0});
    const std::vector<uint16_t> elements = out.ToHost();
    const auto* const bytes = reinterpret_cast<const std::byte*>(elements.data());
    int64_t most = 0;
    *smallest = std::numeric_limits<int64_t>::max();
    for (size_t i = 0; i < kCount; ++i) {
      const auto value = static_cast<int64_t>(calls::LoadElement(dtype, bytes + i * calls::ElementBytes(dtype)));
      most = std::max(most, value);
      *smallest = std::min(*smallest, value);
    }
    return most;
  };
  int64_t smallest = 0;
  for (const auto& [dtype, most] : std::map<aclDataType, int64_t>{
           {ACL_BOOL, 1}, {ACL_INT8, 127}, {ACL_UINT8, 255}, {ACL_BF16, 256}, {ACL_FLOAT16, 2048}}) {
    EXPECT_EQ(largest(dtype, &smallest), most);
    EXPECT_EQ(smallest, 0);
  }
}

TEST_F(Random, RangesOfIntegersAreNotEmpty) {
  const auto status = [](int64_t from, int64_t to) {
    return testing::PhaseOne(aclnnInplaceRandomGetWorkspaceSize, TensorBuilder(ACL_FLOAT, {3}).Build().get(), from, to,
                             int64_t{0}, int64_t{0});
  };
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(status(-kMost - 1, kMost), 0);
  EXPECT_EQ(status(3, 3), 161002);
  EXPECT_EQ(status(4, 3), 161002);
}

TEST_F(Random, NormalNumbersHaveTheParametersOfTheirPlaces) {
  const std::map<std::string, double> seed = {{"seed", 42}, {"offset", 0}};
  const auto expect = [&](std::string_view api, std::map<std::string, Example> tensors,
                          std::map<std::string, double> attributes, const std::vector<double>& values) {
    tensors["out"] = {ACL_FLOAT, {4}, values};
    attributes.insert(seed.begin(), seed.end());
    testing::ExpectExample(testing::FindRow(Operators(), api), tensors, attributes, 1e-6);
  };
  const std::vector<double> normal = {-1.3510921, 0.2701921, -0.2107541, 0.3281556};
  expect("aclnnNormalFloatTensor", {{"std", {ACL_FLOAT, {4}, {1, 1, 1, 1}}}}, {{"mean", 0}}, normal);
  expect("aclnnNormalFloatTensor", {{"std", {ACL_FLOAT, {4}, {-1, 0, 2, 1}}}}, {{"mean", 1}},
         {1 - normal[0], 1, 1 + 2 * normal[2], 1 + normal[3]});
  expect("aclnnNormalTensorFloat", {{"mean", {ACL_FLOAT16, {4}, {0, 1, 2, 3}}}}, {{"std", 2}},
         {2 * normal[0], 1 + 2 * normal[1], 2 + 2 * normal[2], 3 + 2 * normal[3]});
  expect("aclnnNormalTensorTensor", {{"mean", {ACL_DOUBLE, {1}, {5}}}, {"std", {ACL_FLOAT, {4}, {0, 1, 2, 3}}}}, {},
         {5, 5 + normal[1], 5 + 2 * normal[2], 5 + 3 * normal[3]});
}

TEST_F(Random, NormalNumbersMayReplaceEachOfTheirParameters) {
  constexpr int64_t kCount = 700;
  std::vector<double> numbers(kCount);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  const testing::DeviceArray<double> mean(numbers), deviation(numbers), other_mean(numbers), out(kCount);
  const auto draw = [](const testing::DeviceArray<double>& of_mean, const testing::DeviceArray<double>& of_deviation,
                       const testing::DeviceArray<double>& to) {
    const auto tensor = [](const auto& array) {
      return TensorBuilder(ACL_DOUBLE, {kCount}).Data(array.data()).Build();
    };
    testing::RunPhases(aclnnNormalTensorTensorGetWorkspaceSize, aclnnNormalTensorTensor, tensor(of_mean).get(),
                       tensor(of_deviation).get(), int64_t{42}, int64_t{0}, tensor(to).get());
    return to.ToHost();
  };
  const std::vector<double> want = draw(mean, deviation, out);
  EXPECT_EQ(draw(mean, deviation, deviation), want);
  EXPECT_EQ(draw(other_mean, mean, other_mean), want);
}

// The offset of the stream is the sum of the tensor and the number.
TEST_F(Random, SeedsMayBeInTensors) {
  const auto expect = [](std::string_view api, const Example& out, std::map<std::string, double> attributes) {
    attributes["offset"] = 5;
    testing::ExpectExample(
        testing::FindRow(Operators(), api),
        {{"selfRef", out}, {"seedTensor", {ACL_INT64, {1}, {42}}}, {"offsetTensor", {ACL_INT64, {}, {-5}}}}, attributes,
        1e-6);
  };
  expect("aclnnInplaceUniformTensor", {ACL_FLOAT, {2}, {0.61295986, 0.46858650}}, {{"from", 0}, {"to", 1}});
  expect("aclnnInplaceNormalTensor", {ACL_FLOAT, {2}, {-1.3510921, 0.2701921}}, {{"mean", 0}, {"std", 1}});
  expect("aclnnInplaceRandomTensor", {ACL_INT32, {4}, {6, 4, 0, 3}}, {{"from", 0}, {"to", 10}});
  expect("aclnnInplaceRandomWithoutFromToTensor", {ACL_UINT8, {2}, {0x9c, 0x77}}, {});
}

TEST_F(Random, BernoulliIsWhereTheUniformNumberIsLess) {
  const auto expect = [](double prob, const std::vector<double>& want) {
    ExpectCall("aclnnInplaceBernoulli", {ACL_BOOL, {4}, want}, {{"prob", prob}, {"seed", 42}, {"offset", 0}});
  };
  expect(0.4, {0, 0, 1, 1});
  expect(0, {0, 0, 0, 0});
  expect(1, {1, 1, 1, 1});
}

// Seed 42 starts with 0.613, 0.469, 0.073, 0.341; with words of 64 bits: 0.613, 0.073.
TEST_F(Random, BernoulliOfATensorTakesTheProbabilityOfEachPlace) {
  const auto expect = [](const Example& prob, const Example& out) {
    const Example self = {ACL_FLOAT, out.shape, std::vector<double>(out.values.size(), 7)};
    testing::ExpectExample(testing::FindRow(Operators(), "aclnnBernoulliTensor"),
                           {{"self", self}, {"prob", prob}, {"out", out}}, {{"seed", 42}, {"offset", 0}}, 0);
  };
  expect({ACL_FLOAT, {4}, {0.7, 0.4, 0.1, 0.3}}, {ACL_FLOAT, {4}, {1, 0, 1, 0}});
  expect({ACL_FLOAT16, {}, {0.4}}, {ACL_BOOL, {4}, {0, 0, 1, 1}});
  expect({ACL_DOUBLE, {2, 1}, {0.5, 0.4}}, {ACL_BF16, {2, 2}, {0, 1, 1, 1}});
  expect({ACL_FLOAT, {2}, {0.5, 0.1}}, {ACL_INT32, {2}, {0, 1}});
}

TEST_F(Random, ElementsThatAreNoProbabilitiesAreReported) {
  const auto run = [](const std::vector<float>& prob) {
    const testing::DeviceArray<float> device_prob(prob), out(std::vector<float>(prob.size(), 9));
    const int64_t count = std::ssize(prob);
    const auto self = TensorBuilder(ACL_FLOAT, {count}).Data(out.data()).Build();
    const aclError status = testing::StatusOfRun(
        aclnnInplaceBernoulliTensorGetWorkspaceSize, aclnnInplaceBernoulliTensor, self.get(),
        TensorBuilder(ACL_FLOAT, {count}).Data(device_prob.data()).Build().get(), int64_t{42}, int64_t{0});
    EXPECT_EQ(out.ToHost(), std::vector<float>({0, 0, 1, 1}));
    return status;
  };
  EXPECT_EQ(run({0, 0, 1, 1}), 0);
  EXPECT_EQ(run({-1, 0, 1, 1}), 507015);
  EXPECT_EQ(run({0, kNan, 1, 1}), 507015);
  EXPECT_EQ(run({0, 0, 2, 1}), 507015);
}

// Below 1, FLOAT16 values are 2^-11 apart, so that some of the uniform numbers would round to 1.
TEST_F(Random, NoUniformNumberIsTheUpperBound) {
  constexpr size_t kCount = 1 << 16;
  const testing::DeviceArray<uint16_t> out(kCount);
  testing::RunPhases(aclnnInplaceUniformGetWorkspaceSize, aclnnInplaceUniform,
                     TensorBuilder(ACL_FLOAT16, {kCount}).Data(out.data()).Build().get(), 0.0, 1.0, uint64_t{7},
                     uint64_t{0});
  EXPECT_EQ(std::ranges::max(out.ToHost()), 0x3BFF);  // the largest value below 1
}

// BFLOAT16 can represent 32.25, 32.5 and 32.75; FLOAT16 cannot represent 2049.
TEST_F(Random, UniformNumbersReachTheLargestBelowTheUpperBound) {
  constexpr size_t kCount = 1 << 16;
  const auto largest = [](aclDataType dtype, double from, double to) {
    const testing::DeviceArray<uint16_t> out(kCount);
    testing::RunPhases(aclnnInplaceUniformGetWorkspaceSize, aclnnInplaceUniform,
                       TensorBuilder(dtype, {kCount}).Data(out.data()).Build().get(), from, to, uint64_t{7},
                       uint64_t{0});
    double most = 0;
    for (const uint16_t element : out.ToHost())
      most = std::max(most, static_cast<double>(calls::LoadElement(dtype, &element)));
    return most;
  };
  EXPECT_EQ(largest(ACL_BF16, 5.27, 32.6), 32.5);
  EXPECT_EQ(largest(ACL_BF16, 5.27, 32.5), 32.25);
  EXPECT_EQ(largest(ACL_BF16, 5.27, 32.7), 32.5);
  EXPECT_EQ(largest(ACL_FLOAT16, 2000, 2049), 2048);
  EXPECT_EQ(largest(ACL_FLOAT16, 2000, 2051), 2050);
  EXPECT_EQ(largest(ACL_FLOAT16, 2000, 2052), 2050);
}

TEST_F(Random, NormalNumbersHaveTheirMomentsAndTails) {
  constexpr int64_t kCount = 1 << 18;
  const testing::DeviceArray<double> out(kCount);
  testing::RunPhases(aclnnInplaceNormalGetWorkspaceSize, aclnnInplaceNormal,
                     TensorBuilder(ACL_DOUBLE, {kCount}).Data(out.data()).Build().get(), 0.0F, 1.0F, int64_t{1},
                     int64_t{0});
  double moments[5] = {};
  double within = 0;
  for (const double x : out.ToHost()) {
    for (int power = 1; power <= 4; ++power) moments[power] += std::pow(x, power) / kCount;
    within += std::abs(x) < 1 ? 1.0 / kCount : 0;
  }
  EXPECT_NEAR(moments[1], 0, 0.01);
  EXPECT_NEAR(moments[2], 1, 0.015);
  EXPECT_NEAR(moments[3], 0, 0.03);
  EXPECT_NEAR(moments[4], 3, 0.1);
  EXPECT_NEAR(within, std::erf(std::sqrt(0.5)), 0.005);
}

TEST_F(Random, BoundsAreNumbersOfTheDtypeInOrder) {
  const auto status = [](aclDataType dtype, double from, double to) {
    return testing::PhaseOne(aclnnInplaceUniformGetWorkspaceSize, TensorBuilder(dtype, {3}).Build().get(), from, to,
                             uint64_t{0}, uint64_t{0});
  };
  EXPECT_EQ(status(ACL_FLOAT, 2, 2), 0);
  EXPECT_EQ(status(ACL_FLOAT, 2, 1), 161002);
  EXPECT_EQ(status(ACL_FLOAT, kNan, 1), 161002);
  EXPECT_EQ(status(ACL_FLOAT, 0, kNan), 161002);
  EXPECT_EQ(status(ACL_FLOAT, 0, 1e39), 161002);
  EXPECT_EQ(status(ACL_FLOAT, -3e38, 3e38), 161002);
  EXPECT_EQ(status(ACL_DOUBLE, -3e38, 3e38), 0);
  EXPECT_EQ(status(ACL_FLOAT16, 0, 65504), 0);
  EXPECT_EQ(status(ACL_FLOAT16, 0, 65505), 161002);
  EXPECT_EQ(status(ACL_UINT8, -1, 5), 161002);
  EXPECT_EQ(status(ACL_INT8, -128, 0), 161002);
  EXPECT_EQ(status(ACL_INT8, -100, 27), 0);
}

TEST_F(Random, ProbabilitiesAreFromZeroToOne) {
  const auto status = [](double prob) {
    aclScalar* const scalar = aclCreateScalar(&prob, ACL_DOUBLE);
    const aclnnStatus result =
        testing::PhaseOne(aclnnInplaceBernoulliGetWorkspaceSize, TensorBuilder(ACL_FLOAT, {3}).Build().get(), scalar,
                          int64_t{0}, int64_t{0});
    EXPECT_EQ(aclDestroyScalar(scalar), 0);
    return result;
  };
  EXPECT_EQ(status(0), 0);
  EXPECT_EQ(status(1), 0);
  EXPECT_EQ(status(-0.1), 161002);
  EXPECT_EQ(status(1.1), 161002);
  EXPECT_EQ(status(kNan), 161002);
}

}  // namespace
}  // namespace portacl::ops::random
