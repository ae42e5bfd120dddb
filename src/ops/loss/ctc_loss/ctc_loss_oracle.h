// SPDX-License-Identifier: Apache-2.0
//
// Valid calls of this room, and its oracles, see calls/oracle.h: exact results with logarithms, straight from the
// formulas, in long double, or in double where that would take too long. Shares no code with the kernel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "calls/oracle.h"

namespace portacl::ops::ctc_loss {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// One sample of a batch. A label of -1 is not a class.
struct ReferenceSample {
  int64_t total_steps = 0;  // T
  int64_t steps = 0;        // inputLength
  int64_t classes = 0;
  int64_t blank = 0;
  bool zero_infinity = false;
  std::vector<int64_t> labels;
  std::vector<double> log_probs;  // [T, C]

  int64_t states() const { return 2 * static_cast<int64_t>(labels.size()) + 1; }
  int64_t Symbol(int64_t s) const { return s % 2 == 0 ? blank : labels[static_cast<size_t>(s / 2)]; }
  bool Skips(int64_t s) const { return s >= 2 && s % 2 == 1 && Symbol(s) != Symbol(s - 2); }
  double LogProb(int64_t t, int64_t c) const { return c < 0 ? -kInf : log_probs[static_cast<size_t>(t * classes + c)]; }
};

/// ln(e^a + e^b); an infinite sum stays infinite.
template <class Real>
Real LogSum(Real a, Real b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  const Real most = std::max(a, b);
  const Real difference = std::min(a, b) - most;
  if (std::isinf(most) || difference < -50) return most;
  return most + std::log1p(std::exp(difference));
}

struct ForwardResult {
  long double loss = 0;
  std::vector<long double> alpha;  // [T, states]
};

inline ForwardResult ForwardReference(const ReferenceSample& sample) {
  using Real = long double;
  const int64_t states = sample.states();
  ForwardResult result;
  result.alpha.assign(static_cast<size_t>(sample.total_steps * states), -kInf);
  const auto alpha = [&](int64_t t, int64_t s) -> Real& { return result.alpha[static_cast<size_t>(t * states + s)]; };
  for (int64_t t = 0; t < sample.steps; ++t) {
    for (int64_t s = 0; s < states; ++s) {
      if (t == 0 && s >= 2) continue;
      Real sum = t == 0 ? 0 : alpha(t - 1, s);
      if (t > 0 && s >= 1) sum = LogSum(sum, alpha(t - 1, s - 1));
      if (t > 0 && sample.Skips(s)) sum = LogSum(sum, alpha(t - 1, s - 2));
      alpha(t, s) = sum + sample.LogProb(t, sample.Symbol(s));
    }
  }
  if (sample.steps == 0) {
    result.loss = states == 1 ? 0 : kInf;
  } else {
    const Real last = alpha(sample.steps - 1, states - 1);
    result.loss = -(states == 1 ? last : LogSum(last, alpha(sample.steps - 1, states - 2)));
  }
  if (sample.zero_infinity && std::isinf(result.loss)) result.loss = 0;
  return result;
}

/// An element of the gradient, the larger of its two terms, and that term without gradOut.
struct GradientElement {
  long double value = 0;
  long double term = 0;
  long double probability = 0;
};

/// [T, C]. `alpha` is [T, columns]. `loss`, if not null, receives the loss computed from the betas.
template <class Real = long double>
std::vector<GradientElement> BackwardReference(const ReferenceSample& sample, std::type_identity_t<Real> grad,
                                               std::type_identity_t<Real> nll, const std::vector<double>& given_alpha,
                                               int64_t columns, std::type_identity_t<Real>* loss = nullptr) {
  const int64_t states = sample.states();
  const int64_t last = sample.steps - 1;
  std::vector<GradientElement> out(static_cast<size_t>(sample.total_steps * sample.classes));
  const auto alpha = [&](int64_t t, int64_t s) {
    return static_cast<Real>(given_alpha[static_cast<size_t>(t * columns + s)]);
  };
  if (sample.steps == 0) return out;
  if (sample.zero_infinity && std::isinf(nll)) return out;
  if (sample.zero_infinity && nll == 0 && alpha(last, states - 1) == -kInf &&
      (states == 1 || alpha(last, states - 2) == -kInf))
    return out;
  std::vector<Real> beta(static_cast<size_t>(states), -kInf);
  std::vector<Real> next;
  for (int64_t t = last; t >= 0; --t) {
    std::vector<Real> sums(static_cast<size_t>(sample.classes), -kInf);
    next = beta;
    for (int64_t s = states - 1; s >= 0; --s) {
      const int64_t c = sample.Symbol(s);
      const auto at = [&](int64_t state) { return next[static_cast<size_t>(state)]; };
      if (t == last) {
        if (s < states - 2) continue;
        beta[static_cast<size_t>(s)] = sample.LogProb(t, c);
        if (c >= 0) sums[static_cast<size_t>(c)] = alpha(t, s) + beta[static_cast<size_t>(s)];
        continue;
      }
      Real sum = at(s);
      if (s + 1 < states) sum = LogSum(sum, at(s + 1));
      if (s + 2 < states && sample.Skips(s + 2)) sum = LogSum(sum, at(s + 2));
      beta[static_cast<size_t>(s)] = sum + sample.LogProb(t, c);
      if (c < 0) continue;
      Real& of_class = sums[static_cast<size_t>(c)];
      of_class = LogSum(of_class, alpha(t, s) + beta[static_cast<size_t>(s)]);
    }
    for (int64_t c = 0; c < sample.classes; ++c) {
      const Real lp = sample.LogProb(t, c);
      const Real p = std::exp(lp);
      const Real posterior = std::exp(sums[static_cast<size_t>(c)] + nll - lp);
      const Real most = std::max(p, posterior);
      out[static_cast<size_t>(t * sample.classes + c)] = {(p - posterior) * grad, most * grad, most};
    }
  }
  if (loss != nullptr) *loss = -(states == 1 ? beta[0] : LogSum(beta[0], beta[1]));
  return out;
}

/// Half of the generated calls have lengths at their limits: no steps, no labels, more labels than steps.
inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t elements) {
  const std::string api = call.schema().api;
  const bool is_backward = api == "aclnnCtcLossBackward";
  if (!is_backward && api != "aclnnCtcLoss") return;
  const bool is_hostile = random != nullptr && random->Chance(0.5);
  const auto draw = [&](int64_t low, int64_t high, int64_t otherwise) {
    return random != nullptr ? random->Between(low, high) : otherwise;
  };
  int64_t samples = draw(1, 4, 2);
  int64_t classes = draw(1, random != nullptr && random->Chance(0.2) ? 70 : 8, 5);
  int64_t steps = draw(1, 12, 6);
  // A sample has about as many states as classes.
  const int64_t labels = elements > 0 ? 32 : (steps - 1) / 3;
  if (elements > 0) samples = 16, classes = 64, steps = std::max<int64_t>(1, elements / (samples * classes));
  const bool is_one = !is_backward && random != nullptr && random->Chance(0.2);  // (T, C)
  if (is_one) samples = 1;
  std::vector<int64_t>& input_lengths = call.argument("inputLengths").integers;
  std::vector<int64_t>& target_lengths = call.argument("targetLengths").integers;
  input_lengths.clear();
  target_lengths.clear();
  int64_t longest = 0;
  int64_t sum = 0;
  for (int64_t i = 0; i < samples; ++i) {
    input_lengths.push_back(is_hostile ? random->Pick(std::vector<int64_t>{0, 1, steps / 2, steps})
                                       : draw((steps + 1) / 2, steps, steps));
    target_lengths.push_back(is_hostile ? random->Between(0, steps + 2) : draw(0, labels, labels));
    longest = std::max(longest, target_lengths.back());
    sum += target_lengths.back();
  }
  call.argument("blank").integer = draw(0, classes - 1, 0);
  call.argument("zeroInfinity").integer = draw(0, 1, 0);
  const bool is_joined = random != nullptr && random->Chance(0.5);
  call.tensor("targets").shape = is_joined ? calls::Dims{sum} : calls::Dims{samples, longest + draw(0, 2, 1)};
  call.tensor("logProbs").shape = is_one ? calls::Dims{steps, classes} : calls::Dims{steps, samples, classes};
  const bool is_padded = draw(0, 1, 1) != 0;
  const int64_t columns = is_padded ? (2 * longest + 8) / 8 * 8 : 2 * longest + 1;
  call.tensor(is_backward ? "logAlpha" : "logAlphaOut").shape = {samples, steps, columns};
  call.tensor(is_backward ? "negLogLikelihood" : "negLogLikelihoodOut").shape =
      is_one ? calls::Dims{} : calls::Dims{samples};
  if (!is_backward) return;
  call.tensor("gradOut").shape = {samples};
  call.tensor("out").shape = call.tensor("logProbs").shape;
}

/// The labels of one sample, as the operator interprets the values of `targets`.
inline std::vector<int64_t> LabelsOf(const std::vector<double>& targets, size_t first, int64_t count, aclDataType dtype,
                                     int64_t classes) {
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < count; ++i) {
    double value = targets[first + static_cast<size_t>(i)];
    if (dtype == ACL_BOOL) value = value != 0 ? 1 : 0;
    value = std::trunc(value);
    labels.push_back(value >= 0 && value < static_cast<double>(classes) ? static_cast<int64_t>(value) : -1);
  }
  return labels;
}

/// Whether sums contain numbers so large that their rounding error exceeds the result.
inline bool IsLarge(double value) { return std::isfinite(value) && std::abs(value) > 1e4; }

/// All samples of the batch, from row-major values.
inline std::vector<ReferenceSample> SamplesOfCall(const calls::Dims& shape, const std::vector<double>& log_probs,
                                                  const calls::TensorSpec& targets_spec,
                                                  const std::vector<double>& targets,
                                                  const std::vector<int64_t>& input_lengths,
                                                  const std::vector<int64_t>& target_lengths, int64_t blank,
                                                  bool zero_infinity) {
  std::vector<ReferenceSample> samples(input_lengths.size());
  const auto count = static_cast<int64_t>(samples.size());
  size_t first = 0;
  for (size_t b = 0; b < samples.size(); ++b) {
    ReferenceSample& sample = samples[b];
    sample.total_steps = shape.front();
    sample.classes = shape.back();
    sample.steps = input_lengths[b];
    sample.blank = blank;
    sample.zero_infinity = zero_infinity;
    if (targets_spec.shape.size() == 2) first = b * static_cast<size_t>(targets_spec.shape[1]);
    sample.labels = LabelsOf(targets, first, target_lengths[b], targets_spec.dtype, sample.classes);
    first += static_cast<size_t>(target_lengths[b]);
    for (int64_t t = 0; t < sample.total_steps; ++t) {
      const auto row = static_cast<size_t>((t * count + static_cast<int64_t>(b)) * sample.classes);
      sample.log_probs.insert(sample.log_probs.end(), log_probs.begin() + static_cast<ptrdiff_t>(row),
                              log_probs.begin() + static_cast<ptrdiff_t>(row) + sample.classes);
    }
  }
  return samples;
}

inline void ForwardOfCall(calls::OracleCall& call, const std::vector<ReferenceSample>& samples) {
  const calls::Dims& shape = call.Tensor("logAlphaOut").shape;
  std::vector<double>& losses = call.Values("negLogLikelihoodOut");
  std::vector<double>& alphas = call.Values("logAlphaOut");
  alphas.assign(static_cast<size_t>(calls::ElementCount(shape)), -std::numeric_limits<double>::infinity());
  losses.clear();
  for (size_t b = 0; b < samples.size(); ++b) {
    const ForwardResult result = ForwardReference(samples[b]);
    losses.push_back(static_cast<double>(result.loss));
    const bool is_large = std::any_of(samples[b].log_probs.begin(), samples[b].log_probs.end(), IsLarge);
    // The error of the steps remains when the logarithm itself is near 0.
    const double term = is_large ? kInf : static_cast<double>(samples[b].steps) / 256;
    call.Terms("negLogLikelihoodOut").push_back(term);
    for (int64_t t = 0; t < shape[1]; ++t) {
      for (int64_t s = 0; s < shape[2]; ++s) {
        call.Terms("logAlphaOut").push_back(term);
        if (s >= samples[b].states()) continue;
        alphas[(b * static_cast<size_t>(shape[1]) + static_cast<size_t>(t)) * static_cast<size_t>(shape[2]) +
               static_cast<size_t>(s)] =
            static_cast<double>(result.alpha[static_cast<size_t>(t * samples[b].states() + s)]);
      }
    }
  }
}

inline void BackwardOfCall(calls::OracleCall& call, const std::vector<ReferenceSample>& samples) {
  const calls::Dims& shape = call.Tensor("logAlpha").shape;
  const std::vector<double>& alphas = call.Values("logAlpha");
  const std::vector<double>& grads = call.Values("gradOut");
  std::vector<double>& out = call.Values("out");
  std::vector<double>& terms = call.Terms("out");
  const bool is_narrow = call.Tensor("out").dtype != ACL_DOUBLE;
  out.resize(static_cast<size_t>(calls::ElementCount(call.Tensor("out").shape)));
  terms.resize(out.size());
  for (size_t b = 0; b < samples.size(); ++b) {
    const ReferenceSample& sample = samples[b];
    const double nll = call.Values("negLogLikelihood")[b];
    const auto from = alphas.begin() + static_cast<ptrdiff_t>(b * static_cast<size_t>(shape[1] * shape[2]));
    const std::vector<double> alpha(from, from + shape[1] * shape[2]);
    const std::vector<GradientElement> gradient = BackwardReference(sample, grads[b], nll, alpha, shape[2]);
    const bool is_large = IsLarge(nll) || std::any_of(alpha.begin(), alpha.end(), IsLarge) ||
                          std::any_of(sample.log_probs.begin(), sample.log_probs.end(), IsLarge);
    for (int64_t t = 0; t < sample.total_steps; ++t) {
      for (int64_t c = 0; c < sample.classes; ++c) {
        const size_t at = (static_cast<size_t>(t) * samples.size() + b) * static_cast<size_t>(sample.classes) +
                          static_cast<size_t>(c);
        const GradientElement& element = gradient[static_cast<size_t>(t * sample.classes + c)];
        out[at] = static_cast<double>(element.value);
        terms[at] = std::isfinite(element.term) ? std::abs(static_cast<double>(element.term)) : 0;
        // Probabilities below the smallest normal number become 0, and their size is an ULP of this term.
        if (is_narrow) terms[at] = std::max(terms[at], 0x1p-103 * std::abs(grads[b]));
        // With an infinite gradient only the sign of a difference matters, which rounding may change; a probability
        // beyond the range of the dtype becomes infinite.
        const bool is_beyond = element.probability >= (is_narrow ? 0x1p127 : 0x1p1023);
        if (t < sample.steps && (is_large || is_beyond || std::isinf(grads[b])))
          terms[at] = std::numeric_limits<double>::infinity();
      }
    }
  }
}

inline bool Oracle(calls::OracleCall& call) {
  const bool is_backward = call.api() == "aclnnCtcLossBackward";
  if (!is_backward && call.api() != "aclnnCtcLoss") return false;
  const calls::TensorSpec& log_probs = call.Tensor("logProbs");
  const std::vector<ReferenceSample> samples =
      SamplesOfCall(log_probs.shape, call.Values("logProbs"), call.Tensor("targets"), call.Values("targets"),
                    call.Integers("inputLengths"), call.Integers("targetLengths"), call.Integer("blank"),
                    call.Integer("zeroInfinity") != 0);
  if (is_backward) {
    BackwardOfCall(call, samples);
  } else {
    ForwardOfCall(call, samples);
  }
  return true;
}

}  // namespace portacl::ops::ctc_loss
