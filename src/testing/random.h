// SPDX-License-Identifier: Apache-2.0
// Random test data that can be repeated: a run of the tests draws the same data as the last one, so that a change is
// judged by what it changes. PORTACL_TEST_SEED sets another seed, or, as `random`, one that is new each time and shown
// by a failing test. Each test draws from its own sequence, so that running one test alone repeats what it drew in the
// whole run.
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
