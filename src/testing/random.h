// SPDX-License-Identifier: Apache-2.0
// Repeatable random test data: every run of the tests uses the same data, so that different results come from a change
// of the code. PORTACL_TEST_SEED sets another seed; `random` chooses a new one each time, which a failing test prints.
// Each test has its own sequence, so that a single test gets the same data as in the whole run.
#pragma once

#include <cstdint>

#include "calls/random.h"

namespace portacl::testing {

uint64_t TestSeed();

class Random : public calls::Random {
 public:
  using calls::Random::Random;
  Random();  // from TestSeed() and the running test's name
};

}  // namespace portacl::testing
