// SPDX-License-Identifier: Apache-2.0
//
// The cost that a plan estimates for its run.
#pragma once

#include <cstdint>

#include <gtest/gtest.h>

#include "aclnn/acl_meta.h"
#include "base/target.h"
#include "calls/call.h"
#include "exec/executor_pool.h"

namespace portacl::testing {

/// The estimate for a call on one core, in ns; -1 if phase 1 refuses the call.
inline int64_t EstimateOf(calls::Call& call) {
  call.AllocateData();
  uint64_t bytes = 0;
  aclOpExecutor* handle = nullptr;
  const aclnnStatus status = call.Plan(&bytes, &handle);
  EXPECT_EQ(status, exec::kSuccess) << aclGetRecentErrMsg();
  if (status != exec::kSuccess) return -1;
  exec::Executor* const executor = exec::Claim(handle, nullptr);
  const int64_t estimate = executor->cost_ns();
  exec::Release(executor);
  EXPECT_EQ(aclDestroyAclOpExecutor(handle), exec::kSuccess);
  return estimate;
}

/// Expects an estimate of at least half the time measured on one core with AVX-512, in ns, and, where that is in use, of
/// at most twice that time: other instruction sets may be slower.
inline void ExpectEstimate(calls::Call& call, double measured_ns) {
  const auto estimate = static_cast<double>(EstimateOf(call));
  EXPECT_GE(estimate, measured_ns / 2);
  if (ActiveTarget() <= HWY_AVX3) {
    EXPECT_LE(estimate, measured_ns * 2);
  }
}

}  // namespace portacl::testing
