// SPDX-License-Identifier: Apache-2.0
// Random test data that can be repeated: a run of the tests draws the same data as the last one, so that a change is
// judged by what it changes. PORTACL_TEST_SEED sets another seed, or, as `random`, one that is new each time and shown
// by a failing test. Each test draws from its own sequence, so that running one test alone repeats what it drew in the
// whole run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::testing {

uint64_t TestSeed();

class Random {
 public:
  Random();                        // from TestSeed() and the running test's name
  explicit Random(uint64_t seed);  // from this seed alone
  // From these bytes while they last, four a draw, then from a seed made of them: a fuzzer that changes a byte changes
  // one draw.
  Random(const uint8_t* data, size_t size);

  uint64_t Bits();
  int64_t Below(int64_t bound);                // uniform in [0, bound)
  int64_t Between(int64_t low, int64_t high);  // uniform in [low, high]
  double Real(double low, double high);
  bool Chance(double probability);

  template <class Container>
  const auto& Pick(const Container& values) {
    return values[static_cast<size_t>(Below(static_cast<int64_t>(values.size())))];
  }

 private:
  uint64_t state_;
  const uint8_t* data_ = nullptr;
  size_t left_ = 0;
};

}  // namespace portacl::testing
