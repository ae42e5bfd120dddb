// SPDX-License-Identifier: Apache-2.0
// Repeatable random numbers, see random.h.
#include "calls/random.h"

#include <cstring>

namespace portacl::calls {

Random::Random(uint64_t seed) : state_(seed) {}

Random::Random(const uint8_t* data, size_t size) : state_(size), data_(data), left_(size) {}

uint64_t Random::Bits() {
  if (left_ >= sizeof(uint32_t)) {
    uint32_t drawn = 0;
    std::memcpy(&drawn, data_, sizeof(drawn));
    data_ += sizeof(drawn);
    left_ -= sizeof(drawn);
    state_ = state_ * 31 + drawn;
    return uint64_t{drawn} << 32 | drawn;
  }
  // SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

int64_t Random::Below(int64_t bound) { return static_cast<int64_t>(Bits() % static_cast<uint64_t>(bound)); }

int64_t Random::Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }

double Random::Real(double low, double high) {
  return low + (high - low) * (static_cast<double>(Bits() >> 11) * 0x1p-53);
}

bool Random::Chance(double probability) { return Real(0, 1) < probability; }

}  // namespace portacl::calls
