// SPDX-License-Identifier: Apache-2.0
//
// Both operators against the float64 reference, on every instruction set and for every length at which the way through
// the kernel changes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/target.h"
#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_oracle.h"
#include "ops/fused/scaled_masked_softmax/scaled_masked_softmax_test_support.h"
#include "testing/random.h"
#include "testing/ulp.h"

namespace portacl::ops::scaled_masked_softmax {
namespace {

using testing::ForEachTarget;

bool HasFusedMultiplyAdd() {
  const std::string target = TargetName(ActiveTarget());
  return target != "SSE4" && target != "EMU128";
}

std::vector<int64_t> Lengths() {
  std::vector<int64_t> lengths;
  for (int64_t n = 1; n <= 70; ++n) lengths.push_back(n);
  for (const int64_t n : {127, 128, 129, 255, 256, 257, 1000, 2047, 2048, 4095, 4096}) lengths.push_back(n);
  return lengths;
}

struct Sample {
  int64_t rows;
  int64_t columns;
  Values first;   // x, or gradOutput
  Values second;  // y
  Mask mask;
  double scale;
};

class SoftmaxAccuracy : public DeviceTest {
 protected:
  // Elements are rounded to the dtype.
  Values Draw(aclDataType dtype, int64_t count, double low, double high) {
    Values values(static_cast<size_t>(count));
    for (double& value : values) value = random_.Real(low, high);
    return Decode(dtype, Encode(dtype, values));
  }
  // Also stretches of registers without a masked element, which are computed without the mask.
  Mask DrawMask(int64_t count, double share) {
    Mask mask(static_cast<size_t>(count));
    for (size_t i = 0; i < mask.size();) {
      const double share_here = random_.Chance(0.4) ? 0 : share;
      const size_t end = std::min(mask.size(), i + static_cast<size_t>(random_.Between(1, 300)));
      for (; i < end; ++i) mask[i] = static_cast<uint8_t>(random_.Chance(share_here) ? random_.Between(1, 255) : 0);
    }
    return mask;
  }
  // Scores of the size that attention has, and so far apart that results reach the smallest normal number.
  Sample Scores(aclDataType dtype, int64_t rows, int64_t columns, double size, double share) {
    const int64_t count = rows * columns;
    return {rows, columns, Draw(dtype, count, -size, size), {}, DrawMask(count, share), random_.Real(0.05, 1.5)};
  }
  // y as the forward operator would give it: positive rows that sum to about one.
  Sample Gradients(aclDataType dtype, int64_t rows, int64_t columns, double size) {
    const int64_t count = rows * columns;
    const double high = 2 / static_cast<double>(columns);
    return {rows,
            columns,
            Draw(dtype, count, -size, size),
            Draw(dtype, count, 0, high),
            DrawMask(count, 0.2),
            random_.Real(-2, 2)};
  }

  testing::Random random_;
};

Values SoftmaxWant(const Sample& sample) {
  Values want(sample.first.size());
  const auto n = static_cast<size_t>(sample.columns);
  const std::unique_ptr<bool[]> mask(new bool[n]);
  for (size_t first = 0; first < want.size(); first += n) {
    for (size_t j = 0; j < n; ++j) mask[j] = sample.mask[first + j] != 0;
    SoftmaxReference(n, &sample.first[first], mask.get(), sample.scale, &want[first]);
  }
  return want;
}

void GradientWant(const Sample& sample, Values* want, Values* terms) {
  want->resize(sample.first.size());
  terms->resize(sample.first.size());
  const auto n = static_cast<size_t>(sample.columns);
  for (size_t first = 0; first < want->size(); first += n) {
    const double sum = SumReference(n, &sample.first[first], &sample.second[first], false);
    const double magnitudes = SumReference(n, &sample.first[first], &sample.second[first], true);
    for (size_t i = first; i < first + n; ++i) {
      (*want)[i] = SoftmaxGradReference(sample.first[i], sample.second[i], sample.mask[i] != 0, sample.scale, sum);
      (*terms)[i] = SoftmaxGradTerm(sample.first[i], sample.second[i], sample.scale, magnitudes);
    }
  }
}

// Results below the smallest normal number are 0, but which of them is below is a matter of the last ULP.
bool IsLastNormal(double want, double got) {
  return std::min(want, got) == 0 && std::max(want, got) <= 0x1p-126 * (1 + 5 * 0x1p-23);
}

void ExpectFloat(const Values& want, const Values& got) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (IsLastNormal(want[i], got[i])) continue;
    const float rounded = static_cast<float>(got[i]);
    const auto result = testing::WithinUlp(ACL_FLOAT, want[i], &rounded, 5);
    ASSERT_TRUE(result) << result.message() << " at element " << i;
  }
}

// Within two units (2^-23) of the terms, two and a half where nothing is fused.
void ExpectFloatGradient(const Values& want, const Values& terms, const Values& got) {
  const double units = HasFusedMultiplyAdd() ? 2 : 2.5;
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_LE(std::abs(got[i] - want[i]), units * 0x1p-23 * terms[i]) << "element " << i << ": want " << want[i];
  }
}

TEST_F(SoftmaxAccuracy, FloatStaysWithinItsUlps) {
  for (const int64_t n : Lengths()) {
    SCOPED_TRACE(n);
    const int64_t rows = n < 100 ? 37 : 3;
    for (const double size : {3.0, 60.0}) {
      const Sample sample = Scores(ACL_FLOAT, rows, n, size, 0.2);
      const Values want = SoftmaxWant(sample);
      ForEachTarget(
          [&] { ExpectFloat(want, SoftmaxValues(ACL_FLOAT, rows, sample.first, sample.mask, sample.scale)); });
      if (HasFatalFailure()) return;
    }
  }
}

// The largest score is far from zero, and the difference to it is what counts.
TEST_F(SoftmaxAccuracy, FloatStaysWithinItsUlpsForScoresFarFromZero) {
  for (const int64_t n : {5, 16, 100, 1000}) {
    for (const double center : {-7000.0, -300.0, 90.0, 900.0, 1500.0, 8000.0}) {
      Sample sample = Scores(ACL_FLOAT, 20, n, 40, 0.1);
      for (double& x : sample.first) x = double{static_cast<float>((x + center) / sample.scale)};
      const Values want = SoftmaxWant(sample);
      ForEachTarget([&] {
        if (std::abs(center) > 1000 && !HasFusedMultiplyAdd()) return;  // promised up to 1024 there
        ExpectFloat(want, SoftmaxValues(ACL_FLOAT, 20, sample.first, sample.mask, sample.scale));
      });
      if (HasFatalFailure()) return;
    }
  }
}

// The largest score, rounded, may be further from what it was than any exponential reaches.
TEST_F(SoftmaxAccuracy, ScoresOfAnySizeHaveAShareInTheirRow) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
    for (const int64_t n : {2, 6, 16, 17, 100, 1000}) {
      Sample sample = Scores(dtype, 110, n, 1, 0.1);
      for (int64_t row = 0; row < 110; ++row) {
        // Neighbours, and pairs of equals, from 2^14 to what float32 ends with.
        const double size = std::min(std::ldexp(random_.Real(1, 2), static_cast<int>(row) + 14) / sample.scale, 3e38);
        for (int64_t j = 0; j < n; ++j) {
          sample.first[static_cast<size_t>(row * n + j)] =
              size * random_.Pick(std::vector<double>{1, 1, 1 - 0x1p-23, 1 - 0x1p-7, 0.5, -1});
        }
      }
      sample.first = Decode(dtype, Encode(dtype, sample.first));
      const Values want = SoftmaxWant(sample);
      ForEachTarget([&] {
        if (!HasFusedMultiplyAdd()) return;  // where scores are rounded before they are compared
        const Values got = SoftmaxValues(dtype, 110, sample.first, sample.mask, sample.scale);
        for (size_t i = 0; i < want.size(); ++i)
          ASSERT_NEAR(got[i], want[i], dtype == ACL_FLOAT ? 1e-5 * want[i] : 0x1p-7 * want[i])
              << n << " columns, " << i;
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(SoftmaxAccuracy, FloatGradientStaysWithinTwoUnitsOfItsTerms) {
  for (const int64_t n : Lengths()) {
    SCOPED_TRACE(n);
    const int64_t rows = n < 100 ? 37 : 3;
    const Sample sample = Gradients(ACL_FLOAT, rows, n, 1);
    Values want, terms;
    GradientWant(sample, &want, &terms);
    ForEachTarget([&] {
      const Values got = BackwardValues(ACL_FLOAT, rows, sample.first, sample.second, sample.mask, sample.scale);
      ExpectFloatGradient(want, terms, got);
    });
    if (HasFatalFailure()) return;
  }
}

// Where every addition rounds the same way.
TEST_F(SoftmaxAccuracy, FloatGradientOfConstantRowsStaysWithinTwoUnitsOfItsTerms) {
  for (const int64_t n : {1000, 2047, 4096}) {
    for (int trial = 0; trial < 60; ++trial) {
      Sample sample = Gradients(ACL_FLOAT, 1, n, 1);
      std::fill(sample.first.begin(), sample.first.end(), sample.first[0]);
      std::fill(sample.second.begin(), sample.second.end(), sample.second[0]);
      Values want, terms;
      GradientWant(sample, &want, &terms);
      ForEachTarget([&] {
        const Values got = BackwardValues(ACL_FLOAT, 1, sample.first, sample.second, sample.mask, sample.scale);
        ExpectFloatGradient(want, terms, got);
      });
      if (HasFatalFailure()) return;
    }
  }
}

// Within 1 ULP, of the terms where those are larger, and the nearest value but for one result in 200.
void ExpectNearest(aclDataType dtype, const Values& want, const Values& terms, const Values& got) {
  const Bytes nearest = Encode(dtype, want);
  const Bytes bytes = Encode(dtype, got);
  size_t others = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::memcmp(&nearest[2 * i], &bytes[2 * i], 2) == 0 || (want[i] == 0 && got[i] == 0)) continue;
    if (terms.empty() && IsLastNormal(want[i], got[i])) continue;
    const auto within = testing::WithinUlp(dtype, want[i], &bytes[2 * i], 1, {}, terms.empty() ? 0 : terms[i]);
    ASSERT_TRUE(within) << within.message() << " at element " << i;
    ++others;
  }
  EXPECT_LE(static_cast<double>(others), 0.005 * static_cast<double>(want.size()));
}

TEST_F(SoftmaxAccuracy, NarrowResultsAreTheNearest) {
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    for (const int64_t n : {3, 7, 16, 63, 64, 100, 1000, 4096}) {
      SCOPED_TRACE(::testing::Message() << "dtype " << dtype << ", " << n << " columns");
      const int64_t rows = 20000 / n + 20;
      for (const double size : {3.0, 60.0}) {
        const Sample sample = Scores(dtype, rows, n, size, 0.2);
        const Values want = SoftmaxWant(sample);
        ForEachTarget([&] {
          ExpectNearest(dtype, want, {}, SoftmaxValues(dtype, rows, sample.first, sample.mask, sample.scale));
        });
      }
      const Sample sample = Gradients(dtype, rows, n, 1);
      Values want, terms;
      GradientWant(sample, &want, &terms);
      ForEachTarget([&] {
        ExpectNearest(dtype, want, terms,
                      BackwardValues(dtype, rows, sample.first, sample.second, sample.mask, sample.scale));
      });
      if (HasFatalFailure()) return;
    }
  }
}

// Targets with fused multiply-add, which add up rows in the same order whatever the width of their registers.
TEST_F(SoftmaxAccuracy, TargetsWithFusedMultiplyAddGiveTheSameBits) {
  for (const aclDataType dtype : kAllDtypes) {
    for (const int64_t n : Lengths()) {
      const Sample scores = Scores(dtype, 35, n, 20, 0.2);
      const Sample gradients = Gradients(dtype, 35, n, 1);
      const calls::Dims shape = {1, 1, 35, n};
      Bytes first_y, first_out;
      ForEachTarget([&] {
        if (!HasFusedMultiplyAdd()) return;
        const Bytes y = SoftmaxBytes(dtype, shape, Encode(dtype, scores.first), shape, scores.mask, scores.scale);
        const Bytes out = BackwardBytes(dtype, shape, Encode(dtype, gradients.first), Encode(dtype, gradients.second),
                                        shape, gradients.mask, gradients.scale);
        if (first_y.empty()) first_y = y, first_out = out;
        EXPECT_TRUE(y == first_y && out == first_out) << n << " columns, dtype " << dtype;
      });
    }
  }
}

}  // namespace
}  // namespace portacl::ops::scaled_masked_softmax
