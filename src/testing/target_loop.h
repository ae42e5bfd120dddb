// SPDX-License-Identifier: Apache-2.0
// Runs a test body once for every instruction set of this machine, whose name appears in each failure.
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

inline std::string_view ChosenTargets() {
  const char* const which = std::getenv("PORTACL_TEST_TARGETS");
  return which == nullptr ? "" : which;
}

// All instruction sets of this machine. PORTACL_TEST_TARGETS reduces them for a second run that does not have to repeat
// the first: `best` selects the first one; with `none`, tests that use all of them are skipped.
inline std::span<const int64_t> TestedTargets() {
  return UsableTargets().first(ChosenTargets().empty() ? UsableTargets().size() : 1);
}

template <class Body>
void ForEachTarget(Body&& body) {
  if (ChosenTargets() == "none") GTEST_SKIP() << "another run goes through the instruction sets";
  // A loop without iterations would pass.
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
