// SPDX-License-Identifier: Apache-2.0
//
// Lane sums use every element once, are accurate, and do not depend on the register width.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/bfloat16.h"
#include "base/float16.h"
#include "base/target.h"
#include "simd/simd_lanes_fixture.h"
#include "testing/guarded_buffer.h"
#include "testing/random.h"
#include "testing/target_loop.h"

namespace portacl::simd {
namespace {

using testing::GuardedBuffer;

class LaneSum : public ::testing::TestWithParam<int64_t> {
 protected:
  static SumLanes Lanes() { return LaneFunctionsFor(GetParam()).sum; }

  // Lengths around a register, the lanes of the sum, and groups of four of them.
  static std::vector<size_t> Lengths() {
    std::vector<size_t> lengths;
    for (size_t n = 0; n <= 140; ++n) lengths.push_back(n);
    for (const size_t n : {255, 256, 257, 319, 511, 512, 513, 639, 640, 1025, 1111, 5000}) lengths.push_back(n);
    return lengths;
  }

  // Small integers, so that every order of additions gives the same sum. Operands end at a guard page.
  template <class T>
  static void Check(double (*sum)(const T*, const T*, size_t, bool), T (*from_float)(float)) {
    for (const size_t n : Lengths()) {
      const GuardedBuffer a(n * sizeof(T));
      const GuardedBuffer b(n * sizeof(T));
      double want = 0;
      for (size_t i = 0; i < n; ++i) {
        a.As<T>()[i] = from_float(static_cast<float>(i % 100 + 1));
        b.As<T>()[i] = from_float(static_cast<float>(i % 7));
        want += static_cast<double>(i % 100 + 1 + i % 7);
      }
      for (const bool grouped : {false, true}) EXPECT_EQ(sum(a.As<T>(), b.As<T>(), n, grouped), want) << "n " << n;
    }
  }
};

TEST_P(LaneSum, ReachesEveryElementOnceFloat) {
  Check<float>(Lanes().of_float, [](float v) { return v; });
}

TEST_P(LaneSum, ReachesEveryElementOnceFloat16) {
  Check<uint16_t>(Lanes().of_float16, [](float v) { return FloatToFloat16(v); });
}

TEST_P(LaneSum, ReachesEveryElementOnceBfloat16) {
  Check<uint16_t>(Lanes().of_bfloat16, [](float v) { return FloatToBfloat16(v); });
}

// The value is also in the dead lanes of a tail, which must not be added.
TEST_P(LaneSum, TakesOneValueForAllElements) {
  for (const size_t n : Lengths()) {
    const std::vector<float> a(n, 2);
    const std::vector<uint16_t> narrow(n, FloatToBfloat16(2));
    EXPECT_EQ(Lanes().with_one_float(a.data(), 3, n), 5.0 * static_cast<double>(n));
    EXPECT_EQ(Lanes().with_one_bfloat16(narrow.data(), FloatToBfloat16(3), n), 5.0 * static_cast<double>(n));
  }
}

TEST_P(LaneSum, OfEqualResultsIsExact) {
  const std::vector<float> a(100'000, 0.1f);
  const std::vector<float> zeros(a.size(), 0);
  const double want = double{0.1f} * 100'000;
  EXPECT_NEAR(Lanes().of_float(a.data(), zeros.data(), a.size(), true), want, want * 0x1p-50);
}

TEST_P(LaneSum, LosesLittleOnRandomResults) {
  testing::Random random;
  std::vector<float> a(100'000);
  double want = 0;
  for (float& value : a) want += double{value = static_cast<float>(random.Real(0, 1))};
  const std::vector<float> zeros(a.size(), 0);
  EXPECT_NEAR(Lanes().of_float(a.data(), zeros.data(), a.size(), true), want, want * 0x1p-27);
  EXPECT_NEAR(Lanes().of_float(a.data(), zeros.data(), a.size(), false), want, want * 0x1p-50);
}

TEST_P(LaneSum, OverflowsOnlyInGroups) {
  const std::vector<float> a(1000, std::numeric_limits<float>::max());
  const std::vector<float> zeros(a.size(), 0);
  EXPECT_TRUE(std::isinf(Lanes().of_float(a.data(), zeros.data(), a.size(), true)));
  EXPECT_EQ(Lanes().of_float(a.data(), zeros.data(), a.size(), false), 1000 * double{a[0]});
}

TEST(SumBits, AreThoseOfEveryTarget) {
  testing::Random random;
  std::vector<float> a(3001), b(3001);
  std::vector<uint16_t> narrow_a, narrow_b;
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(random.Real(0, 1));
    b[i] = static_cast<float>(random.Real(0, 1e-4));
    narrow_a.push_back(FloatToBfloat16(a[i]));
    narrow_b.push_back(FloatToBfloat16(b[i]));
  }
  const SumLanes first = LaneFunctionsFor(UsableTargets().front()).sum;
  for (const int64_t target : UsableTargets()) {
    const SumLanes sum = LaneFunctionsFor(target).sum;
    for (const size_t n : {size_t{100}, size_t{1000}, a.size()}) {
      EXPECT_EQ(sum.of_float(a.data(), b.data(), n, true), first.of_float(a.data(), b.data(), n, true));
      EXPECT_EQ(sum.of_bfloat16(narrow_a.data(), narrow_b.data(), n, true),
                first.of_bfloat16(narrow_a.data(), narrow_b.data(), n, true));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, LaneSum,
                         ::testing::ValuesIn(testing::TestedTargets().begin(), testing::TestedTargets().end()),
                         [](const auto& target) { return std::string(TargetName(target.param)); });

}  // namespace
}  // namespace portacl::simd
