// SPDX-License-Identifier: Apache-2.0
// The two phases of a call that is plain data, with the checks of two_phases.h.
#pragma once

#include <gtest/gtest.h>

#include "calls/call.h"
#include "testing/two_phases.h"

namespace portacl::testing {

// Phase 1 of a call, as the functions of two_phases.h take it.
inline auto PhaseOneOf(const calls::Call& call) {
  return [&call](uint64_t* bytes, aclOpExecutor** executor) { return call.Plan(bytes, executor); };
}

inline PhaseOneResult TryPhaseOne(const calls::Call& call) { return TryPhaseOne(PhaseOneOf(call)); }
inline aclnnStatus PhaseOne(const calls::Call& call) { return PhaseOne(PhaseOneOf(call)); }
inline void RunPhases(const calls::Call& call) { RunPhases(PhaseOneOf(call), call.entry().run); }

// The status of phase 1; the message of a refused call can still be read.
inline aclnnStatus StatusOf(const calls::Call& call) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const aclnnStatus status = call.Plan(&bytes, &executor);
  EXPECT_TRUE(status != 0 || aclDestroyAclOpExecutor(executor) == 0);
  return status;
}

}  // namespace portacl::testing
