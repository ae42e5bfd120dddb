// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schema and oracle, both equations on every dtype and on views, and refused calls.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "calls/call.h"
#include "calls/element.h"
#include "calls/views.h"
#include "exec/bind.h"
#include "testing/call_memory.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

OP_CONTRACT_TESTS(Einsum, einsum, 0);

namespace portacl::ops::einsum {
namespace {

using calls::Dims;
using testing::ExpectRight;
using testing::StatusOf;

constexpr const char* kOuterProduct = "a,b->ab";
constexpr const char* kSumOverD = "abcd,abced->abce";
constexpr aclDataType kEveryDtype[] = {ACL_FLOAT, ACL_FLOAT16, ACL_INT8,   ACL_UINT8,  ACL_INT16,
                                       ACL_INT32, ACL_INT64,   ACL_UINT16, ACL_UINT32, ACL_UINT64};

class Einsum : public testing::DeviceTest {};

// A call with these tensors, all contiguous.
calls::Call CallOf(const std::string& equation, aclDataType dtype, const Dims& x, const Dims& y, const Dims& output) {
  calls::Call call = calls::MakeValidCall(Operators()[0]);
  call.argument("equation").text = equation;
  call.argument("tensors").tensors = {{.dtype = dtype, .shape = x, .strides = {}},
                                      {.dtype = dtype, .shape = y, .strides = {}}};
  call.tensor("output").dtype = dtype;
  call.tensor("output").shape = output;
  return call;
}

// The result of a call in which both tensors have the elements 1, 2, 3 ...
std::vector<double> ResultOf(calls::Call call) {
  call.AllocateData();
  for (const calls::TensorSpec& tensor : call.argument("tensors").tensors) testing::FillWithCount(tensor);
  testing::RunPhases(call);
  return calls::Decode(call.tensor("output").dtype, calls::ReadElements(call.tensor("output")));
}

TEST_F(Einsum, GivesTheWorkedExamples) {
  for (const aclDataType dtype : kEveryDtype) {
    EXPECT_EQ(ResultOf(CallOf(kOuterProduct, dtype, {3}, {2}, {3, 2})), (std::vector<double>{1, 2, 2, 4, 3, 6}));
    // (1, 2) with the rows (1, 2), (3, 4), (5, 6).
    EXPECT_EQ(ResultOf(CallOf(kSumOverD, dtype, {1, 1, 1, 2}, {1, 1, 1, 3, 2}, {1, 1, 1, 3})),
              (std::vector<double>{5, 11, 17}));
  }
}

TEST_F(Einsum, IsRightForEveryDtype) {
  for (const aclDataType dtype : kEveryDtype) {
    for (const double special : {0.0, 0.2}) {
      ExpectRight(CallOf(kOuterProduct, dtype, {37}, {1001}, {37, 1001}), special);
      ExpectRight(CallOf(kSumOverD, dtype, {2, 3, 4, 35}, {2, 3, 4, 9, 35}, {2, 3, 4, 9}), special);
    }
  }
}

TEST_F(Einsum, ASumOfNothingIsZero) {
  EXPECT_EQ(ResultOf(CallOf(kSumOverD, ACL_FLOAT, {1, 2, 1, 0}, {1, 2, 1, 3, 0}, {1, 2, 1, 3})),
            std::vector<double>(6, 0));
}

// Terms that cancel, and more of them than float32 could add one by one.
TEST_F(Einsum, AddsLongSumsInFloat64) {
  ExpectRight(CallOf(kSumOverD, ACL_FLOAT, {1, 1, 2, 100'003}, {1, 1, 2, 3, 100'003}, {1, 1, 2, 3}));
}

TEST_F(Einsum, TakesViews) {
  testing::Random random;
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_INT32}) {
    calls::Call call = CallOf(kSumOverD, dtype, {2, 3, 4, 5}, {2, 3, 4, 6, 5}, {2, 3, 4, 6});
    call.argument("tensors").tensors[0].strides = {1, 2, 6, 24};
    call.argument("tensors").tensors[1].strides = {0, 90, 30, 1, 6};
    call.argument("tensors").tensors[1].offset = 3;
    call.tensor("output").strides = {1, 2, 6, 24};
    ExpectRight(call);
    call = CallOf(kOuterProduct, dtype, {40}, {50}, {40, 50});
    call.argument("tensors").tensors[0].strides = {3};
    call.argument("tensors").tensors[1].strides = {0};
    call.tensor("output").strides = {1, 40};
    ExpectRight(call);
  }
}

// The result of one sum is stored where other sums read their terms.
TEST_F(Einsum, ReadsTermsBeforeResultsTakeTheirPlace) {
  testing::Random random;
  calls::Call call = CallOf(kSumOverD, ACL_FLOAT, {2, 3, 4, 5}, {2, 3, 4, 5, 5}, {2, 3, 4, 5});
  call.AllocateData();
  call.tensor("output").data = call.argument("tensors").tensors[0].data;
  calls::Call apart = CallOf(kSumOverD, ACL_FLOAT, {2, 3, 4, 5}, {2, 3, 4, 5, 5}, {2, 3, 4, 5});
  apart.AllocateData();
  calls::DrawContents(call, random, 0);
  for (size_t i = 0; i < 2; ++i) {
    const std::vector<std::byte> bytes = calls::ReadElements(call.argument("tensors").tensors[i]);
    testing::WriteMemory(apart.argument("tensors").tensors[i].data, bytes);
  }
  for (const calls::Call* const each : {&call, &apart}) testing::RunPhases(*each);
  EXPECT_EQ(calls::ReadElements(call.tensor("output")), calls::ReadElements(apart.tensor("output")));
}

TEST_F(Einsum, TakesTheTwoEquationsAlone) {
  for (const char* const equation : {"", "a,b->ba", "a, b->ab", "ab,bc->ac", "A,B->AB"}) {
    EXPECT_EQ(StatusOf(CallOf(equation, ACL_FLOAT, {3}, {2}, {3, 2})), exec::kInvalid);
    EXPECT_NE(std::string_view(aclGetRecentErrMsg())
                  .find("'equation': expected a,b->ab or abcd,abced->abce, got " + std::string(equation)),
              std::string_view::npos);
  }
  EXPECT_EQ(StatusOf(CallOf(kOuterProduct, ACL_FLOAT, {3}, {2, 1}, {3, 2})), exec::kInvalid);
  EXPECT_EQ(StatusOf(CallOf(kOuterProduct, ACL_FLOAT, {3}, {2}, {2, 3})), exec::kInvalid);
  EXPECT_EQ(StatusOf(CallOf(kSumOverD, ACL_FLOAT, {1, 2, 3, 4}, {1, 2, 3, 5, 4}, {1, 2, 3, 5})), exec::kSuccess);
  EXPECT_EQ(StatusOf(CallOf(kSumOverD, ACL_FLOAT, {1, 2, 3, 4}, {1, 2, 3, 4, 5}, {1, 2, 3, 4})), exec::kInvalid);
  EXPECT_NE(std::string_view(aclGetRecentErrMsg()).find("'tensors[1]': expected axes abced"), std::string_view::npos);
  EXPECT_EQ(StatusOf(CallOf(kSumOverD, ACL_FLOAT, {1, 2, 1, 4}, {1, 2, 3, 5, 4}, {1, 2, 3, 5})), exec::kInvalid)
      << "nothing is broadcast";
  calls::Call call = CallOf(kOuterProduct, ACL_FLOAT, {3}, {2}, {3, 2});
  call.argument("tensors").tensors.pop_back();
  EXPECT_EQ(StatusOf(call), exec::kInvalid);
  call = CallOf(kOuterProduct, ACL_FLOAT, {3}, {2}, {3, 2});
  call.argument("tensors").tensors[1].dtype = ACL_FLOAT16;
  EXPECT_EQ(StatusOf(call), exec::kInvalid);
  EXPECT_EQ(StatusOf(CallOf(kOuterProduct, ACL_BF16, {3}, {2}, {3, 2})), exec::kInvalid);
}

}  // namespace
}  // namespace portacl::ops::einsum
