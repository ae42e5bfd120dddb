// SPDX-License-Identifier: Apache-2.0
//
// Widening and narrowing of 16-bit floats on every instruction set of this machine, against the scalar conversions of
// src/base, which have tests of their own.
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/bfloat16.h"
#include "base/float16.h"
#include "base/target.h"
#include "simd/simd_lanes_fixture.h"
#include "testing/target_loop.h"

namespace portacl::simd {
namespace {

struct Format {
  const char* name;
  ConversionLanes LaneFunctions::* lanes;
  float (*widen)(uint16_t);
  uint16_t (*narrow)(float);
};

constexpr Format kFormats[] = {
    {"float16", &LaneFunctions::float16, [](uint16_t b) { return Float16ToFloat(b); },
     [](float v) { return FloatToFloat16(v); }},
    {"bfloat16", &LaneFunctions::bfloat16, [](uint16_t b) { return Bfloat16ToFloat(b); },
     [](float v) { return FloatToBfloat16(v); }},
};

// A NaN may change its payload and sign; everything else is compared by bits.
bool Same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

class Conversion : public ::testing::TestWithParam<int64_t> {
 protected:
  // order[i] = the position among the floats (first half, then second half) of the stored element i. Small integers are
  // exact.
  static std::vector<size_t> LaneOrder(const Format& format, const ConversionLanes& lanes) {
    const size_t half = lanes.lanes / 2;
    std::vector<float> positions(lanes.lanes);
    for (size_t i = 0; i < lanes.lanes; ++i) positions[i] = static_cast<float>(i);
    std::vector<uint16_t> stored(lanes.lanes);
    lanes.narrow(positions.data(), positions.data() + half, stored.data());
    std::vector<size_t> order;
    for (uint16_t bits : stored) order.push_back(static_cast<size_t>(format.widen(bits)));
    return order;
  }

  // Narrows `values` on the target, both ways, and compares each with the scalar conversion.
  static void ExpectNarrowed(const Format& format, const std::vector<float>& values) {
    ExpectNarrowed(format, &ConversionLanes::narrow, values);
    ExpectNarrowed(format, &ConversionLanes::narrow_results, values);
  }

  static void ExpectNarrowed(const Format& format, decltype(&ConversionLanes::narrow) narrow,
                             const std::vector<float>& values) {
    const ConversionLanes lanes = LaneFunctionsFor(GetParam()).*format.lanes;
    const std::vector<size_t> order = LaneOrder(format, lanes);
    std::vector<float> block(lanes.lanes);
    std::vector<uint16_t> stored(lanes.lanes);
    for (size_t start = 0; start < values.size(); start += lanes.lanes) {
      for (size_t i = 0; i < lanes.lanes; ++i) block[i] = start + i < values.size() ? values[start + i] : 0.0f;
      (lanes.*narrow)(block.data(), block.data() + lanes.lanes / 2, stored.data());
      for (size_t i = 0; i < lanes.lanes; ++i) {
        const float value = block[order[i]];
        const uint16_t want = format.narrow(value);
        const bool same = stored[i] == want || (std::isnan(value) && std::isnan(format.widen(stored[i])));
        ASSERT_TRUE(same) << std::hex << format.name << " of 0x" << std::bit_cast<uint32_t>(value) << ": want 0x"
                          << want << ", got 0x" << stored[i];
      }
    }
  }
};

TEST_P(Conversion, WidensEveryPatternExactly) {
  for (const Format& format : kFormats) {
    const ConversionLanes lanes = LaneFunctionsFor(GetParam()).*format.lanes;
    const std::vector<size_t> order = LaneOrder(format, lanes);
    const size_t half = lanes.lanes / 2;
    std::vector<uint16_t> stored(lanes.lanes);
    std::vector<float> widened(lanes.lanes);
    for (uint32_t start = 0; start < 0x10000; start += static_cast<uint32_t>(lanes.lanes)) {
      for (size_t i = 0; i < lanes.lanes; ++i) stored[i] = static_cast<uint16_t>(start + i);
      lanes.widen(stored.data(), widened.data(), widened.data() + half);
      for (size_t i = 0; i < lanes.lanes; ++i) {
        const float want = format.widen(stored[i]);
        ASSERT_TRUE(Same(want, widened[order[i]]))
            << std::hex << format.name << " 0x" << stored[i] << ": want " << want << ", got " << widened[order[i]];
      }
    }
  }
}

TEST_P(Conversion, RoundsToNearestEvenAroundEveryBoundary) {
  for (const Format& format : kFormats) {
    std::vector<float> values;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const float value = format.widen(static_cast<uint16_t>(bits));
      const float above = format.widen(static_cast<uint16_t>(bits + 1));
      values.push_back(value);
      if (std::isnan(value) || std::isinf(value) || std::isnan(above)) continue;
      // Beyond the largest finite value, the boundary is where it would be if the format had one more exponent.
      const double next = std::isinf(above) ? 2.0 * value - format.widen(static_cast<uint16_t>(bits - 1)) : above;
      const float middle = static_cast<float>((double{value} + next) / 2);
      for (const float near : {middle, value, above}) {
        if (std::isinf(near)) continue;
        values.push_back(near);
        values.push_back(std::nextafter(near, INFINITY));
        values.push_back(std::nextafter(near, -INFINITY));
      }
    }
    ExpectNarrowed(format, values);
  }
}

TEST_P(Conversion, RoundsToNearestEvenOverAllExponents) {
  // The step is odd and prime, so over the whole range it combines every exponent with every pattern of low bits.
  constexpr uint64_t kStep = 1021;
  std::vector<float> values;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += kStep) {
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  for (const Format& format : kFormats) ExpectNarrowed(format, &ConversionLanes::narrow, values);
  std::erase_if(values, [](float value) { return std::isnan(value); });
  for (const Format& format : kFormats) ExpectNarrowed(format, &ConversionLanes::narrow_results, values);
}

TEST_P(Conversion, KeepsNanWhateverItsPayload) {
  std::vector<float> values;
  for (uint32_t sign : {0u, 0x80000000u}) {
    for (uint32_t payload : {1u, 0x1FFFu, 0x7FFFu, 0x8000u, 0xFFFFu, 0x3FFFFFu, 0x400000u, 0x7FFFFFu}) {
      values.push_back(std::bit_cast<float>(sign | 0x7F800000u | payload));
    }
  }
  for (const Format& format : kFormats) ExpectNarrowed(format, &ConversionLanes::narrow, values);
}

TEST_P(Conversion, KeepsNanThatWasWidened) {
  for (const Format& format : kFormats) {
    std::vector<float> values;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const float value = format.widen(static_cast<uint16_t>(bits));
      if (std::isnan(value)) values.push_back(value);
    }
    ExpectNarrowed(format, values);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Conversion,
                         ::testing::ValuesIn(testing::TestedTargets().begin(), testing::TestedTargets().end()),
                         [](const auto& target) { return std::string(TargetName(target.param)); });

}  // namespace
}  // namespace portacl::simd
