// SPDX-License-Identifier: Apache-2.0
//
// Plans the operators of this room.
#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/target.h"
#include "base/tuning.h"
#include "loops/batches/samples.h"
#include "loops/elements/non_temporal.h"
#include "ops/loss/ctc_loss/ctc_loss_plan.h"
#include "ops/loss/ctc_loss/ctc_loss_sample.h"
#include "ops/loss/ctc_loss/ctc_loss_spec.h"

namespace portacl::ops::ctc_loss {
namespace {

// The time steps that a sample processes together fit into the first-level cache.
constexpr int64_t kBlockBytes = 24 << 10;
constexpr int64_t kMostSteps = 4;
constexpr int64_t kScaledBytes = 16 << 10;
constexpr int64_t kMostScaledSteps = 8;
// Rows of a gradient that non-temporal stores write: only a few are buffered at a time, so that they fit into the
// second-level cache.
constexpr int64_t kLeastStreamed = 1 << 10;
constexpr int64_t kMostStreamed = 64 << 10;
constexpr int64_t kMostStreamedSteps = 4;
// With more classes, elements are read one by one.
constexpr int64_t kMostClassesOfRow = 64;
// With more states, a thread's part of a shared sample takes far longer than handing it over.
constexpr int64_t kSharedStates = 16384;
// Threads share a sample only if it takes a multiple of the time to wake them.
constexpr double kSplitNs = 100000;

// Time on one core, which determines the number of threads: per state, and per element of a row.
constexpr double kNsPerState = 1.5;
constexpr double kNsPerElement = 0.3;

// The axis indices of the operand; -1 for absent ones.
Place PlaceOf(const exec::PlanBuilder& builder, int arg, int time, int sample, int element) {
  const View& view = builder.Tensor(arg);
  const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  const auto stride = [&](int axis) { return axis < 0 || axis >= view.rank ? 0 : view.step(axis) * bytes; };
  return {builder.Operand(arg), stride(time), stride(sample), stride(element)};
}

void DescribeTargets(const exec::PlanBuilder& builder, int arg, CtcPlan& plan) {
  const View& targets = builder.Tensor(arg);
  plan.targets_dtype = targets.dtype;
  plan.targets = targets.rank == 1 ? PlaceOf(builder, arg, -1, -1, 0) : PlaceOf(builder, arg, -1, 0, 1);
}

void DescribeLogProbs(const exec::PlanBuilder& builder, int arg, CtcPlan& plan) {
  const View& log_probs = builder.Tensor(arg);
  plan.dtype = log_probs.dtype;
  plan.steps = log_probs.shape[0];
  plan.samples = SamplesOf(log_probs);
  plan.classes = ClassesOf(log_probs);
  plan.log_probs = log_probs.rank == 3 ? PlaceOf(builder, arg, 0, 1, 2) : PlaceOf(builder, arg, 0, -1, 1);
}

int64_t Cost(const SampleLengths& sample, const CtcPlan& plan) {
  const double states = static_cast<double>(sample.steps) * static_cast<double>(2 * sample.labels + 1) * kNsPerState;
  const double alpha = plan.backward ? 0 : static_cast<double>(plan.steps) * static_cast<double>(plan.states);
  const double row = plan.backward ? static_cast<double>(plan.steps) * static_cast<double>(plan.classes) : 0;
  return static_cast<int64_t>(states + (row + alpha) * kNsPerElement);
}

int64_t RowBytes(const CtcPlan& plan) { return plan.classes * static_cast<int64_t>(ElementBytes(plan.dtype)); }

// Whether the gradient is too large to stay in the cache until it is read.
bool StreamsRows(const CtcPlan& plan) {
  const auto bytes = static_cast<int64_t>(ElementBytes(plan.dtype));
  const int64_t row = RowBytes(plan);
  return plan.out.element == bytes && plan.log_probs.element == bytes && row >= kLeastStreamed &&
         row <= kMostStreamed &&
         plan.steps > loops::NonTemporalBytes() / (2 * row) / std::max<int64_t>(plan.samples, 1);
}

void PlanRun(exec::PlanBuilder& builder, const exec::Schema& schema, exec::RunFunction run,
             std::initializer_list<int> outputs, CtcPlan& plan) {
  const auto steps = builder.Ints(schema.Find("inputLengths"));
  const auto labels = builder.Ints(schema.Find("targetLengths"));
  const bool is_joined = builder.Tensor(schema.Find("targets")).rank == 1;
  std::vector<SampleLengths> lengths;
  int64_t longest = 0;
  int64_t sum = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    lengths.push_back({static_cast<int64_t>(i), steps[i], labels[i], is_joined ? sum : 0});
    longest = std::max(longest, labels[i]);
    sum += labels[i];
  }
  std::sort(lengths.begin(), lengths.end(), [&](const SampleLengths& a, const SampleLengths& b) {
    return std::pair(-Cost(a, plan), a.number) < std::pair(-Cost(b, plan), b.number);
  });
  double cost = 0;
  for (const SampleLengths& sample : lengths) cost += static_cast<double>(Cost(sample, plan));

  plan.kernels = &KernelsFor(plan.dtype, ActiveTarget());
  plan.exponential_row = ExponentialRowFor(plan.dtype, ActiveTarget());
  plan.half_floats = HalfFloatsFor(plan.dtype, ActiveTarget());
  const auto lanes = static_cast<int64_t>(plan.kernels->lanes);
  plan.sizes.lanes = lanes;
  plan.sizes.pitch = lanes + (longest + 2 + lanes - 1) / lanes * lanes + lanes;
  const int64_t elements = plan.backward ? 2 * plan.classes + plan.states : plan.classes;  // per step of a sample
  plan.is_near = static_cast<double>(plan.steps) * static_cast<double>(plan.samples) * static_cast<double>(elements) *
                     static_cast<double>(ElementBytes(plan.dtype)) <=
                 static_cast<double>(CurrentTuning().second_level_bytes);
  plan.slots = loops::batches::SampleSlots(builder, plan.samples, outputs);
  plan.splits = plan.samples == 1 && cost > kSplitNs && loops::batches::SampleSlots(builder, plan.steps, outputs) > 1;
  if (plan.splits) plan.slots = std::min(loops::batches::SampleSlots(builder, plan.steps, outputs), kMostSlotsOfSample);
  const auto row_bytes = static_cast<int64_t>(sizeof(double)) * kRowArrays * plan.sizes.pitch;
  // A block needs the step before it as well.
  const auto steps_in = [](int64_t room, int64_t bytes, int64_t least, int64_t most) {
    return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::clamp(room / bytes, least, most))));
  };
  plan.sizes.rows = steps_in(kBlockBytes, row_bytes, 2, kMostSteps);
  plan.takes_rows = plan.dtype != ACL_DOUBLE && plan.classes <= kMostClassesOfRow;
  const int64_t classes = plan.takes_rows ? plan.classes : std::min(longest + 1, plan.classes);
  plan.sizes.classes = (classes + lanes - 1) / lanes * lanes;
  const auto scaled_bytes = static_cast<int64_t>(2 * sizeof(double) + sizeof(float)) * plan.sizes.classes;
  if (plan.backward && StreamsRows(plan)) plan.sizes.streamed = RowBytes(plan);
  plan.sizes.scaled =
      steps_in(kScaledBytes, scaled_bytes, 1, plan.sizes.streamed > 0 ? kMostStreamedSteps : kMostScaledSteps);
  plan.block = plan.sizes.rows - 1;
  plan.shared_steps = kSharedStates / (2 * longest + 1 + (plan.backward ? plan.classes / 8 : 0));
  // Must be a multiple of the block, see RunSteps().
  plan.shared_steps = std::max<int64_t>(plan.shared_steps / plan.sizes.scaled, 1) * plan.sizes.scaled;
  plan.slot_bytes = SampleScratch(Layout(plan.sizes)).bytes;
  if (plan.splits) plan.snapshot_bytes = Snapshot(Layout(plan.sizes)).bytes;
  plan.scratch = builder.Book<std::byte>(
      "steps", plan.slots * plan.slot_bytes + loops::batches::kBlockPlaces * plan.snapshot_bytes);

  std::vector<std::byte> parameters(sizeof(plan) + lengths.size() * sizeof(SampleLengths));
  std::memcpy(parameters.data(), &plan, sizeof(plan));
  std::memcpy(parameters.data() + sizeof(plan), lengths.data(), lengths.size() * sizeof(SampleLengths));
  constexpr double kMostNs = 1e18;
  builder.RunBytes(run, parameters.data(), parameters.size(), static_cast<int64_t>(std::min(cost, kMostNs)));
}

void PlanCtcLoss(exec::PlanBuilder& builder) {
  constexpr int kLogProbs = kCtcLoss.Index("logProbs");
  constexpr int kTargets = kCtcLoss.Index("targets");
  constexpr int kLoss = kCtcLoss.Index("negLogLikelihoodOut");
  constexpr int kAlpha = kCtcLoss.Index("logAlphaOut");
  CtcPlan plan = {};
  DescribeLogProbs(builder, kLogProbs, plan);
  if (plan.samples == 0) return;
  DescribeTargets(builder, kTargets, plan);
  plan.blank = builder.Attribute<int64_t>(kCtcLoss.Index("blank"));
  plan.zero_infinity = builder.Attribute<bool>(kCtcLoss.Index("zeroInfinity"));
  plan.states = builder.Tensor(kAlpha).shape[2];
  plan.loss = PlaceOf(builder, kLoss, -1, 0, -1);
  plan.alpha = PlaceOf(builder, kAlpha, 1, 0, 2);
  // An output may have the shape of an input, but another axis order: inputs of other samples are still read when one
  // is written.
  builder.ForbidInPlace(plan.log_probs.operand);
  builder.ForbidInPlace(plan.targets.operand);
  PlanRun(builder, kCtcLoss, RunForward, {plan.loss.operand, plan.alpha.operand}, plan);
}

void PlanCtcLossBackward(exec::PlanBuilder& builder) {
  constexpr int kLogProbs = kCtcLossBackward.Index("logProbs");
  constexpr int kTargets = kCtcLossBackward.Index("targets");
  constexpr int kLoss = kCtcLossBackward.Index("negLogLikelihood");
  constexpr int kAlpha = kCtcLossBackward.Index("logAlpha");
  constexpr int kGrad = kCtcLossBackward.Index("gradOut");
  constexpr int kOut = kCtcLossBackward.Index("out");
  CtcPlan plan = {};
  plan.backward = true;
  DescribeLogProbs(builder, kLogProbs, plan);
  DescribeTargets(builder, kTargets, plan);
  plan.blank = builder.Attribute<int64_t>(kCtcLossBackward.Index("blank"));
  plan.zero_infinity = builder.Attribute<bool>(kCtcLossBackward.Index("zeroInfinity"));
  plan.states = builder.Tensor(kAlpha).shape[2];
  plan.loss = PlaceOf(builder, kLoss, -1, 0, -1);
  plan.alpha = PlaceOf(builder, kAlpha, 1, 0, 2);
  plan.grad = PlaceOf(builder, kGrad, -1, 0, -1);
  plan.out = PlaceOf(builder, kOut, 0, 1, 2);
  // Only logProbs has the axis order of out.
  builder.ForbidInPlace(plan.alpha.operand);
  PlanRun(builder, kCtcLossBackward, RunBackward, {plan.out.operand}, plan);
}

}  // namespace

}  // namespace portacl::ops::ctc_loss

#include "ops/loss/ctc_loss/ctc_loss_functions.inc"
