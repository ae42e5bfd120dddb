// SPDX-License-Identifier: Apache-2.0
//
// What phase 1 refuses, and which similar calls it accepts.
#include <cstdint>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "calls/call.h"
#include "calls/tensor_builder.h"
#include "exec/bind.h"
#include "testing/call_phases.h"
#include "testing/two_phases.h"

namespace portacl::ops::weight_quant_batch_matmul {

std::span<const exec::OperatorEntry> Operators();

namespace {

using calls::Dims;
using calls::TensorBuilder;
using calls::TensorHandle;

class WeightQuantBatchMatmulV2Status : public testing::DeviceTest {};

calls::Call CallOf(int64_t m, int64_t k, int64_t n, int64_t group) {
  calls::Call call = calls::MakeValidCall(Operators()[0]);
  call.argument("antiquantOffsetOptional").null = call.argument("biasOptional").null = true;
  call.tensor("x").dtype = call.tensor("antiquantScale").dtype = call.tensor("y").dtype = ACL_FLOAT16;
  call.tensor("x").shape = {m, k};
  call.tensor("weight").shape = {k, n};
  call.tensor("antiquantScale").shape = {group == 0 ? 1 : (k + group - 1) / group, n};
  call.tensor("y").shape = {m, n};
  call.argument("antiquantGroupSize").integer = group;
  return call;
}
#define EXPECT_REFUSED(call, code, text)                                         \
  do {                                                                           \
    const testing::PhaseOneResult refusal = testing::TryPhaseOne(call);          \
    EXPECT_EQ(refusal.status, code);                                             \
    EXPECT_NE(refusal.message.find(text), std::string::npos) << refusal.message; \
  } while (false)

TEST_F(WeightQuantBatchMatmulV2Status, TakesAnyGroupOf32AndScalesOfEachShape) {
  for (const int64_t group : {0, 32, 64, 96, 1024}) {
    calls::Call call = CallOf(1, 32, 3, group);
    EXPECT_EQ(testing::StatusOf(call), 0) << "also one group of k or more";
    call = CallOf(2, 100, 3, group);
    EXPECT_EQ(testing::StatusOf(call), 0);
  }
  for (const Dims& shape : {Dims{1}, Dims{1, 1}, Dims{3}, Dims{1, 3}}) {
    calls::Call call = CallOf(1, 32, 3, 0);
    call.tensor("antiquantScale").shape = shape;
    EXPECT_EQ(testing::StatusOf(call), 0);
  }
}

TEST_F(WeightQuantBatchMatmulV2Status, RefusesWhatDoesNotFitTogether) {
  for (const int64_t group : {-32, 1, 31, 33}) {
    calls::Call call = CallOf(1, 64, 3, 0);
    call.argument("antiquantGroupSize").integer = group;
    EXPECT_REFUSED(call, 161002, "'antiquantGroupSize': expected 0 or a positive multiple of 32, got");
  }
  calls::Call call = CallOf(1, 64, 3, 32);
  call.tensor("antiquantScale").shape = {1, 3};
  EXPECT_REFUSED(call, 161002, "'antiquantScale': expected [2,3], got [1,3]");
  call = CallOf(1, 64, 3, 0);
  call.tensor("antiquantScale").shape = {2, 3};
  EXPECT_REFUSED(call, 161002, "'antiquantScale': expected [1], [1,1], [3] or [1,3], got [2,3]");
  call = CallOf(1, 64, 3, 0);
  call.argument("biasOptional") = call.argument("x");
  call.tensor("biasOptional").shape = {2};
  EXPECT_REFUSED(call, 161002, "'biasOptional': expected [3] or [1,3], got [2]");
  call.tensor("biasOptional").dtype = ACL_FLOAT;
  EXPECT_REFUSED(call, 161002, "'biasOptional': expected FLOAT16");
  call.tensor("x").dtype = call.tensor("antiquantScale").dtype = call.tensor("y").dtype = ACL_BF16;
  call.tensor("biasOptional").shape = {1, 3};
  EXPECT_EQ(testing::StatusOf(call), 0);
  call.tensor("biasOptional").dtype = ACL_FLOAT16;
  EXPECT_REFUSED(call, 161002, "'biasOptional': expected FLOAT or BFLOAT16");
  call = CallOf(1, 64, 3, 0);
  call.tensor("weight").dtype = ACL_INT4;
  EXPECT_REFUSED(call, 161002, "'weight': expected an even size along axis 1");
  call.tensor("weight").strides = Dims{1, 64};
  EXPECT_EQ(testing::StatusOf(call), 0);
}

TEST_F(WeightQuantBatchMatmulV2Status, DoesNotQuantiseResultsYet) {
  calls::Call call = CallOf(1, 64, 3, 0);
  call.tensor("y").dtype = ACL_INT8;
  EXPECT_REFUSED(call, 561003, "'y': expected the dtype of 'x'");
  call.argument("quantScaleOptional") = call.argument("x");
  call.tensor("quantScaleOptional").dtype = ACL_FLOAT;
  EXPECT_REFUSED(call, 561003, "'quantScaleOptional': expected NULL");
  call.argument("quantOffsetOptional") = call.argument("quantScaleOptional");
  call.argument("quantScaleOptional").null = true;
  EXPECT_REFUSED(call, 161002, "'quantOffsetOptional': expected NULL");
}

TEST_F(WeightQuantBatchMatmulV2Status, RefusesBlocksAndOtherPrivateFormats) {
  calls::Call call = CallOf(1, 64, 32, 0);
  call.tensor("weight").format = ACL_FORMAT_FRACTAL_Z;
  EXPECT_REFUSED(call, 161002, "'weight': expected format ND, one that only labels the axes, or FRACTAL_NZ");
  const TensorHandle x = TensorBuilder(ACL_FLOAT16, {1, 64}).Build();
  const TensorHandle scale = TensorBuilder(ACL_FLOAT16, {32}).Build();
  const TensorHandle y = TensorBuilder(ACL_FLOAT16, {1, 32}).Build();
  const auto status = [&](const Dims& storage) {
    const TensorHandle weight =
        TensorBuilder(ACL_INT8, {64, 32}).Format(ACL_FORMAT_FRACTAL_NZ).Storage(storage).Build();
    return testing::PhaseOne(aclnnWeightQuantBatchMatmulV2GetWorkspaceSize, x.get(), weight.get(), scale.get(), nullptr,
                             nullptr, nullptr, nullptr, 0, y.get());
  };
  for (int turn = 0; turn < 3; ++turn) {  // plans are cached
    EXPECT_EQ(status({64 * 32}), 0);
    EXPECT_EQ(status({1, 4, 16, 32}), 161002);
    EXPECT_EQ(status({2, 4, 16, 16}), 161002);
    EXPECT_EQ(status({64, 32}), 0);
  }
}

}  // namespace
}  // namespace portacl::ops::weight_quant_batch_matmul
