// SPDX-License-Identifier: Apache-2.0
// For the unit tests of this layer: phase 1 of a schema without a kernel, together with the report that it left.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "acl/acl.h"
#include "base/soc.h"
#include "calls/tensor_builder.h"
#include "exec/plan.h"

namespace portacl::exec {

inline calls::TensorHandle Floats(calls::Dims shape) {
  return calls::TensorBuilder(ACL_FLOAT, std::move(shape)).Build();
}

class OnSoc {
 public:
  explicit OnSoc(SocFamily family) { SetCurrentSocForTest(&kSocs[static_cast<size_t>(family)]); }
  ~OnSoc() { SetCurrentSocForTest(nullptr); }
};

struct CheckResult {
  aclnnStatus status;
  std::string message;
};

inline CheckResult RunChecks(const Schema& schema, std::initializer_list<Value> values) {
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  aclGetRecentErrMsg();
  const aclnnStatus status = MakePlan(schema, values, &workspace_size, &executor, [](PlanBuilder&) {});
  const char* text = aclGetRecentErrMsg();
  if (status == kSuccess) {
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
  }
  return {status, text == nullptr ? "" : text};
}

// The call is refused with this status, and the first line of the report ends with the sentence.
inline ::testing::AssertionResult Refused(const CheckResult& result, aclnnStatus status, const std::string& sentence) {
  if (result.status != status) {
    return ::testing::AssertionFailure() << "expected status " << status << ", got " << result.status << ": "
                                         << result.message;
  }
  if (result.message.find(sentence) == std::string::npos) {
    return ::testing::AssertionFailure() << "expected the message\n  " << sentence << "\ngot\n  " << result.message;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace portacl::exec
