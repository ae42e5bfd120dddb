// SPDX-License-Identifier: Apache-2.0
//
// The loss and its alphas: worked examples, and facts that hold for any data.
#include <cmath>
#include <cstring>
#include <vector>

#include "exec/bind.h"
#include "ops/loss/ctc_loss/ctc_loss_test_support.h"
#include "testing/operator_contract.h"
#include "testing/thread_count.h"

namespace portacl::ops::ctc_loss {
std::span<const exec::OperatorEntry> Operators();
}

OP_CONTRACT_TESTS(CtcLoss, portacl::ops::ctc_loss::Operators()[0]);
OP_CONTRACT_TESTS(CtcLossBackward, portacl::ops::ctc_loss::Operators()[1]);

namespace portacl::ops::ctc_loss {
namespace {

class CtcLoss : public DeviceTest {};

Batch Example(std::vector<int64_t> labels, int64_t steps) {
  Batch batch;
  batch.steps = 3;
  batch.classes = 3;
  batch.input_lengths = {steps};
  batch.labels = {std::move(labels)};
  batch.log_probs = Logarithms({0.5, 0.3, 0.2, 0.4, 0.35, 0.25, 0.6, 0.1, 0.3});
  return batch;
}

TEST_F(CtcLoss, AlphaOfOneLabel) {
  ForEachTarget([&] {
    for (const aclDataType dtype : kAllDtypes) {
      Batch batch = Example({1}, 3);
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
    Batch batch = Example({}, 0);
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
    // Too long, too long because of the blank between equal labels, no class.
    for (const std::vector<int64_t>& labels : {std::vector<int64_t>{1, 2, 1, 2}, {1, 1, 2}, {1, 3}, {-1}, {1 << 20}}) {
      Batch batch = Example(labels, 3);
      const Forward infinite = RunForward(batch);
      EXPECT_EQ(infinite.loss[0], kInfinity);
      batch.zero_infinity = true;
      const Forward zero = RunForward(batch);
      EXPECT_EQ(zero.loss[0], 0);
      EXPECT_EQ(zero.alpha, infinite.alpha);
    }
  });
}

TEST_F(CtcLoss, TakesOneSampleWithoutABatchAxis) {
  const Batch batch = Example({1, 2}, 3);
  const Forward want = RunForward(batch);
  const testing::DeviceArray<std::byte> log_probs(calls::Encode(ACL_FLOAT, batch.log_probs));
  const testing::DeviceArray<std::byte> targets(calls::Encode(ACL_INT64, {1, 2}));
  const testing::DeviceArray<float> loss(1);
  const testing::DeviceArray<float> alpha(want.alpha.size());
  const auto lp_tensor = TensorBuilder(ACL_FLOAT, {3, 3}).Data(log_probs.data()).Build();
  const auto targets_tensor = TensorBuilder(ACL_INT64, {2}).Data(targets.data()).Build();
  const auto loss_tensor = TensorBuilder(ACL_FLOAT, {}).Data(loss.data()).Build();
  const auto alpha_tensor = TensorBuilder(ACL_FLOAT, {1, 3, batch.columns()}).Data(alpha.data()).Build();
  RunPhasesInWorkspace(aclnnCtcLossGetWorkspaceSize, aclnnCtcLoss, lp_tensor.get(), targets_tensor.get(),
                       IntArray({3}).get(), IntArray({2}).get(), 0, false, loss_tensor.get(), alpha_tensor.get());
  EXPECT_EQ(loss.ToHost()[0], static_cast<float>(want.loss[0]));
  for (size_t i = 0; i < want.alpha.size(); ++i) EXPECT_EQ(alpha.ToHost()[i], static_cast<float>(want.alpha[i]));
}

// The sum over every sequence of classes that the rules of collapsing turn into the target.
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

TEST_F(CtcLoss, GradientRowsOfNormalizedInputSumToZero) {
  testing::Random random;
  Batch batch = RandomBatch(random, 60, 3, 11, 12, 3);
  batch.input_lengths = {60, 41, 30};
  const Values grad = {1, -2, 0.5};
  const Forward forward = RunForward(batch);
  const Values gradient = RunBackward(batch, grad, forward.loss, forward.alpha);
  for (size_t row = 0; row < 180; ++row) {
    double sum = 0;
    for (size_t i = 11 * row; i < 11 * row + 11; ++i) sum += gradient[i];
    // The posteriors are off by what the rounding of alpha and of the loss is worth, half a unit each.
    const double limit = std::abs(grad[row % 3]) * (0x1p-23 * forward.loss[row % 3] + 1e-6);
    EXPECT_NEAR(sum, 0, limit) << "row " << row;
  }
}

TEST_F(CtcLoss, GradientIsTheSlopeOfTheLoss) {
  testing::Random random;
  Batch batch = RandomBatch(random, 8, 1, 4, 3, 1);
  batch.dtype = ACL_DOUBLE;
  const Values gradient = Gradient(batch, {1});
  constexpr double kStep = 1e-6;
  const auto loss_after = [&](size_t row, size_t c, double step) {
    // The activation grows, and the row is normalized again.
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

TEST_F(CtcLoss, TargetsOfEveryLayoutAndDtypeGiveTheSameBits) {
  testing::Random random;
  Batch batch = RandomBatch(random, 30, 3, 5, 6, 1);
  batch.labels[1].resize(2);
  const Forward want = RunForward(batch);
  const Bytes want_gradient = RunBackwardBytes(batch, {1, 2, 3}, want.loss, want.alpha);
  for (const aclDataType dtype : {ACL_INT64, ACL_INT32, ACL_FLOAT, ACL_FLOAT16}) {
    batch.targets_dtype = dtype;
    for (const bool is_joined : {false, true}) {
      batch.is_joined = is_joined;
      const Forward got = RunForward(batch);
      EXPECT_EQ(got.bytes, want.bytes);
      EXPECT_EQ(RunBackwardBytes(batch, {1, 2, 3}, got.loss, got.alpha), want_gradient);
    }
  }
  for (auto& target : batch.labels) std::fill(target.begin(), target.end(), 1);
  batch.targets_dtype = ACL_INT64;
  const Forward ones = RunForward(batch);
  batch.targets_dtype = ACL_BOOL;
  EXPECT_EQ(RunForward(batch).bytes, ones.bytes);
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

TEST_F(CtcLoss, AnyNumberOfThreadsGivesTheSameBits) {
  testing::Random random;
  for (const aclDataType dtype : kAllDtypes) {
    for (const int64_t samples : {1, 2, 9}) {
      Batch batch = RandomBatch(random, 150, samples, 40, 30, 2);
      batch.dtype = dtype;
      batch.RoundToDtype();
      for (int64_t& length : batch.input_lengths) length = samples == 1 ? 150 : random.Between(0, 150);
      Bytes want;
      for (const int threads : {1, 2, 3, 8}) {
        const testing::ThreadCount count(threads);
        const Forward forward = RunForward(batch);
        Bytes got = RunBackwardBytes(batch, Values(static_cast<size_t>(samples), 1), forward.loss, forward.alpha);
        got.insert(got.end(), forward.bytes.begin(), forward.bytes.end());
        if (threads == 1) want = got;
        EXPECT_TRUE(got == want) << threads << " threads, " << samples << " samples, dtype " << dtype;
      }
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

}  // namespace
}  // namespace portacl::ops::ctc_loss
