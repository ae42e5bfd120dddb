// SPDX-License-Identifier: Apache-2.0
#include "calls/element.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "calls/random.h"

namespace portacl::calls {
namespace {

uint64_t Encode(aclDataType dtype, long double value) {
  uint64_t bits = 0;
  StoreElement(dtype, value, &bits);
  return bits;
}

TEST(Element, EveryFloat16SurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    for (aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
      const long double value = LoadElement(dtype, &bits);
      if (std::isnan(value)) continue;
      ASSERT_EQ(Encode(dtype, value), bits) << "dtype " << dtype;
    }
  }
}

// Tests the middle between each two adjacent values, and the values next to it.
TEST(Element, StoresTheNearestNumberOf16Bits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    const uint32_t infinity = dtype == ACL_FLOAT16 ? 0x7C00 : 0x7F80;
    for (uint32_t low = 0; low + 1 < infinity; ++low) {
      const uint32_t high = low + 1;
      const auto middle = static_cast<double>((LoadElement(dtype, &low) + LoadElement(dtype, &high)) / 2);
      const uint32_t even = low % 2 == 0 ? low : high;
      const std::vector<double> values = {std::nextafter(middle, 0), middle, std::nextafter(middle, kInfinity),
                                          -std::nextafter(middle, 0)};
      const uint32_t want[] = {low, even, high, low | 0x8000};
      const std::vector<std::byte> got = calls::Encode(dtype, values);
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(ElementBits(dtype, &got[2 * i]), want[i]) << values[i] << " as dtype " << dtype;
        ASSERT_EQ(Encode(dtype, values[i]), want[i]) << values[i] << " as dtype " << dtype;
      }
    }
  }
}

TEST(Element, AgreesWithTheCompilersConversions) {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const auto value = std::bit_cast<double>(random.Bits() >> random.Below(2));
    if (std::isnan(value)) continue;
    const auto narrow = static_cast<float>(value);
    ASSERT_EQ(Encode(ACL_FLOAT, value), std::bit_cast<uint32_t>(narrow)) << value;
    ASSERT_EQ(LoadElement(ACL_FLOAT, &narrow), narrow);
    const auto beside = static_cast<double>(narrow) + static_cast<double>(narrow) * 0x1p-25;
    ASSERT_EQ(Encode(ACL_FLOAT, beside), std::bit_cast<uint32_t>(static_cast<float>(beside))) << beside;
  }
}

TEST(Element, RoundsWhatNoDoubleHolds) {
  EXPECT_EQ(Encode(ACL_DOUBLE, 1 + 0x1.8p-53L), std::bit_cast<uint64_t>(1 + 0x1p-52));
  EXPECT_EQ(Encode(ACL_FLOAT, 1 + 0x1p-24L + 0x1p-60L), std::bit_cast<uint32_t>(1 + 0x1p-23f))
      << "not by way of 1 + 2^-24";
  EXPECT_EQ(Encode(ACL_INT64, 0x1p62L + 1), (uint64_t{1} << 62) + 1);
}

TEST(Element, AgreesWithTheCompilersFloat) {
  for (float value : {0.0f, -0.0f, 1.0f, -3.1415927f, 1e-45f, 1.1754942e-38f, 3.4028235e38f, -INFINITY}) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    EXPECT_EQ(Encode(ACL_FLOAT, value), bits);
    EXPECT_EQ(static_cast<float>(LoadElement(ACL_FLOAT, &value)), value);
  }
}

TEST(Element, RoundsHalfToEven) {
  EXPECT_EQ(Encode(ACL_FLOAT16, 1 + 0x1p-11L), 0x3C00u);
  EXPECT_EQ(Encode(ACL_FLOAT16, 1 + 3 * 0x1p-11L), 0x3C02u);
  EXPECT_EQ(Encode(ACL_BF16, 1 + 0x1p-8L), 0x3F80u);
  EXPECT_EQ(Encode(ACL_FLOAT16, 0x1p-25L), 0u) << "half of the smallest subnormal goes to even zero";
  EXPECT_EQ(Encode(ACL_FLOAT16, 0x1.8p-25L), 1u);
}

TEST(Element, OverflowsToInfinity) {
  EXPECT_EQ(Encode(ACL_FLOAT16, 65519.999L), 0x7BFFu);
  EXPECT_EQ(Encode(ACL_FLOAT16, 65520.0L), 0x7C00u);
  EXPECT_EQ(Encode(ACL_FLOAT, -1e39L), 0xFF800000u);
}

TEST(Element, KeepsIntegersAndBool) {
  EXPECT_EQ(Encode(ACL_INT32, -2), 0xFFFFFFFEu);
  const int64_t low = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(LoadElement(ACL_INT64, &low), static_cast<long double>(low));
  const uint8_t truth = 7;
  EXPECT_EQ(LoadElement(ACL_BOOL, &truth), 1);
}

TEST(Element, IntegersStopAtTheirLimits) {
  EXPECT_EQ(Encode(ACL_INT32, 3e9), 0x7FFFFFFFu);
  EXPECT_EQ(Encode(ACL_UINT16, 70000), 0xFFFFu);
  EXPECT_EQ(Encode(ACL_UINT32, -1), 0u);
  EXPECT_EQ(Encode(ACL_UINT64, INFINITY), ~uint64_t{0});
  EXPECT_EQ(Encode(ACL_INT32, NAN), 0u);
}

TEST(Element, ShortIntegersKeepTheLowBitsOfLongOnes) {
  EXPECT_EQ(Encode(ACL_UINT8, 300.9), 44u);
  EXPECT_EQ(Encode(ACL_INT8, -200), 56u);
  EXPECT_EQ(Encode(ACL_INT16, 40000), 40000u);
  EXPECT_EQ(Encode(ACL_INT16, INFINITY), 0xFFFFu);
  EXPECT_EQ(Encode(ACL_UINT8, -INFINITY), 0u);
}

TEST(Element, ComplexOnesHaveTwoParts) {
  float number[2] = {0, 7};
  StoreElement(ACL_COMPLEX64, 2.5L, number);
  EXPECT_EQ(number[0], 2.5F);
  EXPECT_EQ(number[1], 0.0F);
  EXPECT_EQ(LoadElement(ACL_COMPLEX64, number), 2.5L);
  const double a[2] = {1, NAN}, b[2] = {1, -NAN}, c[2] = {1, 2}, d[2] = {1, -2};
  EXPECT_TRUE(SameElement(ACL_COMPLEX128, a, b));
  EXPECT_TRUE(SameElement(ACL_COMPLEX128, c, c));
  EXPECT_FALSE(SameElement(ACL_COMPLEX128, a, c));
  EXPECT_FALSE(SameElement(ACL_COMPLEX128, c, d));
}

}  // namespace
}  // namespace portacl::calls
