// SPDX-License-Identifier: Apache-2.0
// For the unit tests of this layer: three tensors of two elements, plans of the toy operator, and its messages.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "calls/tensor_builder.h"
#include "exec/plan.h"
#include "exec/toy_fixture.h"
#include "testing/device_array.h"

namespace portacl::exec {

using calls::Dims;
using calls::TensorBuilder;
using calls::TensorHandle;
using testing::DeviceArray;
using FloatVector = std::vector<float>;

// Two inputs and an output of two elements.
class ExecutorTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS); }
  void SetUp() override { aclGetRecentErrMsg(); }

  aclOpExecutor* Plan() {
    uint64_t size = 1;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnToyGetWorkspaceSize(x_tensor_.get(), dy_tensor_.get(), out_tensor_.get(), &size, &executor),
              kSuccess);
    EXPECT_EQ(size, 0u);
    return executor;
  }
  FloatVector Result(const DeviceArray<float>& array) {
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    return array.ToHost();
  }

  DeviceArray<float> x_{{1, 2}};
  DeviceArray<float> dy_{{10, 20}};
  DeviceArray<float> out_{{0, 0}};
  TensorHandle x_tensor_ = TensorBuilder(ACL_FLOAT, {2}).Data(x_.data()).Build();
  TensorHandle dy_tensor_ = TensorBuilder(ACL_FLOAT, {2}).Data(dy_.data()).Build();
  TensorHandle out_tensor_ = TensorBuilder(ACL_FLOAT, {2}).Data(out_.data()).Build();
};

inline std::string LastMessage() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}
inline void ExpectMessage(const std::string& sentence) {
  const std::string message = LastMessage();
  EXPECT_NE(message.find(sentence), std::string::npos) << "expected: " << sentence << "\ngot: " << message;
}
inline aclOpExecutor* Handle(uint64_t bits) { return reinterpret_cast<aclOpExecutor*>(static_cast<uintptr_t>(bits)); }

}  // namespace portacl::exec
