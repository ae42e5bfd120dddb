// SPDX-License-Identifier: Apache-2.0
#include "testing/ulp.h"

#include <cmath>
#include <limits>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace portacl::testing {

using calls::IsZeroForSubnormal;
using calls::UlpError;

namespace {

TEST(Ulp, CountsStepsOfTheFormat) {
  EXPECT_EQ(UlpError(1.0f, 1.0), 0);
  EXPECT_EQ(UlpError(std::nextafter(1.0f, 2.0f), 1.0), 1);
  EXPECT_EQ(UlpError(1.0f, 1.0 + 0x1p-24), 0.5);
  EXPECT_EQ(UlpError(std::nextafter(1.0, 2.0), 1.0L), 1);
  const uint16_t next_bfloat16 = 0x3F81;
  EXPECT_EQ(UlpError(ACL_BF16, &next_bfloat16, 1.0L), 1);
}

// If the exact value is known to more bits, the error of a double is measured in fractions of its ULP.
TEST(Ulp, TakesExactValuesThatNoDoubleHolds) {
  const double got = 1;
  EXPECT_EQ(UlpError(ACL_DOUBLE, &got, {1, 0x1p-54}), 0.25);
  EXPECT_EQ(UlpError(ACL_DOUBLE, &got, {1 + 0x1p-52, -0x1p-54}), 0.75);
  EXPECT_EQ(UlpError(got, 1 - 0x1p-54L), 0.5) << "of the places below 1";
  const double largest = std::numeric_limits<double>::max();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(UlpError(ACL_DOUBLE, &infinity, {largest, 0x1p970}), 0) << "what rounds to infinity";
  EXPECT_EQ(UlpError(ACL_DOUBLE, &infinity, {largest, 0x1p969}), 0.75);
}

TEST(Ulp, UsesTheSmallestSubnormalNearZero) {
  EXPECT_EQ(UlpError(std::numeric_limits<float>::denorm_min(), 0.0), 1);
  EXPECT_EQ(UlpError(0.0f, 0x1p-149), 1);
  EXPECT_EQ(UlpError(-0.0f, 0.0), 0) << "zero's sign is SameBits' business";
}

TEST(Ulp, TakesNanForNanOnly) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(UlpError(nan, std::nan("")), 0);
  EXPECT_TRUE(std::isinf(UlpError(nan, 1.0)));
  EXPECT_TRUE(std::isinf(UlpError(1.0f, std::nan(""))));
}

TEST(Ulp, WantsInfinitiesExactly) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(UlpError(infinity, double{infinity}), 0);
  EXPECT_TRUE(std::isinf(UlpError(largest, double{infinity})));
  EXPECT_TRUE(std::isinf(UlpError(-infinity, double{infinity})));
  EXPECT_EQ(UlpError(infinity, 1e40), 0) << "a finite value beyond the threshold rounds to infinity";
  EXPECT_GT(UlpError(-infinity, 1e40), 1e6);
  EXPECT_GT(UlpError(infinity, 1.0), 1e6);
  EXPECT_EQ(UlpError(infinity, double{largest}), 1);
}

TEST(Ulp, CountsAtTheLargestTermOfASumThatCancels) {
  const float got = 0x1p-20f;
  EXPECT_EQ(UlpError(ACL_FLOAT, &got, 0, 1), 8);
  EXPECT_EQ(UlpError(ACL_FLOAT, &got, 0, -1), 8);
  const float larger = 1 + 0x1p-23f;
  EXPECT_EQ(UlpError(ACL_FLOAT, &larger, 1, 0x1p-10), 1) << "the result itself is larger";
  EXPECT_EQ(UlpError(ACL_FLOAT, &larger, 1, 0x1p200), 0x1p-23 / 0x1p177) << "a term beyond the format";
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(UlpError(ACL_FLOAT, &nan, 1, std::numeric_limits<double>::infinity()), 0) << "nothing is left";
}

TEST(Ulp, ZeroForSubnormalHasItsSignAndStandsForNoNormalNumber) {
  const float zero = 0.0f;
  const float minus_zero = -0.0f;
  const float least = 0x1p-149f;
  for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
    EXPECT_TRUE(IsZeroForSubnormal(dtype, &zero, 0x1p-127, 1));
    EXPECT_TRUE(IsZeroForSubnormal(dtype, &zero, 0x1p-126, 1)) << "a result one ULP below is a subnormal";
    EXPECT_FALSE(IsZeroForSubnormal(dtype, &zero, 0x1.1p-126, 1));
    EXPECT_FALSE(IsZeroForSubnormal(dtype, &zero, -0x1p-127, 1));
  }
  EXPECT_TRUE(IsZeroForSubnormal(ACL_FLOAT, &minus_zero, -0x1p-127, 1));
  EXPECT_FALSE(IsZeroForSubnormal(ACL_FLOAT, &least, 0x1p-127, 1));
}

TEST(Ulp, FailureNamesInputsBitsErrorAndLimit) {
  const float got = 1.5f;
  const auto result = WithinUlp(ACL_FLOAT, 1.0L, &got, 2, "x = 0x3f800000");
  ASSERT_FALSE(result);
  for (const char* part : {"x = 0x3f800000", "0x3f800000 (1)", "0x3fc00000 (1.5)", "ULP", "limit 2"}) {
    EXPECT_NE(std::string(result.message()).find(part), std::string::npos) << result.message();
  }
  EXPECT_NONFATAL_FAILURE(EXPECT_ULP(1.0, 1.5f, 2), "limit 2");
}

TEST(SameBits, SeesTheSignOfZeroAndNoNanPayload) {
  const float zero = 0.0f;
  const float minus_zero = -0.0f;
  EXPECT_FALSE(SameBits(ACL_FLOAT, &zero, &minus_zero));
  const uint32_t nans[] = {0x7FC00000, 0xFFC00001};
  EXPECT_TRUE(SameBits(ACL_FLOAT, &nans[0], &nans[1]));
}

// In UINT8, 300 becomes 44, and so does 299.9999, a 300 with a rounding error.
TEST(Ulp, TruncatedNumbersWrapAroundInShortIntegers) {
  const auto error = [](aclDataType dtype, int got, double exact) {
    return calls::UlpError(dtype, &got, exact, 0, ACL_FLOAT);
  };
  EXPECT_EQ(error(ACL_UINT8, 44, 300.5), 0);
  EXPECT_LT(error(ACL_UINT8, 44, 299.99998), 1);
  EXPECT_GT(error(ACL_UINT8, 44, 299.9), 1000);
  EXPECT_EQ(error(ACL_INT8, -56, -312.0), 0);
  EXPECT_EQ(error(ACL_INT16, -1, 3e9), 0) << "limited to INT32";
  EXPECT_EQ(error(ACL_INT8, 0, -std::numeric_limits<double>::infinity()), 0);
  EXPECT_GT(error(ACL_INT32, 44, 300.5), 1000);
}

}  // namespace
}  // namespace portacl::testing
