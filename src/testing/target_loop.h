// SPDX-License-Identifier: Apache-2.0
// Runs a test body once for every instruction set that this machine has, with its name in each failure.
//
//   ForEachTarget([&] { RunAndCompare(); });
#pragma once

#include <gtest/gtest.h>

#include "base/target.h"

namespace portacl::testing {

template <class Body>
void ForEachTarget(Body&& body) {
  // A loop that ran nowhere would pass.
  ASSERT_FALSE(UsableTargets().empty());
  for (const int64_t target : UsableTargets()) {
    SCOPED_TRACE(TargetName(target));
    SetActiveTargetForTest(target);
    EXPECT_EQ(ActiveTarget(), target);
    body();
    if (::testing::Test::HasFatalFailure()) break;
  }
  SetActiveTargetForTest(0);
}

}  // namespace portacl::testing
