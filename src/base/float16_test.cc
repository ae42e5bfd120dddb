// SPDX-License-Identifier: Apache-2.0
// Conversions of FLOAT16 and BFLOAT16, compared with an independent method: a binary search for the nearest value in a
// sorted table of all values.
#include "base/float16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "acl/acl_base_rt.h"
#include "base/bfloat16.h"

namespace portacl {
namespace {

// The value of a finite pattern by the definition of the format. The pattern of infinity gets the value that the next
// larger exponent would give it: IEEE rounding decides on overflow as if that value existed.
double ValueOf(uint16_t magnitude, int mantissa_bits, int exponent_bits) {
  const int field = magnitude >> mantissa_bits;
  const int fraction = magnitude & ((1 << mantissa_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int hidden = field == 0 ? 0 : 1 << mantissa_bits;
  return std::ldexp(hidden + fraction, std::max(field, 1) - bias - mantissa_bits);
}

struct Format {
  int exponent_bits;
  int mantissa_bits;
  uint16_t (*from_float)(float);
  uint16_t (*from_double)(double);
  float (*to_float)(uint16_t);

  uint16_t infinity() const { return static_cast<uint16_t>(((1 << exponent_bits) - 1) << mantissa_bits); }
};

class NarrowFloat : public ::testing::TestWithParam<Format> {
 protected:
  void SetUp() override {
    for (uint32_t bits = 0; bits <= format_.infinity(); ++bits) {
      values_.push_back(ValueOf(static_cast<uint16_t>(bits), format_.mantissa_bits, format_.exponent_bits));
    }
  }

  uint16_t Nearest(double value) const {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::fabs(value);
    const auto above = std::lower_bound(values_.begin(), values_.end(), magnitude);
    if (above == values_.end()) return sign | format_.infinity();
    auto bits = static_cast<uint16_t>(above - values_.begin());
    if (*above != magnitude) {
      // Adjacent values differ by few bits, so both differences, and their comparison, are exact.
      const long double up = static_cast<long double>(*above) - magnitude;
      const long double down = static_cast<long double>(magnitude) - *(above - 1);
      if (down < up || (down == up && bits % 2 == 1)) --bits;
    }
    return sign | bits;
  }

  void ExpectNearest(double value) const {
    ASSERT_EQ(format_.from_double(value), Nearest(value)) << std::hexfloat << value;
    ASSERT_EQ(format_.from_double(-value), Nearest(-value)) << std::hexfloat << -value;
    const float narrow = static_cast<float>(value);
    ASSERT_EQ(format_.from_float(narrow), Nearest(narrow)) << std::hexfloat << narrow;
    ASSERT_EQ(format_.from_float(-narrow), Nearest(-narrow)) << std::hexfloat << -narrow;
  }

  const Format format_ = GetParam();
  std::vector<double> values_;
};

TEST_P(NarrowFloat, WidensEveryFiniteValueExactly) {
  for (uint16_t bits = 0; bits < format_.infinity(); ++bits) {
    ASSERT_EQ(static_cast<double>(format_.to_float(bits)), values_[bits]) << bits;
    ASSERT_EQ(static_cast<double>(format_.to_float(bits | 0x8000)), -values_[bits]) << bits;
  }
  EXPECT_FALSE(std::signbit(format_.to_float(0)));
  EXPECT_TRUE(std::signbit(format_.to_float(0x8000)));
}

TEST_P(NarrowFloat, EveryValueSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<uint16_t>(bits);
    const float value = format_.to_float(pattern);
    if ((pattern & 0x7FFF) > format_.infinity()) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_GT(format_.from_float(value) & 0x7FFF, format_.infinity()) << bits;
      continue;
    }
    ASSERT_EQ(format_.from_float(value), pattern);
    ASSERT_EQ(format_.from_double(value), pattern);
  }
}

TEST_P(NarrowFloat, RoundsAtAndBesideEveryMidpoint) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (size_t bits = 0; bits + 1 < values_.size(); ++bits) {
    const double midpoint = values_[bits] + (values_[bits + 1] - values_[bits]) / 2;
    const float narrow = static_cast<float>(midpoint);
    for (const double value :
         {midpoint, std::nextafter(midpoint, 0.0), std::nextafter(midpoint, kInfinity), values_[bits],
          static_cast<double>(std::nextafter(narrow, 0.0F)), static_cast<double>(std::nextafter(narrow, HUGE_VALF))}) {
      ExpectNearest(value);
    }
  }
}

TEST_P(NarrowFloat, RoundsRandomPatternsOnce) {
  std::mt19937_64 random(20240607);
  for (int i = 0; i < 300000; ++i) {
    const double any = std::bit_cast<double>(random());
    const auto near = static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(random())));
    for (const double value : {any, near}) {
      if (!std::isnan(value)) ExpectNearest(value);
    }
  }
}

TEST_P(NarrowFloat, KeepsNanQuietWithItsSign) {
  const uint16_t quiet = static_cast<uint16_t>(format_.infinity() | (1 << (format_.mantissa_bits - 1)));
  for (const uint32_t payload : {1U, 0x1000U, 0x3FFFFFU, 0x400000U, 0x7FFFFFU}) {
    const float nan = std::bit_cast<float>(0x7F800000U | payload);
    EXPECT_EQ(format_.from_float(nan) & quiet, quiet);
    EXPECT_EQ(format_.from_float(std::bit_cast<float>(0xFF800000U | payload)) & (quiet | 0x8000), quiet | 0x8000);
  }
  EXPECT_EQ(format_.from_double(std::bit_cast<double>(0x7FF0000000000001ULL)), quiet);
  EXPECT_EQ(format_.from_double(std::bit_cast<double>(0xFFF0000000000001ULL)), quiet | 0x8000);
}

TEST_P(NarrowFloat, DoesNotFollowTheRoundingModeOfTheThread) {
  const int mode = std::fegetround();
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const uint16_t down = format_.from_double(1.0 + 1e-9);
  const uint16_t tiny = format_.from_double(std::numeric_limits<double>::denorm_min());
  std::fesetround(mode);
  EXPECT_EQ(down, format_.from_double(1.0));
  EXPECT_EQ(tiny, 0);
}

INSTANTIATE_TEST_SUITE_P(Float16, NarrowFloat,
                         ::testing::Values(Format{5, 10, FloatToFloat16, DoubleToFloat16, Float16ToFloat}));
INSTANTIATE_TEST_SUITE_P(Bfloat16, NarrowFloat,
                         ::testing::Values(Format{8, 7, FloatToBfloat16, DoubleToBfloat16, Bfloat16ToFloat}));

TEST(AclFloat16, ReadsExponent31AsAnOrdinaryExponent) {
  for (uint32_t bits = 0; bits < 0x8000; ++bits) {
    const double value = ValueOf(static_cast<uint16_t>(bits), 10, 5);
    ASSERT_EQ(aclFloat16ToFloat(static_cast<aclFloat16>(bits)), value) << bits;
    ASSERT_EQ(aclFloat16ToFloat(static_cast<aclFloat16>(bits | 0x8000)), -value) << bits;
  }
  EXPECT_EQ(aclFloat16ToFloat(0x7C00), 65536.0F);
  EXPECT_EQ(aclFloat16ToFloat(0x7E00), 98304.0F);
  EXPECT_EQ(aclFloat16ToFloat(0x7C01), 65600.0F);
}

TEST(AclFloat16, WritesTheLargestFiniteValueForOverflowInfinityAndNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {65520.0F, 1e30F, HUGE_VALF, nan}) {
    EXPECT_EQ(aclFloatToFloat16(std::copysign(value, 1.0F)), 0x7BFF) << value;
    EXPECT_EQ(aclFloatToFloat16(std::copysign(value, -1.0F)), 0xFBFF) << value;
  }
  EXPECT_EQ(aclFloatToFloat16(std::nextafter(65520.0F, 0.0F)), 0x7BFF);
}

TEST(AclFloat16, RoundsToNearestEvenAndKeepsSubnormals) {
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    ASSERT_EQ(aclFloatToFloat16(Float16ToFloat(static_cast<uint16_t>(bits))), bits);
  }
  EXPECT_EQ(aclFloatToFloat16(std::ldexp(1.0F, -25)), 0);
  EXPECT_EQ(aclFloatToFloat16(std::ldexp(1.5F, -25)), 1);
  EXPECT_EQ(aclFloatToFloat16(1.0F + std::ldexp(1.0F, -11)), 0x3C00);
  EXPECT_EQ(aclFloatToFloat16(1.0F + std::ldexp(3.0F, -11)), 0x3C02);
}

}  // namespace
}  // namespace portacl
