// SPDX-License-Identifier: Apache-2.0
//
// Views, shared memory, guard pages and threads: the bits are those of contiguous operands that lie apart.
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/target.h"
#include "ops/loss/ctc_loss/ctc_loss_test_support.h"
#include "testing/guarded_buffer.h"
#include "testing/thread_count.h"

namespace portacl::ops::ctc_loss {
namespace {

using calls::ElementBytes;
using testing::GuardedBuffer;
using testing::GuardSide;

// An operand in memory of its own, which ends or begins at a forbidden page. Elements lie in any order of axes, with
// gaps; the strides of axes without a second element are what no address can be made of.
class View {
 public:
  View(aclDataType dtype, Dims shape, std::vector<size_t> order, int64_t gap, GuardSide side)
      : dtype_(dtype), shape_(std::move(shape)), strides_(shape_.size()) {
    int64_t step = gap;
    for (size_t i = order.size(); i-- > 0;) {
      strides_[order[i]] = shape_[order[i]] > 1 ? step : std::numeric_limits<int64_t>::max();
      step = step * shape_[order[i]] + gap - 1;
    }
    const auto elements = static_cast<size_t>(calls::ViewExtent(shape_, strides_, 0));
    buffer_ = std::make_unique<GuardedBuffer>(std::max<size_t>(elements * ElementBytes(dtype), 1), side);
    std::memset(buffer_->begin(), 0xCD, buffer_->size());
  }
  void Set(const Values& values) {
    const Bytes bytes = calls::Encode(dtype_, values);
    ForEach([&](size_t i, std::byte* at) { std::memcpy(at, &bytes[i * ElementBytes(dtype_)], ElementBytes(dtype_)); });
  }
  // The elements, row-major; what lies between must be as it was.
  Bytes Get() const {
    const size_t element = ElementBytes(dtype_);
    Bytes bytes(static_cast<size_t>(calls::ElementCount(shape_)) * element);
    Bytes rest(buffer_->begin(), buffer_->end());
    ForEach([&](size_t i, std::byte* at) {
      std::memcpy(&bytes[i * element], at, element);
      std::memset(&rest[static_cast<size_t>(at - buffer_->begin())], 0xCD, element);
    });
    EXPECT_TRUE(rest == Bytes(rest.size(), std::byte{0xCD})) << "written between the elements";
    EXPECT_TRUE(buffer_->Intact());
    return bytes;
  }
  calls::TensorHandle Tensor() const {
    return TensorBuilder(dtype_, shape_).Strides(strides_).Data(buffer_->begin()).Build();
  }

 private:
  template <class F>
  void ForEach(const F& f) const {
    Dims index(shape_.size(), 0);
    for (size_t i = 0; i < static_cast<size_t>(calls::ElementCount(shape_)); ++i) {
      const int64_t at = std::inner_product(index.begin(), index.end(), strides_.begin(), int64_t{0});
      f(i, buffer_->begin() + static_cast<size_t>(at) * ElementBytes(dtype_));
      for (size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < shape_[axis]) break;
        index[axis] = 0;
      }
    }
  }

  aclDataType dtype_;
  Dims shape_;
  Dims strides_;
  std::unique_ptr<GuardedBuffer> buffer_;
};

class CtcLossLayout : public DeviceTest {
 protected:
  struct Layout {
    std::vector<size_t> order;  // of three axes, the outermost first
    int64_t gap;
    GuardSide side;
  };

  // Guarded memory is the host's own, so the fake device does not protect it; the workspace is as large as said.
  static void Check(const Batch& batch, const Layout& layout) {
    const Forward want = RunForward(batch);
    const Values grad(static_cast<size_t>(batch.samples()), 0.75);
    const Bytes want_out = RunBackwardBytes(batch, grad, want.loss, want.alpha);
    const aclDataType dtype = batch.dtype;
    const auto vector = [&](int64_t size) { return View(dtype, {size}, {0}, layout.gap, layout.side); };
    const auto tensor = [&](Dims shape) {
      return View(dtype, std::move(shape), layout.order, layout.gap, layout.side);
    };
    View log_probs = tensor({batch.steps, batch.samples(), batch.classes});
    View alpha = tensor({batch.samples(), batch.steps, batch.columns()});
    View loss = vector(batch.samples());
    View gradient = vector(batch.samples());
    View out = tensor({batch.steps, batch.samples(), batch.classes});
    const Dims target_shape = batch.TargetShape();
    View targets(batch.targets_dtype, target_shape,
                 target_shape.size() == 1 ? std::vector<size_t>{0} : std::vector<size_t>{1, 0}, layout.gap,
                 layout.side);
    log_probs.Set(batch.log_probs);
    targets.Set(batch.TargetValues());
    gradient.Set(grad);
    const IntArray steps(batch.input_lengths);
    const IntArray labels(batch.target_lengths());
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(
        aclnnCtcLossGetWorkspaceSize(log_probs.Tensor().get(), targets.Tensor().get(), steps.get(), labels.get(),
                                     batch.blank, false, loss.Tensor().get(), alpha.Tensor().get(), &bytes, &executor),
        0);
    {
      const GuardedBuffer workspace(bytes, layout.side);
      ASSERT_EQ(aclnnCtcLoss(workspace.begin(), bytes, executor, nullptr), 0);
      ASSERT_EQ(aclrtSynchronizeDevice(), 0);
      EXPECT_TRUE(workspace.Intact());
    }
    Bytes got = loss.Get();
    const Bytes alphas = alpha.Get();
    got.insert(got.end(), alphas.begin(), alphas.end());
    EXPECT_TRUE(got == want.bytes);
    ASSERT_EQ(aclnnCtcLossBackwardGetWorkspaceSize(
                  gradient.Tensor().get(), log_probs.Tensor().get(), targets.Tensor().get(), steps.get(), labels.get(),
                  loss.Tensor().get(), alpha.Tensor().get(), batch.blank, false, out.Tensor().get(), &bytes, &executor),
              0);
    const GuardedBuffer workspace(bytes, layout.side);
    ASSERT_EQ(aclnnCtcLossBackward(workspace.begin(), bytes, executor, nullptr), 0);
    ASSERT_EQ(aclrtSynchronizeDevice(), 0);
    EXPECT_TRUE(workspace.Intact());
    EXPECT_TRUE(out.Get() == want_out);
  }
};

TEST_F(CtcLossLayout, TouchesNothingButTheElementsOfAnyView) {
  testing::Random random;
  ForEachTarget([&] {
    for (const aclDataType dtype : kAllDtypes) {
      for (const GuardSide side : {GuardSide::kEnd, GuardSide::kBegin}) {
        const Layout layouts[] = {
            {{0, 1, 2}, 1, side}, {{1, 0, 2}, 1, side}, {{2, 1, 0}, 1, side}, {{1, 2, 0}, 3, side}};
        for (const Layout& layout : layouts) {
          for (const int64_t labels : {0, 1, 7, 8, 17}) {
            SCOPED_TRACE(::testing::Message() << "dtype " << dtype << ", " << labels << " labels, gap " << layout.gap);
            Batch batch = RandomBatch(random, 19, 2, random.Between(3, 40), labels, 1);
            batch.dtype = dtype;
            batch.RoundToDtype();
            batch.input_lengths = {19, 18};
            batch.is_padded = labels % 2 == 0;
            batch.is_joined = labels == 8 || labels == 0;
            Check(batch, layout);
          }
        }
      }
    }
  });
}

TEST_F(CtcLossLayout, InputsMayBeExpanded) {
  testing::Random random;
  // All samples have the same logProbs, targets, gradient.
  Batch batch = RandomBatch(random, 9, 1, 6, 3, 1);
  Batch three = batch;
  three.log_probs.clear();
  for (size_t t = 0; t < 9; ++t) {
    for (int b = 0; b < 3; ++b) {
      three.log_probs.insert(three.log_probs.end(), batch.log_probs.begin() + static_cast<ptrdiff_t>(6 * t),
                             batch.log_probs.begin() + static_cast<ptrdiff_t>(6 * t + 6));
    }
  }
  three.labels = {batch.labels[0], batch.labels[0], batch.labels[0]};
  three.input_lengths = {9, 9, 9};
  const Forward want = RunForward(three);
  const testing::DeviceArray<std::byte> log_probs(calls::Encode(ACL_FLOAT, batch.log_probs));
  const testing::DeviceArray<std::byte> targets(
      calls::Encode(ACL_INT64, Values(batch.labels[0].begin(), batch.labels[0].end())));
  const testing::DeviceArray<float> loss(3);
  const testing::DeviceArray<float> alpha(want.alpha.size());
  RunPhasesInWorkspace(aclnnCtcLossGetWorkspaceSize, aclnnCtcLoss,
                       TensorBuilder(ACL_FLOAT, {9, 3, 6}).Strides({6, 0, 1}).Data(log_probs.data()).Build().get(),
                       TensorBuilder(ACL_INT64, {3, 3}).Strides({0, 1}).Data(targets.data()).Build().get(),
                       IntArray({9, 9, 9}).get(), IntArray({3, 3, 3}).get(), 0, false,
                       TensorBuilder(ACL_FLOAT, {3}).Data(loss.data()).Build().get(),
                       TensorBuilder(ACL_FLOAT, {3, 9, 8}).Data(alpha.data()).Build().get());
  for (size_t b = 0; b < 3; ++b) EXPECT_EQ(loss.ToHost()[b], static_cast<float>(want.loss[0]));
}

TEST_F(CtcLossLayout, OutMayBeLogProbsOrOverlapAnyInput) {
  testing::Random random;
  // logAlpha [4, 4, 8] and out [4, 4, 8] have one shape, and different orders.
  const Batch batch = RandomBatch(random, 4, 4, 8, 2, 1);
  const Forward forward = RunForward(batch);
  const Values grad = {1, 2, 3, 4};
  const Bytes want = RunBackwardBytes(batch, grad, forward.loss, forward.alpha);
  const size_t bytes_of_out = want.size();
  struct Shared {
    const char* name;
    int64_t shift;
  };
  for (const Shared& shared : {Shared{"logProbs", 0},
                               {"logProbs", 5},
                               {"logAlpha", 0},
                               {"logAlpha", 3},
                               {"gradOut", 0},
                               {"negLogLikelihood", 2}}) {
    SCOPED_TRACE(::testing::Message() << shared.name << " shifted by " << shared.shift);
    const std::string name = shared.name;
    const auto offset = static_cast<size_t>(shared.shift) * sizeof(float);
    // Each input has a block; the output lies in that of the shared one, some elements behind it.
    const auto block = [&](const char* input, const Values& values) {
      testing::DeviceArray<std::byte> memory(bytes_of_out + 256);
      memory.FromHost(calls::Encode(ACL_FLOAT, values));
      return std::pair(std::move(memory), name == input);
    };
    const auto log_probs = block("logProbs", batch.log_probs);
    const auto alpha = block("logAlpha", forward.alpha);
    const auto grads = block("gradOut", grad);
    const auto loss = block("negLogLikelihood", forward.loss);
    std::byte* out = nullptr;
    for (const auto* input : {&log_probs, &alpha, &grads, &loss}) {
      if (input->second) out = input->first.data() + offset;
    }
    const testing::DeviceArray<std::byte> targets(calls::Encode(ACL_INT64, batch.TargetValues()));
    RunPhasesInWorkspace(aclnnCtcLossBackwardGetWorkspaceSize, aclnnCtcLossBackward,
                         TensorBuilder(ACL_FLOAT, {4}).Data(grads.first.data()).Build().get(),
                         TensorBuilder(ACL_FLOAT, {4, 4, 8}).Data(log_probs.first.data()).Build().get(),
                         TensorBuilder(ACL_INT64, batch.TargetShape()).Data(targets.data()).Build().get(),
                         IntArray(batch.input_lengths).get(), IntArray(batch.target_lengths()).get(),
                         TensorBuilder(ACL_FLOAT, {4}).Data(loss.first.data()).Build().get(),
                         TensorBuilder(ACL_FLOAT, {4, 4, 8}).Data(alpha.first.data()).Build().get(), 0, false,
                         TensorBuilder(ACL_FLOAT, {4, 4, 8}).Data(out).Build().get());
    Bytes got(bytes_of_out);
    ASSERT_EQ(aclrtMemcpy(got.data(), got.size(), out, got.size(), ACL_MEMCPY_DEVICE_TO_HOST), 0);
    EXPECT_TRUE(got == want);
  }
}

TEST_F(CtcLossLayout, AlphaMayTakeThePlaceOfLogProbs) {
  testing::Random random;
  const Batch batch = RandomBatch(random, 4, 4, 8, 2, 1);
  const Forward want = RunForward(batch);
  const testing::DeviceArray<std::byte> shared(calls::Encode(ACL_FLOAT, batch.log_probs));
  const testing::DeviceArray<std::byte> targets(calls::Encode(ACL_INT64, batch.TargetValues()));
  const testing::DeviceArray<float> loss(4);
  RunPhasesInWorkspace(aclnnCtcLossGetWorkspaceSize, aclnnCtcLoss,
                       TensorBuilder(ACL_FLOAT, {4, 4, 8}).Data(shared.data()).Build().get(),
                       TensorBuilder(ACL_INT64, batch.TargetShape()).Data(targets.data()).Build().get(),
                       IntArray(batch.input_lengths).get(), IntArray(batch.target_lengths()).get(), 0, false,
                       TensorBuilder(ACL_FLOAT, {4}).Data(loss.data()).Build().get(),
                       TensorBuilder(ACL_FLOAT, {4, 4, 8}).Data(shared.data()).Build().get());
  EXPECT_TRUE(shared.ToHost() == Bytes(want.bytes.begin() + 16, want.bytes.end()));
}

TEST_F(CtcLossLayout, AnyNumberOfThreadsGivesTheSameBits) {
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

TEST_F(CtcLossLayout, WorkspaceGrowsWithLabelsAndNotWithSteps) {
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
