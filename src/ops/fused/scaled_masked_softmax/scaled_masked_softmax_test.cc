// SPDX-License-Identifier: Apache-2.0
//
// aclnnScaledMaskedSoftmax and its backward through the C API: the promises that follow from schemas and oracle,
// documented results, properties of the pair, and errors for every length at which the kernels take another code path.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_scaled_masked_softmax.h"
#include "aclnnop/aclnn_scaled_masked_softmax_backward.h"
#include "base/target.h"
#include "calls/element.h"
#include "calls/tensor_builder.h"
#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_oracle.h"
#include "testing/conformance.h"
#include "testing/device_array.h"
#include "testing/operator_contract.h"
#include "testing/random.h"
#include "testing/target_loop.h"
#include "testing/two_phases.h"
#include "testing/ulp.h"

OP_CONTRACT_TESTS(ScaledMaskedSoftmax, scaled_masked_softmax, 0);
OP_CONTRACT_TESTS(ScaledMaskedSoftmaxBackward, scaled_masked_softmax, 1);

namespace portacl::ops::scaled_masked_softmax {
namespace {

using calls::TensorBuilder;
using testing::DeviceArray;
using testing::ForEachTarget;
using Values = std::vector<double>;
using Mask = std::vector<uint8_t>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr aclDataType kAllDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

// Rows, each with a mask of its own.
struct Sample {
  int64_t rows;
  Values first;   // x, or gradOutput
  Values second;  // y
  Mask mask;
  double scale;
  size_t columns() const { return first.size() / static_cast<size_t>(rows); }
};

template <class T>
std::vector<T> Repeated(const std::vector<T>& values, size_t times) {
  std::vector<T> result;
  for (size_t i = 0; i < times; ++i) result.insert(result.end(), values.begin(), values.end());
  return result;
}

Values Run(aclDataType dtype, const Sample& s, bool is_forward) {
  const calls::Dims shape = {1, 1, s.rows, static_cast<int64_t>(s.columns())};
  const DeviceArray<std::byte> first(calls::Encode(dtype, s.first)), second(calls::Encode(dtype, s.second));
  const DeviceArray<std::byte> out(first.size());
  const DeviceArray<uint8_t> mask_bytes(s.mask);
  const auto tensor = [&](const void* data) { return TensorBuilder(dtype, shape).Data(data).Build(); };
  const auto x = tensor(first.data()), y = tensor(second.data()), result = tensor(out.data());
  const auto mask = TensorBuilder(ACL_BOOL, shape).Data(mask_bytes.data()).Build();
  if (is_forward) {
    testing::RunPhases(aclnnScaledMaskedSoftmaxGetWorkspaceSize, aclnnScaledMaskedSoftmax, x.get(), mask.get(), s.scale,
                       false, result.get());
  } else {
    testing::RunPhases(aclnnScaledMaskedSoftmaxBackwardGetWorkspaceSize, aclnnScaledMaskedSoftmaxBackward, x.get(),
                       y.get(), mask.get(), s.scale, false, result.get());
  }
  return calls::Decode(dtype, out.ToHost());
}
Values Forward(aclDataType dtype, const Sample& s) { return Run(dtype, s, true); }
Values Backward(aclDataType dtype, const Sample& s) { return Run(dtype, s, false); }

// NaN and infinities are equal, zeros whatever their sign; other values are within `relative` and `absolute`.
bool IsNear(double want, double got, double relative, double absolute) {
  if (std::isnan(want) ? std::isnan(got) : want == got) return true;
  return std::isfinite(got) && std::abs(got - want) <= relative * std::abs(want) + absolute;
}

class ScaledMaskedSoftmax : public testing::DeviceTest {
 protected:
  // The elements are rounded to the dtype.
  Values Draw(aclDataType dtype, int64_t count, double low, double high) {
    Values values(static_cast<size_t>(count));
    for (double& value : values) value = random_.Real(low, high);
    return calls::Decode(dtype, calls::Encode(dtype, values));
  }
  // Includes runs of whole registers without a masked element, which are computed without the mask.
  Mask DrawMask(int64_t count, double share) {
    Mask mask(static_cast<size_t>(count));
    for (size_t i = 0; i < mask.size();) {
      const double share_here = random_.Chance(0.4) ? 0 : share;
      const size_t end = std::min(mask.size(), i + static_cast<size_t>(random_.Between(1, 300)));
      for (; i < end; ++i) mask[i] = static_cast<uint8_t>(random_.Chance(share_here) ? random_.Between(1, 255) : 0);
    }
    return mask;
  }
  // Scores as large as those of attention, spread so far that results reach the smallest normal number.
  Sample Scores(aclDataType dtype, int64_t rows, int64_t columns, double size, double share) {
    const int64_t count = rows * columns;
    return {rows, Draw(dtype, count, -size, size), {}, DrawMask(count, share), random_.Real(0.05, 1.5)};
  }
  // y as the forward operator would return it: positive rows with sums of about one.
  Sample Gradients(aclDataType dtype, int64_t rows, int64_t columns) {
    const int64_t count = rows * columns;
    return {rows, Draw(dtype, count, -1, 1), Draw(dtype, count, 0, 2 / static_cast<double>(columns)),
            DrawMask(count, 0.2), random_.Real(-2, 2)};
  }
  testing::Random random_;
};

TEST_F(ScaledMaskedSoftmax, GivesTheDocumentedResults) {
  struct Example {
    aclDataType dtype;
    Values x;
    Mask mask;
    double scale;
    Values y;
  };
  const Example examples[] = {
      {ACL_FLOAT, {1, 2, 3, 4}, {0, 0, 0, 0}, 1, {0.03205860, 0.08714432, 0.2368828, 0.6439143}},
      {ACL_FLOAT, {1, 2, 3, 4}, {0, 1, 0, 1}, 1, {0.1192029, 0, 0.8807971, 0}},
      {ACL_FLOAT, {1, 2, 3, 4}, {1, 1, 1, 1}, 1, {0.25, 0.25, 0.25, 0.25}},
      {ACL_FLOAT, {1, 2, 3, 4}, {0, 0, 0, 0}, 0.5, {0.1015363, 0.1674051, 0.2760043, 0.4550542}},
      {ACL_FLOAT, {1, 2, 3, 4}, {0, 0, 0, 1}, 0, {0.3333333, 0.3333333, 0.3333333, 0}},
      {ACL_FLOAT, {-20000, -20001, 7}, {0, 0, 1}, 1, {0, 0, 1}},
      {ACL_FLOAT, {-10000, -10000, 7}, {0, 0, 1}, 1, {0.3333333, 0.3333333, 0.3333333}},
      {ACL_FLOAT, {-10001, -10000, kNan}, {0, 0, 1}, 1, {0.1553624, 0.4223188, 0.4223188}},
      {ACL_FLOAT, {kNan, 1, 2}, {1, 0, 0}, 1, {0, 0.2689414, 0.7310586}},
      {ACL_FLOAT, {kInf, 1, -kInf}, {1, 0, 1}, 1, {0, 1, 0}},
      {ACL_FLOAT, {kNan, 1, 2}, {0, 0, 0}, 1, {kNan, kNan, kNan}},
      {ACL_FLOAT, {2, kNan, 1}, {1, 0, 0}, 1, {kNan, kNan, kNan}},
      {ACL_FLOAT, {kInf, 1, 2}, {0, 0, 0}, 1, {kNan, kNan, kNan}},
      {ACL_FLOAT, {kInf, 1, 2}, {0, 1, 0}, 1, {kNan, kNan, kNan}},
      {ACL_FLOAT, {-kInf, 1, 2}, {0, 0, 0}, 1, {0, 0.2689414, 0.7310586}},
      {ACL_FLOAT, {-kInf, -kInf, -kInf}, {0, 0, 0}, 1, {kNan, kNan, kNan}},
      {ACL_FLOAT, {-kInf, -kInf, -kInf}, {0, 1, 0}, 1, {0, 1, 0}},
      {ACL_FLOAT, {1000, 1001}, {0, 0}, 1, {0.2689414, 0.7310586}},
      {ACL_FLOAT, {100000, 100001}, {0, 0}, 1, {0.2689414, 0.7310586}},
      {ACL_FLOAT, {1, 2}, {0, 0}, -1, {0.7310586, 0.2689414}},
      {ACL_FLOAT, {3e38, 3e38}, {0, 0}, 2, {kNan, kNan}},
      {ACL_FLOAT, {-3e38, 0}, {0, 0}, 2, {0, 1}},
      {ACL_FLOAT16, {60000, 60000}, {0, 0}, 2, {0.5, 0.5}},
      {ACL_FLOAT, {-1, -2}, {0, 1}, kInf, {0, 1}},
      {ACL_FLOAT, {0, -2}, {0, 0}, kInf, {kNan, kNan}},
      {ACL_FLOAT, {1, -2}, {0, 0}, kInf, {kNan, kNan}},
      {ACL_FLOAT, {kInf, 1}, {0, 0}, 0, {kNan, kNan}},
      {ACL_FLOAT, {1, 2, 3}, {0, 1, 1}, kNan, {kNan, kNan, kNan}},
      {ACL_FLOAT, {1, 2}, {1, 1}, kNan, {0.5, 0.5}},
      {ACL_FLOAT, {5}, {0}, 1, {1}},
      {ACL_FLOAT, {5}, {1}, 1, {1}},
      {ACL_FLOAT, {0, -90}, {0, 0}, 1, {1, 0}},  // e^-90 is below the smallest normal number
      {ACL_BF16, {1, 2, 3, 4}, {0, 2, 0, 0x80}, 1, {0.11914063, 0, 0.88085938, 0}},
  };
  ForEachTarget([&] {
    for (const auto& [dtype, x, mask, scale, y] : examples) {
      // Repeating the elements 19 times makes rows longer than a register; results differ by the common factor only.
      for (const size_t times : {1, 19}) {
        const Values got = Forward(dtype, {1, Repeated(x, times), {}, Repeated(mask, times), scale});
        const double tolerance = dtype == ACL_BF16 ? 0x1p-8 : dtype == ACL_FLOAT16 ? 0x1p-11 : 5e-7;
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_TRUE(IsNear(y[i % y.size()] / static_cast<double>(times), got[i], tolerance, 0))
              << ::testing::PrintToString(y) << ": " << got[i] << " at " << i;
        }
      }
    }
  });
}

TEST_F(ScaledMaskedSoftmax, GivesTheDocumentedGradients) {
  struct Example {
    aclDataType dtype;
    Values grad, y;
    Mask mask;
    double scale;
    Values out;
  };
  const Values y0 = {0.1, 0.2, 0.3, 0.4};
  const Values g0 = {1, 2, 3, 4};
  const Example examples[] = {
      {ACL_FLOAT, g0, y0, {0, 0, 0, 0}, 1, {-0.2, -0.2, 0, 0.4}},
      // Masked elements contribute to the sum; without them the third result would be 0.6.
      {ACL_FLOAT, g0, y0, {0, 1, 0, 1}, 1, {-0.2, 0, 0, 0}},
      {ACL_FLOAT, g0, y0, {1, 1, 1, 1}, 0.5, {0, 0, 0, 0}},
      {ACL_FLOAT, g0, y0, {0, 0, 0, 0}, 0.5, {-0.1, -0.1, 0, 0.2}},
      {ACL_FLOAT, g0, y0, {0, 0, 0, 0}, -2, {0.4, 0.4, 0, -0.8}},
      {ACL_FLOAT, g0, y0, {0, 0, 0, 0}, 0, {0, 0, 0, 0}},
      {ACL_FLOAT, {1, 1, 1, 1}, {0.25, 0.25, 0.25, 0.25}, {0, 0, 0, 0}, kInf, {kNan, kNan, kNan, kNan}},
      {ACL_FLOAT, {1, 0}, {0.5, 0.5}, {0, 0}, kInf, {kInf, -kInf}},
      {ACL_FLOAT, {1, 0}, {0.5, 0.5}, {0, 0}, 0x1.ffffffp127, {kInf, -kInf}},
      {ACL_FLOAT, {1, 0}, {0.5, 0.5}, {0, 0}, 0x1.fffffefp127, {0x1.fffffep125, -0x1.fffffep125}},
      {ACL_FLOAT, g0, y0, {0, 1, 0, 1}, kNan, {kNan, 0, kNan, 0}},
      {ACL_FLOAT, {kNan, 2, 3, 4}, y0, {1, 0, 0, 0}, 1, {0, kNan, kNan, kNan}},
      {ACL_FLOAT, g0, {0.1, kNan, 0.3, 0.4}, {0, 1, 0, 0}, 1, {kNan, 0, kNan, kNan}},
      {ACL_FLOAT, {kInf, 2, 3, 4}, y0, {0, 0, 0, 1}, 1, {kNan, -kInf, -kInf, 0}},
      {ACL_FLOAT, {kInf, 2, 3, 4}, {0.1, 0.2, 0, 0.4}, {0, 0, 0, 0}, 1, {kNan, -kInf, kNan, -kInf}},
      {ACL_FLOAT, {kInf, 2, 3, 4}, y0, {0, 0, 0, 0}, 0, {kNan, kNan, kNan, kNan}},
      {ACL_FLOAT, {kInf, 2, 3}, {-0.1, 0.2, 0.3}, {0, 0, 0}, 1, {-kInf, kInf, kInf}},
      {ACL_FLOAT, {kInf, 2, 3}, {0, 0.2, 0.3}, {0, 1, 0}, 1, {kNan, 0, kNan}},
      {ACL_FLOAT, {1, 1}, {2, 3}, {0, 0}, 1, {-8, -12}},
      {ACL_FLOAT, {5}, {1}, {0}, 3, {0}},
      {ACL_FLOAT16, g0, y0, {0, 0, 0, 0}, 1, {-0.1999512, -0.1998291, 0.0001099110, 0.4001465}},
      {ACL_BF16, g0, {0.25, 0.25, 0.25, 0.25}, {0, 2, 0, 0x80}, 1, {-0.375, 0, 0.125, 0}},
  };
  ForEachTarget([&] {
    for (const auto& [dtype, grad, y, mask, scale, out] : examples) {
      for (const size_t rows : {1, 37}) {  // alone, and in every row of a block
        const Values got = Backward(
            dtype, {static_cast<int64_t>(rows), Repeated(grad, rows), Repeated(y, rows), Repeated(mask, rows), scale});
        for (size_t i = 0; i < got.size(); ++i) {
          const size_t at = i % out.size();
          EXPECT_TRUE(IsNear(out[at], got[i], 5e-7, scale == 0 ? 0 : 1e-7))
              << ::testing::PrintToString(out) << ": " << got[i] << " at " << i;
          EXPECT_FALSE(mask[at] != 0 && std::signbit(got[i])) << "element " << i;
        }
      }
    }
  });
}

TEST_F(ScaledMaskedSoftmax, GivesNanForScalesOfAnyPayload) {
  for (const uint64_t bits : {0x7FFFFFFFFFFFFFFFu, 0xFFFFFFFFFFFFFFFFu, 0x7FF8000FFFFFFFFFu}) {
    for (const aclDataType dtype : kAllDtypes) {
      for (const double y : Forward(dtype, {1, {1, 2, 3}, {}, {0, 0, 1}, std::bit_cast<double>(bits)}))
        EXPECT_TRUE(std::isnan(y)) << bits << ", dtype " << dtype;
    }
  }
}

TEST_F(ScaledMaskedSoftmax, GradientsArePlusZeroWhereTheMaskIsTrue) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kAllDtypes) {
      for (const int64_t columns : {5, 16, 40}) {
        Sample s = Gradients(dtype, 24, columns);
        for (size_t i = 0; i < s.first.size(); i += 11) s.first[i] = i % 2 == 0 ? kNan : -kInf;
        const Values out = Backward(dtype, s);
        for (size_t i = 0; i < out.size(); ++i)
          EXPECT_TRUE(s.mask[i] == 0 || (out[i] == 0 && !std::signbit(out[i]))) << "element " << i;
      }
    }
  });
}

// A test of the oracle itself.
TEST_F(ScaledMaskedSoftmax, GradientIsTheDerivativeOfTheForwardFormula) {
  constexpr size_t kColumns = 9;
  constexpr double kStep = 1e-5;
  for (int trial = 0; trial < 50; ++trial) {
    const Sample row = Scores(ACL_FLOAT, 1, kColumns, 6, 0.3);
    const Values grad = Draw(ACL_FLOAT, kColumns, -1, 1);
    bool mask[kColumns];
    std::copy(row.mask.begin(), row.mask.end(), mask);
    Values y(kColumns);
    const auto sum_for = [&](const Values& x) {
      SoftmaxReference(kColumns, x.data(), mask, row.scale, y.data());
      return SumReference(kColumns, grad.data(), y.data(), false);
    };
    for (size_t j = 0; j < kColumns; ++j) {
      Values above = row.first, below = row.first;
      above[j] += kStep, below[j] -= kStep;
      const double change = sum_for(above) - sum_for(below);
      const double sum = sum_for(row.first);
      EXPECT_NEAR(SoftmaxGradReference(grad[j], y[j], mask[j], row.scale, sum), change / (2 * kStep), 1e-8);
    }
  }
}

std::vector<int64_t> Lengths() {
  std::vector<int64_t> lengths = {127, 128, 129, 255, 256, 257, 1000, 2047, 2048, 4095, 4096};
  for (int64_t n = 1; n <= 70; ++n) lengths.push_back(n);
  return lengths;
}

Values SoftmaxWant(const Sample& s) {
  Values want(s.first.size());
  const size_t n = s.columns();
  const std::unique_ptr<bool[]> mask(new bool[n]);
  for (size_t first = 0; first < want.size(); first += n) {
    for (size_t j = 0; j < n; ++j) mask[j] = s.mask[first + j] != 0;
    SoftmaxReference(n, &s.first[first], mask.get(), s.scale, &want[first]);
  }
  return want;
}

void ExpectFloatForward(const Sample& s, bool only_fused = false) {
  const Values want = SoftmaxWant(s);
  ForEachTarget([&] {
    if (only_fused && !HasFusedMultiplyAdd(ActiveTarget())) return;
    const Values got = Forward(ACL_FLOAT, s);
    for (size_t i = 0; i < want.size(); ++i) {
      // Results below the smallest normal number are 0, but the last ULP decides which of them are below.
      if (std::min(want[i], got[i]) == 0 && std::max(want[i], got[i]) <= 0x1p-126 * (1 + 5 * 0x1p-23)) continue;
      const float rounded = static_cast<float>(got[i]);
      const auto result = testing::WithinUlp(ACL_FLOAT, want[i], &rounded, 5);
      ASSERT_TRUE(result) << result.message() << " at element " << i << " of " << s.columns() << " columns";
    }
  });
}

// Products with a tiny y are subnormal, and scale magnifies their rounding error.
TEST_F(ScaledMaskedSoftmax, ScalesWhatSubnormalProductsLose) {
  const Values grad = {0x1.9f35dep-1, 0x1.20cf08p-2}, y = {0x1.ad852p-129, 1};
  for (const double scale : {13.0 / 3, 100.0})
    testing::ExpectRight(Operators()[1], ACL_FLOAT, {{"gradOutput", grad}, {"y", y}}, {{"scale", scale}});
}

// Long rows of 16 bits take fewer steps where scale and sum allow it.
TEST_F(ScaledMaskedSoftmax, LongNarrowRowsTakeAnyScaleAndSum) {
  Values grad(200), y(200);
  for (double& value : grad) value = random_.Real(-2, 2);
  for (double& value : y) value = random_.Real(0, 0.01);
  y[1] = 0.5;
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    for (const double first : {1.0, dtype == ACL_BF16 ? 1e31 : 6e4, dtype == ACL_BF16 ? 3e38 : 6e4, kInf, kNan}) {
      grad[1] = first;
      for (const double scale : {1.0, -0.125, 0x1p-20, 0x1p-21, 3.0, 1e-30, 0.0, kInf, kNan})
        testing::ExpectRight(Operators()[1], dtype, {{"gradOutput", grad}, {"y", y}}, {{"scale", scale}});
    }
  }
}

// Within 2 units (2^-23) of the terms; within 2.5 without fused multiply-add.
void ExpectFloatGradient(const Sample& s) {
  const size_t n = s.columns();
  ForEachTarget([&] {
    const Values got = Backward(ACL_FLOAT, s);
    const double units = HasFusedMultiplyAdd(ActiveTarget()) ? 2 : 2.5;
    for (size_t first = 0; first < got.size(); first += n) {
      const double sum = SumReference(n, &s.first[first], &s.second[first], false);
      const double magnitudes = SumReference(n, &s.first[first], &s.second[first], true);
      for (size_t i = first; i < first + n; ++i) {
        const double want = SoftmaxGradReference(s.first[i], s.second[i], s.mask[i] != 0, s.scale, sum);
        const double term = SoftmaxGradTerm(s.first[i], s.second[i], s.scale, magnitudes);
        ASSERT_LE(std::abs(got[i] - want), units * 0x1p-23 * term) << "element " << i << " of " << n << " columns";
      }
    }
  });
}

TEST_F(ScaledMaskedSoftmax, FloatStaysWithinItsUlpsForEveryLength) {
  for (const int64_t n : Lengths()) {
    const int64_t rows = n < 100 ? 37 : 3;
    for (const double size : {3.0, 60.0}) ExpectFloatForward(Scores(ACL_FLOAT, rows, n, size, 0.2));
    ExpectFloatGradient(Gradients(ACL_FLOAT, rows, n));
    for (int trial = 0; n >= 1000 && trial < 60; ++trial) {  // constant rows: every addition rounds the same way
      Sample s = Gradients(ACL_FLOAT, 1, n);
      s.first.assign(s.first.size(), s.first[0]), s.second.assign(s.second.size(), s.second[0]);
      ExpectFloatGradient(s);
    }
    if (HasFatalFailure()) return;
  }
}

// The largest score is far from zero, but only the differences from it matter.
TEST_F(ScaledMaskedSoftmax, FloatStaysWithinItsUlpsForScoresFarFromZero) {
  for (const int64_t n : {5, 16, 100, 1000}) {
    for (const double center : {-7000.0, -300.0, 90.0, 900.0, 1500.0, 8000.0}) {
      Sample s = Scores(ACL_FLOAT, 20, n, 40, 0.1);
      for (double& x : s.first) x = double{static_cast<float>((x + center) / s.scale)};
      ExpectFloatForward(s, std::abs(center) > 1000);  // promised up to 1024 without fused multiply-add
      if (HasFatalFailure()) return;
    }
  }
}

// Rounding may move the largest score further than an exponential can represent.
TEST_F(ScaledMaskedSoftmax, ScoresOfAnySizeHaveAShareInTheirRow) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
    for (const int64_t n : {2, 6, 16, 17, 100, 1000}) {
      Sample s = Scores(dtype, 110, n, 1, 0.1);
      for (size_t i = 0; i < s.first.size();) {
        // Adjacent floats, and pairs of equal ones, from 2^14 to the largest of float32.
        const int exponent = static_cast<int>(i / s.columns()) + 14;
        const double size = std::min(std::ldexp(random_.Real(1, 2), exponent) / s.scale, 3e38);
        for (const size_t end = i + s.columns(); i < end; ++i)
          s.first[i] = size * random_.Pick(Values{1, 1, 1 - 0x1p-23, 1 - 0x1p-7, 0.5, -1});
      }
      s.first = calls::Decode(dtype, calls::Encode(dtype, s.first));
      const Values want = SoftmaxWant(s);
      ForEachTarget([&] {
        if (!HasFusedMultiplyAdd(ActiveTarget())) return;  // without it, scores are rounded before they are compared
        const Values got = Forward(dtype, s);
        for (size_t i = 0; i < want.size(); ++i)
          ASSERT_NEAR(got[i], want[i], (dtype == ACL_FLOAT ? 1e-5 : 0x1p-7) * want[i]) << n << " columns, " << i;
      });
      if (HasFatalFailure()) return;
    }
  }
}

// Targets with fused multiply-add sum rows in the same order, whatever the width of their registers.
TEST_F(ScaledMaskedSoftmax, TargetsWithFusedMultiplyAddGiveTheSameBits) {
  if (testing::TestedTargets().size() == 1) GTEST_SKIP() << "one instruction set";
  for (const aclDataType dtype : kAllDtypes) {
    for (const int64_t n : Lengths()) {
      const Sample scores = Scores(dtype, 35, n, 20, 0.2), gradients = Gradients(dtype, 35, n);
      std::vector<std::byte> y, out;
      ForEachTarget([&] {
        if (!HasFusedMultiplyAdd(ActiveTarget())) return;
        const std::vector<std::byte> got_y = calls::Encode(dtype, Forward(dtype, scores));
        const std::vector<std::byte> got_out = calls::Encode(dtype, Backward(dtype, gradients));
        if (y.empty()) y = got_y, out = got_out;
        EXPECT_TRUE(got_y == y && got_out == out) << n << " columns, dtype " << dtype;
      });
    }
  }
}

}  // namespace
}  // namespace portacl::ops::scaled_masked_softmax
