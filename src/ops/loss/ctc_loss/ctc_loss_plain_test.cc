// SPDX-License-Identifier: Apache-2.0
//
// Plain steps: that ordinary samples are made of them, and that they end where they must, with the states they had.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/target.h"
#include "ops/loss/ctc_loss/ctc_loss_sample.h"
#include "ops/loss/ctc_loss/ctc_loss_test_support.h"
#include "testing/sample_size.h"
#include "testing/thread_count.h"

namespace portacl::ops::ctc_loss {
namespace {

// The plain steps of the first sample of a batch, without the operator around them. A label is a class of its own.
class OneSample {
 public:
  explicit OneSample(const Batch& batch) : sample_(batch.Sample(0)), labels_(sample_.labels.size()) {
    plan_.kernels = &KernelsFor(false, ActiveTarget());
    const auto lanes = static_cast<int64_t>(plan_.kernels->lanes);
    plan_.sizes = {.lanes = lanes, .pitch = 3 * lanes + static_cast<int64_t>(labels_ + 2)};
    Layout counts(plan_.sizes);
    const PlainScratch counted(counts);
    scratch_.resize(static_cast<size_t>(counts.bytes()));
    skip_.resize(static_cast<size_t>(plan_.sizes.pitch));
    for (size_t j = 0; j < labels_; ++j) {
      class_of_.push_back(static_cast<int32_t>(j + 1));
      if (sample_.Skips(2 * static_cast<int64_t>(j) + 1)) skip_[j] = std::bit_cast<double>(~uint64_t{0});
    }
    Layout layout(plan_.sizes, scratch_.data());
    steps_.emplace(plan_, PlainScratch(layout));
    steps_->Begin(skip_.data(), class_of_.data(), labels_);
    steps_->Reach(0, std::exp(LogProb(0, 0)), 0, std::exp(LogProb(0, 1)));
  }

  /// Step `t` of alpha, and its logarithms; empty when it is not plain.
  std::vector<float> Forward(int64_t t) {
    for (size_t c = 0; c <= labels_; ++c) steps_->log_probs()[c] = static_cast<float>(LogProb(t, c));
    const size_t reached = std::min(labels_ + 1, static_cast<size_t>(t) + 1);
    std::vector<float> result;
    if (!steps_->Read(labels_ + 1, 0, reached) || !plan_.kernels->plain.forward(steps_->step())) return result;
    result.resize(2 * labels_ + 1, -std::numeric_limits<float>::infinity());
    plan_.kernels->plain.logarithms(steps_->step(), result.data(), std::min(2 * reached, result.size()));
    steps_->Finish();
    return result;
  }

  /// ln of a state, as the general steps would have it.
  double StateBefore(size_t state) {
    std::vector<double> arrays(static_cast<size_t>(plan_.sizes.pitch * kRowArrays));
    const Row row(arrays.data() + plan_.kernels->lanes, plan_.sizes.pitch);
    steps_->CopyStates(steps_->step().from, 0, row);
    const bool is_blank = state % 2 == 0;
    const double m = is_blank ? row.blank()[state / 2] : row.label()[state / 2];
    const double k = is_blank ? row.blank_exponent()[state / 2] : row.label_exponent()[state / 2];
    EXPECT_TRUE(m == 0 ? k == kZeroExponent : m >= 0x1p-129 && m < 0x1p129) << m;
    return std::log(m) + k * 256 * std::log(2);
  }

 private:
  // Of the blank, or a label.
  double LogProb(int64_t t, size_t c) const {
    return sample_.LogProb(t, c == 0 ? sample_.blank : sample_.labels[c - 1]);
  }

  ReferenceSample sample_;
  size_t labels_;
  CtcPlan plan_ = {};
  std::vector<std::byte> scratch_;
  std::vector<double> skip_;
  std::vector<int32_t> class_of_;
  std::optional<PlainSteps> steps_;
};

class CtcLossPlain : public DeviceTest {};

TEST_F(CtcLossPlain, StepsOfOrdinarySamples) {
  testing::Random random;
  constexpr int64_t kSteps = testing::SampleSize(300);
  ForEachTarget([&] {
    for (const double sharpness : {0.3, 1.0, 2.0}) {
      for (const int64_t labels : {1, 3, 4, 7, 8, 9, 40}) {
        Batch batch = RandomBatch(random, kSteps, 1, 30, labels, sharpness);
        batch.RoundToDtype();
        const ForwardResult want = ForwardReference(batch.Sample(0));
        OneSample sample(batch);
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

TEST_F(CtcLossPlain, AStepIsPlainWithinItsBounds) {
  testing::Random random;
  const Batch ordinary = RandomBatch(random, 2, 1, 30, 9, 1);
  ForEachTarget([&] {
    for (const double lp : {-88.0, -87.0, 0.0, 0.5, -88.01, 0.51, 90.0, -1e30, kInfinity, -kInfinity, kNan}) {
      for (const int64_t c : {ordinary.blank, ordinary.labels[0][0], ordinary.labels[0][8]}) {
        Batch batch = ordinary;
        batch.log_probs[static_cast<size_t>(batch.classes + c)] = lp;
        EXPECT_EQ(OneSample(batch).Forward(1).empty(), !(lp >= -88 && lp <= 0.5)) << lp << ", class " << c;
      }
    }
  });
}

// States of one tile that differ too much, at any place and time.
TEST_F(CtcLossPlain, EndsWithTheStatesItHad) {
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
      OneSample sample(batch);
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

// Nor do the results tell where they ended, or how often a thread began anew.
TEST_F(CtcLossPlain, EndsForAnyNumberOfThreads) {
  testing::Random random;
  for (int round = 0; round < testing::SampleSize(16); ++round) {
    Batch batch = RandomBatch(random, 1200, 1, 40, 60, 2);
    // A step that is not plain, states that are not, or an alpha that is none, if any.
    const int64_t at = random.Between(1, batch.steps - 1);
    const int64_t kind = round % 4;
    for (int64_t t = at; kind == 1 && t < batch.steps; ++t) {
      for (int64_t c = 0; c < batch.classes; ++c)
        batch.log_probs[static_cast<size_t>(t * batch.classes + c)] = c == 1 ? -1e-3 : -random.Real(70, 88);
    }
    if (kind == 2)
      batch.log_probs[static_cast<size_t>(at * batch.classes)] = random.Pick(Values{-500, 5, kInfinity, kNan});
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

}  // namespace
}  // namespace portacl::ops::ctc_loss
