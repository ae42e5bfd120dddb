// SPDX-License-Identifier: Apache-2.0
//
// Infinities, NaN and inputs that contradict each other, against the formulas in logarithms.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ops/loss/ctc_loss/ctc_loss_test_support.h"
#include "testing/ulp.h"

namespace portacl::ops::ctc_loss {
namespace {

class CtcLossSpecial : public DeviceTest {
 protected:
  // Also the labels, lengths and blank that the words of the interface forbid but nobody checks.
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
      // Classes that do not occur, so that losses are finite.
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
      // Nothing, or some of all operands.
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

// Bits between samples do not mix: a sample of NaN leaves the others as they are.
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
    // Also where the probability is no float32.
    Batch small = batch;
    small.log_probs[4] = -200;
    small.dtype = ACL_FLOAT;
    small.labels = {{1}};
    const Forward of_small = RunForward(small);
    EXPECT_EQ(RunBackward(small, {kInfinity}, of_small.loss, of_small.alpha)[4], kInfinity);
  });
}

}  // namespace
}  // namespace portacl::ops::ctc_loss
