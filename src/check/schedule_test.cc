// SPDX-License-Identifier: Apache-2.0
#include "check/schedule.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace portacl::check {
namespace {

constexpr uint64_t kSeeds = 200;
constexpr uint64_t kNumbers = 20;

TEST(Schedule, FourNeighboursAreLateByClearlyDifferentTimes) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (uint64_t number = 1; number <= kNumbers; ++number) {
      for (uint64_t stream = 0; stream < 4; ++stream) {
        for (uint64_t other = 0; other < stream; ++other) {
          const int distance = DelayOf(seed, stream, number) - DelayOf(seed, other, number);
          EXPECT_GE(std::abs(distance), 4) << "seed " << seed << " number " << number;
        }
      }
    }
  }
}

TEST(Schedule, NoTwoOfEightNeighboursAreEverEquallyLate) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::set<int> all;
    for (uint64_t stream = 0; stream < 8; ++stream) {
      std::set<int> mine;
      for (uint64_t number = 1; number <= kNumbers; ++number) {
        const int delay = DelayOf(seed, stream, number);
        if (delay >= 0) mine.insert(delay);
      }
      for (const int delay : mine) EXPECT_TRUE(all.insert(delay).second) << "seed " << seed << " stream " << stream;
    }
  }
}

TEST(Schedule, EveryStreamIsFirstAndLastWithSomeSeed) {
  for (uint64_t stream = 0; stream < 4; ++stream) {
    int at_once = 0, latest = 0;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      at_once += DelayOf(seed, stream, 1) < 0 ? 1 : 0;
      latest += DelayOf(seed, stream, 1) >= 34 ? 1 : 0;
    }
    EXPECT_GT(at_once, 20);
    EXPECT_GT(latest, 20);
  }
}

}  // namespace
}  // namespace portacl::check
