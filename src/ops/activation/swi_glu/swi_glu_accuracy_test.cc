// SPDX-License-Identifier: Apache-2.0
//
// Both operators against the float64 reference, on every instruction set: dense and extreme float32, random FLOAT16 and
// BFLOAT16.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ops/activation/swi_glu/swi_glu_oracle.h"
#include "ops/activation/swi_glu/swi_glu_test_support.h"
#include "testing/random.h"
#include "testing/sample_size.h"
#include "testing/ulp.h"

namespace portacl::ops::swi_glu {
namespace {

using testing::ForEachTarget;
using testing::SampleSize;

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kLeast = std::numeric_limits<float>::denorm_min();

// Operands of one axis; x is A and then B.
struct Sample {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> grad;

  void Add(double a_value, double b_value, double grad_value) {
    a.push_back(a_value);
    b.push_back(b_value);
    grad.push_back(grad_value);
  }
};

class SwiGluAccuracy : public DeviceTest {
 protected:
  float Mantissa() { return std::bit_cast<float>(0x3F800000u | (Word() & 0x007FFFFFu)); }
  float AnyFinite() {
    const float value = std::bit_cast<float>(Word());
    return std::isfinite(value) ? value : 1;
  }
  double Between(double low, double high) { return double{static_cast<float>(random_.Real(low, high))}; }

 private:
  uint32_t Word() { return static_cast<uint32_t>(random_.Bits()); }
  testing::Random random_;
};

// FLOAT: 4 ULP, outA 7 of the larger of it and yGrad * B * sigmoid(A).
void ExpectFloatAccuracy(const Sample& sample) {
  const auto within = [&](double want, double got, double limit, double term, size_t i) {
    const float rounded = static_cast<float>(got);
    if (calls::IsZeroForSubnormal(ACL_FLOAT, &rounded, want, limit)) return;
    const auto result = testing::WithinUlp(ACL_FLOAT, want, &rounded, limit, {}, term);
    ASSERT_TRUE(result) << result.message() << " for A = " << sample.a[i] << ", B = " << sample.b[i]
                        << ", yGrad = " << sample.grad[i];
  };
  const std::vector<double> out = SwiGluValues(ACL_FLOAT, sample.a, sample.b);
  const std::vector<double> grads = SwiGluGradValues(ACL_FLOAT, sample.grad, sample.a, sample.b);
  for (size_t i = 0; i < sample.a.size(); ++i) {
    const double a = sample.a[i], b = sample.b[i], grad = sample.grad[i];
    within(SwiGluReference(a, b), out[i], 4, 0, i);
    within(SwiGluGradAReference(a, b, grad), grads[i], 7, grad * b * SigmoidReference(a), i);
    within(SwiGluGradBReference(a, grad), grads[sample.a.size() + i], 4, 0, i);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(SwiGluAccuracy, FloatStaysWithinItsUlps) {
  Sample sample;
  for (uint32_t bits = std::bit_cast<uint32_t>(0x1p-12f); bits < std::bit_cast<uint32_t>(88.0f); bits += 3001) {
    sample.Add(std::bit_cast<float>(bits), Mantissa(), Mantissa());
    sample.Add(-std::bit_cast<float>(bits), Mantissa(), -Mantissa());
  }
  ForEachTarget([&] { ExpectFloatAccuracy(sample); });
}

TEST_F(SwiGluAccuracy, FloatStaysWithinItsUlpsNextToTheZeroOfOutA) {
  Sample sample;
  for (int i = 0; i < 20000; ++i) sample.Add(Between(-1.2786, -1.2783), Mantissa(), Mantissa());
  ForEachTarget([&] { ExpectFloatAccuracy(sample); });
}

// Where a product of two factors overflows or is a subnormal, though that of all three is neither.
TEST_F(SwiGluAccuracy, FloatStaysWithinItsUlpsForFactorsOfAnySize) {
  Sample sample;
  for (int i = 0; i < 30000; ++i) {
    sample.Add(Between(-89, 89), AnyFinite(), AnyFinite());
    sample.Add(Between(-3, 3), AnyFinite(), AnyFinite());
    sample.Add(AnyFinite(), AnyFinite(), AnyFinite());
  }
  ForEachTarget([&] { ExpectFloatAccuracy(sample); });
}

TEST_F(SwiGluAccuracy, FiniteFloatsGiveNoNan) {
  const float limits[] = {0.0f, -0.0f, kLeast, -kLeast, 0x1p-126f, 0.5f,     -0.5f,
                          1.0f, -1.0f, 1e-30f, -3e30f,  3.2e38f,   kLargest, -kLargest};
  Sample sample;
  for (const float a : {0.0f,        -0.0f,  kLeast, -kLeast, 1e-38f, 0.9f,   -0.9f,     1.0f,       -1.0f,
                        -1.2784645f, 2.4f,   17.0f,  -17.0f,  86.9f,  -86.9f, 87.33654f, -87.33654f, -87.4f,
                        88.8f,       -88.8f, 104.0f, -104.0f, 1e30f,  -1e30f, kLargest,  -kLargest}) {
    for (const float b : limits) {
      for (const float grad : limits) sample.Add(a, b, grad);
    }
  }
  ForEachTarget([&] { ExpectFloatAccuracy(sample); });
}

// Sigmoid is a subnormal of float32 there, or less, but not all products are.
TEST_F(SwiGluAccuracy, FloatStaysWithinItsUlpsWhereGatesAreShut) {
  Sample sample;
  for (int i = 0; i < 30000; ++i) {
    const double b = AnyFinite(), grad = AnyFinite();
    sample.Add(Between(-104 - std::max(0.0, std::log(std::abs(b))), -80), b, grad);
    sample.Add(Between(-300, -80), b, kLargest);
    sample.Add(Between(-88, -87), kLargest, -kLargest / 3);
  }
  ForEachTarget([&] { ExpectFloatAccuracy(sample); });
}

TEST_F(SwiGluAccuracy, FloatStaysWithinItsUlpsAtEveryFloatNextToShutGates) {
  Sample sample;
  float a = -0x1.5d589ep6f;  // the last with a normal sigmoid
  for (int i = 0; i < 100; ++i) a = std::nextafter(a, 0.0f);
  for (int i = 0; i < 200; ++i, a = std::nextafter(a, -INFINITY)) {
    for (const double b : {1.0, 0x1.8p100, -double{kLargest}}) sample.Add(a, b, 0x1p27 / b);
  }
  ForEachTarget([&] { ExpectFloatAccuracy(sample); });
}

// A finite A is no zero: float64 shows how far down.
TEST_F(SwiGluAccuracy, InfiniteFactorsMakeOfAnyGateWhatFloat64Makes) {
  const double limits[] = {INFINITY, -INFINITY, 1, -1, 0, double{kLeast}, double{kLargest}, NAN};
  Sample sample;
  const double gates[] = {88,   -87,  -87.33654f, -87.4f,     -88,  -104,   -110.5,
                          -300, -700, -709.7826f, -709.7827f, -710, -65504, -double{kLargest}};
  for (const double a : gates) {
    for (const double b : limits) {
      for (const double grad : limits) sample.Add(a, b, grad);
    }
  }
  ForEachTarget([&] { ExpectFloatAccuracy(sample); });
}

// A register is computed the same wherever an element lies in it, whatever its neighbours are.
TEST_F(SwiGluAccuracy, NoResultDependsOnTheNeighbours) {
  ForEachTarget([&] {
    const std::vector<double> alone = SwiGluGradValues(ACL_FLOAT, {0.7}, {-1.1}, {0.3});
    std::vector<double> a(37, NAN), b(37, INFINITY), grad(37, 3e38);
    a[18] = -1.1, b[18] = 0.3, grad[18] = 0.7;
    const std::vector<double> got = SwiGluGradValues(ACL_FLOAT, grad, a, b);
    EXPECT_EQ(got[18], alone[0]);
    EXPECT_EQ(got[37 + 18], alone[1]);
    std::fill(a.begin(), a.end(), -100);  // registers that hold a shut gate take another way
    a[18] = -1.1;
    const std::vector<double> beside_shut = SwiGluGradValues(ACL_FLOAT, grad, a, b);
    EXPECT_EQ(beside_shut[18], alone[0]);
    EXPECT_EQ(beside_shut[37 + 18], alone[1]);
    EXPECT_EQ(SwiGluValues(ACL_FLOAT, a, b)[18], SwiGluValues(ACL_FLOAT, {-1.1}, {0.3})[0]);
  });
}

// A shut gate makes no subnormals. What is above them is the same beside neighbours that a register computes in any
// way: ordinary ones, other shut gates, factors of any size.
TEST_F(SwiGluAccuracy, ShutGatesGiveNormalNumbersOrZeroWhateverTheNeighboursAre) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
    Sample sample;
    for (int i = 0; i < 5000; ++i) {
      sample.Add(Between(-200, -87.34), Mantissa(), Mantissa());
      sample.Add(Between(-130, -87.34), Between(-1e9, 1e9), Between(-1e9, 1e9));
      sample.Add(Between(-87.33, 100), Between(-1e9, 1e9), Between(-1e9, 1e9));
      sample.Add(i % 2 == 0 ? -2e9 : -710, Mantissa(), -Mantissa());
    }
    const size_t n = sample.a.size();
    for (int i = 0; i < 8000; ++i) sample.Add(NAN, 3e38, 3e38);  // registers of these alone
    const size_t all = sample.a.size();
    const auto results = [&](const Sample& of) {
      std::vector<double> values = SwiGluValues(dtype, of.a, of.b);
      const std::vector<double> grads = SwiGluGradValues(dtype, of.grad, of.a, of.b);
      values.insert(values.end(), grads.begin(), grads.end());
      return values;
    };
    // Each element between factors of any size.
    Sample apart;
    for (size_t i = 0; i < all; ++i) {
      apart.Add(sample.a[i], sample.b[i], sample.grad[i]);
      apart.Add(NAN, 3e38, INFINITY);
    }
    ForEachTarget([&] {
      const std::vector<double> together = results(sample);
      const std::vector<double> beside = results(apart);
      for (size_t part = 0; part < 3; ++part) {
        for (size_t i = 0; i < n; ++i) {
          const double got = together[part * all + i];
          const double other = beside[2 * (part * all + i)];
          ASSERT_TRUE(got == other && std::signbit(got) == std::signbit(other)) << "A = " << sample.a[i];
          if (sample.a[i] >= -87.33654) continue;
          ASSERT_TRUE(got == 0 || std::abs(got) >= 0x1p-126) << "A = " << sample.a[i];
          const double factors[] = {sample.b[i], sample.grad[i] * sample.b[i], sample.grad[i]};
          ASSERT_NE(std::signbit(got), std::signbit(factors[part])) << "A = " << sample.a[i] << ", part " << part;
        }
      }
    });
  }
}

// Within 1 ULP, and the nearest value but for a part of the results.
void ExpectNearest(aclDataType dtype, const std::vector<double>& exact, const Bytes& nearest, const Bytes& got,
                   double others_allowed) {
  size_t others = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    if (std::memcmp(&nearest[2 * i], &got[2 * i], 2) == 0) continue;
    if (dtype == ACL_BF16 && calls::IsZeroForSubnormal(dtype, &got[2 * i], exact[i], 1)) continue;
    const auto within = testing::WithinUlp(dtype, exact[i], &got[2 * i], 1);
    ASSERT_TRUE(within) << within.message() << " at " << i;
    others += exact[i] != 0 && !std::isnan(exact[i]);  // a zero may have either sign
  }
  EXPECT_LE(static_cast<double>(others), others_allowed * static_cast<double>(exact.size()));
}

void SweepHalf(aclDataType dtype, const Sample& sample, double others_allowed) {
  // What the operands are once they are rounded to the dtype.
  const auto rounded = [&](const std::vector<double>& values) { return Decode(dtype, Encode(dtype, values)); };
  const std::vector<double> a = rounded(sample.a), b = rounded(sample.b), grad = rounded(sample.grad);
  std::vector<double> x = a;
  x.insert(x.end(), b.begin(), b.end());
  const Bytes x_bytes = Encode(dtype, x);
  const Bytes grad_bytes = Encode(dtype, grad);
  std::vector<double> out, grads;
  for (size_t i = 0; i < a.size(); ++i) out.push_back(SwiGluReference(a[i], b[i]));
  for (size_t i = 0; i < a.size(); ++i) grads.push_back(SwiGluGradAReference(a[i], b[i], grad[i]));
  for (size_t i = 0; i < a.size(); ++i) grads.push_back(SwiGluGradBReference(a[i], grad[i]));
  const Bytes nearest_out = Encode(dtype, out);
  const Bytes nearest_grads = Encode(dtype, grads);
  const calls::Dims shape = {static_cast<int64_t>(x.size())};
  ForEachTarget([&] {
    ExpectNearest(dtype, out, nearest_out, SwiGluBytes(dtype, shape, 0, x_bytes), others_allowed);
    ExpectNearest(dtype, grads, nearest_grads, SwiGluGradBytes(dtype, shape, 0, grad_bytes, x_bytes), others_allowed);
  });
}

TEST_F(SwiGluAccuracy, HalvesAreRoundedOnce) {
  Sample sample;
  for (int i = 0; i < SampleSize(500000); ++i) sample.Add(Between(-6, 6), Between(-3, 3), Between(-3, 3));
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) SweepHalf(dtype, sample, 1e-3);
}

// For most of these A sigmoid(A) is 1/2 and something that float32 does not show: exact ties, of which either neighbour
// is taken.
TEST_F(SwiGluAccuracy, HalvesTakeEveryA) {
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    Bytes patterns(2 * 0x10000);
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const auto element = static_cast<uint16_t>(bits);
      std::memcpy(&patterns[2 * bits], &element, 2);
    }
    Sample sample;
    for (const double a : Decode(dtype, patterns)) sample.Add(a, Between(-3, 3), Between(-3, 3));
    SweepHalf(dtype, sample, 3e-3);
  }
}

// Large, small and infinite factors beside every A. An exact tie of a product, or a subnormal, may go to either side.
TEST_F(SwiGluAccuracy, HalvesTakeEveryAWithFactorsOfAnySize) {
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    const double largest = dtype == ACL_FLOAT16 ? 65504 : 0x1.FEp127;
    const double least = dtype == ACL_FLOAT16 ? 0x1p-24 : 0x1p-133;
    Bytes patterns(2 * 0x10000);
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const auto element = static_cast<uint16_t>(bits);
      std::memcpy(&patterns[2 * bits], &element, 2);
    }
    const std::vector<double> every_a = Decode(dtype, patterns);
    const double factors[][2] = {
        {largest, -largest}, {largest, least}, {-least, largest}, {INFINITY, 1}, {-1, INFINITY}};
    for (const auto& [b, grad] : factors) {
      Sample sample;
      for (const double a : every_a) sample.Add(a, b, grad);
      SweepHalf(dtype, sample, 0.5);
    }
  }
}

TEST_F(SwiGluAccuracy, TargetsWithFusedMultiplyAddGiveTheSameBits) {
  Sample sample;
  for (int i = 0; i < 20000; ++i) sample.Add(Between(i % 2 == 0 ? -10 : -200, 10), AnyFinite(), AnyFinite());
  for (const aclDataType dtype : kAllDtypes) {
    Bytes first;
    ForEachTarget([&] {
      const char* target = TargetName(ActiveTarget());
      if (std::strcmp(target, "SSE4") == 0 || std::strcmp(target, "EMU128") == 0) return;
      Bytes got = Encode(ACL_FLOAT, SwiGluValues(dtype, sample.a, sample.b));
      const Bytes grads = Encode(ACL_FLOAT, SwiGluGradValues(dtype, sample.grad, sample.a, sample.b));
      got.insert(got.end(), grads.begin(), grads.end());
      if (first.empty()) first = got;
      EXPECT_TRUE(got == first) << "dtype " << dtype;
    });
  }
}

}  // namespace
}  // namespace portacl::ops::swi_glu
