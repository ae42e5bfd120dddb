// SPDX-License-Identifier: Apache-2.0
//
// Alpha, its logarithms and the loss.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/loss/ctc_loss/ctc_loss_sample.h"

namespace portacl::ops::ctc_loss {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLn2 = 0x1.62e42fefa39efp-1;

void StoreLoss(const Sample& sample, double loss) {
  if (sample.plan().zero_infinity && std::isinf(loss)) loss = 0;
  WithElement(sample.plan().dtype, [&](auto element) { element.Store(loss, sample.At(sample.plan().loss)); });
}

// Stores the states from `begin` on as impossible, for the time steps in [from, to).
void StoreImpossible(const Sample& sample, int64_t from, int64_t to, int64_t begin) {
  const CtcPlan& plan = sample.plan();
  if (sample.IsAlphaDirect()) {
    for (int64_t time = from; time < to; ++time) {
      auto* const row = reinterpret_cast<float*>(sample.AlphaAt(time));
      std::fill(row + begin, row + plan.states, -std::numeric_limits<float>::infinity());
    }
    return;
  }
  WithElement(plan.dtype, [&](auto element) {
    for (int64_t time = from; time < to; ++time) {
      std::byte* const row = sample.AlphaAt(time);
      for (int64_t state = begin; state < plan.states; ++state)
        element.Store(-kInfinity, row + state * plan.alpha.element);
    }
  });
}

bool Begin(const Sample& sample) {
  StoreImpossible(sample, sample.steps(), sample.plan().steps, 0);
  if (sample.steps() > 0) return true;
  StoreLoss(sample, sample.labels() == 0 ? 0 : kInfinity);
  return false;
}

int64_t AdvancePairs(Sample& sample, int64_t step, int64_t, bool) {
  const Row row = sample.RowOf(step);
  const size_t labels = sample.labels();
  const size_t reached = sample.Reach(step);
  if (step > 0) {
    sample.plan().kernels->pairs.forward({sample.RowOf(step - 1), row, sample.skip(), labels, 0, reached});
    return step + 1;
  }
  const size_t lanes = sample.plan().kernels->lanes;
  const size_t end = (labels + lanes) / lanes * lanes;
  for (double* array : {row.blank(), row.label()}) std::fill(array, array + end, 0);
  for (double* array : {row.blank_exponent(), row.label_exponent()}) std::fill(array, array + end, kZeroExponent);
  row.blank()[0] = row.p()[labels];
  row.blank_exponent()[0] = row.p_exponent()[labels];
  if (labels == 0) return step + 1;
  row.label()[0] = row.p()[0];
  row.label_exponent()[0] = row.p_exponent()[0];
  return step + 1;
}

// The number of reached states of a step, without the one after the last blank.
size_t StatesOf(const Sample& sample, size_t reached) { return std::min(2 * reached, 2 * sample.labels() + 1); }

// Stores log alpha from state `begin` on; `value_of` returns the reached values.
template <class ValueOf>
void WriteStates(const Sample& sample, int64_t step, size_t begin, size_t reached, const ValueOf& value_of) {
  std::byte* const to = sample.AlphaAt(step);
  const int64_t stride = sample.plan().alpha.element;
  WithElement(sample.plan().dtype, [&](auto element) {
    for (size_t state = begin; state < reached; ++state)
      element.Store(value_of(state), to + static_cast<int64_t>(state) * stride);
  });
  if (static_cast<int64_t>(reached) < sample.plan().states)
    StoreImpossible(sample, step, step + 1, static_cast<int64_t>(reached));
}

void WritePairs(Sample& sample, int64_t step) {
  const PairKernels& kernels = sample.plan().kernels->pairs;
  const Row row = sample.RowOf(step);
  const size_t reached = sample.reached(step);
  const size_t states = StatesOf(sample, reached);
  const size_t pairs = sample.DirectPairs(states / 2);
  kernels.logarithm_pairs(row, pairs, reinterpret_cast<float*>(sample.AlphaAt(step)));
  kernels.logarithms(row, pairs, reached);
  const double* const of_blanks = row.even();
  const double* const of_labels = row.odd();
  WriteStates(sample, step, 2 * pairs, states,
              [=](size_t state) { return state % 2 == 0 ? of_blanks[state / 2] : of_labels[state / 2]; });
}

int64_t AdvanceScaled(Sample& sample, int64_t step, int64_t last, bool writes) {
  const CtcPlan& plan = sample.plan();
  const bool is_direct = sample.IsAlphaDirect();
  const size_t states = 2 * sample.labels() + 1;
  ScaledBlock block = sample.ScaledBlockOf(step, last);
  if (writes) {
    block.log_alpha = is_direct ? reinterpret_cast<float*>(sample.AlphaAt(step)) : sample.scaled().floats(step);
    block.time = is_direct ? plan.alpha.time / static_cast<int64_t>(sizeof(float)) : plan.sizes.floats();
  }
  last = step + static_cast<int64_t>(plan.kernels->scaled.forward(sample.scaled().step(), block));
  if (!writes || (is_direct && static_cast<int64_t>(states) == plan.states)) return last;
  for (; step < last; ++step) {
    if (!is_direct) StoreFloats(plan, sample.scaled().floats(step), sample.AlphaAt(step), plan.alpha.element, states);
    if (static_cast<int64_t>(states) < plan.states)
      StoreImpossible(sample, step, step + 1, static_cast<int64_t>(states));
  }
  return last;
}

void Finish(Sample& sample) {
  const Row row = sample.RowOf(sample.steps() - 1);
  const size_t labels = sample.labels();
  if (sample.scaled().are_on()) sample.CopyScaledStates(sample.steps() - 1, std::max<size_t>(labels, 1) - 1);
  double m = row.blank()[labels];
  double k = row.blank_exponent()[labels];
  if (labels > 0) {
    const double most = std::max(k, row.label_exponent()[labels - 1]);
    // As in the recursion: three exponent units below, a term no longer changes the sum, unless it is infinite.
    const auto weight = [most](double exponent) {
      return std::ldexp(1.0, 256 * static_cast<int>(std::max(exponent - most, -3.0)));
    };
    m = m * weight(k) + row.label()[labels - 1] * weight(row.label_exponent()[labels - 1]);
    k = most;
  }
  StoreLoss(sample, m > 0 && m < kInfinity ? -(std::log(m) + k * (256 * kLn2)) : -std::log(m));
}

}  // namespace

int32_t RunForward(const exec::RunContext& run) {
  RunBatch(run, {Begin, nullptr, {ReadPairs, AdvancePairs, WritePairs}, {ReadScaled, AdvanceScaled, nullptr}, Finish});
  return 0;
}

}  // namespace portacl::ops::ctc_loss
