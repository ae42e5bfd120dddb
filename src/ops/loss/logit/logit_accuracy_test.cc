// SPDX-License-Identifier: Apache-2.0
//
// Every 16-bit input and dense samples of float32, on every instruction set, against the float64 reference.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ops/loss/logit/logit_reference.h"
#include "ops/loss/logit/logit_test_support.h"
#include "testing/ulp.h"

namespace portacl::ops::logit {
namespace {

using testing::ForEachTarget;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEps[] = {-1, 0, 1e-45, 1e-30, 1e-6, 0.25, 0.5, 0.6, 1, 1.5, kInf, kNan};

class LogitAccuracy : public DeviceTest {};

void SweepHalf(aclDataType dtype) {
  std::vector<std::byte> input_bytes(2 * 0x10000);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t element = static_cast<uint16_t>(bits);
    std::memcpy(input_bytes.data() + 2 * bits, &element, 2);
  }
  const std::vector<double> input = Decode(dtype, input_bytes);
  for (const double eps : kEps) {
    SCOPED_TRACE("eps " + std::to_string(eps));
    std::vector<double> exact(input.size());
    LogitReference(input.data(), eps, exact.data(), input.size());
    const std::vector<std::byte> want = Encode(dtype, exact);
    const std::vector<std::byte> got = LogitBytes(dtype, input_bytes, eps);
    size_t not_nearest = 0;
    for (size_t i = 0; i < input.size(); ++i) {
      const std::byte* element = got.data() + 2 * i;
      if (testing::SameBits(dtype, want.data() + 2 * i, element)) continue;
      const auto within = testing::WithinUlp(dtype, static_cast<long double>(exact[i]), element, 1);
      ASSERT_TRUE(within) << within.message() << " for input = " << input[i];
      not_nearest += exact[i] != 0;  // a zero may have either sign
    }
    // The result for one input of each dtype, 1.706183e-6 and 5.517006e-4, is nearer to a tie than any float32 but the
    // tie itself. The promise is less strict, as it has to hold for every eps.
    EXPECT_LE(not_nearest, 1u);
  }
}

TEST_F(LogitAccuracy, EveryFloat16IsRoundedOnce) {
  ForEachTarget([] { SweepHalf(ACL_FLOAT16); });
}

TEST_F(LogitAccuracy, EveryBfloat16IsRoundedOnce) {
  ForEachTarget([] { SweepHalf(ACL_BF16); });
}

std::vector<std::byte> BytesOf(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void ExpectFloatAccuracy(const std::vector<float>& input, double eps) {
  const std::vector<std::byte> got = LogitBytes(ACL_FLOAT, BytesOf(input), eps);
  for (size_t i = 0; i < input.size(); ++i) {
    float result;
    std::memcpy(&result, got.data() + i * sizeof(float), sizeof(float));
    const auto within = testing::WithinUlp(LogitReference(double{input[i]}, eps), result, 1.9);
    ASSERT_TRUE(within) << within.message() << " for input = " << input[i] << ", eps = " << eps;
  }
}

// Bits from `first` to `end`, all of one sign.
std::vector<float> Floats(float first, float end, uint32_t step) {
  std::vector<float> values;
  for (uint32_t bits = std::bit_cast<uint32_t>(first); bits < std::bit_cast<uint32_t>(end); bits += step) {
    values.push_back(std::bit_cast<float>(bits));
  }
  return values;
}

TEST_F(LogitAccuracy, FloatStaysWithinItsUlps) {
  ForEachTarget([] {
    ExpectFloatAccuracy(Floats(0x1p-126f, 1, 9973), -1);
    ExpectFloatAccuracy(Floats(0.25f, 1, 97), -1);
  });
}

// The result goes through zero: rounding 1 - z alone would cost millions of ULP.
TEST_F(LogitAccuracy, FloatStaysWithinItsUlpsNextToOneHalf) {
  ForEachTarget([] { ExpectFloatAccuracy(Floats(0.5f - 0x1p-11f, 0.5f + 0x1p-11f, 1), -1); });
}

TEST_F(LogitAccuracy, FloatStaysWithinItsUlpsNextToOne) {
  ForEachTarget([] { ExpectFloatAccuracy(Floats(1 - 0x1p-10f, 1, 1), -1); });
}

// The largest errors measured over all floats are here.
TEST_F(LogitAccuracy, FloatStaysWithinItsUlpsWhereTheyAreMost) {
  ForEachTarget([] { ExpectFloatAccuracy(Floats(0.41f, 0.4167f, 3), -1); });
}

TEST_F(LogitAccuracy, FloatTakesSubnormals) {
  ForEachTarget([] {
    ExpectFloatAccuracy(Floats(0x1p-149f, 0x1p-126f, 997), -1);
    ExpectFloatAccuracy(Floats(0x1p-149f, 0x1p-139f, 1), -1);
  });
}

TEST_F(LogitAccuracy, FloatFollowsTheTableForEveryEps) {
  ForEachTarget([] {
    // All sign and exponent bits with a few mantissas, and special values.
    std::vector<float> input = {0.0f, -0.0f, 1.0f, 2.0f, -1.0f, 1e-30f, 3e38f, INFINITY, -INFINITY, NAN, 0.5f};
    for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 0x1FFFF) {
      input.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    }
    for (const double eps : kEps) ExpectFloatAccuracy(input, eps);
  });
}

// A register in which all inputs are ordinary takes another way than one that holds a special one.
TEST_F(LogitAccuracy, NoResultDependsOnTheNeighbours) {
  for (const double eps : {-1.0, 0.01}) {
    ForEachTarget([eps] {
      const std::vector<float> ordinary = Floats(0.011f, 0.989f, 4999);
      std::vector<float> mixed;
      for (const float value : ordinary) mixed.insert(mixed.end(), {value, mixed.size() % 4 == 0 ? 0.0f : NAN});
      const std::vector<std::byte> want = LogitBytes(ACL_FLOAT, BytesOf(ordinary), eps);
      const std::vector<std::byte> got = LogitBytes(ACL_FLOAT, BytesOf(mixed), eps);
      for (size_t i = 0; i < ordinary.size(); ++i) {
        ASSERT_EQ(std::memcmp(&want[4 * i], &got[8 * i], 4), 0) << "input = " << ordinary[i];
      }
    });
  }
}

// An input beyond a limit gives what the limit itself gives.
TEST_F(LogitAccuracy, LimitedInputsGiveTheResultOfTheLimit) {
  for (const double eps : {1e-6, 0.1, 0.25}) {
    ForEachTarget([eps] {
      const float lo = static_cast<float>(eps);
      const float hi = 1 - lo;
      const std::vector<double> limits = LogitValues(ACL_FLOAT, std::vector<double>(64, lo), eps);
      const std::vector<double> got = LogitValues(ACL_FLOAT, {-1, lo, 0, hi, 1, kInf}, eps);
      EXPECT_EQ(got[0], limits[0]);
      EXPECT_EQ(got[2], got[1]);
      EXPECT_EQ(got[4], got[3]);
      EXPECT_EQ(got[5], got[3]);
    });
  }
}

}  // namespace
}  // namespace portacl::ops::logit
