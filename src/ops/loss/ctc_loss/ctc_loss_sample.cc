// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/ctc_loss/ctc_loss_sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "hwy/cache_control.h"

#include "loops/samples.h"

namespace portacl::ops::ctc_loss {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kLineBytes = 64;
// Rows lie far apart, where the hardware does not look ahead: so many steps take as long as memory does.
constexpr int64_t kStepsAhead = 8;
// A longer row that is read or written as a whole it follows by itself: asking for 4,000 bytes made a gradient 5 %
// slower on an EPYC (family 25, model 17), asking for 128 a fifth faster.
constexpr int64_t kLongRowBytes = 1024;

void PrefetchLines(const std::byte* from, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(from + at);
}

}  // namespace

void ScaledSteps::Begin(const double* skip, const int32_t* class_of_label, size_t labels) {
  // Zeros stand for states that are not reached, and behind the ends of all arrays.
  std::memset(scratch_.begin, 0, static_cast<size_t>(scratch_.end - scratch_.begin));
  step_ = {.states = scratch_.states,
           .spare = scratch_.spare,
           .skip = skip,
           .labels = labels,
           .class_of_label = class_of_label,
           .p_of_class = scratch_.p_of_class,
           .products = scratch_.products};
  are_on_ = true;
}

void ScaledSteps::Reach(size_t blank, double p_blank, size_t label, double p_label) {
  step_.states.blank[blank] = p_blank;
  if (label < step_.labels) step_.states.label[label] = p_label;
  step_.drop = std::numeric_limits<double>::infinity();  // not rescaled yet
}

void ScaledSteps::CopyStates(size_t first, const Row& row) const {
  const ScaledStates& states = step_.states;
  const auto divide = [](double state, int32_t exponent, double& m, double& k) {
    const double units = state == 0 ? 0 : std::round((std::ilogb(state) + exponent) / 256.0);
    m = std::ldexp(state, exponent - 256 * static_cast<int>(units));
    k = state == 0 ? kZeroExponent : units;
  };
  // Of whole registers: behind the last there are zeros.
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
  NumberClasses();
  const size_t lanes = plan_.kernels->lanes;
  const size_t end = (labels() + lanes) / lanes * lanes;  // of the registers that hold labels() + 1 states
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
  }
}

void Sample::Stream(int64_t step) const {
  std::byte* const out = At(plan_.out) + TimeOf(step) * plan_.out.time;
  // In turns with what is to be read next, as memory serves both at a time.
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
  // A label that is no class is never reached, so that nothing depends on what may follow it.
  double* const may_skip = scratch_.skip;
  const double all_bits = std::bit_cast<double>(~uint64_t{0});
  std::fill(may_skip, may_skip + (labels() + lanes) / lanes * lanes + 1, 0);
  for (size_t j = 1; j < labels(); ++j) may_skip[j] = numbers[j] != numbers[j - 1] ? all_bits : 0;
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
  // Of the last register; see ScaledStep.
  std::fill_n(class_of + labels(), plan_.kernels->lanes, static_cast<int32_t>(plan_.sizes.pitch - 1));
  for (size_t c = 0; c < class_count_; ++c) scratch_.class_offsets[c] = classes[c] * plan_.log_probs.element;
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
  scaled_.Begin(skip(), class_of_label(), labels());
  scaled_.Reach(blank, row.p()[labels()], label, row.p()[label]);
}

void Sample::ReadScaled(int64_t begin, int64_t end, bool is_far, bool writes) {
  const int64_t* const offsets = scratch_.class_offsets;
  WithElement(plan_.dtype, [&](auto element) {
    for (int64_t step = begin; step < end; ++step) {
      Prefetch(step + kStepsAhead, is_far, writes);
      const std::byte* const row = At(plan_.log_probs) + TimeOf(step) * plan_.log_probs.time;
      float* const lp = scaled_.log_probs(step);
      for (size_t c = 0; c < class_count_; ++c) lp[c] = element.LoadFloat(row + offsets[c]);
    }
  });
  for (int64_t step = begin; step < end; ++step) scaled_.TakeExponentials(step, class_count_);
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
  has_pairs_[step % 2] = true;
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
    scaled_.Begin(skip(), class_of_label(), labels());
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

void Sample::Prefetch(int64_t step, bool is_far, bool writes) const {
  if (step >= steps() || plan_.is_near) return;
  asm volatile("");  // GCC 12 takes a function that does nothing but prefetch for one without effect
  const Place& place = plan_.log_probs;
  const std::byte* const lp = At(place) + TimeOf(step) * place.time;
  const int64_t bytes = plan_.classes * place.element;
  if (bytes <= (is_far ? static_cast<int64_t>(class_count_) * kLineBytes : kLongRowBytes)) {
    PrefetchLines(lp, bytes);
  } else if (is_far) {
    // To the second level: the first cannot wait for so many lines. Classes come in order.
    int64_t line = -1;  // the last that was asked for
    for (size_t c = 0; c < class_count_; ++c) {
      const int64_t offset = scratch_.class_offsets[c];
      if (offset / kLineBytes != line) __builtin_prefetch(lp + offset, 0, 2);
      line = offset / kLineBytes;
    }
  }
  if (!plan_.backward || !writes) return;
  const int64_t out_bytes = plan_.classes * plan_.out.element;
  if (!streams_ && out_bytes <= kLongRowBytes) PrefetchLines(At(plan_.out) + TimeOf(step) * plan_.out.time, out_bytes);
  // States that lie further apart share no lines, and may lie any distance apart.
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

// The order of work on a batch.

namespace {

struct Batch {
  const exec::RunContext& run;
  const CtcPlan& plan;
  const Direction& direction;
  // The row of a gradient is made from that of log-probabilities, which are then found in the cache; in place they must
  // be read first.
  bool prepares_first;
};

// Steps from `begin` to `end` by one recursion, `block` at a time; returns the first that it cannot make. Without
// outputs, only the states.
int64_t RunSteps(const Batch& batch, const Recursion& recursion, int64_t block, Sample& sample, int64_t begin,
                 int64_t end, bool writes) {
  const bool prepares = writes && batch.direction.prepare != nullptr;
  const bool prepares_first = prepares && batch.prepares_first;
  const auto write = [&](int64_t step) {
    if (prepares && !prepares_first) batch.direction.prepare(sample, step, step + 1);
    if (writes) recursion.write(sample, step);
    if (writes && sample.streams()) sample.Stream(step);
  };
  for (int64_t last; begin < end; begin = last) {
    last = std::min(begin + block, end);
    if (prepares_first) batch.direction.prepare(sample, begin, last);
    recursion.read(sample, begin, last, !prepares_first, writes);
    for (int64_t step = begin; step < last; ++step) {
      const bool is_made = recursion.advance(sample, step, writes);
      // One step later: see ScaledKernels.
      if (step > begin) write(step - 1);
      if (!is_made) return step;
    }
    write(last - 1);
  }
  return end;
}

// Steps from `begin` to `end`, of which the one before lies in the scratch.
void RunSteps(const Batch& batch, Sample& sample, int64_t begin, int64_t end, bool writes) {
  const Direction& direction = batch.direction;
  if (begin == 0) {
    begin = RunSteps(batch, direction.pairs, 1, sample, 0, 1, writes);
    sample.BeginScaled();
  }
  if (sample.scaled().are_on()) {
    begin = RunSteps(batch, direction.scaled, batch.plan.sizes.scaled, sample, begin, end, writes);
    if (begin < end) sample.EndScaled(begin - 1);
  }
  RunSteps(batch, direction.pairs, batch.plan.block, sample, begin, end, writes);
  if (end == sample.steps()) direction.finish(sample);
  if (sample.streams()) hwy::FlushStream();
}

// A sample of which each thread has a copy of its own.
struct SharedSample {
  const Batch& batch;
  const SampleLengths& lengths;
  std::optional<Sample> samples[kMostSlotsOfSample] = {};  // by slot

  Sample& In(int slot) {
    std::optional<Sample>& sample = samples[slot];
    if (!sample) sample.emplace(batch.run, batch.plan, lengths, slot).Begin();
    return *sample;
  }
  int64_t Begin(int64_t block) const { return std::min(block * batch.plan.shared_steps, lengths.steps); }
  int64_t Count() const { return (lengths.steps + batch.plan.shared_steps - 1) / batch.plan.shared_steps; }

  void Advance(int64_t block, int place) {
    Sample& sample = In(0);
    if (place != loops::kNotLeft && block > 0) sample.KeepStates(Begin(block) - 1, place);
    RunSteps(batch, sample, Begin(block), Begin(block + 1), place == loops::kNotLeft);
  }
  void Complete(int64_t block, int place, int slot) {
    Sample& sample = In(slot);
    if (block > 0) sample.FetchStates(Begin(block) - 1, place);
    RunSteps(batch, sample, Begin(block), Begin(block + 1), true);
  }
};

constexpr loops::BlockStages kStages = {
    [](void* of, int64_t block, int place) { static_cast<SharedSample*>(of)->Advance(block, place); },
    [](void* of, int64_t block, int place, int slot) { static_cast<SharedSample*>(of)->Complete(block, place, slot); },
};

void RunSample(void* argument, int64_t number, int slot) {
  const Batch& batch = *static_cast<const Batch*>(argument);
  const SampleLengths& lengths = LengthsOf(batch.plan)[static_cast<size_t>(number)];
  if (batch.plan.splits) {
    SharedSample shared{batch, lengths};
    if (batch.direction.begin(shared.In(0))) loops::ForEachBlock(shared.Count(), batch.plan.slots, kStages, &shared);
    return;
  }
  Sample sample(batch.run, batch.plan, lengths, slot);
  sample.Begin();
  if (batch.direction.begin(sample)) RunSteps(batch, sample, 0, sample.steps(), true);
}

}  // namespace

void RunBatch(const exec::RunContext& run, const Direction& direction) {
  const auto& plan = run.Parameters<CtcPlan>();
  const bool is_in_place = run.Address(plan.out.operand) == run.Address(plan.log_probs.operand);
  Batch batch{run, plan, direction, !is_in_place};
  loops::ForEachSample(plan.samples, plan.splits ? 1 : plan.slots, RunSample, &batch);
}

}  // namespace portacl::ops::ctc_loss
