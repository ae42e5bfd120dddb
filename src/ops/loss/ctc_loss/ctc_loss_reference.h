// SPDX-License-Identifier: Apache-2.0
//
// The right answers in logarithms, as the formulas stand; in long double, or in double for what is too long for it.
// Shares no code with the kernel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace portacl::ops::ctc_loss {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// One sample of a batch. -1 is a label that is no class.
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

/// ln(e^a + e^b); any infinity of the sum stays one.
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

/// An element of the gradient, the larger of its two terms, and that without gradOut.
struct GradientElement {
  long double value = 0;
  long double term = 0;
  long double probability = 0;
};

/// [T, C]. `alpha` is [T, columns]. `loss`, if any, receives that of the betas.
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

}  // namespace portacl::ops::ctc_loss
