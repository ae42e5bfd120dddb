// SPDX-License-Identifier: Apache-2.0
//
// Samples and permutations: the promises that follow from schemas and oracle, worked examples, distributions, and what
// is refused.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_multinomial.h"
#include "aclnnop/aclnn_randperm.h"
#include "calls/tensor_builder.h"
#include "testing/call_memory.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Sample, sample);

namespace portacl::ops::sample {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using testing::Example;
using testing::StatusOf;

class Sample : public testing::DeviceTest {};

const exec::OperatorEntry& Row(std::string_view api) { return testing::FindRow(Operators(), api); }

TEST_F(Sample, GivesTheDocumentedResults) {
  const std::map<std::string, double> seed = {{"seed", 42}, {"offset", 0}};
  const auto with_seed = [&](std::map<std::string, double> attributes) {
    attributes.insert(seed.begin(), seed.end());
    return attributes;
  };
  for (const aclDataType dtype : {ACL_INT64, ACL_INT8, ACL_FLOAT, ACL_BF16})
    testing::ExpectExample(Row("aclnnRandperm"), {{"out", {dtype, {5}, {2, 1, 3, 0, 4}}}}, with_seed({{"n", 5}}), 0);
  const Example weights = {ACL_FLOAT, {4}, {1, 2, 3, 4}};
  testing::ExpectExample(Row("aclnnMultinomial"),
                         {{"self", weights}, {"out", {ACL_INT64, {8}, {3, 0, 3, 2, 3, 3, 3, 2}}}},
                         with_seed({{"numsamples", 8}, {"replacement", 1}}), 0);
  testing::ExpectExample(Row("aclnnMultinomial"), {{"self", weights}, {"out", {ACL_INT64, {4}, {1, 3, 0, 2}}}},
                         with_seed({{"numsamples", 4}, {"replacement", 0}}), 0);
}

TEST_F(Sample, SeedsMayBeInTensors) {
  const Example seed = {ACL_INT64, {1}, {42}}, offset = {ACL_INT64, {}, {-3}};
  testing::ExpectExample(Row("aclnnRandpermTensor"),
                         {{"seedTensor", seed}, {"offsetTensor", offset}, {"out", {ACL_INT32, {5}, {2, 1, 3, 0, 4}}}},
                         {{"n", 5}, {"offset", 3}}, 0);
  testing::ExpectExample(Row("aclnnMultinomialTensor"),
                         {{"self", {ACL_DOUBLE, {4}, {1, 2, 3, 4}}},
                          {"seedTensor", seed},
                          {"offsetTensor", offset},
                          {"out", {ACL_INT64, {4}, {1, 3, 0, 2}}}},
                         {{"numsamples", 4}, {"replacement", 0}, {"offset", 3}}, 0);
}

std::vector<int64_t> Permutation(int64_t n, int64_t seed) {
  const testing::DeviceArray<int64_t> out(static_cast<size_t>(n));
  testing::RunPhases(aclnnRandpermGetWorkspaceSize, aclnnRandperm, n, seed, int64_t{0},
                     TensorBuilder(ACL_INT64, {n}).Data(out.data()).Build().get());
  return out.ToHost();
}

// Sizes of a block of random numbers, of one bucket, of several, and of several chunks.
TEST_F(Sample, PermutationsHaveEveryIntegerOnce) {
  for (const int64_t n : {1, 2, 300, 4095, 4096, 40000, 300001}) {
    std::vector<int64_t> drawn = Permutation(n, 11);
    std::ranges::sort(drawn);
    std::vector<int64_t> all(static_cast<size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(drawn, all) << n;
  }
}

// With seed 58, the keys of 446405 and 864718 differ in none of the bits that an entry of 2^20 has.
TEST_F(Sample, PermutationsAreSortedByTheirKeys) {
  struct Case {
    int64_t n, seed;
  };
  for (const Case& c : {Case{1, 1},
                        {2, 2},
                        {3, 3},
                        {15, 15},
                        {16, 16},
                        {255, 1},
                        {256, 1},
                        {257, 1},
                        {2049, 7},
                        {4096, 3},
                        {4097, 3},
                        {8192, 4},
                        {16384, 5},
                        {16385, 5},
                        {100000, 6},
                        {1 << 20, 58}}) {
    calls::Call call = calls::MakeValidCall(Row("aclnnRandperm"));
    call.argument("n").integer = c.n;
    call.argument("seed").integer = c.seed;
    call.tensor("out").dtype = ACL_INT32;
    call.tensor("out").shape = {c.n};
    testing::ExpectRight(call);
  }
}

// Many samples of few weights are found by slices of the sum: of equal weights, and of weights that share a slice.
TEST_F(Sample, ManyIndicesAreThoseOfTheFirstSumsAbove) {
  for (const bool is_uneven : {false, true}) {
    std::vector<double> weights(1000);
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] = i % 7 == 0 ? 0 : is_uneven && i != 500 ? 0x1p-12 * static_cast<double>(i % 5) : 1;
    calls::Call call = calls::MakeValidCall(Row("aclnnMultinomial"));
    call.tensor("self").dtype = ACL_FLOAT;
    call.tensor("self").shape = {1000};
    call.argument("numsamples").integer = 5000;
    call.argument("replacement").integer = 1;
    call.argument("seed").integer = 3;
    call.tensor("out").shape = {5000};
    call.AllocateData();
    testing::WriteMemory(call.tensor("self").data, calls::Encode(ACL_FLOAT, weights));
    testing::ExpectConformance(call);
  }
}

// Enough keys for some to have their first half in common.
TEST_F(Sample, HalfOfManyIndicesIsDrawnInTheOrderOfKeys) {
  calls::Call call = calls::MakeValidCall(Row("aclnnMultinomial"));
  call.tensor("self").dtype = ACL_FLOAT;
  call.tensor("self").shape = {60000};
  call.argument("numsamples").integer = 30000;
  call.argument("replacement").integer = 0;
  call.tensor("out").shape = {30000};
  testing::ExpectRight(call);
}

TEST_F(Sample, PermutationsDoNotDependOnTheNumberOfThreads) {
  for (const aclDataType dtype : {ACL_INT64, ACL_FLOAT}) {
    calls::Call call = calls::MakeValidCall(Row("aclnnRandperm"));
    call.argument("n").integer = 100003;
    call.tensor("out").dtype = dtype;
    call.tensor("out").shape = {100003};
    call.tensor("out").strides = {2};
    call.AllocateData();
    testing::ExpectConformanceOfThreads(call, {1, 2, 3, 8});
  }
}

TEST_F(Sample, EachOfTheSixPermutationsIsEquallyProbable) {
  std::map<std::vector<int64_t>, int> counts;
  for (int64_t seed = 0; seed < 6000; ++seed) ++counts[Permutation(3, seed)];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [permutation, count] : counts) EXPECT_NEAR(count, 1000, 120);
}

TEST_F(Sample, IndicesAreDrawnInProportionToTheirWeights) {
  constexpr int64_t kCount = 1 << 16;
  for (const bool replaces : {true, false}) {
    const int64_t rows = replaces ? 1 : kCount, samples = replaces ? kCount : 1;
    std::vector<float> weights;
    for (int64_t row = 0; row < rows; ++row) weights.insert(weights.end(), {1, 0, 2, 5});
    const testing::DeviceArray<float> self(weights);
    const testing::DeviceArray<int64_t> out(kCount);
    testing::RunPhases(aclnnMultinomialGetWorkspaceSize, aclnnMultinomial,
                       TensorBuilder(ACL_FLOAT, {rows, 4}).Data(self.data()).Build().get(), samples, replaces,
                       int64_t{5}, int64_t{0},
                       TensorBuilder(ACL_INT64, {rows, samples}).Data(out.data()).Build().get());
    double counts[4] = {};
    for (const int64_t index : out.ToHost()) counts[index] += 1.0 / kCount;
    EXPECT_NEAR(counts[0], 0.125, 0.01);
    EXPECT_EQ(counts[1], 0);
    EXPECT_NEAR(counts[2], 0.25, 0.01);
    EXPECT_NEAR(counts[3], 0.625, 0.01);
  }
}

// The row is 0, the others are drawn.
TEST_F(Sample, RowsThatAreNoWeightsAreReported) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  const auto run = [](const std::vector<float>& row, int64_t samples, bool replaces) {
    std::vector<float> weights = {0, 0, 1, 1};
    weights.insert(weights.end(), row.begin(), row.end());
    const testing::DeviceArray<float> self(weights);
    const testing::DeviceArray<int64_t> out(std::vector<int64_t>(2 * static_cast<size_t>(samples), 9));
    const aclError status = testing::StatusOfRun(aclnnMultinomialGetWorkspaceSize, aclnnMultinomial,
                                                 TensorBuilder(ACL_FLOAT, {2, 4}).Data(self.data()).Build().get(),
                                                 samples, replaces, int64_t{5}, int64_t{0},
                                                 TensorBuilder(ACL_INT64, {2, samples}).Data(out.data()).Build().get());
    const std::vector<int64_t> drawn = out.ToHost();
    EXPECT_TRUE(drawn[0] == 2 || drawn[0] == 3);
    EXPECT_TRUE(status == 0 || drawn.back() == 0);
    return status;
  };
  for (const bool replaces : {true, false}) {
    EXPECT_EQ(run({0, 1, 0, 1}, 2, replaces), 0);
    EXPECT_EQ(run({1, -1, 1, 1}, 2, replaces), 507015);
    EXPECT_EQ(run({1, kNan, 1, 1}, 2, replaces), 507015);
    EXPECT_EQ(run({1, kInfinity, 1, 1}, 2, replaces), 507015);
    EXPECT_EQ(run({0, 0, 0, 0}, 2, replaces), 507015);
  }
  EXPECT_EQ(run({0, 1, 0, 0}, 2, true), 0);
  EXPECT_EQ(run({0, 1, 0, 0}, 2, false), 507015);
}

TEST_F(Sample, ADtypeHoldsAsManyIntegersAsArePermuted) {
  const auto status = [](aclDataType dtype, int64_t n) {
    return testing::PhaseOne(aclnnRandpermGetWorkspaceSize, n, int64_t{0}, int64_t{0},
                             TensorBuilder(dtype, {std::max<int64_t>(n, 0)}).Build().get());
  };
  for (const auto& [dtype, most] : std::map<aclDataType, int64_t>{{ACL_INT8, 128},
                                                                  {ACL_UINT8, 256},
                                                                  {ACL_INT16, 32768},
                                                                  {ACL_FLOAT16, 2049},
                                                                  {ACL_BF16, 257},
                                                                  {ACL_FLOAT, (1 << 24) + 1}}) {
    EXPECT_EQ(status(dtype, most), 0);
    EXPECT_EQ(status(dtype, most + 1), 161002);
  }
  EXPECT_EQ(status(ACL_INT64, 0), 0);
  EXPECT_EQ(status(ACL_INT64, -1), 161002);
}

TEST_F(Sample, RowsHaveAsManyWeightsAsAreDrawn) {
  const auto status = [](const Dims& self, int64_t samples, bool replaces, const Dims& out) {
    calls::Call call = calls::MakeValidCall(Row("aclnnMultinomial"));
    call.tensor("self").shape = self;
    call.argument("numsamples").integer = samples;
    call.argument("replacement").integer = replaces ? 1 : 0;
    call.tensor("out").shape = out;
    return StatusOf(call);
  };
  EXPECT_EQ(status({4}, 4, false, {4}), 0);
  EXPECT_EQ(status({4}, 5, false, {5}), 161002);
  EXPECT_EQ(status({4}, 5, true, {5}), 0);
  EXPECT_EQ(status({3, 4}, 5, true, {3, 5}), 0);
  EXPECT_EQ(status({3, 4}, 5, true, {5, 3}), 161002);
  EXPECT_EQ(status({3, 4}, 0, true, {3, 0}), 161002);
  EXPECT_EQ(status({0, 4}, 2, true, {0, 2}), 0);
  EXPECT_EQ(status({0}, 1, true, {1}), 161002);
  EXPECT_EQ(status({(1 << 24) + 1}, 1, true, {1}), 161002);
}

}  // namespace
}  // namespace portacl::ops::sample
