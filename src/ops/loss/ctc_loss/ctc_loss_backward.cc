// SPDX-License-Identifier: Apache-2.0
//
// Beta, the posteriors of the classes, and the gradient.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/dtype.h"
#include "ops/loss/ctc_loss/ctc_loss_sample.h"
#include "simd/strided_copy.h"

namespace portacl::ops::ctc_loss {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Rows whose classes are not contiguous are copied through blocks of this size.
constexpr int64_t kBlockBytes = 4096;

// Every class in float64: with an infinite gradient, numbers that are 0 in float32 make a difference.
void WriteSlowly(const Sample& sample, const std::byte* lp, std::byte* out, double grad) {
  const CtcPlan& plan = sample.plan();
  WithElement(plan.dtype, [&](auto element) {
    for (int64_t c = 0; c < plan.classes; ++c) {
      const double x = element.Load(lp + c * plan.log_probs.element);
      const double p = x == -kInfinity ? kNan : std::exp(x);
      element.Store(p * grad, out + c * plan.out.element);
    }
  });
}

// Fills the time steps in [from, to) with `value`, 0 or NaN.
void FillRows(const Sample& sample, int64_t from, int64_t to, double value) {
  const CtcPlan& plan = sample.plan();
  const auto bytes = static_cast<int64_t>(ElementBytes(plan.dtype));
  for (int64_t time = from; time < to; ++time) {
    std::byte* const out = sample.At(plan.out) + time * plan.out.time;
    if (value == 0 && plan.out.element == bytes) {
      std::memset(out, 0, static_cast<size_t>(plan.classes * bytes));
      continue;
    }
    WithElement(plan.dtype, [&](auto element) {
      for (int64_t c = 0; c < plan.classes; ++c) element.Store(value, out + c * plan.out.element);
    });
  }
}

// exp(logProbs) * grad of all classes at one step; NaN where logProbs is -Inf.
void WriteExponentials(const Sample& sample, int64_t step, double grad) {
  const CtcPlan& plan = sample.plan();
  const auto bytes = static_cast<int64_t>(ElementBytes(plan.dtype));
  const std::byte* const lp = sample.At(plan.log_probs) + sample.TimeOf(step) * plan.log_probs.time;
  std::byte* const out = sample.OutOf(step);
  if (!std::isfinite(grad)) return WriteSlowly(sample, lp, out, grad);
  if (plan.log_probs.element == bytes && plan.out.element == bytes)
    return plan.exponential_row(lp, out, static_cast<size_t>(plan.classes), grad);
  alignas(64) std::byte block[kBlockBytes];
  for (int64_t begin = 0; begin < plan.classes; begin += kBlockBytes / bytes) {
    const int64_t count = std::min(kBlockBytes / bytes, plan.classes - begin);
    simd::StridedCopy(static_cast<size_t>(bytes), 1, count, block, 0, bytes, lp + begin * plan.log_probs.element, 0,
                      plan.log_probs.element);
    plan.exponential_row(block, block, static_cast<size_t>(count), grad);
    simd::StridedCopy(static_cast<size_t>(bytes), 1, count, out + begin * plan.out.element, 0, plan.out.element, block,
                      0, bytes);
  }
}

double LogAlphaAt(const Sample& sample, int64_t time, size_t state) {
  const std::byte* const at = sample.AlphaAt(time) + static_cast<int64_t>(state) * sample.plan().alpha.element;
  return WithElement(sample.plan().dtype, [&](auto element) { return element.Load(at); });
}

// The forward operator has set an infinite loss to zero: no path exists, and the gradient is 0 as for the infinite loss
// itself.
bool WasInfinite(const Sample& sample, double nll) {
  if (nll != 0) return false;
  const size_t last = 2 * sample.labels();
  return LogAlphaAt(sample, sample.steps() - 1, last) == -kInfinity &&
         (last == 0 || LogAlphaAt(sample, sample.steps() - 1, last - 1) == -kInfinity);
}

bool Begin(const Sample& sample) {
  const CtcPlan& plan = sample.plan();
  const double nll = sample.nll();
  const bool is_zero = sample.steps() == 0 || (plan.zero_infinity && (std::isinf(nll) || WasInfinite(sample, nll)));
  FillRows(sample, is_zero ? 0 : sample.steps(), plan.steps, 0);
  if (is_zero) return false;
  if (!std::isnan(nll)) return true;
  FillRows(sample, 0, sample.steps(), kNan);
  return false;
}

// Classes that do not occur have no posterior; those that do are overwritten later.
void Prepare(const Sample& sample, int64_t begin, int64_t end) {
  for (int64_t step = begin; step < end; ++step) {
    const int64_t time = sample.TimeOf(step);
    if (sample.nll() == kInfinity) {
      FillRows(sample, time, time + 1, kNan);
    } else {
      WriteExponentials(sample, step, sample.grad());
    }
  }
}

int64_t AdvancePairs(Sample& sample, int64_t step, int64_t, bool) {
  const Row row = sample.RowOf(step);
  const size_t labels = sample.labels();
  const size_t reached = sample.Reach(step);
  if (step > 0) {
    sample.plan().kernels->pairs.backward(
        {sample.RowOf(step - 1), row, sample.skip(), labels, labels + 1 - reached, labels + 1});
    return step + 1;
  }
  const size_t lanes = sample.plan().kernels->lanes;
  const size_t end = (labels + lanes) / lanes * lanes;
  for (double* array : {row.blank(), row.label()}) std::fill(array, array + end, 0);
  for (double* array : {row.blank_exponent(), row.label_exponent()}) std::fill(array, array + end, kZeroExponent);
  row.blank()[labels] = row.p()[labels];
  row.blank_exponent()[labels] = row.p_exponent()[labels];
  if (labels == 0) return step + 1;
  row.label()[labels - 1] = row.p()[labels - 1];
  row.label_exponent()[labels - 1] = row.p_exponent()[labels - 1];
  return step + 1;
}

// Reads the values of log alpha after the first `pairs`, split into blanks and labels.
void ReadAlpha(const Sample& sample, int64_t time, const Row& row, size_t pairs) {
  const CtcPlan& plan = sample.plan();
  const std::byte* const from = sample.AlphaAt(time);
  WithElement(plan.dtype, [&](auto element) {
    for (size_t state = 2 * pairs; state < 2 * sample.labels() + 1; ++state) {
      (state % 2 == 0 ? row.even() : row.odd())[state / 2] =
          element.Load(from + static_cast<int64_t>(state) * plan.alpha.element);
    }
  });
}

// The value of exp(log_alpha + log beta + nll - lp) for an infinite nll, if some state of the class is possible; if
// none is, the gradient is NaN, see InfinitePosteriors.
double InfinitePosterior(double log_alpha, double beta, double nll, double lp) {
  // Its magnitude does not matter.
  const double log_beta = beta > 0 && beta < kInfinity ? 0 : std::log(beta);
  const double sum = log_alpha + log_beta;
  if (std::isnan(sum) || std::isinf(lp) || std::isnan(lp)) return kNan;
  if (nll < 0) return sum == kInfinity ? kNan : 0;
  return sum == -kInfinity ? 0 : kInfinity;
}

// Writes the posteriors of the labels to row.odd(); returns that of the blanks.
double InfinitePosteriors(const Sample& sample, const Row& row, double nll) {
  const size_t labels = sample.labels();
  double blanks = 0;
  for (size_t j = 0; j <= labels; ++j) {
    blanks += InfinitePosterior(row.even()[j], row.blank()[j], nll, row.lp()[labels]);
    if (j < labels) row.odd()[j] = InfinitePosterior(row.odd()[j], row.label()[j], nll, row.lp()[j]);
  }
  return blanks;
}

double Unlimited(double mantissa, double exponent) {
  if (exponent == 0) return mantissa;
  return std::ldexp(mantissa, 256 * static_cast<int>(std::clamp(exponent, -8.0, 8.0)));
}

// Called for each class of each step: when GCC 12 did not inline it, it took 9 % of a gradient.
template <class Element>
[[gnu::always_inline]] inline void StoreClass(const Sample& sample, std::byte* out, const Row& row, size_t number,
                                              double posterior, double grad) {
  const auto place = static_cast<size_t>(sample.place_of_class()[number]);
  double difference = Unlimited(row.p()[place], row.p_exponent()[place]) - posterior;
  if (std::abs(difference) < Element::kLeast) difference = 0;
  Element::Store(difference * grad, out + sample.class_numbers()[number] * sample.plan().out.element);
}

// The last time step: a path can end in two states only; if the last label equals the blank, it replaces the blank.
template <class Element>
void WriteLast(const Sample& sample, const Row& row, std::byte* out, double nll, double grad) {
  const auto posterior = [&](size_t place, double log_alpha) {
    return std::isfinite(row.lp()[place]) ? std::exp(log_alpha + nll) : kNan;
  };
  const size_t labels = sample.labels();
  StoreClass<Element>(sample, out, row, 0, posterior(labels, row.even()[labels]), grad);
  if (labels == 0) return;
  const auto number = static_cast<size_t>(sample.class_of_label()[labels - 1]);
  if (number < sample.class_count())
    StoreClass<Element>(sample, out, row, number, posterior(labels - 1, row.odd()[labels - 1]), grad);
}

PosteriorSums PosteriorsOf(const Sample& sample, int64_t time, const Row& row, double nll) {
  const size_t labels = sample.labels();
  if (std::isinf(nll)) {
    ReadAlpha(sample, time, row, 0);
    return {InfinitePosteriors(sample, row, nll), 0, labels};
  }
  const size_t pairs = sample.DirectPairs(labels);
  ReadAlpha(sample, time, row, pairs);
  return sample.plan().kernels->pairs.posteriors(row, reinterpret_cast<const float*>(sample.AlphaAt(time)), pairs, nll,
                                                 labels);
}

template <class Element>
void WriteClasses(const Sample& sample, int64_t time, const Row& row, std::byte* out, double nll, double grad) {
  const PosteriorSums states = PosteriorsOf(sample, time, row, nll);
  const int32_t* const class_of = sample.class_of_label();
  double* const sums = row.sums();
  const double* const posteriors = row.odd();
  const size_t classes = sample.class_count();
  sums[0] = states.blanks;
  for (size_t j = states.begin; j < states.end; ++j) sums[class_of[j]] += posteriors[j];
  if (nll == kInfinity) {
    for (size_t number = 0; number < classes; ++number) sums[number] = sums[number] == 0 ? kNan : sums[number];
  }
  for (size_t number = 0; number < classes; ++number) StoreClass<Element>(sample, out, row, number, sums[number], grad);
  std::fill(sums, sums + classes + 1, 0);
}

void WritePairs(Sample& sample, int64_t step) {
  const CtcPlan& plan = sample.plan();
  const Row row = sample.RowOf(step);
  const int64_t time = sample.TimeOf(step);
  std::byte* const out = sample.OutOf(step);
  WithElement(plan.dtype, [&](auto element) {
    using Element = decltype(element);
    if (step == 0) {
      ReadAlpha(sample, time, row, 0);
      WriteLast<Element>(sample, row, out, sample.nll(), sample.grad());
    } else {
      WriteClasses<Element>(sample, time, row, out, sample.nll(), sample.grad());
    }
  });
}

int64_t AdvanceScaled(Sample& sample, int64_t step, int64_t last, bool writes) {
  const CtcPlan& plan = sample.plan();
  ScaledSteps& scaled = sample.scaled();
  const bool is_direct = sample.IsAlphaDirect();
  ScaledBlock block = sample.ScaledBlockOf(step, last);
  if (writes) {
    std::byte* const log_alpha = sample.AlphaAt(sample.TimeOf(step));
    block.log_alpha = is_direct ? reinterpret_cast<float*>(log_alpha) : scaled.floats(step);
    block.time = is_direct ? -plan.alpha.time / static_cast<int64_t>(sizeof(float)) : plan.sizes.floats();
    block.nll = sample.nll();
    block.sums = scaled.sums(step);
    for (int64_t i = 0; !is_direct && i < static_cast<int64_t>(block.count); ++i) {
      LoadFloats(plan, log_alpha - i * plan.alpha.time, plan.alpha.element, scaled.floats(step + i),
                 2 * sample.labels() + 1);
    }
  }
  const int64_t made = step + static_cast<int64_t>(plan.kernels->scaled.backward(scaled.step(), block));
  if (made > step && !scaled.step().has_sums) sample.MakePairs(made - 1);
  return made;
}

void WriteScaled(Sample& sample, int64_t step) {
  const CtcPlan& plan = sample.plan();
  ScaledSteps& scaled = sample.scaled();
  if (sample.has_pairs(step)) {
    if (sample.has_rows()) WriteExponentials(sample, step, sample.grad());
    return WritePairs(sample, step);
  }
  std::byte* const out = sample.OutOf(step);
  const auto classes = sample.has_rows() ? static_cast<size_t>(plan.classes) : sample.class_count();
  const bool is_direct = sample.has_rows() && sample.IsDirect(plan.out);
  float* const gradients = is_direct ? reinterpret_cast<float*>(out) : scaled.floats(step);
  plan.kernels->scaled.gradients(scaled.p_of_class(step), scaled.sums(step), sample.grad(), classes, gradients);
  if (is_direct) return;
  if (sample.has_rows()) return StoreFloats(plan, gradients, out, plan.out.element, classes);
  const int64_t* const numbers = sample.class_numbers();
  WithElement(plan.dtype, [&](auto element) {
    for (size_t c = 0; c < classes; ++c)
      element.Store(static_cast<double>(gradients[c]), out + numbers[c] * plan.out.element);
  });
}

void Finish(Sample&) {}

}  // namespace

int32_t RunBackward(const exec::RunContext& run) {
  RunBatch(run,
           {Begin, Prepare, {ReadPairs, AdvancePairs, WritePairs}, {ReadScaled, AdvanceScaled, WriteScaled}, Finish});
  return 0;
}

}  // namespace portacl::ops::ctc_loss
