// SPDX-License-Identifier: Apache-2.0
//
// Checks of this room's schemas that their words cannot express.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>

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

}  // namespace portacl::ops::ctc_loss
