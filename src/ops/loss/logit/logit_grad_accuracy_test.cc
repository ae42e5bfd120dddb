// SPDX-License-Identifier: Apache-2.0
//
// Every 16-bit x and dense samples of float32, on every instruction set, against the float64 reference.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/target.h"
#include "ops/loss/logit/logit_reference.h"
#include "ops/loss/logit/logit_spec.h"
#include "ops/loss/logit/logit_test_support.h"
#include "testing/ulp.h"

namespace portacl::ops::logit {
namespace {

using testing::ForEachTarget;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEps[] = {-1, 0, 1e-6, 0.25, 0.5, 0.6, 1, 1.5, kInf, kNan};

class LogitGradAccuracy : public DeviceTest {};

std::vector<std::byte> EveryPattern() {
  std::vector<std::byte> bytes(2 * 0x10000);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t element = static_cast<uint16_t>(bits);
    std::memcpy(bytes.data() + 2 * bits, &element, 2);
  }
  return bytes;
}

// Every x against dy values that change from element to element, special ones among them.
void SweepHalf(aclDataType dtype) {
  const std::vector<std::byte> x_bytes = EveryPattern();
  const std::vector<double> x = Decode(dtype, x_bytes);
  const double values[] = {1, -2, 0.37, 3.3e-4, -77.7, 1000, 0, -0.0, kInf, kNan, 1.17};
  std::vector<double> dy;
  for (size_t i = 0; i < x.size(); ++i) dy.push_back(values[i * 7 % std::size(values)]);
  const std::vector<std::byte> dy_bytes = Encode(dtype, dy);
  dy = Decode(dtype, dy_bytes);
  for (const double eps : kEps) {
    SCOPED_TRACE("eps " + std::to_string(eps));
    std::vector<double> exact(x.size());
    LogitGradReference(x.data(), dy.data(), eps, exact.data(), x.size());
    const std::vector<std::byte> want = Encode(dtype, exact);
    const std::vector<std::byte> got = LogitGradBytes(dtype, x_bytes, dy_bytes, eps);
    size_t not_nearest = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const std::byte* element = got.data() + 2 * i;
      if (testing::SameBits(dtype, want.data() + 2 * i, element)) continue;
      const auto within = testing::WithinUlp(dtype, static_cast<long double>(exact[i]), element, 1);
      ASSERT_TRUE(within) << within.message() << " for x = " << x[i] << ", dy = " << dy[i];
      not_nearest += exact[i] != 0;  // a zero may have either sign
    }
    EXPECT_LE(not_nearest, x.size() / 1000);
  }
}

TEST_F(LogitGradAccuracy, EveryFloat16IsRoundedOnce) {
  ForEachTarget([] { SweepHalf(ACL_FLOAT16); });
}

TEST_F(LogitGradAccuracy, EveryBfloat16IsRoundedOnce) {
  ForEachTarget([] { SweepHalf(ACL_BF16); });
}

void ExpectFloatAccuracy(const std::vector<float>& x, const std::vector<float>& dy, double eps, double limit) {
  const auto bytes_of = [](const std::vector<float>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  };
  const std::vector<std::byte> got = LogitGradBytes(ACL_FLOAT, bytes_of(x), bytes_of(dy), eps);
  for (size_t i = 0; i < x.size(); ++i) {
    float result;
    std::memcpy(&result, got.data() + i * sizeof(float), sizeof(float));
    const double exact = LogitGradReference(double{x[i]}, double{dy[i]}, eps);
    const auto within = testing::WithinUlp(exact, result, limit);
    ASSERT_TRUE(within) << within.message() << " for x = " << x[i] << ", dy = " << dy[i] << ", eps = " << eps;
  }
}

double FloatLimit() { return kLogitGrad.accuracy.begin()->LimitOn(ActiveTarget()); }

TEST_F(LogitGradAccuracy, FloatStaysWithinItsUlps) {
  ForEachTarget([] {
    std::vector<float> x;
    std::vector<float> dy;
    // Even steps, where most values lie; then every binade below, and the neighbourhood of 1.
    for (int i = 0; i < 200000; ++i) x.push_back(static_cast<float>((i + 0.37) / 200000));
    for (uint32_t bits = 0x00800000; bits < 0x3F800000; bits += 9973) x.push_back(std::bit_cast<float>(bits));
    for (uint32_t step = 0; step < 20000; ++step) x.push_back(std::bit_cast<float>(0x3F800000 - step));
    for (size_t i = 0; i < x.size(); ++i) {
      dy.push_back(std::bit_cast<float>(static_cast<uint32_t>(0x3F800000 + i * 2654435761u % 0x800000)));
    }
    ExpectFloatAccuracy(x, dy, -1, FloatLimit());
  });
}

TEST_F(LogitGradAccuracy, FloatKeepsSubnormals) {
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  constexpr float kNormal = std::numeric_limits<float>::min();
  ForEachTarget([] {
    ExpectFloatAccuracy({0.5f, 0.5f, 0.5f, kLeast, kLeast, kNormal},
                        {kLeast, 3 * kLeast, kNormal / 4, 1.0f, kLeast, kNormal}, -1, FloatLimit());
  });
}

TEST_F(LogitGradAccuracy, FloatFollowsTheTableForEveryEps) {
  ForEachTarget([] {
    std::vector<float> x;
    std::vector<float> dy;
    const float special[] = {0.0f, -0.0f, 1.0f, 2.0f, -1.0f, 1e-30f, 3e38f, INFINITY, -INFINITY, NAN, 1.5f};
    // All sign and exponent bits with a few mantissas.
    for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 0x1FFFF) {
      x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
      dy.push_back(special[x.size() % std::size(special)]);
    }
    for (const float v : special) {
      for (const float g : special) {
        x.push_back(v);
        dy.push_back(g);
      }
    }
    for (const double eps : kEps) ExpectFloatAccuracy(x, dy, eps, FloatLimit());
  });
}

}  // namespace
}  // namespace portacl::ops::logit
