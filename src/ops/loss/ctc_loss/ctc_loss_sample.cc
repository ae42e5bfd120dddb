// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/ctc_loss/ctc_loss_sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace portacl::ops::ctc_loss {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kLineBytes = 64;
// Rows are too far apart for the hardware prefetcher; this many steps take as long as a memory access.
constexpr int64_t kStepsAhead = 8;
// The hardware prefetcher handles longer rows that are read or written as a whole: prefetching 4,000 bytes made a
// gradient 5 % slower on an EPYC (family 25, model 17), prefetching 128 bytes made it a fifth faster.
constexpr int64_t kLongRowBytes = 1024;

void PrefetchLines(const std::byte* from, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(from + at);
}

}  // namespace

void LoadFloats(const CtcPlan& plan, const std::byte* from, int64_t stride, float* to, size_t n) {
  const auto widen = plan.half_floats.widen;
  if (widen != nullptr && stride == sizeof(uint16_t)) return widen(from, to, n);
  WithElement(plan.dtype, [&](auto element) {
    for (size_t i = 0; i < n; ++i) to[i] = element.LoadFloat(from + static_cast<int64_t>(i) * stride);
  });
}

void StoreFloats(const CtcPlan& plan, const float* from, std::byte* to, int64_t stride, size_t n) {
  const auto narrow = plan.half_floats.narrow;
  if (narrow != nullptr && stride == sizeof(uint16_t)) return narrow(from, to, n);
  WithElement(plan.dtype, [&](auto element) {
    for (size_t i = 0; i < n; ++i) element.Store(static_cast<double>(from[i]), to + static_cast<int64_t>(i) * stride);
  });
}

void ScaledSteps::Begin(const double* skip, size_t labels) {
  // States that are not reached, and the padding of all arrays, are 0.
  const std::byte* const end = plan_.backward ? scratch_.end : reinterpret_cast<const std::byte*>(scratch_.sums);
  std::memset(scratch_.begin, 0, static_cast<size_t>(end - scratch_.begin));
  step_ = {.states = scratch_.states,
           .spare = scratch_.spare,
           .skip = skip,
           .labels = labels,
           .class_of_label = nullptr,
           .blank = 0,
           .products = scratch_.products};
  are_on_ = true;
}

bool ScaledSteps::TakeExponentials(int64_t step, int64_t count, const float* log_probs, int64_t time, size_t classes) {
  first_ = step;
  end_ = step + static_cast<int64_t>(plan_.kernels->scaled.exponentials(log_probs, time, classes, scratch_.p_of_class,
                                                                        static_cast<size_t>(plan_.sizes.classes),
                                                                        static_cast<size_t>(count), &drop_));
  return end_ == step + count;
}

void ScaledSteps::Reach(size_t blank, double p_blank, size_t label, double p_label) {
  step_.states.blank[blank] = p_blank;
  if (label < step_.labels) step_.states.label[label] = p_label;
  step_.drop = std::numeric_limits<double>::infinity();  // not rescaled so far
}

void ScaledSteps::CopyStates(size_t first, const Row& row) const {
  const ScaledStates& states = step_.states;
  const auto divide = [](double state, int32_t exponent, double& m, double& k) {
    const double units = state == 0 ? 0 : std::round((std::ilogb(state) + exponent) / 256.0);
    m = std::ldexp(state, exponent - 256 * static_cast<int>(units));
    k = state == 0 ? kZeroExponent : units;
  };
  // In whole registers: zeros follow the last label.
  const size_t lanes = plan_.kernels->lanes;
  for (size_t j = first; j < (step_.labels + lanes) / lanes * lanes; ++j) {
    const int32_t exponent = states.exponent[j / lanes];
    divide(states.blank[j], exponent, row.blank()[j], row.blank_exponent()[j]);
    divide(states.label[j], exponent, row.label()[j], row.label_exponent()[j]);
  }
}

void ScaledSteps::CopyArrays(const ScaledStates& from, const ScaledStates& to) const {
  const int64_t lanes = plan_.sizes.lanes;
  const int64_t pitch = plan_.sizes.pitch;
  std::copy_n(from.blank - lanes, pitch, to.blank - lanes);
  std::copy_n(from.label - lanes, pitch, to.label - lanes);
  std::copy_n(from.exponent - lanes, pitch, to.exponent - lanes);
}

void ScaledSteps::Keep(const Snapshot& snapshot) const {
  snapshot.scalars->drop = step_.drop;
  snapshot.scalars->gain = step_.gain;
  snapshot.scalars->gap = step_.gap;
  CopyArrays(step_.states, snapshot.scaled);
}

void ScaledSteps::Fetch(const Snapshot& snapshot) {
  step_.drop = snapshot.scalars->drop;
  step_.gain = snapshot.scalars->gain;
  step_.gap = snapshot.scalars->gap;
  CopyArrays(snapshot.scaled, step_.states);
}

Sample::Sample(const exec::RunContext& run, const CtcPlan& plan, const SampleLengths& lengths, int slot)
    : run_(run),
      plan_(plan),
      lengths_(lengths),
      scratch_(Layout(plan.sizes, run.Get<std::byte>(plan.scratch) + slot * plan.slot_bytes)),
      scaled_(plan, scratch_.scaled) {}

void Sample::Begin() {
  ReadLabels();
  if (plan_.backward || !takes_rows_) NumberClasses();
  const size_t lanes = plan_.kernels->lanes;
  const size_t end = (labels() + lanes) / lanes * lanes;  // end of the registers that hold labels() + 1 states
  for (int64_t step = 0; step < std::min(plan_.sizes.rows, steps()); ++step) {
    const Row row = RowOf(step);
    for (double* array : {row.blank(), row.label()}) array[-1] = array[end] = 0;
    for (double* array : {row.blank_exponent(), row.label_exponent()}) array[-1] = array[end] = kZeroExponent;
    for (double* array : {row.lp(), row.even(), row.odd()}) std::fill(array + labels(), array + end, 0);
    std::fill(row.sums(), row.sums() + class_count_ + 1, 0);
  }
  if (plan_.backward) {
    WithElement(plan_.dtype, [&](auto element) {
      nll_ = element.Load(At(plan_.loss));
      grad_ = element.Load(At(plan_.grad));
    });
    streams_ = plan_.sizes.streamed > 0 && std::isfinite(nll_) && std::isfinite(grad_) &&
               run_.Address(plan_.out.operand) != run_.Address(plan_.log_probs.operand);
    takes_rows_ &= std::isfinite(grad_);
  }
}

void Sample::Stream(int64_t step) const {
  std::byte* const out = At(plan_.out) + TimeOf(step) * plan_.out.time;
  // Alternates with prefetches of later input, as memory reads and writes at the same time.
  const int64_t next = std::min(step + plan_.sizes.most_steps(), steps() - 1);
  const std::byte* const ahead = At(plan_.log_probs) + TimeOf(next) * plan_.log_probs.time;
  plan_.kernels->stream(OutOf(step), out, static_cast<size_t>(plan_.sizes.streamed), ahead);
}

void Sample::ReadLabels() {
  const size_t lanes = plan_.kernels->lanes;
  int64_t* const numbers = scratch_.numbers;
  for (size_t j = 0; j < labels(); ++j) {
    // Targets without elements have no address.
    const int64_t place = lengths_.first_label + static_cast<int64_t>(j);
    numbers[j] = LabelAt(plan_.targets_dtype, At(plan_.targets) + place * plan_.targets.element, plan_.classes);
    all_in_range_ &= numbers[j] >= 0;
  }
  // A label that is not a class is never reached, so that the value for its successors does not matter.
  double* const may_skip = scratch_.skip;
  const double all_bits = std::bit_cast<double>(~uint64_t{0});
  std::fill(may_skip, may_skip + (labels() + lanes) / lanes * lanes + 1, 0);
  for (size_t j = 1; j < labels(); ++j) may_skip[j] = numbers[j] != numbers[j - 1] ? all_bits : 0;
  // Exponentials of two unused classes take less time than reading a used class on its own.
  takes_rows_ = plan_.takes_rows && plan_.classes <= 2 * static_cast<int64_t>(labels()) + 16;
  int32_t* const place_in_row = scratch_.place_in_row;
  for (size_t j = 0; j < labels(); ++j) place_in_row[j] = static_cast<int32_t>(numbers[j]);
  std::fill_n(place_in_row + labels(), lanes, 0);
}

void Sample::NumberClasses() {
  const int64_t* const numbers = scratch_.numbers;
  int32_t* const class_of = scratch_.class_of_label;
  int32_t* const place_of = scratch_.place_of_class;
  int64_t* const classes = scratch_.class_numbers;
  int32_t* const order = scratch_.order;
  classes[0] = plan_.blank;
  place_of[0] = static_cast<int32_t>(labels());
  for (size_t j = 0; j < labels(); ++j) order[j] = static_cast<int32_t>(j);
  std::sort(order, order + labels(),
            [numbers](int32_t a, int32_t b) { return numbers[a] != numbers[b] ? numbers[a] < numbers[b] : a < b; });
  class_count_ = 1;
  for (size_t i = 0; i < labels(); ++i) {
    const int64_t number = numbers[order[i]];
    if (number == plan_.blank) {
      class_of[order[i]] = 0;
    } else if (number >= 0) {
      if (i == 0 || numbers[order[i - 1]] != number) {
        classes[class_count_] = number;
        place_of[class_count_++] = order[i];
      }
      class_of[order[i]] = static_cast<int32_t>(class_count_ - 1);
    }
  }
  for (size_t i = 0; i < labels() && numbers[order[i]] < 0; ++i)
    class_of[order[i]] = static_cast<int32_t>(class_count_);
  std::fill_n(class_of + labels(), plan_.kernels->lanes, 0);
  for (size_t c = 0; c < class_count_; ++c) scratch_.class_offsets[c] = classes[c] * plan_.log_probs.element;
  line_count_ = 0;
  int64_t line = -1;
  for (size_t c = 0; c < class_count_; ++c) {
    const int64_t offset = scratch_.class_offsets[c];
    if (offset / kLineBytes != line) scratch_.line_offsets[line_count_++] = offset;
    line = offset / kLineBytes;
  }
}

void Sample::BeginScaled() {
  const Row row = RowOf(0);
  const size_t blank = plan_.backward ? labels() : 0;
  const size_t label = plan_.backward && labels() > 0 ? labels() - 1 : 0;
  const auto is_scaled = [&](size_t place) {
    return row.lp()[place] >= kLeastScaled && row.lp()[place] <= kGreatestScaled;
  };
  scaled_.End();
  if (plan_.dtype == ACL_DOUBLE || !all_in_range_ || !std::isfinite(nll_)) return;
  if (!is_scaled(labels()) || (labels() > 0 && !is_scaled(label))) return;
  scaled_.Begin(skip(), labels());
  scaled_.Reach(blank, row.p()[labels()], label, row.p()[label]);
}

bool Sample::TakeRows(const std::byte* row, int64_t time, int64_t begin, int64_t end) {
  const auto classes = static_cast<size_t>(plan_.classes);
  if (IsDirect(plan_.log_probs)) {
    return scaled_.TakeExponentials(begin, end - begin, reinterpret_cast<const float*>(row),
                                    time / static_cast<int64_t>(sizeof(float)), classes);
  }
  for (int64_t step = 0; step < end - begin; ++step)
    LoadFloats(plan_, row + step * time, plan_.log_probs.element, scaled_.log_probs(step), classes);
  return scaled_.TakeExponentials(begin, end - begin, scaled_.log_probs(0), plan_.sizes.classes, classes);
}

void Sample::ReadScaled(int64_t begin, int64_t end, bool is_far, bool writes) {
  if (!plan_.is_near) {
    prefetches_in_steps_ = is_far && !plan_.backward && IsScattered();
    for (int64_t step = begin; step < end; ++step) Prefetch(step + kStepsAhead, is_far, writes);
  }
  const Place& place = plan_.log_probs;
  const int64_t time = plan_.backward ? -place.time : place.time;
  const std::byte* const first = At(place) + TimeOf(begin) * place.time;
  has_rows_ = takes_rows_ && TakeRows(first, time, begin, end);
  if (has_rows_) return scaled_.SetClasses(scratch_.place_in_row, static_cast<size_t>(plan_.blank));
  if (class_count_ == 0) NumberClasses();
  scaled_.SetClasses(class_of_label(), 0);
  const int64_t* const offsets = scratch_.class_offsets;
  WithElement(plan_.dtype, [&](auto element) {
    for (int64_t step = 0; step < end - begin; ++step) {
      const std::byte* const row = first + step * time;
      float* const lp = scaled_.log_probs(step);
      for (size_t c = 0; c < class_count_; ++c) lp[c] = element.LoadFloat(row + offsets[c]);
    }
  });
  scaled_.TakeExponentials(begin, end - begin, scaled_.log_probs(0), plan_.sizes.classes, class_count_);
}

void Sample::SetAhead(int64_t step, ScaledBlock& block) const {
  const Place& place = plan_.log_probs;
  block.ahead = At(place) + std::min(step + kStepsAhead, steps() - 1) * place.time;
  block.ahead_time = place.time;
  block.ahead_steps = static_cast<size_t>(std::max<int64_t>(steps() - kStepsAhead - step, 0));
  block.lines = scratch_.line_offsets;
  block.line_count = line_count_;
}

void Sample::CopyScaledStates(int64_t step, size_t first) const {
  scaled_.CopyStates(first, RowOf(step));
  StateOf(step).reached = ReachOfPaths(step);
}

void Sample::EndScaled(int64_t step) {
  CopyScaledStates(step, 0);
  scaled_.End();
}

void Sample::MakePairs(int64_t step) {
  CopyScaledStates(step, 0);
  ReadPairs(step, step + 1, false, false);
  step_of_pairs_ = step;
}

Snapshot Sample::SnapshotAt(int place) const {
  std::byte* const first = run_.Get<std::byte>(plan_.scratch) + plan_.slots * plan_.slot_bytes;
  return Snapshot(Layout(plan_.sizes, first + place * plan_.snapshot_bytes));
}

void Sample::KeepStates(int64_t step, int place) const {
  const Snapshot snapshot = SnapshotAt(place);
  snapshot.scalars->is_scaled = scaled_.are_on();
  if (scaled_.are_on()) return scaled_.Keep(snapshot);
  snapshot.scalars->reached = reached(step);
  std::copy_n(RowOf(step).blank() - plan_.sizes.lanes, kStateArrays * plan_.sizes.pitch, snapshot.states);
}

void Sample::FetchStates(int64_t step, int place) {
  const Snapshot snapshot = SnapshotAt(place);
  scaled_.End();
  if (snapshot.scalars->is_scaled) {
    scaled_.Begin(skip(), labels());
    return scaled_.Fetch(snapshot);
  }
  StateOf(step).reached = snapshot.scalars->reached;
  std::copy_n(snapshot.states, kStateArrays * plan_.sizes.pitch, RowOf(step).blank() - plan_.sizes.lanes);
}

size_t Sample::Reach(int64_t step) const {
  RowState& state = StateOf(step);
  const size_t before = step == 0 ? 0 : reached(step - 1);
  state.reached = std::max(before, state.is_finite ? ReachOfPaths(step) : labels() + 1);
  return state.reached;
}

bool Sample::IsScattered() const {
  return !takes_rows_ && plan_.classes * plan_.log_probs.element > static_cast<int64_t>(class_count_) * kLineBytes;
}

void Sample::Prefetch(int64_t step, bool is_far, bool writes) const {
  if (step >= steps() || plan_.is_near) return;
  asm volatile("");  // GCC 12 assumes that a function which only prefetches has no effect
  const Place& place = plan_.log_probs;
  const std::byte* const lp = At(place) + TimeOf(step) * place.time;
  const int64_t bytes = plan_.classes * place.element;
  if (!is_far || !IsScattered()) {
    if (is_far || bytes <= kLongRowBytes) PrefetchLines(lp, bytes);
  } else {
    // Into the second-level cache: the first-level cache supports fewer outstanding misses.
    for (size_t line = 0; line < line_count_ && !prefetches_in_steps_; ++line)
      __builtin_prefetch(lp + scratch_.line_offsets[line], 0, 2);
  }
  if (!plan_.backward || !writes) return;
  const int64_t out_bytes = plan_.classes * plan_.out.element;
  if (!streams_ && out_bytes <= kLongRowBytes) PrefetchLines(At(plan_.out) + TimeOf(step) * plan_.out.time, out_bytes);
  // States with a larger stride share no cache lines, and may be arbitrarily far apart.
  if (plan_.alpha.element > kLineBytes) return;
  PrefetchLines(At(plan_.alpha) + TimeOf(step) * plan_.alpha.time, (2 * lengths_.labels + 1) * plan_.alpha.element);
}

void Sample::ReadPairs(int64_t begin, int64_t end, bool is_far, bool writes) const {
  const int64_t* const numbers = scratch_.numbers;
  const int64_t stride = plan_.log_probs.element;
  WithElement(plan_.dtype, [&](auto element) {
    for (int64_t step = begin; step < end; ++step) {
      Prefetch(step + kStepsAhead, is_far, writes);
      const Row row = RowOf(step);
      const std::byte* const lp = At(plan_.log_probs) + TimeOf(step) * plan_.log_probs.time;
      if (all_in_range_) {
        for (size_t j = 0; j < labels(); ++j) row.lp()[j] = element.Load(lp + numbers[j] * stride);
      } else {
        for (size_t j = 0; j < labels(); ++j)
          row.lp()[j] = numbers[j] < 0 ? -kInfinity : element.Load(lp + numbers[j] * stride);
      }
      row.lp()[labels()] = element.Load(lp + plan_.blank * stride);
      StateOf(step).is_finite = plan_.kernels->pairs.exponentials(row.lp(), row.p(), row.p_exponent(), labels() + 1);
    }
  });
}

}  // namespace portacl::ops::ctc_loss
