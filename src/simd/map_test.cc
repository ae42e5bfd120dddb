// SPDX-License-Identifier: Apache-2.0
//
// Map computes every element once, in place too, for lengths around that of a register, and for any alignment.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/bfloat16.h"
#include "base/float16.h"
#include "base/target.h"
#include "simd/simd_lanes_fixture.h"
#include "testing/guarded_buffer.h"
#include "testing/target_loop.h"

namespace portacl::simd {
namespace {

using testing::GuardedBuffer;

class Map : public ::testing::TestWithParam<int64_t> {
 protected:
  static std::vector<size_t> Lengths() {
    const size_t lanes = LaneFunctionsFor(GetParam()).tail.half_lanes;
    std::vector<size_t> lengths;
    for (size_t n = 0; n <= 2 * lanes + 1; ++n) lengths.push_back(n);
    lengths.push_back(7 * lanes - 1);
    return lengths;
  }

  // out = a + b. Small integers are exact in all formats, so the order of roundings does not matter.
  template <class T>
  static void Check(void (*add)(const T*, const T*, T*, size_t, bool), T (*from_float)(float)) {
    for (const bool non_temporal : {false, true}) {
      for (const size_t n : Lengths()) {
        for (const size_t skip : {size_t{0}, size_t{1}, size_t{5}}) {
          SCOPED_TRACE("n " + std::to_string(n) + ", skip " + std::to_string(skip));
          // Every operand ends at a guard page. The skipped elements before the output must not change.
          GuardedBuffer a(n * sizeof(T));
          GuardedBuffer b(n * sizeof(T));
          GuardedBuffer out(n * sizeof(T), testing::GuardSide::kBegin, skip * sizeof(T));
          std::vector<T> want(n);
          for (size_t i = 0; i < n; ++i) {
            a.As<T>()[i] = from_float(static_cast<float>(i % 100));
            b.As<T>()[i] = from_float(static_cast<float>(i % 7));
            want[i] = from_float(static_cast<float>(i % 100 + i % 7));
          }
          add(a.As<T>(), b.As<T>(), out.As<T>(), n, non_temporal);
          EXPECT_TRUE(n == 0 || std::memcmp(out.begin(), want.data(), n * sizeof(T)) == 0);
          EXPECT_TRUE(out.Intact());
          add(a.As<T>(), b.As<T>(), b.As<T>(), n, non_temporal);
          EXPECT_TRUE(n == 0 || std::memcmp(b.begin(), want.data(), n * sizeof(T)) == 0) << "in place";
        }
      }
    }
  }
};

TEST_P(Map, ReachesEveryElementOnceDouble) {
  Check<double>(LaneFunctionsFor(GetParam()).map.add_double, [](float v) { return static_cast<double>(v); });
}

TEST_P(Map, ComputesDoubleInFloat64) {
  const double a[3] = {1, 0x1p-52, 0x1p-1022};
  const double b[3] = {0x1p-52, 1, 0x1p-1074};
  double out[3] = {};
  LaneFunctionsFor(GetParam()).map.add_double(a, b, out, 3, false);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(out[i], a[i] + b[i]);
}

TEST_P(Map, ReachesEveryElementOnceFloat) {
  Check<float>(LaneFunctionsFor(GetParam()).map.add_float, [](float v) { return v; });
}

TEST_P(Map, ReachesEveryElementOnceFloat16) {
  Check<uint16_t>(LaneFunctionsFor(GetParam()).map.add_float16, [](float v) { return FloatToFloat16(v); });
}

TEST_P(Map, ReachesEveryElementOnceBfloat16) {
  Check<uint16_t>(LaneFunctionsFor(GetParam()).map.add_bfloat16, [](float v) { return FloatToBfloat16(v); });
}

// Without AVX-512, blocks are then taken backwards.
TEST_P(Map, ReachesEveryElementOnceWhereResultsLieJustAhead) {
  for (const size_t n : {1, 8, 31, 32, 33, 1000}) {
    for (const size_t distance : {1, 16, 17, 128, 129, 1023}) {
      for (const bool non_temporal : {false, true}) {
        const auto room = [&](size_t skip) {
          return GuardedBuffer(n * sizeof(float), testing::GuardSide::kBegin, skip * sizeof(float));
        };
        GuardedBuffer a = room(0), b = room(500), out = room(distance);
        for (size_t i = 0; i < n; ++i) a.As<float>()[i] = static_cast<float>(i), b.As<float>()[i] = 0.5f;
        LaneFunctionsFor(GetParam()).map.add_float(a.As<float>(), b.As<float>(), out.As<float>(), n, non_temporal);
        for (size_t i = 0; i < n; ++i)
          ASSERT_EQ(out.As<float>()[i], static_cast<float>(i) + 0.5f) << n << " elements, " << distance << " ahead";
        EXPECT_TRUE(out.Intact());
      }
    }
  }
}

TEST_P(Map, TakesOneValueForAllElements) {
  for (const size_t n : Lengths()) {
    GuardedBuffer a(n * sizeof(float));
    GuardedBuffer out(n * sizeof(float));
    for (size_t i = 0; i < n; ++i) a.As<float>()[i] = static_cast<float>(i);
    LaneFunctionsFor(GetParam()).map.add_one_float(a.As<float>(), 0.5f, out.As<float>(), n);
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(out.As<float>()[i], static_cast<float>(i) + 0.5f) << "n " << n;
    EXPECT_TRUE(out.Intact());
  }
}

// The second output may have another alignment, and both may be inputs.
TEST_P(Map, ReachesEveryElementOfTwoOutputsOnce) {
  const auto run = LaneFunctionsFor(GetParam()).map.add_and_subtract;
  for (const size_t n : Lengths()) {
    for (const size_t skip : {0, 1, 4, 5, 6, 7}) {  // skips skip / 4 elements of the first, skip % 4 of the second
      for (const bool non_temporal : {false, true}) {
        SCOPED_TRACE("n " + std::to_string(n) + ", skip " + std::to_string(skip));
        const auto room = [&](size_t skipped) {
          return GuardedBuffer(n * sizeof(float), testing::GuardSide::kBegin, skipped * sizeof(float));
        };
        GuardedBuffer a = room(skip / 4), b = room(skip % 4), sum = room(skip / 4), difference = room(skip % 4);
        for (size_t i = 0; i < n; ++i) a.As<float>()[i] = static_cast<float>(i), b.As<float>()[i] = 0.5f;
        run(a.As<float>(), b.As<float>(), sum.As<float>(), difference.As<float>(), n, non_temporal);
        run(a.As<float>(), b.As<float>(), a.As<float>(), b.As<float>(), n, non_temporal);
        for (size_t i = 0; i < n; ++i) {
          ASSERT_EQ(sum.As<float>()[i], static_cast<float>(i) + 0.5f);
          ASSERT_EQ(difference.As<float>()[i], static_cast<float>(i) - 0.5f);
          ASSERT_EQ(a.As<float>()[i], sum.As<float>()[i]) << "in place";
          ASSERT_EQ(b.As<float>()[i], difference.As<float>()[i]) << "in place";
        }
        EXPECT_TRUE(sum.Intact() && difference.Intact() && a.Intact() && b.Intact());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Map,
                         ::testing::ValuesIn(testing::TestedTargets().begin(), testing::TestedTargets().end()),
                         [](const auto& target) { return std::string(TargetName(target.param)); });

}  // namespace
}  // namespace portacl::simd
