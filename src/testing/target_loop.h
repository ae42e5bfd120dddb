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

inline std::string_view ChosenTargets() {
  const char* const which = std::getenv("PORTACL_TEST_TARGETS");
  return which == nullptr ? "" : which;
}

// All that this machine has. PORTACL_TEST_TARGETS leaves fewer, for a second run that need not repeat what the first
// one has tested: `best` the first of them; with `none`, tests that go through all are skipped.
inline std::span<const int64_t> TestedTargets() {
  return UsableTargets().first(ChosenTargets().empty() ? UsableTargets().size() : 1);
}

template <class Body>
void ForEachTarget(Body&& body) {
  if (ChosenTargets() == "none") GTEST_SKIP() << "another run goes through the instruction sets";
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
