// SPDX-License-Identifier: Apache-2.0
//
// Infinities, NaN and inputs that contradict each other, compared with the formulas in logarithms. Scaled steps:
// ordinary samples use them, and they end where they must, with correct states.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/target.h"
#include "ops/loss/ctc_loss/ctc_loss_sample.h"
#include "ops/loss/ctc_loss/ctc_loss_test_support.h"
#include "testing/sample_size.h"
#include "testing/thread_count.h"
#include "testing/ulp.h"

namespace portacl::ops::ctc_loss {
namespace {

class CtcLossSpecial : public DeviceTest {
 protected:
  // Includes labels, lengths and blanks that the interface forbids but that no check refuses.
  static Batch HostileBatch(testing::Random& random) {
    const int64_t classes = random.Between(1, 6);
    const int64_t steps = random.Between(1, 9);
    Batch batch = RandomBatch(random, steps, 3, std::max<int64_t>(classes, 2), random.Between(0, 6), 2);
    batch.blank = random.Between(0, batch.classes - 1);
    batch.zero_infinity = random.Chance(0.5);
    batch.is_joined = random.Chance(0.5);
    for (int64_t& length : batch.input_lengths) length = random.Between(0, steps);
    for (auto& target : batch.labels) {
      for (int64_t& label : target) label = random.Between(random.Chance(0.1) ? -1 : 0, batch.classes - 1);
      target.resize(static_cast<size_t>(random.Between(0, static_cast<int64_t>(target.size()))));
    }
    return batch;
  }
  static double Special(testing::Random& random) {
    return random.Pick(Values{kNan, kInfinity, -kInfinity, -kInfinity, 0, 3, -2000, 40});
  }
};

TEST_F(CtcLossSpecial, ForwardFollowsTheLogarithms) {
  testing::Random random;
  ForEachTarget([&] {
    for (int round = 0; round < 300; ++round) {
      Batch batch = HostileBatch(random);
      batch.dtype = round % 2 == 0 ? ACL_FLOAT : ACL_DOUBLE;
      const double special = random.Real(0, 0.3);
      for (double& lp : batch.log_probs) lp = random.Chance(special) ? Special(random) : lp;
      batch.RoundToDtype();
      const Forward forward = RunForward(batch);
      const double limit = batch.dtype == ACL_FLOAT ? 3e-7 : 1e-12;
      for (int64_t b = 0; b < 3; ++b) {
        const ForwardResult want = ForwardReference(batch.Sample(b));
        const int64_t states = batch.Sample(b).states();
        ASSERT_TRUE(Near(static_cast<double>(want.loss), forward.loss[static_cast<size_t>(b)], limit, limit))
            << "round " << round << ", sample " << b;
        for (int64_t t = 0; t < batch.steps; ++t) {
          for (int64_t s = 0; s < batch.columns(); ++s) {
            const double alpha =
                s < states ? static_cast<double>(want.alpha[static_cast<size_t>(t * states + s)]) : -kInfinity;
            const double got = forward.alpha[static_cast<size_t>((b * batch.steps + t) * batch.columns() + s)];
            ASSERT_TRUE(Near(alpha, got, limit, limit))
                << "round " << round << ", sample " << b << ", t " << t << ", s " << s;
          }
        }
      }
    }
  });
}

TEST_F(CtcLossSpecial, ImpossibleClassesHaveNoGradientInAnyDtype) {
  testing::Random random;
  ForEachTarget([&] {
    for (const aclDataType dtype : kAllDtypes) {
      Batch batch = RandomBatch(random, 6, 2, 70, 2, 1);
      batch.dtype = dtype;
      // Infinities only in classes that do not occur, so that losses are finite.
      const auto occurs = [&](int64_t sample, int64_t c) {
        const auto& labels = batch.labels[static_cast<size_t>(sample)];
        return c == batch.blank || std::find(labels.begin(), labels.end(), c) != labels.end();
      };
      for (size_t i = 0; i < batch.log_probs.size(); ++i) {
        const auto place = static_cast<int64_t>(i);
        if (!occurs(place / batch.classes % 2, place % batch.classes) && random.Chance(0.3))
          batch.log_probs[i] = -kInfinity;
      }
      batch.RoundToDtype();
      const Forward forward = RunForward(batch);
      const Values got = RunBackward(batch, {1, 2}, forward.loss, forward.alpha);
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(std::isnan(got[i]), batch.log_probs[i] == -kInfinity) << "dtype " << dtype << ", element " << i;
    }
  });
}

TEST_F(CtcLossSpecial, BackwardFollowsTheLogarithms) {
  testing::Random random;
  ForEachTarget([&] {
    for (int round = 0; round < 600; ++round) {
      Batch batch = HostileBatch(random);
      batch.dtype = round % 2 == 0 ? ACL_FLOAT : ACL_DOUBLE;
      batch.RoundToDtype();
      const Forward forward = RunForward(batch);
      Values nll = forward.loss;
      Values alpha = forward.alpha;
      Values grad = {1, -0.5, 2};
      // Special values in no operand, or in some elements of all.
      const double special = random.Chance(0.3) ? 0 : random.Real(0, 0.3);
      for (double& lp : batch.log_probs) lp = random.Chance(special) ? Special(random) : lp;
      for (double& value : alpha)
        value = random.Chance(special) ? random.Chance(0.5) ? Special(random) : random.Real(-9, 3) : value;
      for (double& value : nll) value = random.Chance(special) ? Special(random) : value;
      for (double& value : grad) value = random.Chance(special / 2) ? random.Pick(Values{kNan, 0, 3}) : value;
      batch.RoundToDtype();
      for (Values* values : {&alpha, &nll, &grad})
        *values = calls::Decode(batch.dtype, calls::Encode(batch.dtype, *values));
      const Values got = RunBackward(batch, grad, nll, alpha);
      for (int64_t b = 0; b < 3; ++b) {
        const auto from = alpha.begin() + b * batch.steps * batch.columns();
        const std::vector<GradientElement> want =
            BackwardReference(batch.Sample(b), grad[static_cast<size_t>(b)], nll[static_cast<size_t>(b)],
                              {from, from + batch.steps * batch.columns()}, batch.columns());
        for (int64_t t = 0; t < batch.steps; ++t) {
          for (int64_t c = 0; c < batch.classes; ++c) {
            const GradientElement& element = want[static_cast<size_t>(t * batch.classes + c)];
            const double value = got[static_cast<size_t>((t * 3 + b) * batch.classes + c)];
            const double term = std::isfinite(element.term) ? static_cast<double>(element.term) : 0;
            const bool fits =
                batch.dtype == ACL_FLOAT
                    ? static_cast<bool>(testing::WithinUlp(
                          ACL_FLOAT, element.value, Bytes(calls::Encode(ACL_FLOAT, {value})).data(), 3, {}, term))
                    : static_cast<bool>(Near(static_cast<double>(element.value), value, 1e-12 * std::abs(term), 1e-12));
            ASSERT_TRUE(fits) << "round " << round << ", sample " << b << ", t " << t << ", class " << c << ": want "
                              << element.value << ", got " << value << ", dtype " << batch.dtype << ", nll "
                              << nll[static_cast<size_t>(b)];
          }
        }
      }
    }
  });
}

// Samples do not affect each other: a sample full of NaN leaves the others unchanged.
TEST_F(CtcLossSpecial, SamplesAreIndependent) {
  testing::Random random;
  Batch batch = RandomBatch(random, 20, 3, 6, 5, 1);
  const Forward clean = RunForward(batch);
  const Values want = RunBackward(batch, {1, 1, 1}, clean.loss, clean.alpha);
  Values alpha = clean.alpha;
  for (int64_t t = 0; t < 20; ++t) {
    for (int64_t c = 0; c < 6; ++c) batch.log_probs[static_cast<size_t>((t * 3 + 1) * 6 + c)] = kNan;
    for (int64_t s = 0; s < batch.columns(); ++s) alpha[static_cast<size_t>((20 + t) * batch.columns() + s)] = kNan;
  }
  const Forward forward = RunForward(batch);
  EXPECT_TRUE(std::isnan(forward.loss[1]));
  const Values got = RunBackward(batch, {1, kNan, 1}, {clean.loss[0], kNan, clean.loss[2]}, alpha);
  for (size_t b : {0u, 2u}) {
    EXPECT_EQ(forward.loss[b], clean.loss[b]);
    for (size_t t = 0; t < 20; ++t) {
      for (size_t c = 0; c < 6; ++c) EXPECT_EQ(got[(t * 3 + b) * 6 + c], want[(t * 3 + b) * 6 + c]);
    }
  }
}

TEST_F(CtcLossSpecial, IgnoresWhatLiesBehindTheEndOfASample) {
  testing::Random random;
  Batch batch = RandomBatch(random, 12, 1, 4, 3, 1);
  batch.input_lengths = {7};
  const Forward forward = RunForward(batch);
  const Values want = RunBackward(batch, {1}, forward.loss, forward.alpha);
  Values alpha = forward.alpha;
  for (size_t i = 7 * 4; i < 12 * 4; ++i) batch.log_probs[i] = kNan;
  for (size_t i = 7 * static_cast<size_t>(batch.columns()); i < alpha.size(); ++i) alpha[i] = kNan;
  EXPECT_EQ(RunForward(batch).bytes, forward.bytes);
  EXPECT_EQ(RunBackward(batch, {1}, forward.loss, alpha), want);
  for (size_t i = 7 * 4; i < 12 * 4; ++i) EXPECT_EQ(want[i], 0);
}

TEST_F(CtcLossSpecial, InfiniteGradientsGiveInfinities) {
  testing::Random random;
  const Batch batch = RandomBatch(random, 6, 1, 5, 2, 1);
  const Forward forward = RunForward(batch);
  const Values finite = RunBackward(batch, {1}, forward.loss, forward.alpha);
  ForEachTarget([&] {
    for (const double grad : {kInfinity, -kInfinity}) {
      const Values got = RunBackward(batch, {grad}, forward.loss, forward.alpha);
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_EQ(got[i], std::copysign(grad, finite[i] * grad)) << "element " << i;
    }
    // Also where float32 cannot represent the probability.
    Batch small = batch;
    small.log_probs[4] = -200;
    small.dtype = ACL_FLOAT;
    small.labels = {{1}};
    const Forward of_small = RunForward(small);
    EXPECT_EQ(RunBackward(small, {kInfinity}, of_small.loss, of_small.alpha)[4], kInfinity);
  });
}

// The scaled steps of the first sample of a batch, without the operator. Each label is a class of its own.
class CalledSample {
 public:
  explicit CalledSample(const Batch& batch) : sample_(batch.Sample(0)), labels_(sample_.labels.size()) {
    plan_.kernels = &KernelsFor(ACL_FLOAT, ActiveTarget());
    const auto lanes = static_cast<int64_t>(plan_.kernels->lanes);
    const int64_t pitch = 3 * lanes + static_cast<int64_t>(labels_ + 2);
    plan_.sizes = {.lanes = lanes, .pitch = pitch, .classes = pitch, .scaled = 1};
    Layout counts(plan_.sizes);
    const ScaledScratch counted(counts);
    scratch_.resize(static_cast<size_t>(counts.bytes()));
    skip_.resize(static_cast<size_t>(pitch));
    for (size_t j = 0; j < labels_; ++j) {
      class_of_.push_back(static_cast<int32_t>(j + 1));
      if (sample_.Skips(2 * static_cast<int64_t>(j) + 1)) skip_[j] = std::bit_cast<double>(~uint64_t{0});
    }
    class_of_.resize(static_cast<size_t>(pitch), 0);
    Layout layout(plan_.sizes, scratch_.data());
    steps_.emplace(plan_, ScaledScratch(layout));
    steps_->Begin(skip_.data(), labels_);
    steps_->SetClasses(class_of_.data(), 0);
    steps_->Reach(0, std::exp(LogProb(0, 0)), 0, std::exp(LogProb(0, 1)));
  }

  /// Computes step `t` of alpha and its logarithms; empty if the step is not scaled.
  std::vector<float> Forward(int64_t t) {
    std::vector<float> lp;
    for (size_t c = 0; c <= labels_; ++c) lp.push_back(static_cast<float>(LogProb(t, c)));
    std::vector<float> result(2 * labels_ + 1);
    steps_->TakeExponentials(t, 1, lp.data(), plan_.sizes.classes, labels_ + 1);
    ScaledBlock block = steps_->BlockOf(t, t + 1, std::min(labels_ + 1, static_cast<size_t>(t) + 1));
    block.log_alpha = result.data();
    return plan_.kernels->scaled.forward(steps_->step(), block) == 0 ? std::vector<float>() : result;
  }

  /// The logarithm of a state, as a pair.
  double StateBefore(size_t state) {
    std::vector<double> arrays(static_cast<size_t>(plan_.sizes.pitch * kRowArrays));
    const Row row(arrays.data() + plan_.kernels->lanes, plan_.sizes.pitch);
    steps_->CopyStates(0, row);
    const bool is_blank = state % 2 == 0;
    const double m = is_blank ? row.blank()[state / 2] : row.label()[state / 2];
    const double k = is_blank ? row.blank_exponent()[state / 2] : row.label_exponent()[state / 2];
    EXPECT_TRUE(m == 0 ? k == kZeroExponent : m >= 0x1p-129 && m < 0x1p129) << m;
    return std::log(m) + k * 256 * std::log(2);
  }

 private:
  // The log-probability of the blank, or of a label.
  double LogProb(int64_t t, size_t c) const {
    return sample_.LogProb(t, c == 0 ? sample_.blank : sample_.labels[c - 1]);
  }

  ReferenceSample sample_;
  size_t labels_;
  CtcPlan plan_ = {};
  std::vector<std::byte> scratch_;
  std::vector<double> skip_;
  std::vector<int32_t> class_of_;
  std::optional<ScaledSteps> steps_;
};

class CtcLossScaled : public DeviceTest {};

TEST_F(CtcLossScaled, StepsOfOrdinarySamples) {
  testing::Random random;
  constexpr int64_t kSteps = testing::SampleSize(300);
  ForEachTarget([&] {
    for (const double sharpness : {0.3, 1.0, 2.0}) {
      for (const int64_t labels : {1, 3, 4, 7, 8, 9, 40}) {
        Batch batch = RandomBatch(random, kSteps, 1, 30, labels, sharpness);
        batch.RoundToDtype();
        const ForwardResult want = ForwardReference(batch.Sample(0));
        CalledSample sample(batch);
        for (int64_t t = 1; t < kSteps; ++t) {
          const std::vector<float> got = sample.Forward(t);
          ASSERT_EQ(static_cast<int64_t>(got.size()), 2 * labels + 1) << "step " << t << ", sharpness " << sharpness;
          for (size_t s = 0; s < got.size(); ++s) {
            const auto alpha = static_cast<double>(want.alpha[static_cast<size_t>(t * (2 * labels + 1)) + s]);
            ASSERT_TRUE(Near(alpha, static_cast<double>(got[s]), 1e-9, 1.5e-7)) << "step " << t << ", state " << s;
          }
        }
      }
    }
  });
}

TEST_F(CtcLossScaled, AStepIsScaledWithinItsBounds) {
  testing::Random random;
  const Batch ordinary = RandomBatch(random, 2, 1, 30, 9, 1);
  ForEachTarget([&] {
    for (const double lp : {-88.0, -87.0, 0.0, 0.5, -88.01, 0.51, 90.0, -1e30, kInfinity, -kInfinity, kNan}) {
      for (const int64_t c : {ordinary.blank, ordinary.labels[0][0], ordinary.labels[0][8]}) {
        Batch batch = ordinary;
        batch.log_probs[static_cast<size_t>(batch.classes + c)] = lp;
        EXPECT_EQ(CalledSample(batch).Forward(1).empty(), !(lp >= -88 && lp <= 0.5)) << lp << ", class " << c;
      }
    }
  });
}

// States of one tile that differ too much, at any index and time.
TEST_F(CtcLossScaled, EndsWithTheStatesItHad) {
  testing::Random random;
  ForEachTarget([&] {
    int ends = 0;
    for (int round = 0; round < testing::SampleSize(64); ++round) {
      Batch batch = RandomBatch(random, 100, 1, 30, 40, 1);
      const int64_t from = random.Between(2, 60);
      for (int64_t t = from; t < batch.steps; ++t) {
        const int64_t likely = batch.labels[0][static_cast<size_t>(from / 2)];
        for (int64_t c = 0; c < batch.classes; ++c)
          batch.log_probs[static_cast<size_t>(t * batch.classes + c)] = c == likely ? -1e-3 : -random.Real(60, 88);
      }
      batch.RoundToDtype();
      const ForwardResult want = ForwardReference(batch.Sample(0));
      CalledSample sample(batch);
      int64_t t = 1;
      while (t < batch.steps && !sample.Forward(t).empty()) ++t;
      if (t == batch.steps) continue;
      ++ends;
      for (size_t s = 0; s < 81; ++s) {
        const auto alpha = static_cast<double>(want.alpha[static_cast<size_t>((t - 1) * 81) + s]);
        ASSERT_TRUE(Near(alpha, sample.StateBefore(s), 1e-7, 1e-9)) << "step " << t << ", state " << s;
      }
    }
    EXPECT_GT(ends, 0);
  });
}

// Results do not depend on where scaled steps ended, or on how often a thread started again.
TEST_F(CtcLossScaled, EndsForAnyNumberOfThreads) {
  testing::Random random;
  for (int round = 0; round < testing::SampleSize(16); ++round) {
    Batch batch = RandomBatch(random, 1200, 1, 40, 60, 2);
    batch.dtype = kAllDtypes[round / 4 % 4];
    // A step that is not scaled, states that are not, an alpha that is impossible, or none of these.
    const int64_t at = random.Between(1, batch.steps - 1);
    const int64_t kind = round % 4;
    for (int64_t t = at; kind == 1 && t < batch.steps; ++t) {
      for (int64_t c = 0; c < batch.classes; ++c)
        batch.log_probs[static_cast<size_t>(t * batch.classes + c)] = c == 1 ? -1e-3 : -random.Real(70, 88);
    }
    const int64_t far = at * batch.classes + round / 4 % 2 * 17;  // the blank, or another class
    if (kind == 2) batch.log_probs[static_cast<size_t>(far)] = random.Pick(Values{-500, 5, kInfinity, kNan});
    batch.RoundToDtype();
    Bytes want;
    for (const int threads : {1, 2, 3}) {
      const testing::ThreadCount count(threads);
      Forward forward = RunForward(batch);
      if (kind == 3) {
        for (int64_t s = 0; s < batch.columns(); s += 3)
          forward.alpha[static_cast<size_t>(at * batch.columns() + s)] = round % 8 == 3 ? 1e4 : kNan;
      }
      Bytes got = RunBackwardBytes(batch, {1}, forward.loss, forward.alpha);
      got.insert(got.end(), forward.bytes.begin(), forward.bytes.end());
      if (threads == 1) want = got;
      ASSERT_TRUE(got == want) << threads << " threads, round " << round << ", step " << at;
    }
  }
}

// The rows of a large gradient are written with non-temporal stores; the test program sets the size, and a single
// sample stays below it.
TEST_F(CtcLossScaled, LargeGradientsHaveTheBitsOfTheirSamples) {
  testing::Random random;
  ForEachTarget([&] {
    for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
      Batch batch = RandomBatch(random, dtype == ACL_FLOAT ? 100 : 200, 2, 1003, 20, 2);
      batch.dtype = dtype;
      batch.log_probs[static_cast<size_t>(60 * 2 * batch.classes)] = -500;  // its sample continues with pairs
      batch.RoundToDtype();
      const Forward forward = RunForward(batch);
      const Values got = RunBackward(batch, {1, 0.5}, forward.loss, forward.alpha);
      const auto states = static_cast<size_t>(batch.steps * batch.columns());
      const auto classes = static_cast<size_t>(batch.classes);
      for (size_t n = 0; n < 2; ++n) {
        Batch one = batch;
        one.labels = {batch.labels[n]};
        one.input_lengths = {batch.input_lengths[n]};
        one.log_probs.clear();
        Values part;
        for (size_t t = 0; t < static_cast<size_t>(batch.steps); ++t) {
          const size_t row = (2 * t + n) * classes;
          one.log_probs.insert(one.log_probs.end(), &batch.log_probs[row], &batch.log_probs[row] + classes);
          part.insert(part.end(), &got[row], &got[row] + classes);
        }
        ASSERT_EQ(one.columns(), batch.columns());
        const Values alpha(&forward.alpha[n * states], &forward.alpha[n * states] + states);
        EXPECT_TRUE(RunBackward(one, {n == 0 ? 1 : 0.5}, {forward.loss[n]}, alpha) == part) << "sample " << n;
      }
    }
  });
}

}  // namespace
}  // namespace portacl::ops::ctc_loss
