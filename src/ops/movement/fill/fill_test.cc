// SPDX-License-Identifier: Apache-2.0
//
// Fills of whole tensors and under masks: the promises that follow from schemas and oracle, and worked examples.
#include <limits>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "calls/tensor_builder.h"
#include "testing/call_phases.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/two_phases.h"

ROW_CONTRACT_TESTS(Fill, fill);

namespace portacl::ops::fill {
namespace {

class Fill : public testing::DeviceTest {};

TEST_F(Fill, ConvertsTheScalar) {
  const auto expect = [](aclDataType dtype, double value, double want) {
    testing::ExpectExample(Operators()[0], {{"selfRef", {dtype, {3}, {want, want, want}}}}, {{"value", value}}, 0);
  };
  expect(ACL_FLOAT16, 65520, std::numeric_limits<double>::infinity());
  expect(ACL_UINT8, 300, 44);
  expect(ACL_INT32, 1.9, 1);
  expect(ACL_INT8, -1.9, -1);
  expect(ACL_FLOAT, -std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity());
  expect(ACL_BOOL, 0.5, 1);
  expect(ACL_INT64, std::numeric_limits<double>::quiet_NaN(), 0);
  expect(ACL_INT32, 0x1p40 + 0x1p20, 0x1p20);
  expect(ACL_INT8, -std::numeric_limits<double>::infinity(), 0);
}

TEST_F(Fill, IntegersTakeAScalarOfDoubleModuloTheirRange) {
  const auto filled = [](double value) {
    const testing::DeviceArray<int32_t> self(3);
    aclScalar* const scalar = aclCreateScalar(&value, ACL_DOUBLE);
    testing::RunPhases(aclnnInplaceFillScalarGetWorkspaceSize, aclnnInplaceFillScalar,
                       calls::TensorBuilder(ACL_INT32, {3}).Data(self.data()).Build().get(), scalar);
    EXPECT_EQ(aclDestroyScalar(scalar), 0);
    return self.ToHost().front();
  };
  EXPECT_EQ(filled(1e30), 0);
  EXPECT_EQ(filled(-1e30), 0);
  EXPECT_EQ(filled(0x1p63 + 0x1p12), 4096);
  EXPECT_EQ(filled(-0x1p70 - 0x1p20), -(1 << 20));
  EXPECT_EQ(filled(4294967299.5), 3);
}

TEST_F(Fill, KeepsBothPartsOfAComplexScalar) {
  for (const aclDataType dtype : {ACL_COMPLEX64, ACL_COMPLEX128, ACL_FLOAT}) {
    calls::Call call = calls::MakeValidCall(Operators()[0]);
    call.tensor("selfRef").dtype = dtype;
    call.argument("value").number = ACL_COMPLEX64;
    call.argument("value").real = 1.5;
    call.argument("value").imaginary = -2.25;
    call.AllocateData();
    testing::ExpectConformance(call);
  }
}

// Uses several threads and non-temporal stores.
TEST_F(Fill, FillsManyElements) {
  for (size_t which : {0U, 1U, 2U}) {
    calls::Call call = calls::MakeValidCall(Operators()[which]);
    call.tensor("selfRef").shape = {1031, 700};
    call.tensor("selfRef").strides = {701, 1};
    testing::ExpectRight(call);
  }
}

TEST_F(Fill, FillsRowsOfAnyLength) {
  for (const aclDataType dtype : {ACL_INT8, ACL_FLOAT16, ACL_FLOAT, ACL_DOUBLE, ACL_COMPLEX128}) {
    for (const int64_t columns : {15, 16, 17, 63, 64, 100, 1000}) {
      SCOPED_TRACE(columns);
      calls::Call call = calls::MakeValidCall(Operators()[0]);
      call.tensor("selfRef").dtype = dtype;
      call.tensor("selfRef").shape = {3, columns};
      call.tensor("selfRef").strides = {columns + 1, 1};
      call.argument("value").number = ACL_DOUBLE;
      call.argument("value").real = 17.25;
      call.AllocateData();
      testing::ExpectConformance(call);
    }
  }
}

TEST_F(Fill, TheValueTensorHasOneElement) {
  const auto status = [](const calls::Dims& mask, const calls::Dims& value) {
    calls::Call call = calls::MakeValidCall(Operators()[4]);
    call.tensor("selfRef").shape = {2, 3};
    call.tensor("mask").shape = mask;
    call.tensor("value").shape = value;
    return testing::StatusOf(call);
  };
  EXPECT_EQ(status({2, 3}, {}), 0);
  EXPECT_EQ(status({3}, {1, 1}), 0);
  EXPECT_EQ(status({3}, {2}), 161002);
  EXPECT_EQ(status({3}, {0}), 161002);
  EXPECT_EQ(status({2}, {1}), 161002);
}

// As PyTorch passes them: a Python number is a tensor of INT64 or FLOAT.
TEST_F(Fill, TheValueTensorMayHaveAnotherDtype) {
  const auto expect = [](aclDataType dtype, aclDataType of_value, double value, double want) {
    testing::ExpectExample(Operators()[4],
                           {{"selfRef", {dtype, {2}, {want, want}}},
                            {"mask", {ACL_BOOL, {2}, {1, 1}}},
                            {"value", {of_value, {}, {value}}}},
                           {}, 0);
  };
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16, ACL_FLOAT, ACL_INT8, ACL_INT32, ACL_INT64}) {
    for (const aclDataType of_value : {ACL_FLOAT16, ACL_BF16, ACL_FLOAT, ACL_DOUBLE, ACL_INT32, ACL_INT64})
      expect(dtype, of_value, -3, -3);
    expect(dtype, ACL_BOOL, 1, 1);
  }
  expect(ACL_INT32, ACL_FLOAT, 1.9, 1);
  expect(ACL_INT8, ACL_INT64, 300, 44);
  expect(ACL_FLOAT16, ACL_DOUBLE, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-10);
  calls::Call call = calls::MakeValidCall(Operators()[4]);
  call.tensor("selfRef").dtype = ACL_BOOL;
  call.tensor("value").dtype = ACL_INT64;
  EXPECT_EQ(testing::StatusOf(call), 161002) << "a number is no truth value";
}

}  // namespace
}  // namespace portacl::ops::fill
