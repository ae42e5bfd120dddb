// SPDX-License-Identifier: Apache-2.0
//
// Worked examples of the gradient: small batches whose results are known to seven digits.
#include <cmath>
#include <string>
#include <vector>

#include "ops/loss/ctc_loss/ctc_loss_test_support.h"

namespace portacl::ops::ctc_loss {
namespace {

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

class CtcLossBackward : public DeviceTest {
 protected:
  // With alpha and nll as given, on every target and for FLOAT and DOUBLE.
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
  // With those of the forward.
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
  // Also where the gradient that comes in is none.
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

TEST_F(CtcLossBackward, RoundsFloat16AndBfloat16Once) {
  ForEachTarget([&] {
    Batch batch = OneSample(kP3, 3, 3, {1});
    batch.dtype = ACL_FLOAT16;
    batch.RoundToDtype();
    const Forward forward = RunForward(batch);
    EXPECT_TRUE(Near(1.245117, forward.loss[0], 1e-6, 0));
    const Values want = {0.005043, -0.205322, 0.200073, 0.080566, -0.330566, 0.249878, -0.233032, -0.066650, 0.300049};
    const Values got = RunBackward(batch, {1}, forward.loss, forward.alpha);
    for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(Near(want[i], got[i], 1e-3, 0)) << "element " << i;
  });
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
