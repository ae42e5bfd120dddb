// SPDX-License-Identifier: Apache-2.0
//
// The gradient of Embedding, and EmbeddingRenorm: the promises that follow from schema and oracle, worked examples, and
// the shapes.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_embedding_renorm.h"
#include "testing/conformance.h"
#include "testing/index_faults.h"
#include "testing/operator_contract.h"
#include "testing/thread_count.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(EmbeddingGradient, embedding);

namespace portacl::ops::embedding {
namespace {

using calls::Dims;
using calls::TensorBuilder;

class EmbeddingGradient : public testing::DeviceTest {
 protected:
  static void ExpectGradient(const testing::Example& indices, int64_t padding, bool scales,
                             const std::vector<double>& want) {
    testing::ExpectExample(
        Operators()[0],
        {{"grad", {ACL_FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6}}}, {"indices", indices}, {"out", {ACL_FLOAT, {3, 2}, want}}},
        {{"numWeights", 3}, {"paddingIdx", static_cast<double>(padding)}, {"scaleGradByFreq", scales ? 1 : 0}}, 0);
  }
};

TEST_F(EmbeddingGradient, GivesTheDocumentedResults) {
  const testing::Example indices = {ACL_INT64, {3}, {1, 1, 0}};
  ExpectGradient(indices, -1, true, {5, 6, 2, 3, 0, 0});
  ExpectGradient(indices, 0, false, {0, 0, 4, 6, 0, 0});
  ExpectGradient(indices, 5, false, {5, 6, 4, 6, 0, 0});
}

TEST_F(EmbeddingGradient, TruncatesFloatingIndices) {
  ExpectGradient({ACL_FLOAT16, {3}, {2.75, 0.5, 2}}, -1, false, {3, 4, 0, 0, 6, 8});
  ExpectGradient({ACL_BOOL, {3}, {1, 0, 1}}, -1, false, {3, 4, 6, 8, 0, 0});
}

TEST_F(EmbeddingGradient, IsRightForWordsOfAVocabulary) {
  for (const int threads : {1, 3}) {
    const testing::ThreadCount count(threads);
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      calls::Call call = calls::MakeValidCall(Operators()[0]);
      call.tensor("grad").shape = {2, 100, 700};
      call.tensor("indices").shape = {200};
      call.tensor("grad").dtype = call.tensor("out").dtype = dtype;
      call.argument("numWeights").integer = 150;
      call.tensor("out").shape = {150, 700};
      testing::ExpectRight(call);
    }
  }
}

TEST_F(EmbeddingGradient, HasARowForEachIndex) {
  const auto status = [](const Dims& grad, const Dims& indices, uint64_t weights, const Dims& out) {
    return testing::PhaseOne(aclnnEmbeddingDenseBackwardGetWorkspaceSize, TensorBuilder(ACL_FLOAT, grad).Build().get(),
                             TensorBuilder(ACL_INT64, indices).Build().get(), weights, uint64_t{0}, false,
                             TensorBuilder(ACL_FLOAT, out).Build().get());
  };
  EXPECT_EQ(status({2, 3, 4}, {6}, 9, {9, 4}), 0);
  EXPECT_EQ(status({4}, {}, 9, {9, 4}), 0);
  EXPECT_EQ(status({2, 0}, {2}, 9, {9, 0}), 0);
  EXPECT_EQ(status({2, 3, 4}, {5}, 9, {9, 4}), 161002);
  EXPECT_EQ(status({2, 3, 4}, {6}, 8, {9, 4}), 161002);
  EXPECT_EQ(status({2, 3, 4}, {6}, 9, {9, 3}), 161002);
}

TEST_F(EmbeddingGradient, AddsNothingBeyondEitherEnd) {
  for (const bool scales : {false, true}) {
    const auto make = [&](bool is_larger) {
      const int64_t rows = is_larger ? 151 : 150;
      calls::Call call = calls::MakeValidCall(Operators()[0]);
      call.tensor("grad").shape = {200, 70};
      call.tensor("indices").shape = {10, 20};
      call.argument("numWeights").integer = rows;
      call.argument("paddingIdx").integer = 3;
      call.argument("scaleGradByFreq").integer = scales ? 1 : 0;
      call.tensor("out").shape = {rows, 70};
      return call;
    };
    testing::ExpectFaultsPassedOver(make, {.index = "indices", .limits = {150}});
  }
}

TEST_F(EmbeddingGradient, RenormLimitsNothingBeyondEitherEnd) {
  const auto make = [](bool is_larger) {
    calls::Call call = calls::MakeValidCall(testing::FindRow(Operators(), "aclnnEmbeddingRenorm"));
    call.tensor("selfRef").shape = {is_larger ? 151 : 150, 70};
    call.tensor("indices").shape = {10, 20};
    call.argument("maxNorm").real = 2;
    call.argument("normType").real = 1;
    return call;
  };
  testing::ExpectFaultsPassedOver(make, {.index = "indices", .limits = {150}});
}

TEST_F(EmbeddingGradient, RenormLimitsEachNamedRowOnce) {
  const auto limited = [](const std::vector<int64_t>& named, double most, double order, aclError status = 0) {
    const testing::DeviceArray<float> self({3, 4, 0.3F, 0.4F, 6, 8});
    const testing::DeviceArray<int64_t> indices(named);
    uint64_t bytes = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnEmbeddingRenormGetWorkspaceSize(
                  TensorBuilder(ACL_FLOAT, {3, 2}).Data(self.data()).Build().get(),
                  TensorBuilder(ACL_INT64, {std::ssize(named)}).Data(indices.data()).Build().get(), most, order, &bytes,
                  &executor),
              0);
    EXPECT_EQ(aclnnEmbeddingRenorm(nullptr, 0, executor, nullptr), 0);
    EXPECT_EQ(aclrtSynchronizeDevice(), status);
    return self.ToHost();
  };
  const auto expect = [](const std::vector<float>& got, const std::vector<float>& want) {
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << i;
  };
  expect(limited({0, 2, 0}, 1, 2), {0.6F, 0.8F, 0.3F, 0.4F, 0.6F, 0.8F});
  expect(limited({1}, 1, 2), {3, 4, 0.3F, 0.4F, 6, 8});
  expect(limited({2}, 7, 1), {3, 4, 0.3F, 0.4F, 3, 4});
  expect(limited({0}, 1, 0), {1.5F, 2, 0.3F, 0.4F, 6, 8});
  expect(limited({2}, 4, INFINITY), {3, 4, 0.3F, 0.4F, 3, 4});
  expect(limited({3, 0}, 1, 2, 507015), {0.6F, 0.8F, 0.3F, 0.4F, 6, 8});
}

}  // namespace
}  // namespace portacl::ops::embedding
