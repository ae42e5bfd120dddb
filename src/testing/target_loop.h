// SPDX-License-Identifier: Apache-2.0
// Runs a test body once for every instruction set that this machine has, with its name in each failure.
//
//   ForEachTarget([&] { RunAndCompare(); });
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

#include "base/target.h"

namespace portacl::testing {

// All that this machine has. PORTACL_TEST_TARGETS=best leaves the first: a second run under an emulator need not repeat
// what the first one has tested.
inline std::span<const int64_t> TestedTargets() {
  const char* const which = std::getenv("PORTACL_TEST_TARGETS");
  const bool best = which != nullptr && std::string_view(which) == "best";
  return UsableTargets().first(best ? 1 : UsableTargets().size());
}

template <class Body>
void ForEachTarget(Body&& body) {
  // A loop that ran nowhere would pass.
  ASSERT_FALSE(TestedTargets().empty());
  for (const int64_t target : TestedTargets()) {
    SCOPED_TRACE(TargetName(target));
    SetActiveTargetForTest(target);
    EXPECT_EQ(ActiveTarget(), target);
    body();
    if (::testing::Test::HasFatalFailure()) break;
  }
  SetActiveTargetForTest(0);
}

}  // namespace portacl::testing
