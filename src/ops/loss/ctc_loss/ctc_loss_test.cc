// SPDX-License-Identifier: Apache-2.0
//
// Worked examples of the loss, its alphas and the gradient, and properties that hold for any data.
#include <cmath>
#include <cstring>
#include <vector>

#include "ops/loss/ctc_loss/ctc_loss_test_support.h"
#include "testing/operator_contract.h"
#include "testing/thread_count.h"

OP_CONTRACT_TESTS(CtcLoss, ctc_loss, 0);
OP_CONTRACT_TESTS(CtcLossBackward, ctc_loss, 1);

namespace portacl::ops::ctc_loss {
namespace {

class CtcLoss : public DeviceTest {};

const Values kP3 = {0.5, 0.3, 0.2, 0.4, 0.35, 0.25, 0.6, 0.1, 0.3};

Batch OneSample(const Values& probabilities, int64_t classes, int64_t steps, std::vector<int64_t> labels) {
  Batch batch;
  batch.steps = static_cast<int64_t>(probabilities.size()) / classes;
  batch.classes = classes;
  batch.input_lengths = {steps};
  batch.labels = {std::move(labels)};
  batch.log_probs = Logarithms(probabilities);
  return batch;
}

TEST_F(CtcLoss, AlphaOfOneLabel) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kAllDtypes) {
      Batch batch = OneSample(kP3, 3, 3, {1});
      batch.dtype = dtype;
      const double limit = dtype == ACL_BF16 ? 0x1p-8 : dtype == ACL_FLOAT16 ? 0x1p-10 : 1e-6;
      for (const bool is_padded : {false, true}) {
        batch.is_padded = is_padded;
        const Forward forward = RunForward(batch);
        EXPECT_TRUE(Near(1.244795, forward.loss[0], limit, limit));
        const Values want = {0.5, 0.3, 0, 0.2, 0.28, 0.12, 0.12, 0.048, 0.24};
        const auto columns = static_cast<size_t>(batch.columns());
        for (size_t t = 0; t < 3; ++t) {
          for (size_t s = 0; s < columns; ++s) {
            const double alpha = s < 3 ? std::log(want[3 * t + s]) : -kInfinity;
            EXPECT_TRUE(Near(alpha, forward.alpha[columns * t + s], limit, limit)) << dtype << " " << t << " " << s;
          }
        }
      }
    }
  });
}

TEST_F(CtcLoss, SamplesThatEndAtOnce) {
  for (const bool zero_infinity : {false, true}) {
    Batch batch = OneSample(kP3, 3, 0, {});
    batch.zero_infinity = zero_infinity;
    EXPECT_EQ(RunForward(batch).loss[0], 0);
    batch.labels = {{1}};
    const Forward forward = RunForward(batch);
    EXPECT_EQ(forward.loss[0], zero_infinity ? 0 : kInfinity);
    for (const double alpha : forward.alpha) EXPECT_EQ(alpha, -kInfinity);
  }
}

TEST_F(CtcLoss, ImpossibleTargetsAreInfiniteOrZeroOnRequest) {
  ForEachTarget([&] {
    // Too long; too long because of the blank between equal labels; not a class.
    for (const std::vector<int64_t>& labels : {std::vector<int64_t>{1, 2, 1, 2}, {1, 1, 2}, {1, 3}, {-1}, {1 << 20}}) {
      Batch batch = OneSample(kP3, 3, 3, labels);
      const Forward infinite = RunForward(batch);
      EXPECT_EQ(infinite.loss[0], kInfinity);
      batch.zero_infinity = true;
      const Forward zero = RunForward(batch);
      EXPECT_EQ(zero.loss[0], 0);
      EXPECT_EQ(zero.alpha, infinite.alpha);
    }
  });
}

// The sum over every sequence of classes that collapses to the target.
double BruteForce(const Batch& batch) {
  const ReferenceSample sample = batch.Sample(0);
  double sum = 0;
  std::vector<int64_t> path(static_cast<size_t>(sample.steps), 0);
  for (;;) {
    std::vector<int64_t> collapsed;
    long double log_prob = 0;
    for (size_t t = 0; t < path.size(); ++t) {
      log_prob += sample.LogProb(static_cast<int64_t>(t), path[t]);
      if (path[t] != sample.blank && (t == 0 || path[t] != path[t - 1])) collapsed.push_back(path[t]);
    }
    if (collapsed == sample.labels) sum += static_cast<double>(std::exp(log_prob));
    size_t t = 0;
    while (t < path.size() && ++path[t] == sample.classes) path[t++] = 0;
    if (t == path.size()) return -std::log(sum);
  }
}

TEST_F(CtcLoss, IsTheSumOverAllAlignments) {
  testing::Random random;
  ForEachTarget([&] {
    for (int round = 0; round < 40; ++round) {
      const int64_t steps = random.Between(1, 5);
      Batch batch = RandomBatch(random, steps, 1, random.Between(2, 4), random.Between(0, 3), 1);
      batch.dtype = ACL_DOUBLE;
      EXPECT_TRUE(Near(BruteForce(batch), RunForward(batch).loss[0], 1e-12, 1e-12)) << "labels " << batch.longest();
    }
  });
}

TEST_F(CtcLoss, PosteriorsOfAStepSumToOne) {
  testing::Random random;
  ForEachTarget([&] {
    Batch batch = RandomBatch(random, 40, 2, 7, 9, 2);
    batch.dtype = ACL_DOUBLE;
    const Forward forward = RunForward(batch);
    const Values gradient = RunBackward(batch, {1, 1}, forward.loss, forward.alpha);
    for (size_t row = 0; row < 80; ++row) {
      double sum = 0;
      for (size_t i = 7 * row; i < 7 * row + 7; ++i) sum += std::exp(batch.log_probs[i]) - gradient[i];
      EXPECT_NEAR(sum, 1, 1e-11) << "row " << row;
    }
  });
}

TEST_F(CtcLoss, GradientIsTheSlopeOfTheLoss) {
  testing::Random random;
  Batch batch = RandomBatch(random, 8, 1, 4, 3, 1);
  batch.dtype = ACL_DOUBLE;
  const Values gradient = Gradient(batch, {1});
  constexpr double kStep = 1e-6;
  const auto loss_after = [&](size_t row, size_t c, double step) {
    // Increases the activation and normalizes the row again.
    Batch moved = batch;
    double sum = 0;
    moved.log_probs[4 * row + c] += step;
    for (size_t i = 0; i < 4; ++i) sum += std::exp(moved.log_probs[4 * row + i]);
    for (size_t i = 0; i < 4; ++i) moved.log_probs[4 * row + i] -= std::log(sum);
    return RunForward(moved).loss[0];
  };
  for (size_t i = 0; i < gradient.size(); ++i) {
    const double slope = (loss_after(i / 4, i % 4, kStep) - loss_after(i / 4, i % 4, -kStep)) / (2 * kStep);
    EXPECT_NEAR(slope, gradient[i], 1e-8) << "element " << i;
  }
}

TEST_F(CtcLoss, FloatLabelsAreTruncated) {
  testing::Random random;
  Batch batch = RandomBatch(random, 6, 1, 3, 3, 1);
  batch.labels = {{2, 0, 1}};
  const Forward want = RunForward(batch);
  const Values labels = {2.9, -0.5, 1.5};
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16}) {
    const testing::DeviceArray<std::byte> targets(calls::Encode(dtype, labels));
    const testing::DeviceArray<std::byte> log_probs(calls::Encode(ACL_FLOAT, batch.log_probs));
    const testing::DeviceArray<float> loss(1);
    const testing::DeviceArray<float> alpha(want.alpha.size());
    const auto run = [&] {
      const auto lp_tensor = TensorBuilder(ACL_FLOAT, {6, 1, 3}).Data(log_probs.data()).Build();
      const auto targets_tensor = TensorBuilder(dtype, {1, 3}).Data(targets.data()).Build();
      const auto loss_tensor = TensorBuilder(ACL_FLOAT, {1}).Data(loss.data()).Build();
      const auto alpha_tensor = TensorBuilder(ACL_FLOAT, {1, 6, 8}).Data(alpha.data()).Build();
      RunPhasesInWorkspace(aclnnCtcLossGetWorkspaceSize, aclnnCtcLoss, lp_tensor.get(), targets_tensor.get(),
                           IntArray({6}).get(), IntArray({3}).get(), 0, false, loss_tensor.get(), alpha_tensor.get());
    };
    run();
    EXPECT_EQ(loss.ToHost()[0], static_cast<float>(want.loss[0]));
    for (const double label : {kNan, kInfinity, -1.0, 3.0, -kInfinity, 60000.0}) {
      const Bytes hostile = calls::Encode(dtype, {2.9, label, 1.5});
      ASSERT_EQ(aclrtMemcpy(targets.data(), hostile.size(), hostile.data(), hostile.size(), ACL_MEMCPY_HOST_TO_DEVICE),
                0);
      run();
      EXPECT_EQ(loss.ToHost()[0], static_cast<float>(kInfinity)) << label;
    }
  }
}

TEST_F(CtcLoss, WorkspaceGrowsWithLabelsAndNotWithSteps) {
  const testing::ThreadCount count(1);
  testing::Random random;
  const auto bytes_of = [&](int64_t steps, int64_t labels) {
    const Batch batch = RandomBatch(random, steps, 2, 3, labels, 1);
    const auto log_probs = TensorBuilder(ACL_FLOAT, {steps, 2, 3}).Build();
    const auto targets = TensorBuilder(ACL_INT64, batch.TargetShape()).Build();
    const auto planned = testing::TryPhaseOne(
        aclnnCtcLossGetWorkspaceSize, log_probs.get(), targets.get(), IntArray(batch.input_lengths).get(),
        IntArray(batch.target_lengths()).get(), 0, false, TensorBuilder(ACL_FLOAT, {2}).Build().get(),
        TensorBuilder(ACL_FLOAT, {2, steps, batch.columns()}).Build().get());
    EXPECT_EQ(planned.status, 0) << planned.message;
    return planned.bytes;
  };
  EXPECT_EQ(bytes_of(20, 5), bytes_of(2000, 5));
  EXPECT_LT(bytes_of(20, 4000), 2 * bytes_of(20, 2000));
}

// Worked examples of the gradient, with seven known digits.
class CtcLossBackward : public DeviceTest {
 protected:
  // With the given alpha and nll, on every target and for FLOAT and DOUBLE.
  static void Expect(Batch batch, double grad, double nll, const Values& alpha, const Values& want) {
    ForEachTarget([&] {
      for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE}) {
        batch.dtype = dtype;
        const Values got = RunBackward(batch, {grad}, {nll}, alpha);
        ASSERT_EQ(got.size(), want.size());
        for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(Near(want[i], got[i], 3e-7, 2e-6)) << "element " << i;
      }
    });
  }
  // With alpha and nll of the forward operator.
  static void ExpectOfForward(Batch batch, double grad, double loss, const Values& want) {
    batch.dtype = ACL_DOUBLE;
    const Forward forward = RunForward(batch);
    EXPECT_TRUE(Near(loss, forward.loss[0], 0, 1e-6));
    Expect(batch, grad, forward.loss[0], forward.alpha, want);
  }
};

const Values kC1 = {0.005208333, -0.2052083, 0.2, 0.08055556, -0.3305556, 0.25, -0.2333333, -0.06666667, 0.3};

TEST_F(CtcLossBackward, OneLabel) { ExpectOfForward(OneSample(kP3, 3, 3, {1}), 1, 1.244795, kC1); }

TEST_F(CtcLossBackward, IsScaledByTheGradient) {
  ExpectOfForward(OneSample(kP3, 3, 3, {1}), -2, 1.244795,
                  {-0.01041667, 0.4104167, -0.4, -0.1611111, 0.6611111, -0.5, 0.4666667, 0.1333333, -0.6});
}

TEST_F(CtcLossBackward, TakesTheLossAsGiven) {
  const Batch batch = OneSample(kP3, 3, 3, {1});
  const Forward forward = RunForward(batch);
  Expect(batch, 1, forward.loss[0] + std::log(2), forward.alpha,
         {-0.4895833, -0.7104167, 0.2, -0.2388889, -1.011111, 0.25, -1.066667, -0.2333333, 0.3});
}

TEST_F(CtcLossBackward, TakesAlphaAsGiven) {
  const Batch batch = OneSample(kP3, 3, 3, {1});
  Forward forward = RunForward(batch);
  for (double& alpha : forward.alpha) alpha += std::log(3);
  Expect(batch, 1, forward.loss[0], forward.alpha,
         {-0.984375, -1.215625, 0.2, -0.5583333, -1.691667, 0.25, -1.9, -0.4, 0.3});
}

TEST_F(CtcLossBackward, ShortSampleEndsInZeros) {
  ExpectOfForward(OneSample(kP3, 3, 2, {1}), 1, 0.9162907, {0.0625, -0.2625, 0.2, 0.1, -0.35, 0.25, 0, 0, 0});
}

TEST_F(CtcLossBackward, NoLabels) {
  ExpectOfForward(OneSample(kP3, 3, 3, {}), 1, 2.120264, {-0.5, 0.3, 0.2, -0.6, 0.35, 0.25, -0.4, 0.1, 0.3});
}

TEST_F(CtcLossBackward, RepeatedLabelNeedsABlankBetween) {
  ExpectOfForward(OneSample(kP3, 3, 3, {1, 1}), 1, 4.422849, {0.5, -0.7, 0.2, -0.6, 0.35, 0.25, 0.6, -0.9, 0.3});
}

TEST_F(CtcLossBackward, ImpossibleTargetIsNan) {
  ExpectOfForward(OneSample(kP3, 3, 2, {1, 1}), 1, kInfinity, {kNan, kNan, kNan, kNan, kNan, kNan, 0, 0, 0});
}

TEST_F(CtcLossBackward, ImpossibleTargetIsZeroOnRequest) {
  Batch batch = OneSample(kP3, 3, 2, {1, 1});
  batch.zero_infinity = true;
  const Forward forward = RunForward(batch);
  EXPECT_EQ(forward.loss[0], 0);
  for (const double nll : {kInfinity, -kInfinity, 0.0}) Expect(batch, 1, nll, forward.alpha, Values(9, 0));
  // Also for an infinite or NaN incoming gradient.
  for (const double grad : {kNan, kInfinity}) Expect(batch, grad, kInfinity, forward.alpha, Values(9, 0));
}

TEST_F(CtcLossBackward, LossOfZeroIsOrdinaryWhenAPathEnds) {
  Batch batch = OneSample({1, 0.25, 0.5, 1, 0.5, 0.25}, 3, 2, {});
  batch.zero_infinity = true;
  ExpectOfForward(batch, 1, 0, {0, 0.25, 0.5, 0, 0.5, 0.25});
}

TEST_F(CtcLossBackward, LabelMayBeTheBlank) {
  ExpectOfForward(OneSample(kP3, 3, 3, {1, 0}), 1, 0.9571127,
                  {0.2265625, -0.4265625, 0.2, -0.1625, -0.0875, 0.25, -0.2125, 0.1, 0.3});
}

TEST_F(CtcLossBackward, ImpossibleClassIsNan) {
  ExpectOfForward(OneSample({0.6, 0.4, 0, 0.5, 0.5, 0}, 3, 2, {1}), 1, 0.3566749,
                  {0.1714286, -0.1714286, kNan, 0.2142857, -0.2142857, kNan});
}

TEST_F(CtcLossBackward, BlankMayBeAnyClass) {
  Batch batch = OneSample(kP3, 3, 3, {0, 1});
  batch.blank = 2;
  ExpectOfForward(batch, 1, 2.202740,
                  {-0.4276018, 0.3, 0.1276018, 0.1466063, -0.2834842, 0.1368778, 0.6, -0.4248869, -0.1751131});
}

TEST_F(CtcLossBackward, TwoClasses) {
  ExpectOfForward(OneSample({0.5, 0.5, 0.5, 0.5}, 2, 2, {1}), 1, 0.2876821,
                  {0.1666667, -0.1666667, 0.1666667, -0.1666667});
}

TEST_F(CtcLossBackward, OneStep) {
  ExpectOfForward(OneSample(kP3, 3, 1, {2}), 1, 1.609438, {0.5, 0.3, -0.8, 0, 0, 0, 0, 0, 0});
}

TEST_F(CtcLossBackward, NoStepsIsZero) {
  for (const std::vector<int64_t>& labels : {std::vector<int64_t>{}, std::vector<int64_t>{1}}) {
    const Batch batch = OneSample(kP3, 3, 0, labels);
    Expect(batch, kNan, kNan, Values(static_cast<size_t>(3 * batch.columns()), kNan), Values(9, 0));
  }
}

TEST_F(CtcLossBackward, ReadsNoPaddingOfAlpha) {
  const Batch batch = OneSample(kP3, 3, 3, {1});
  const Forward forward = RunForward(batch);
  Values alpha(3 * 16, kNan);
  for (size_t t = 0; t < 3; ++t) {
    for (size_t s = 0; s < 3; ++s) alpha[16 * t + s] = forward.alpha[8 * t + s];
  }
  Expect(batch, 1, forward.loss[0], alpha, kC1);
}

TEST_F(CtcLossBackward, LossThatIsNoNumber) {
  Batch batch = OneSample(kP3, 3, 3, {1});
  const Forward forward = RunForward(batch);
  Expect(batch, 1, -kInfinity, forward.alpha, kP3);
  for (const bool zero_infinity : {false, true}) {
    batch.zero_infinity = zero_infinity;
    Expect(batch, 1, kNan, forward.alpha, Values(9, kNan));
  }
  Expect(batch, 1, -kInfinity, forward.alpha, Values(9, 0));
}

// Two samples of different lengths, and the same targets in both layouts.
TEST_F(CtcLossBackward, RaggedBatch) {
  Batch batch;
  batch.steps = 3;
  batch.classes = 3;
  batch.input_lengths = {3, 2};
  batch.labels = {{1}, {2, 1}};
  batch.log_probs =
      Logarithms({0.5, 0.3, 0.2, 0.25, 0.25, 0.5, 0.4, 0.35, 0.25, 0.2, 0.3, 0.5, 0.6, 0.1, 0.3, 0.7, 0.2, 0.1});
  const Values alphas[] = {{0.5, 0.3, 0, 0.2, 0.28, 0.12, 0.12, 0.048, 0.24},
                           {0.25, 0.5, 0, 0, 0, 0.05, 0.375, 0.1, 0.15, 0}};
  const Values want[] = {kC1, {0.125, 0.125, -0.25, 0.1, -0.35, 0.25, 0, 0, 0}};
  ForEachTarget([&] {
    for (const bool is_joined : {false, true}) {
      batch.is_joined = is_joined;
      const Forward forward = RunForward(batch);
      EXPECT_TRUE(Near(1.244795, forward.loss[0], 0, 1e-6));
      EXPECT_TRUE(Near(1.897120, forward.loss[1], 0, 1e-6));
      for (size_t b = 0; b < 2; ++b) {
        const size_t states = 2 * batch.labels[b].size() + 1;
        for (size_t t = 0; t < 3; ++t) {
          for (size_t s = 0; s < 8; ++s) {
            const bool is_used = static_cast<int64_t>(t) < batch.input_lengths[b] && s < states;
            const double alpha = is_used ? alphas[b][t * states + s] : 0;
            EXPECT_TRUE(Near(alpha, std::exp(forward.alpha[(b * 3 + t) * 8 + s]), 0, 1e-6))
                << b << " " << t << " " << s;
          }
        }
      }
      const Values got = RunBackward(batch, {1, 0.5}, forward.loss, forward.alpha);
      for (size_t b = 0; b < 2; ++b) {
        for (size_t i = 0; i < 9; ++i) {
          EXPECT_TRUE(Near(want[b][i], got[i / 3 * 6 + b * 3 + i % 3], 3e-7, 2e-6)) << "sample " << b << ", " << i;
        }
      }
    }
  });
}

TEST_F(CtcLossBackward, TwoLabels) {
  ExpectOfForward(
      OneSample({0.1, 0.2, 0.3, 0.4, 0.25, 0.25, 0.25, 0.25, 0.4, 0.3, 0.2, 0.1, 0.05, 0.05, 0.6, 0.3}, 4, 4, {3, 2}),
      1, 2.232593,
      {-0.01421911, 0.2, 0.3, -0.4857809, -0.1089744, 0.25, 0.1101399, -0.2511655, -0.1221445, 0.3, -0.1939394,
       0.01608392, 0.001048951, 0.05, -0.351049, 0.3});
}

}  // namespace
}  // namespace portacl::ops::ctc_loss
