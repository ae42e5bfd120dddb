// SPDX-License-Identifier: Apache-2.0
// Repeatable random numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::calls {

class Random {
 public:
  explicit Random(uint64_t seed);
  // From these bytes while they last, four per number, then from a seed computed from them: a fuzzer that changes a
  // byte changes one number.
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

}  // namespace portacl::calls
