// SPDX-License-Identifier: Apache-2.0
//
// Both operators against the float64 references, on every instruction set; the gradient also against differences of the
// loss, and both against what PyTorch computes.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/target.h"
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_reference.h"
#include "ops/loss/smooth_l1_loss/smooth_l1_loss_test_support.h"
#include "testing/random.h"
#include "testing/sample_size.h"
#include "testing/ulp.h"

namespace portacl::ops::smooth_l1_loss {
namespace {

using testing::ForEachTarget;
using testing::SampleSize;

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kLeast = std::numeric_limits<float>::denorm_min();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Sample {
  std::vector<double> grad_out;
  std::vector<double> self;
  std::vector<double> target;

  void Add(double g, double s, double t) {
    grad_out.push_back(g);
    self.push_back(s);
    target.push_back(t);
  }
  size_t size() const { return self.size(); }
};

class SmoothL1LossAccuracy : public DeviceTest {
 protected:
  float Word() { return std::bit_cast<float>(static_cast<uint32_t>(random_.Bits())); }
  float AnyFinite() {
    const float value = Word();
    return std::isfinite(value) ? value : 1;
  }
  float Mantissa() { return std::bit_cast<float>(0x3F800000u | (std::bit_cast<uint32_t>(Word()) & 0x007FFFFFu)); }
  double Between(double low, double high) { return double{static_cast<float>(random_.Real(low, high))}; }

 private:
  testing::Random random_;
};

// FLOAT: what d, the quotient and the product can lose together, 2.5 ULP for the gradient, 3.5 for the loss. Where
// the divisor beta N is rounded itself, 3.5 for the gradient.
double GradientLimit(double difference, double beta, double n) {
  const double divisor = beta * n;
  const bool has_exact_slope = HasFusedMultiplyAdd(ActiveTarget()) && divisor > 0x1p-100 && divisor < 0x1p100;
  const bool is_careful = std::abs(difference) < 0x1p-99 * divisor;
  return n == 1 || (has_exact_slope && !is_careful) ? 2.5 : 3.5;
}

void ExpectFloatAccuracy(Sample sample, float beta) {
  SCOPED_TRACE("beta " + std::to_string(beta));
  const Bytes grad_out = Encode(ACL_FLOAT, sample.grad_out);
  const Bytes self = Encode(ACL_FLOAT, sample.self);
  const Bytes target = Encode(ACL_FLOAT, sample.target);
  sample = {Decode(ACL_FLOAT, grad_out), Decode(ACL_FLOAT, self), Decode(ACL_FLOAT, target)};
  const auto within = [&](double want, const Bytes& got, double limit, size_t i) {
    const auto result = testing::WithinUlp(ACL_FLOAT, want, &got[4 * i], limit);
    ASSERT_TRUE(result) << result.message() << " for self = " << sample.self[i] << ", target = " << sample.target[i]
                        << ", gradOut = " << sample.grad_out[i];
  };
  const Bytes loss = LossBytes(ACL_FLOAT, self, target, kNone, beta);
  for (size_t i = 0; i < sample.size(); ++i) {
    within(SmoothL1LossReference(sample.self[i], sample.target[i], double{beta}), loss, 3.5, i);
    if (::testing::Test::HasFatalFailure()) return;
  }
  for (const int64_t reduction : {kNone, kMean}) {
    const double n = reduction == kMean ? static_cast<double>(sample.size()) : 1;
    const Bytes grad = BackwardBytes(ACL_FLOAT, grad_out, self, target, reduction, beta);
    for (size_t i = 0; i < sample.size(); ++i) {
      within(SmoothL1LossBackwardReference(sample.grad_out[i], sample.self[i], sample.target[i], double{beta}, n), grad,
             GradientLimit(sample.self[i] - sample.target[i], double{beta}, n), i);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(SmoothL1LossAccuracy, FloatStaysWithinItsUlps) {
  for (const float beta : {1.0f, 0.1f, 1.9999999f, 3.0f, 1e-6f, 777.7f, 0.0f}) {
    Sample sample;
    for (int i = 0; i < SampleSize(60'000); ++i) {
      sample.Add(double{Mantissa()}, Between(-2, 2) * beta, Between(-0.5, 0.5) * beta);
      sample.Add(-double{Mantissa()}, double{Mantissa()} * beta * 0.5, double{Mantissa()} * beta);
    }
    ForEachTarget([&] { ExpectFloatAccuracy(sample, beta); });
  }
}

// Where d / beta is a subnormal, and gradOut makes the product a normal number; where 1 / beta is none.
TEST_F(SmoothL1LossAccuracy, FloatStaysWithinItsUlpsForOperandsOfAnySize) {
  for (const float beta : {1.0f, 3.0f, 1e-3f, 1e10f, 3e25f, 1e-30f, 1e-38f, 1e-44f, kLeast, 1e-20f}) {
    Sample sample;
    for (int i = 0; i < SampleSize(20'000); ++i) {
      sample.Add(double{AnyFinite()}, double{AnyFinite()}, double{AnyFinite()});
      sample.Add(double{AnyFinite()}, double{AnyFinite()}, 0);
      sample.Add(double{AnyFinite()}, 0, double{std::ldexp(Mantissa(), i % 60 - 149)});
    }
    ForEachTarget([&] { ExpectFloatAccuracy(sample, beta); });
  }
}

TEST_F(SmoothL1LossAccuracy, FiniteFloatsGiveNoNan) {
  const float values[] = {0.0f, -0.0f, kLeast, -kLeast, 0x1p-126f, 1e-30f,  0.5f,     -0.5f,
                          1.0f, -1.0f, 2.0f,   1e20f,   -3e30f,    3.2e38f, kLargest, -kLargest};
  Sample sample;
  for (const float g : values) {
    for (const float s : values) {
      for (const float t : values) sample.Add(double{g}, double{s}, double{t});
    }
  }
  ForEachTarget([&] {
    for (const float beta : {0.0f, kLeast, 1e-30f, 1.0f, 3.0f, 1e20f, 0x1p100f, kLargest, kInfinity}) {
      // A difference of finite floats may be infinite, and only an infinite beta makes a NaN of that: in the loss.
      for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
        const Bytes grad_out = Encode(dtype, sample.grad_out);
        const Bytes self = Encode(dtype, sample.self), target = Encode(dtype, sample.target);
        const std::vector<double> grads = Decode(dtype, BackwardBytes(dtype, grad_out, self, target, kMean, beta));
        const std::vector<double> losses = Decode(dtype, LossBytes(dtype, self, target, kNone, beta));
        const std::vector<double> g = Decode(dtype, grad_out), s = Decode(dtype, self), t = Decode(dtype, target);
        for (size_t i = 0; i < grads.size(); ++i) {
          const bool finite = std::isfinite(g[i]) && std::isfinite(DifferenceReference(s[i], t[i]));
          ASSERT_FALSE(finite && (std::isnan(grads[i]) || std::isnan(losses[i])))
              << g[i] << ' ' << s[i] << ' ' << t[i] << ", beta " << beta;
        }
      }
    }
  });
}

// A register is computed the same wherever an element lies in it, whatever its neighbours are.
TEST_F(SmoothL1LossAccuracy, NoResultDependsOnTheNeighbours) {
  ForEachTarget([&] {
    constexpr size_t kElements = 1111;
    for (const double strange : {1e-40, 0.0, double{INFINITY}}) {
      Sample ordinary;
      for (size_t i = 0; i < kElements; ++i) ordinary.Add(double{Mantissa()}, double{Mantissa()}, Between(0, 2));
      Sample mixed = ordinary;
      for (size_t i = 0; i < kElements; i += 2) mixed.self[i] = strange, mixed.target[i] = 0;
      const auto grads = [](const Sample& s) {
        return BackwardBytes(ACL_FLOAT, Encode(ACL_FLOAT, s.grad_out), Encode(ACL_FLOAT, s.self),
                             Encode(ACL_FLOAT, s.target), kMean, 1.3f);
      };
      const Bytes want = grads(ordinary), got = grads(mixed);
      for (size_t i = 1; i < kElements; i += 2) ASSERT_EQ(std::memcmp(&got[4 * i], &want[4 * i], 4), 0) << i;
    }
  });
}

// Within 1 ULP, and the nearest value for 99.9 %.
void ExpectNearest(aclDataType dtype, const std::vector<double>& exact, const Bytes& got) {
  const Bytes nearest = Encode(dtype, exact);
  size_t others = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    if (std::memcmp(&nearest[2 * i], &got[2 * i], 2) == 0) continue;
    const auto within = testing::WithinUlp(dtype, exact[i], &got[2 * i], 1);
    ASSERT_TRUE(within) << within.message() << " at " << i;
    others += exact[i] != 0 && !std::isnan(exact[i]);  // a zero may have either sign
  }
  EXPECT_LE(others, exact.size() / 1000);
}

void SweepHalf(aclDataType dtype, const Sample& sample, float beta, int64_t reduction) {
  SCOPED_TRACE(::testing::Message() << "dtype " << dtype << ", beta " << beta << ", reduction " << reduction);
  const Bytes grad_out = Encode(dtype, sample.grad_out);
  const Bytes self = Encode(dtype, sample.self);
  const Bytes target = Encode(dtype, sample.target);
  const std::vector<double> g = Decode(dtype, grad_out), s = Decode(dtype, self), t = Decode(dtype, target);
  const double n = reduction == kMean ? static_cast<double>(sample.size()) : 1;
  std::vector<double> grads, losses;
  for (size_t i = 0; i < sample.size(); ++i) {
    grads.push_back(SmoothL1LossBackwardReference(g[i], s[i], t[i], double{beta}, n));
    losses.push_back(SmoothL1LossReference(s[i], t[i], double{beta}));
  }
  ForEachTarget([&] {
    ExpectNearest(dtype, grads, BackwardBytes(dtype, grad_out, self, target, reduction, beta));
    if (reduction == kNone) ExpectNearest(dtype, losses, LossBytes(dtype, self, target, kNone, beta));
  });
}

TEST_F(SmoothL1LossAccuracy, HalvesAreRoundedOnce) {
  Sample sample;
  for (int i = 0; i < SampleSize(1'000'000); ++i) sample.Add(Between(-3, 3), Between(-3, 3), Between(-3, 3));
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) SweepHalf(dtype, sample, 1, kNone);
}

// Quotients by a beta like 1.7f lie beside short numbers, and their products beside ties.
TEST_F(SmoothL1LossAccuracy, HalvesAreRoundedOnceForAnyBeta) {
  Sample sample;
  for (int i = 0; i < 50'000; ++i) sample.Add(Between(-3, 3), Between(-3, 3), Between(-3, 3));
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    for (const float beta : {0.1f, 2.0f / 3, 0.9f, 1.2345678f, 1.7f, 2.8f, 3.0f}) SweepHalf(dtype, sample, beta, kNone);
    SweepHalf(dtype, sample, 1.3f, kMean);
  }
}

TEST_F(SmoothL1LossAccuracy, HalvesOfAnySizeAreRoundedOnce) {
  Sample sample;
  for (int i = 0; i < 100'000; ++i)
    sample.Add(double{AnyFinite()}, double{AnyFinite()}, i % 2 ? double{AnyFinite()} : 0);
  for (const float beta : {0.0f, 1.7f, 1e-3f, 3e5f}) SweepHalf(ACL_BF16, sample, beta, kNone);
  for (double& g : sample.grad_out) g = std::fmod(g, 60000);
  for (double& s : sample.self) s = std::fmod(s, 30000);
  for (double& t : sample.target) t = std::fmod(t, 3);
  for (const float beta : {0.0f, 1.7f, 1e-3f, 3e5f}) SweepHalf(ACL_FLOAT16, sample, beta, kNone);
}

TEST_F(SmoothL1LossAccuracy, TargetsWithFusedMultiplyAddGiveTheSameBits) {
  Sample sample;
  for (int i = 0; i < SampleSize(20'000); ++i)
    sample.Add(double{AnyFinite()}, Between(-2, 2), i % 2 ? Between(-2, 2) : 0);
  for (const aclDataType dtype : kAllDtypes) {
    const Bytes g = Encode(dtype, sample.grad_out), s = Encode(dtype, sample.self), t = Encode(dtype, sample.target);
    std::vector<Bytes> first;
    ForEachTarget([&] {
      if (!HasFusedMultiplyAdd(ActiveTarget())) return;
      const std::vector<Bytes> got = {BackwardBytes(dtype, g, s, t, kMean, 1.3f), LossBytes(dtype, s, t, kNone, 1.3f),
                                      LossBytes(dtype, s, t, kSum, 1.3f), LossBytes(dtype, s, t, kMean, 1.3f)};
      if (first.empty()) first = got;
      EXPECT_TRUE(got == first) << "dtype " << dtype;
    });
  }
}

// The reference itself, and the library with it: where the loss has a second derivative the gradient is its difference.
TEST_F(SmoothL1LossAccuracy, GradientsAreDifferencesOfTheLoss) {
  for (const float beta : {0.0f, 0.5f, 1.0f, 2.7f}) {
    Sample sample;
    std::vector<double> differences;
    while (sample.size() < 5000) {
      const double s = Between(-4, 4), t = Between(-4, 4), h = 1e-6;
      const double distance = std::abs(s - t);
      if (std::abs(distance - double{beta}) < 2 * h || distance < 2 * h) continue;
      sample.Add(1, s, t);
      const double above = SmoothL1LossReference(s + h, t, double{beta});
      differences.push_back((above - SmoothL1LossReference(s - h, t, double{beta})) / (2 * h));
    }
    const std::vector<double> got =
        Decode(ACL_FLOAT, BackwardBytes(ACL_FLOAT, Encode(ACL_FLOAT, sample.grad_out), Encode(ACL_FLOAT, sample.self),
                                        Encode(ACL_FLOAT, sample.target), kNone, beta));
    for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], differences[i], 1e-6) << "beta " << beta;
  }
}

// Loss and gradient of one call of torch.nn.functional.smooth_l1_loss and of autograd, PyTorch 2.13, float32.
TEST_F(SmoothL1LossAccuracy, ThePairGivesWhatAutogradGives) {
  struct Row {
    Dims self_shape;
    std::vector<double> self;
    Dims target_shape;
    std::vector<double> target;
    float beta;
    int64_t reduction;
    double grad_out;
    Dims shape;
    std::vector<double> loss;
    std::vector<double> grad;
  };
  const std::vector<double> d = {-3, -1, -0.5, 0, 0.5, 1, 3};
  const std::vector<double> six = {0.5, 2, -3, 1, 1, 1};
  const Row rows[] = {
      {{7}, d, {1}, {0}, 1, kNone, 2, {7}, {2.5, 0.5, 0.125, 0, 0.125, 0.5, 2.5}, {-2, -2, -1, 0, 1, 2, 2}},
      {{7},
       d,
       {1},
       {0},
       1,
       kMean,
       2,
       {7},
       {0.892857134},
       {-0.285714298, -0.285714298, -0.142857149, 0, 0.142857149, 0.285714298, 0.285714298}},
      {{7}, d, {1}, {0}, 0.5, kSum, 2, {7}, {7.5}, {-2, -2, -2, 0, 2, 2, 2}},
      {{7},
       d,
       {1},
       {0},
       3,
       kMean,
       2,
       {7},
       {0.488095254},
       {-0.285714298, -0.095238097, -0.0476190485, 0, 0.0476190485, 0.095238097, 0.285714298}},
      {{7},
       d,
       {1},
       {0},
       3,
       kSum,
       2,
       {7},
       {3.41666675},
       {-2, -0.666666687, -0.333333343, 0, 0.333333343, 0.666666687, 2}},
      {{2, 3},
       six,
       {3},
       {0, 0, 0},
       1,
       kMean,
       1,
       {2, 3},
       {0.9375},
       {0.0833333358, 0.166666672, -0.166666672, 0.166666672, 0.166666672, 0.166666672}},
      {{1, 3}, {0.5, 2, -3}, {2, 1}, {0, 1}, 2, kSum, 10, {2, 3}, {6.375}, {2.5, 10, -10, -2.5, 5, -10}},
      {{1, 3}, {0.5, 2, -3}, {2, 1}, {0, 1}, 2, kMean, 12, {2, 3}, {1.0625}, {0.5, 2, -2, -0.5, 1, -2}},
      {{1, 3},
       {0.5, 2, -3},
       {2, 1},
       {0, 1},
       2,
       kNone,
       1,
       {2, 3},
       {0.0625, 1, 2, 0.0625, 0.25, 3},
       {0.25, 1, -1, -0.25, 0.5, -1}},
      {{4},
       {5e-9, -2e-9, 1e-3, 0},
       {1},
       {0},
       1e-8f,
       kNone,
       1,
       {4},
       {1.24999999e-09, 1.99999989e-10, 0.000999995042, 0},
       {0.5, -0.199999988, 1, 0}},
  };
  ForEachTarget([&] {
    for (const Row& row : rows) {
      const DeviceTensor self(ACL_FLOAT, row.self_shape, row.self);
      const DeviceTensor target(ACL_FLOAT, row.target_shape, row.target);
      const DeviceTensor grad_out(ACL_FLOAT, {}, std::vector<double>{row.grad_out});
      const DeviceTensor loss(ACL_FLOAT, row.reduction == kNone ? row.shape : Dims{});
      const DeviceTensor grad(ACL_FLOAT, row.shape);
      RunLoss(self.get(), target.get(), row.reduction, row.beta, loss.get());
      RunBackward(grad_out.get(), self.get(), target.get(), row.reduction, row.beta, grad.get());
      ExpectNear(row.loss, loss.values(), 3e-7);
      ExpectNear(row.grad, grad.values(), 3e-7);
    }
  });
}

}  // namespace
}  // namespace portacl::ops::smooth_l1_loss
