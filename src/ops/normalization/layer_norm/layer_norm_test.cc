// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, worked examples, and difficult rows.
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/call.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(LayerNorm, layer_norm);

namespace portacl::ops::layer_norm {
namespace {

using testing::Example;
using testing::StatusOf;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

void ExpectLayerNorm(const std::map<std::string, Example>& tensors, const std::vector<int64_t>& normalized_shape,
                     double eps, double relative = 0) {
  testing::ExpectExample(Operators()[0], tensors, {{"eps", eps}}, relative, {{"normalizedShape", normalized_shape}});
}

Example Floats(const calls::Dims& shape, const std::vector<double>& values) { return {ACL_FLOAT, shape, values}; }

TEST(LayerNorm, GivesTheDocumentedResults) {
  ExpectLayerNorm({{"input", Floats({2, 4}, {1, 2, 3, 4, 2, 2, 2, 2})},
                   {"weightOptional", Floats({4}, {1, 2, 0.5, 1})},
                   {"biasOptional", Floats({4}, {0, 1, 0, -1})},
                   {"out", Floats({2, 4}, {-1.3416354, 0.1055764, 0.2236059, 0.3416354, 0, 1, 0, -1})},
                   {"meanOutOptional", Floats({2, 1}, {2.5, 2})},
                   {"rstdOutOptional", Floats({2, 1}, {0.8944236, 316.22777})}},
                  {4}, 1e-5, 5e-7);
}

TEST(LayerNorm, TakesWeightsForOnesAndBiasesForZeros) {
  ExpectLayerNorm({{"input", Floats({2, 2}, {1, -1, 5, 5})}, {"out", Floats({2, 2}, {0.5, -0.5, 0, 0})}}, {2}, 3);
}

TEST(LayerNorm, NormalisesSeveralAxes) {
  ExpectLayerNorm({{"input", Floats({2, 2, 2}, {1, 1, -1, -1, 9, 9, 7, 7})},
                   {"out", Floats({2, 2, 2}, {0.5, 0.5, -0.5, -0.5, 0.5, 0.5, -0.5, -0.5})}},
                  {2, 2}, 3);
}

TEST(LayerNorm, OfNothingHasNoMean) {
  ExpectLayerNorm({{"input", Floats({2, 0}, {})},
                   {"out", Floats({2, 0}, {})},
                   {"meanOutOptional", Floats({2, 1}, {kNan, kNan})},
                   {"rstdOutOptional", Floats({2, 1}, {kNan, kNan})}},
                  {0}, 1e-5);
}

TEST(LayerNorm, OfARowWithAnInfiniteElementIsNan) {
  ExpectLayerNorm({{"input", Floats({2, 2}, {kInf, 1, kNan, 1})}, {"out", Floats({2, 2}, {kNan, kNan, kNan, kNan})}},
                  {2}, 1e-5);
}

TEST(LayerNorm, KeepsWhatIsSmallBesideTheMean) {
  std::vector<double> input(1000, 4096);
  std::vector<double> out(1000, -std::sqrt(1.0 / 999));
  input[999] = 4096 + 0x1p-11;
  out[999] = std::sqrt(999.0);
  ExpectLayerNorm({{"input", Floats({1, 1000}, input)}, {"out", Floats({1, 1000}, out)}}, {1000}, 0, 5e-7);
}

// Up to a mean of about eight deviations, one pass over the row computes both; for larger means there are two passes.
TEST(LayerNorm, KnowsTheDeviationBesideAnyMean) {
  constexpr size_t kRows = 12;
  constexpr size_t kColumns = 1003;
  std::vector<double> input, out, means, rstds;
  for (size_t row = 0; row < kRows; ++row) {
    const float offset = row == 0 ? 0 : std::ldexp(row % 2 == 0 ? -1.25F : 1.0F, static_cast<int>(2 * row) - 4);
    std::vector<double> elements;
    long double mean = 0, variance = 0;
    for (size_t i = 0; i < kColumns; ++i) {
      const auto distance = static_cast<float>(i * i % 1009) / 512 - 1;
      elements.push_back(double{offset + distance});
      mean += static_cast<long double>(elements.back()) / kColumns;
    }
    for (const double x : elements) variance += (x - mean) * (x - mean) / kColumns;
    const long double rstd = 1 / std::sqrt(variance);
    means.push_back(static_cast<double>(mean));
    rstds.push_back(static_cast<double>(rstd));
    for (const double x : elements) out.push_back(static_cast<double>((x - mean) * rstd * 3 + 1024));
    input.insert(input.end(), elements.begin(), elements.end());
  }
  ExpectLayerNorm({{"input", Floats({kRows, kColumns}, input)},
                   {"weightOptional", Floats({kColumns}, std::vector<double>(kColumns, 3))},
                   {"biasOptional", Floats({kColumns}, std::vector<double>(kColumns, 1024))},
                   {"out", Floats({kRows, kColumns}, out)},
                   {"meanOutOptional", Floats({kRows, 1}, means)},
                   {"rstdOutOptional", Floats({kRows, 1}, rstds)}},
                  {kColumns}, 0, 0.51 * 0x1p-23);
}

// h is the row itself; the means of d and of d h are 7/3 and 1.
TEST(LayerNormBackward, IsThatOfAWorkedRow) {
  testing::ExpectExample(Operators()[2],
                         {{"gradOut", Floats({1, 3}, {1, 2, 4})},
                          {"input", Floats({1, 3}, {-1, 0, 1})},
                          {"mean", Floats({1, 1}, {0})},
                          {"rstd", Floats({1, 1}, {1})},
                          {"weightOptional", Floats({3}, {1, 1, 1})},
                          {"gradInputOut", Floats({1, 3}, {-1.0 / 3, -1.0 / 3, 2.0 / 3})},
                          {"gradWeightOut", Floats({3}, {-1, 0, 4})},
                          {"gradBiasOut", Floats({3}, {1, 2, 4})}},
                         {}, 5e-7, {{"normalizedShape", {3}}, {"outputMask", {1, 1, 1}}});
}

class LayerNormStatus : public testing::DeviceTest {};

TEST_F(LayerNormStatus, TakesMode2ForFloat16Alone) {
  calls::Call call = calls::MakeLargeCall(Operators()[1], 64, ACL_FLOAT16);
  call.argument("implMode").integer = 2;
  EXPECT_EQ(StatusOf(call), 0);
  call = calls::MakeLargeCall(Operators()[1], 64, ACL_FLOAT);
  EXPECT_EQ(StatusOf(call), 0);
  call.argument("implMode").integer = 2;
  EXPECT_EQ(StatusOf(call), 161002);
}

TEST_F(LayerNormStatus, WantsTheLastAxesAsNormalizedShape) {
  calls::Call call = calls::MakeLargeCall(Operators()[0], 64, ACL_FLOAT);
  const calls::Dims shape = call.tensor("input").shape;
  for (const std::vector<int64_t>& wrong : {std::vector<int64_t>{}, {shape.back() + 1}, {1, shape[0], shape[1]}}) {
    call.argument("normalizedShape").integers = wrong;
    EXPECT_EQ(StatusOf(call), 161002) << wrong.size();
  }
  call.argument("normalizedShape").integers = shape;
  EXPECT_EQ(StatusOf(call), 0);
}

TEST_F(LayerNormStatus, WantsTheOutputsThatAreSelected) {
  calls::Call call = calls::MakeLargeCall(Operators()[2], 64, ACL_FLOAT);
  EXPECT_EQ(StatusOf(call), 0);
  call.argument("gradWeightOut").null = true;
  EXPECT_EQ(StatusOf(call), 161001);
  call.argument("outputMask").integers = {1, 0, 1};
  EXPECT_EQ(StatusOf(call), 0);
  call.argument("outputMask").integers = {1, 0};
  EXPECT_EQ(StatusOf(call), 161002);
}

TEST_F(LayerNormStatus, WantsOneDtypeOfWeightAndBias) {
  calls::Call call = calls::MakeLargeCall(Operators()[0], 64, ACL_FLOAT16);
  call.argument("weightOptional").null = call.argument("biasOptional").null = false;
  call.tensor("weightOptional").dtype = call.tensor("biasOptional").dtype = ACL_FLOAT;
  EXPECT_EQ(StatusOf(call), 0);
  call.tensor("biasOptional").dtype = ACL_FLOAT16;
  EXPECT_EQ(StatusOf(call), 161002);
  call.tensor("weightOptional").dtype = call.tensor("biasOptional").dtype = ACL_BF16;
  EXPECT_EQ(StatusOf(call), 161002);
}

TEST(LayerNorm, OfEqualElementsIsZero) {
  ExpectLayerNorm({{"input", Floats({1, 777}, std::vector<double>(777, 0.1F))},
                   {"out", Floats({1, 777}, std::vector<double>(777, 0))}},
                  {777}, 1e-12);
}

}  // namespace
}  // namespace portacl::ops::layer_norm
