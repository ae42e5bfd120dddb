// SPDX-License-Identifier: Apache-2.0
//
// Errors relative to the formulas in long double, for batches of the size of speech recognition.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/target.h"
#include "ops/loss/ctc_loss/ctc_loss_test_support.h"
#include "testing/sample_size.h"
#include "testing/ulp.h"

namespace portacl::ops::ctc_loss {
namespace {

class CtcLossAccuracy : public DeviceTest {
 protected:
  // Typical output of a trained model: nearly all probability is on one alignment, and the loss is small.
  static Batch AlignedBatch(testing::Random& random, int64_t steps, int64_t classes, int64_t labels) {
    Batch batch = RandomBatch(random, steps, 1, classes, labels, 1);
    for (int64_t t = 0; t < steps; ++t) {
      const int64_t state = t * (2 * labels + 1) / steps;
      const int64_t likely = state % 2 == 0 ? batch.blank : batch.labels[0][static_cast<size_t>(state / 2)];
      const double rest = random.Real(1e-5, 1e-3);
      double sum = 0;
      double* const row = &batch.log_probs[static_cast<size_t>(t * classes)];
      for (int64_t c = 0; c < classes; ++c) sum += c == likely ? 0 : std::exp(row[c]);
      for (int64_t c = 0; c < classes; ++c) row[c] = c == likely ? std::log1p(-rest) : row[c] + std::log(rest / sum);
    }
    return batch;
  }

  // Each step and state takes two logarithms in long double, which are slow in software on an emulated machine.
  static constexpr int64_t kShorter = testing::SampleSize(16) == 16 ? 1 : 4;

  static std::vector<Batch> Batches(testing::Random& random, bool all) {
    constexpr int64_t kSteps = 150 / kShorter;
    constexpr int64_t kLabels = 30 / kShorter;
    std::vector<Batch> batches = {
        RandomBatch(random, 50, 1, 20, 10, 1),          RandomBatch(random, kSteps, 1, 29, kLabels, 1),
        RandomBatch(random, kSteps, 1, 29, kLabels, 6), AlignedBatch(random, kSteps, 29, kLabels),
        RandomBatch(random, 20, 1, 500, 8, 4),          AlignedBatch(random, 400 / kShorter, 40, 60 / kShorter)};
    if (!all) return batches;
    constexpr int64_t kManySteps = testing::SampleSize(1600);
    constexpr int64_t kManyLabels = testing::SampleSize(400);
    batches.push_back(RandomBatch(random, kManySteps, 1, 64, kManyLabels, 1));
    batches.push_back(RandomBatch(random, kManySteps, 1, 64, kManyLabels, 5));
    batches.push_back(AlignedBatch(random, kManySteps, 64, kManyLabels));
    return batches;
  }

  static bool IsBestTarget() { return ActiveTarget() == UsableTargets().front(); }
};

TEST_F(CtcLossAccuracy, LossAndAlpha) {
  testing::Random random;
  ForEachTarget([&] {
    for (Batch& batch : Batches(random, IsBestTarget())) {
      for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE}) {
        batch.dtype = dtype;
        batch.RoundToDtype();
        const ForwardResult want = ForwardReference(batch.Sample(0));
        const Forward got = RunForward(batch);
        // Half an ULP of float32, plus the error of the recursion; logarithms of alpha are computed in float32.
        const double limit = dtype == ACL_FLOAT ? 1e-7 : 1e-12;
        const double limit_of_alpha = dtype == ACL_FLOAT ? 1.5e-7 : 1e-12;
        EXPECT_TRUE(Near(static_cast<double>(want.loss), got.loss[0], 0, limit)) << batch.steps << " steps";
        const int64_t states = batch.Sample(0).states();
        for (int64_t t = 0; t < batch.steps; ++t) {
          for (int64_t s = 0; s < states; ++s) {
            const double alpha = static_cast<double>(want.alpha[static_cast<size_t>(t * states + s)]);
            ASSERT_TRUE(
                Near(alpha, got.alpha[static_cast<size_t>(t * batch.columns() + s)], limit * 1e-2, limit_of_alpha))
                << "t " << t << ", s " << s << ", dtype " << dtype;
          }
        }
      }
    }
  });
}

// If alpha is just above 1 plus a power of two, its logarithm in float32 has a finer resolution than alpha - 1.
TEST_F(CtcLossAccuracy, AlphaNearOne) {
  testing::Random random;
  Batch batch = RandomBatch(random, 2, testing::SampleSize(4000), 2, 1, 1);
  for (double& x : batch.log_probs) x = random.Real(-0.25, 0.21);
  batch.RoundToDtype();
  const int64_t samples = batch.samples(), columns = batch.columns();
  ForEachTarget([&] {
    const Forward got = RunForward(batch);
    double largest = 0;
    for (int64_t i = 0; i < samples; ++i) {
      const auto at = [&](int64_t t) { return batch.log_probs[static_cast<size_t>(2 * (t * samples + i))]; };
      const double want = at(0) + at(1);  // only blanks
      const double unit = std::ldexp(1.0, std::ilogb(std::max(std::abs(want), 2.0 / 256)) - 23);
      const double alpha = got.alpha[static_cast<size_t>((i * 2 + 1) * columns)];
      largest = std::max(largest, std::abs(alpha - want) / unit);
    }
    EXPECT_LE(largest, 1.1);
  });
}

TEST_F(CtcLossAccuracy, GradientOfGivenAlpha) {
  testing::Random random;
  ForEachTarget([&] {
    for (Batch& batch : Batches(random, IsBestTarget())) {
      for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE}) {
        batch.dtype = dtype;
        batch.RoundToDtype();
        const Forward forward = RunForward(batch);
        const std::vector<GradientElement> want =
            BackwardReference(batch.Sample(0), 0.75L, forward.loss[0], forward.alpha, batch.columns());
        const Values got = RunBackward(batch, {0.75}, forward.loss, forward.alpha);
        for (size_t i = 0; i < want.size(); ++i) {
          const double value = static_cast<double>(want[i].value);
          const double term = static_cast<double>(want[i].term);
          ASSERT_LE(std::abs(got[i] - value), (dtype == ACL_FLOAT ? 0x1p-22 : 1e-12) * term + 1e-37)
              << "element " << i << ", dtype " << dtype << ", steps " << batch.steps;
        }
      }
    }
  });
}

// With few classes whole rows are read, unless a class in a block of steps, or a state of alpha, is far away in memory.
TEST_F(CtcLossAccuracy, GradientOfRowsOfWhichSomeAreFar) {
  testing::Random random;
  const Batch ordinary = RandomBatch(random, 40, 1, 20, 30, 1);
  ForEachTarget([&] {
    for (const double far : {-500.0, 3.0, -kInfinity, kNan}) {
      for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
        for (const int64_t at : {1, 7, 8, 39}) {
          Batch batch = ordinary;
          batch.dtype = dtype;
          for (int64_t& label : batch.labels[0]) label = 1 + label % 9;
          batch.log_probs[static_cast<size_t>(at * batch.classes + 15)] = far;
          batch.RoundToDtype();
          Forward forward = RunForward(batch);
          forward.alpha[static_cast<size_t>((at + 2) % 40 * batch.columns())] = 1000;
          forward.alpha = calls::Decode(dtype, calls::Encode(dtype, forward.alpha));
          const std::vector<GradientElement> want =
              BackwardReference(batch.Sample(0), 1, forward.loss[0], forward.alpha, batch.columns());
          const Values got = RunBackward(batch, {1}, forward.loss, forward.alpha);
          for (size_t i = 0; i < want.size(); ++i) {
            const double epsilon = dtype == ACL_FLOAT ? 0x1p-22 : 0x1p-8;
            ASSERT_TRUE(Near(static_cast<double>(want[i].value), got[i],
                             std::isfinite(want[i].term) ? epsilon * static_cast<double>(want[i].term) + 1e-37 : 0, 0))
                << "element " << i << ", dtype " << dtype << ", step " << at << ", " << far;
          }
        }
      }
    }
  });
}

TEST_F(CtcLossAccuracy, GradientOfItsOwnAlpha) {
  testing::Random random;
  for (Batch& batch : Batches(random, true)) {
    batch.RoundToDtype();
    const ForwardResult forward = ForwardReference(batch.Sample(0));
    const Values alpha(forward.alpha.begin(), forward.alpha.end());
    const std::vector<GradientElement> want =
        BackwardReference(batch.Sample(0), 1, forward.loss, alpha, batch.Sample(0).states());
    const Values got = Gradient(batch, {1});
    double worst = 0;
    for (size_t i = 0; i < want.size(); ++i)
      worst = std::max(worst, std::abs(got[i] - static_cast<double>(want[i].value)));
    // The effect of rounding alpha and the loss, half an ULP each.
    EXPECT_LE(worst, 0x1p-23 * static_cast<double>(forward.loss) + 2.5e-7) << batch.steps << " steps";
  }
}

// The 16-bit dtypes compute the same as FLOAT and round the result.
TEST_F(CtcLossAccuracy, NarrowTypesAreRoundedOnce) {
  testing::Random random;
  ForEachTarget([&] {
    for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
      for (Batch& narrow : Batches(random, false)) {
        narrow.dtype = dtype;
        narrow.RoundToDtype();
        Batch wide = narrow;
        wide.dtype = ACL_FLOAT;
        const auto rounded = [&](const Values& values) { return calls::Decode(dtype, calls::Encode(dtype, values)); };
        const Forward got = RunForward(narrow);
        const Forward want = RunForward(wide);
        EXPECT_EQ(got.loss, rounded(want.loss));
        EXPECT_EQ(got.alpha, rounded(want.alpha));
        EXPECT_EQ(RunBackward(narrow, {0.5}, got.loss, got.alpha),
                  rounded(RunBackward(wide, {0.5}, got.loss, got.alpha)));
      }
    }
  });
}

#ifdef __SANITIZE_ADDRESS__
constexpr int64_t kLongest = 12800 / 4;
#else
constexpr int64_t kLongest = testing::SampleSize(12800);
#endif

// Nothing underflows, however long a sample is. The reference is computed in float64: long double would take a minute.
TEST_F(CtcLossAccuracy, LongSamplesOfSmallProbabilities) {
  testing::Random random;
  Batch batch = RandomBatch(random, kLongest, 1, 4, 2000 * kLongest / 12800, 1);
  for (double& lp : batch.log_probs) {
    if (random.Chance(0.3)) lp = -random.Real(100, 1e4);
  }
  batch.RoundToDtype();
  const Forward forward = RunForward(batch);
  double loss = 0;
  const std::vector<GradientElement> want =
      BackwardReference<double>(batch.Sample(0), 1, forward.loss[0], forward.alpha, batch.columns(), &loss);
  ASSERT_TRUE(std::isfinite(loss));
  EXPECT_TRUE(Near(loss, forward.loss[0], 0, 3e-7));
  const Values got = RunBackward(batch, {1}, forward.loss, forward.alpha);
  for (size_t i = 0; i < got.size(); ++i) {
    const double limit = 0x1p-22 * static_cast<double>(want[i].term) + 1e-37;
    ASSERT_TRUE(Near(static_cast<double>(want[i].value), got[i], limit, 0)) << "element " << i;
  }
}

}  // namespace
}  // namespace portacl::ops::ctc_loss
