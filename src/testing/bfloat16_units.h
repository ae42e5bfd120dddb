// SPDX-License-Identifier: Apache-2.0
//
// Repeats a test with each kind of instructions that multiply bfloat16.
#pragma once

#include <gtest/gtest.h>

#include "base/bfloat16_unit.h"

namespace portacl::testing {

/// Runs `body` with each unit of this machine, and with none.
template <class Body>
void ForEachUnit(const Body& body) {
  for (const Bfloat16Unit unit : {Bfloat16Unit::kTiles, Bfloat16Unit::kDots, Bfloat16Unit::kNone}) {
    LimitBfloat16UnitForTest(unit);
    SCOPED_TRACE(static_cast<int>(unit));
    if (ActiveBfloat16Unit() == unit) body();
    if (::testing::Test::HasFatalFailure()) break;
  }
  LimitBfloat16UnitForTest(Bfloat16Unit::kTiles);
}

}  // namespace portacl::testing
