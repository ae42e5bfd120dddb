// SPDX-License-Identifier: Apache-2.0
//
// Phase 1 of both operators: what their schemas check beyond its words, and the plans.
#include "ops/loss/ctc_loss/ctc_loss_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/target.h"
#include "loops/non_temporal.h"
#include "loops/samples.h"
#include "ops/loss/ctc_loss/ctc_loss_sample.h"
#include "ops/loss/ctc_loss/ctc_loss_spec.h"

namespace portacl::ops::ctc_loss {
namespace {

using exec::Arguments;
using exec::Step;

int64_t Longest(std::span<const int64_t> lengths) {
  int64_t longest = 0;
  for (const int64_t length : lengths) longest = std::max(longest, length);
  return longest;
}

const View& TensorOf(const Arguments& arguments, std::string_view name) {
  return arguments.Tensor(arguments.schema().Find(name));
}
std::span<const int64_t> IntsOf(const Arguments& arguments, std::string_view name) {
  return arguments.Ints(arguments.schema().Find(name));
}

std::string ShapeOf(std::span<const int64_t> dims) { return fmt::format("[{}]", fmt::join(dims, ",")); }

aclnnStatus RefuseLength(const Arguments& arguments, const Step& step, std::string_view name, std::string_view expected,
                         std::span<const int64_t> lengths, size_t sample) {
  return arguments.Refuse(step, arguments.schema().Find(name), expected,
                          fmt::format("{} at [{}]", lengths[sample], sample));
}

aclnnStatus CheckCount(const Arguments& arguments, const Step& step, std::string_view name) {
  const int64_t samples = SamplesOf(TensorOf(arguments, "logProbs"));
  const auto lengths = IntsOf(arguments, name);
  if (static_cast<int64_t>(lengths.size()) == samples) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find(name),
                          fmt::format("{} values (samples of 'logProbs')", samples), fmt::format("{}", lengths.size()));
}

aclnnStatus CheckNotNegative(const Arguments& arguments, const Step& step, std::string_view name) {
  const auto lengths = IntsOf(arguments, name);
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0) return RefuseLength(arguments, step, name, "lengths of at least 0", lengths, i);
  }
  return exec::kSuccess;
}

}  // namespace

aclnnStatus BlankIsAClass(const Arguments& arguments, const Step& step) {
  const int blank = arguments.schema().Find("blank");
  const int64_t value = arguments.value(blank).integer();
  const int64_t classes = ClassesOf(TensorOf(arguments, "logProbs"));
  if (value >= 0 && value < classes) return exec::kSuccess;
  const auto expected = classes <= 0 ? std::string("a class of 'logProbs', which has none")
                                     : fmt::format("a value from 0 to {} (classes of 'logProbs')", classes - 1);
  return arguments.Refuse(step, blank, expected, fmt::format("{}", value));
}

aclnnStatus AlphaHoldsTheLongestTarget(const Arguments& arguments, const Step& step) {
  const int64_t columns = TensorOf(arguments, "logAlpha").shape[2];
  const int64_t longest = Longest(IntsOf(arguments, "targetLengths"));
  if (columns > 0 && longest <= (columns - 1) / 2) return exec::kSuccess;
  const auto expected = fmt::format("at least 2 * {} + 1 along axis 2 (the longest of 'targetLengths')", longest);
  return arguments.Refuse(step, arguments.schema().Find("logAlpha"), expected, fmt::format("{}", columns));
}

aclnnStatus TargetsHoldTheLongest(const Arguments& arguments, const Step& step) {
  const View& targets = TensorOf(arguments, "targets");
  const int64_t longest = Longest(IntsOf(arguments, "targetLengths"));
  if (targets.rank != 2 || targets.shape[1] >= longest) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("targets"),
                          fmt::format("at least {} along axis 1 (the longest of 'targetLengths')", longest),
                          fmt::format("{}", targets.shape[1]));
}

aclnnStatus TargetsHaveARowPerSample(const Arguments& arguments, const Step& step) {
  const View& targets = TensorOf(arguments, "targets");
  const int64_t samples = SamplesOf(TensorOf(arguments, "logProbs"));
  if (targets.rank != 2 || targets.shape[0] == samples) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("targets"),
                          fmt::format("{} along axis 0 (samples of 'logProbs')", samples),
                          fmt::format("{}", targets.shape[0]));
}

aclnnStatus InputLengthsWithinTime(const Arguments& arguments, const Step& step) {
  const int64_t steps = TensorOf(arguments, "logProbs").shape[0];
  const auto lengths = IntsOf(arguments, "inputLengths");
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] <= steps) continue;
    return RefuseLength(arguments, step, "inputLengths", fmt::format("at most {} (time steps of 'logProbs')", steps),
                        lengths, i);
  }
  return exec::kSuccess;
}

aclnnStatus TargetsAreAsManyAsCounted(const Arguments& arguments, const Step& step) {
  const View& targets = TensorOf(arguments, "targets");
  if (targets.rank != 1) return exec::kSuccess;
  int64_t sum = 0;
  for (const int64_t length : IntsOf(arguments, "targetLengths")) {
    if (__builtin_add_overflow(sum, length, &sum)) sum = std::numeric_limits<int64_t>::max();
  }
  if (targets.shape[0] == sum) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("targets"),
                          fmt::format("{} elements (sum of 'targetLengths')", sum),
                          fmt::format("{}", targets.shape[0]));
}

aclnnStatus InputLengthsFit(const Arguments& arguments, const Step& step) {
  if (const aclnnStatus status = CheckCount(arguments, step, "inputLengths")) return status;
  if (const aclnnStatus status = InputLengthsWithinTime(arguments, step)) return status;
  return CheckNotNegative(arguments, step, "inputLengths");
}

aclnnStatus TargetLengthsFit(const Arguments& arguments, const Step& step) {
  if (const aclnnStatus status = CheckCount(arguments, step, "targetLengths")) return status;
  return CheckNotNegative(arguments, step, "targetLengths");
}

aclnnStatus TargetsFit(const Arguments& arguments, const Step& step) {
  if (const aclnnStatus status = TargetsHaveARowPerSample(arguments, step)) return status;
  if (const aclnnStatus status = TargetsHoldTheLongest(arguments, step)) return status;
  return TargetsAreAsManyAsCounted(arguments, step);
}

aclnnStatus LossHasOneElementPerSample(const Arguments& arguments, const Step& step) {
  const View& log_probs = TensorOf(arguments, "logProbs");
  const View& loss = TensorOf(arguments, "negLogLikelihoodOut");
  const bool is_batch = log_probs.rank == 3;
  if (is_batch ? loss.rank == 1 && loss.shape[0] == log_probs.shape[1] : loss.rank == 0) return exec::kSuccess;
  const auto expected = is_batch ? fmt::format("[{}] (samples of 'logProbs')", log_probs.shape[1])
                                 : std::string("[] ('logProbs' is one sample)");
  return arguments.Refuse(step, arguments.schema().Find("negLogLikelihoodOut"), expected, ShapeOf(loss.dims()));
}

aclnnStatus AlphaHasAnAcceptedShape(const Arguments& arguments, const Step& step) {
  const View& log_probs = TensorOf(arguments, "logProbs");
  const View& alpha = TensorOf(arguments, "logAlphaOut");
  const int64_t longest = Longest(IntsOf(arguments, "targetLengths"));
  const int64_t exact = 2 * longest + 1;
  const int64_t padded = (2 * longest + 8) / 8 * 8;
  const int64_t samples = SamplesOf(log_probs);
  const bool fits = alpha.shape[0] == samples && alpha.shape[1] == log_probs.shape[0] &&
                    (alpha.shape[2] == exact || alpha.shape[2] == padded);
  if (fits) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("logAlphaOut"),
                          fmt::format("[{0},{1},{2}] or [{0},{1},{3}] (2 * {4} + 1 states, or padded to 8)", samples,
                                      log_probs.shape[0], exact, padded, longest),
                          ShapeOf(alpha.dims()));
}

bool LossShape(const Arguments& arguments, Shape* shape) {
  const View& log_probs = TensorOf(arguments, "logProbs");
  if (log_probs.rank != 2 && log_probs.rank != 3) return false;
  *shape = Shape();
  if (log_probs.rank == 3) shape->dims[shape->rank++] = SamplesOf(log_probs);
  return true;
}

bool AlphaShape(const Arguments& arguments, Shape* shape) {
  const View& log_probs = TensorOf(arguments, "logProbs");
  if (log_probs.rank != 2 && log_probs.rank != 3) return false;
  *shape = Shape();
  const int64_t states = 2 * Longest(IntsOf(arguments, "targetLengths")) + 1;
  for (const int64_t size : {SamplesOf(log_probs), log_probs.shape[0], states}) shape->dims[shape->rank++] = size;
  return true;
}

aclnnStatus NarrowTypesWithinLimits(const Arguments& arguments, const Step& step) {
  constexpr int64_t kMostClasses = 200000;
  constexpr int64_t kMostSamples = 8180;
  constexpr int64_t kMostLabels = 1000;
  const int log_probs = arguments.schema().Find("logProbs");
  const View& view = arguments.Tensor(log_probs);
  if (view.dtype != ACL_FLOAT16 && view.dtype != ACL_BF16) return exec::kSuccess;
  const auto refuse = [&](int arg, const char* what, int64_t most, int64_t got) {
    return arguments.Refuse(step, arg, fmt::format("at most {} {} for FLOAT16 and BFLOAT16", most, what),
                            fmt::format("{}", got));
  };
  if (ClassesOf(view) > kMostClasses) return refuse(log_probs, "classes", kMostClasses, ClassesOf(view));
  if (SamplesOf(view) > kMostSamples) return refuse(log_probs, "samples", kMostSamples, SamplesOf(view));
  const bool is_backward = arguments.schema().Find("logAlpha") >= 0;
  const int alpha = arguments.schema().Find(is_backward ? "logAlpha" : "logAlphaOut");
  const int64_t labels = (arguments.Tensor(alpha).shape[2] - 1) / 2;
  return labels > kMostLabels ? refuse(alpha, "labels", kMostLabels, labels) : exec::kSuccess;
}

namespace {

// The steps that a sample takes at a time stay in the first-level cache together.
constexpr int64_t kBlockBytes = 24 << 10;
constexpr int64_t kMostSteps = 4;
constexpr int64_t kScaledBytes = 16 << 10;
constexpr int64_t kMostScaledSteps = 8;
// Rows of a gradient that go around the cache: few wait at a time, so that the second-level cache holds them.
constexpr int64_t kLeastStreamed = 1 << 10;
constexpr int64_t kMostStreamed = 64 << 10;
constexpr int64_t kMostStreamedSteps = 4;
// More are read one by one.
constexpr int64_t kMostClassesOfRow = 64;
// Of the second-level cache: on a Xeon with 2 MiB, not to ask for 0.5 MB made a loss 5 % faster.
constexpr double kNearBytes = 1 << 20;
// What a thread takes of a shared sample costs far more than to hand it over, and little of the whole.
constexpr int64_t kSharedStates = 16384;
// Threads share a sample that takes a multiple of what it takes to wake them.
constexpr double kSplitNs = 100000;

// Of one core, for the choice of the thread: per state, and per element of a row.
constexpr double kNsPerState = 1.5;
constexpr double kNsPerElement = 0.3;

// Axis numbers; -1 for none.
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

// Whether the gradient is too large to be found in the cache later.
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
  const int64_t elements = plan.backward ? 2 * plan.classes + plan.states : plan.classes;  // of a sample's step
  plan.is_near = static_cast<double>(plan.steps) * static_cast<double>(plan.samples) * static_cast<double>(elements) *
                     static_cast<double>(ElementBytes(plan.dtype)) <=
                 kNearBytes;
  plan.slots = loops::SampleSlots(builder, plan.samples, outputs);
  plan.splits = plan.samples == 1 && cost > kSplitNs && loops::SampleSlots(builder, plan.steps, outputs) > 1;
  if (plan.splits) plan.slots = std::min(loops::SampleSlots(builder, plan.steps, outputs), kMostSlotsOfSample);
  const auto row_bytes = static_cast<int64_t>(sizeof(double)) * kRowArrays * plan.sizes.pitch;
  // Beside those of a block the step before it.
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
  // Of whole blocks, see RunSteps().
  plan.shared_steps = std::max<int64_t>(plan.shared_steps / plan.sizes.scaled, 1) * plan.sizes.scaled;
  plan.slot_bytes = SampleScratch(Layout(plan.sizes)).bytes;
  if (plan.splits) plan.snapshot_bytes = Snapshot(Layout(plan.sizes)).bytes;
  plan.scratch =
      builder.Book<std::byte>("steps", plan.slots * plan.slot_bytes + loops::kBlockPlaces * plan.snapshot_bytes);

  std::vector<std::byte> parameters(sizeof(plan) + lengths.size() * sizeof(SampleLengths));
  std::memcpy(parameters.data(), &plan, sizeof(plan));
  std::memcpy(parameters.data() + sizeof(plan), lengths.data(), lengths.size() * sizeof(SampleLengths));
  constexpr double kMostNs = 1e18;
  builder.RunBytes(run, parameters.data(), parameters.size(), static_cast<int64_t>(std::min(cost, kMostNs)));
}

}  // namespace

void PlanForward(exec::PlanBuilder& builder) {
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
  // An output may have the shape of an input, but not its order: other samples are read when one is written.
  builder.ReadsLate(plan.log_probs.operand);
  builder.ReadsLate(plan.targets.operand);
  PlanRun(builder, kCtcLoss, RunForward, {plan.loss.operand, plan.alpha.operand}, plan);
}

void PlanBackward(exec::PlanBuilder& builder) {
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
  // Only logProbs has the order of out.
  builder.ReadsLate(plan.alpha.operand);
  PlanRun(builder, kCtcLossBackward, RunBackward, {plan.out.operand}, plan);
}

}  // namespace portacl::ops::ctc_loss
