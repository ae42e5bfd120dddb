// SPDX-License-Identifier: Apache-2.0
//
// Tails access only their elements: memory right before and after them is protected here.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/target.h"
#include "simd/simd_lanes_fixture.h"
#include "testing/guarded_buffer.h"
#include "testing/target_loop.h"

namespace portacl::simd {
namespace {

using testing::GuardedBuffer;
using testing::GuardSide;

class Tail : public ::testing::TestWithParam<int64_t> {};

template <class T>
void CheckLoads(size_t lanes, void (*load)(const T*, size_t, T*)) {
  for (const GuardSide side : {GuardSide::kEnd, GuardSide::kBegin}) {
    for (size_t n = 0; n <= lanes; ++n) {
      GuardedBuffer memory(n * sizeof(T), side);
      std::vector<T> want(lanes, T{0});
      for (size_t i = 0; i < n; ++i) want[i] = static_cast<T>(i + 1);
      if (n != 0) std::memcpy(memory.begin(), want.data(), n * sizeof(T));
      std::vector<T> got(lanes, T{99});
      load(memory.As<T>(), n, got.data());
      EXPECT_EQ(got, want) << n << " of " << lanes << " lanes";
    }
  }
}

template <class T>
void CheckStores(size_t lanes, void (*store)(const T*, T*, size_t)) {
  std::vector<T> values(lanes);
  for (size_t i = 0; i < lanes; ++i) values[i] = static_cast<T>(i + 1);
  for (const GuardSide side : {GuardSide::kEnd, GuardSide::kBegin}) {
    for (size_t n = 0; n <= lanes; ++n) {
      GuardedBuffer memory(n * sizeof(T), side);
      store(values.data(), memory.As<T>(), n);
      EXPECT_TRUE(n == 0 || std::memcmp(memory.begin(), values.data(), n * sizeof(T)) == 0) << n << " of " << lanes;
      EXPECT_TRUE(memory.Intact()) << n << " of " << lanes << " lanes";
    }
  }
}

TEST_P(Tail, LoadsOnlyItsElementsAndZerosTheRest) {
  const TailLanes tail = LaneFunctionsFor(GetParam()).tail;
  CheckLoads<uint16_t>(tail.half_lanes, tail.load_half);
  CheckLoads<float>(tail.float_lanes, tail.load_float);
  CheckLoads<double>(tail.double_lanes, tail.load_double);
  CheckLoads<uint8_t>(tail.byte_lanes, tail.load_bytes);
  CheckLoads<uint8_t>(tail.mask_lanes, tail.load_mask);
}

TEST_P(Tail, StoresOnlyItsElements) {
  const TailLanes tail = LaneFunctionsFor(GetParam()).tail;
  CheckStores<uint16_t>(tail.half_lanes, tail.store_half);
  CheckStores<float>(tail.float_lanes, tail.store_float);
  CheckStores<double>(tail.double_lanes, tail.store_double);
  CheckStores<uint8_t>(tail.byte_lanes, tail.store_bytes);
  CheckStores<uint8_t>(tail.mask_lanes, tail.store_mask);
}

INSTANTIATE_TEST_SUITE_P(Targets, Tail,
                         ::testing::ValuesIn(testing::TestedTargets().begin(), testing::TestedTargets().end()),
                         [](const auto& target) { return std::string(TargetName(target.param)); });

}  // namespace
}  // namespace portacl::simd
