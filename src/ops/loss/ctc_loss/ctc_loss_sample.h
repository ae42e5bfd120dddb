// SPDX-License-Identifier: Apache-2.0
//
// One running sample: its labels, its steps in scratch memory, and the operations on a range of steps. Steps are
// numbered in the direction of the recursion: step i is time i of alpha, and time inputLength - 1 - i of beta.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bfloat16.h"
#include "base/float16.h"
#include "ops/loss/ctc_loss/ctc_loss_plan.h"

namespace portacl::ops::ctc_loss {

// Single elements of each dtype as float64, for data scattered in memory.

template <class Word>
Word LoadWord(const std::byte* at) {
  Word word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

// kLeast: differences of probabilities below it become 0, so that the arithmetic does not create subnormals of its own.
// 16-bit results are rounded to float32 first, as if they had been computed in float32.

struct DoubleElement {
  static constexpr double kLeast = 0;
  static float LoadFloat(const std::byte* at) { return static_cast<float>(LoadWord<double>(at)); }
  static double Load(const std::byte* at) { return LoadWord<double>(at); }
  static void Store(double value, std::byte* at) { std::memcpy(at, &value, sizeof(value)); }
};

struct FloatElement {
  static constexpr double kLeast = 0x1p-126;
  static float LoadFloat(const std::byte* at) { return LoadWord<float>(at); }
  static double Load(const std::byte* at) { return static_cast<double>(LoadFloat(at)); }
  static void Store(double value, std::byte* at) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(at, &narrow, sizeof(narrow));
  }
};

struct Float16Element {
  static constexpr double kLeast = 0x1p-126;
  static float LoadFloat(const std::byte* at) { return Float16ToFloat(LoadWord<uint16_t>(at)); }
  static double Load(const std::byte* at) { return static_cast<double>(LoadFloat(at)); }
  static void Store(double value, std::byte* at) {
    const uint16_t bits = FloatToFloat16(static_cast<float>(value));
    std::memcpy(at, &bits, sizeof(bits));
  }
};

struct Bfloat16Element {
  static constexpr double kLeast = 0x1p-126;
  static float LoadFloat(const std::byte* at) { return Bfloat16ToFloat(LoadWord<uint16_t>(at)); }
  static double Load(const std::byte* at) { return static_cast<double>(LoadFloat(at)); }
  static void Store(double value, std::byte* at) {
    const uint16_t bits = FloatToBfloat16(static_cast<float>(value));
    std::memcpy(at, &bits, sizeof(bits));
  }
};

/// Calls f(Element()) with the element type of the dtype: one of the four.
template <class F>
auto WithElement(aclDataType dtype, const F& f) {
  switch (dtype) {
    case ACL_FLOAT:
      return f(FloatElement());
    case ACL_FLOAT16:
      return f(Float16Element());
    case ACL_BF16:
      return f(Bfloat16Element());
    default:
      return f(DoubleElement());
  }
}

/// Converts `n` elements with a stride in bytes, of the plan's dtype, which is not DOUBLE; whole registers of float32
/// are written, or read.
void LoadFloats(const CtcPlan& plan, const std::byte* from, int64_t stride, float* to, size_t n);
void StoreFloats(const CtcPlan& plan, const float* from, std::byte* to, int64_t stride, size_t n);

/// The class that an element of targets names; -1 if it is not a class.
inline int64_t LabelAt(aclDataType dtype, const std::byte* at, int64_t classes) {
  switch (dtype) {
    case ACL_INT64: {
      const auto label = LoadWord<int64_t>(at);
      return label >= 0 && label < classes ? label : -1;
    }
    case ACL_INT32: {
      const auto label = LoadWord<int32_t>(at);
      return label >= 0 && label < classes ? label : -1;
    }
    case ACL_BOOL: {
      const int64_t label = LoadWord<uint8_t>(at) != 0 ? 1 : 0;
      return label < classes ? label : -1;
    }
    default: {
      const double label = dtype == ACL_FLOAT ? FloatElement::Load(at) : Float16Element::Load(at);
      // -0.5 is truncated to class 0. NaN fails both comparisons.
      return label > -1 && label < static_cast<double>(classes) ? static_cast<int64_t>(label) : -1;
    }
  }
}

/// The scaled steps of a running sample (see ctc_loss_lanes.h).
class ScaledSteps {
 public:
  ScaledSteps(const CtcPlan& plan, const ScaledScratch& scratch) : plan_(plan), scratch_(scratch) {}

  /// Whether all steps so far except the first were scaled, so that the next may be, too.
  bool are_on() const { return are_on_; }
  /// Sets all states to not reached. The arguments are those of the sample.
  void Begin(const double* skip, size_t labels);
  /// Marks one blank and one label as reached; `label` may be the number of labels.
  void Reach(size_t blank, double p_blank, size_t label, double p_label);
  void End() { are_on_ = false; }

  /// The address for the log-probabilities of a step of the block, by class.
  float* log_probs(int64_t place) const { return scratch_.log_probs + place * plan_.sizes.classes; }
  /// Computes the exponentials of `count` steps from `step` on, the next block. False if some of them do not fit in the
  /// scaled range.
  bool TakeExponentials(int64_t step, int64_t count, const float* log_probs, int64_t time, size_t classes);
  void SetClasses(const int32_t* class_of_label, size_t blank) {
    step_.class_of_label = class_of_label;
    step_.blank = blank;
  }
  /// Steps of the block from `step` on, the first of which reaches `reached` blanks, or labels; outputs are not set.
  ScaledBlock BlockOf(int64_t step, int64_t last, size_t reached) const {
    return {.count = static_cast<size_t>(std::min(last, end_) - step),
            .reached = reached,
            .p_of_class = p_of_class(step),
            .pitch = static_cast<size_t>(plan_.sizes.classes),
            .drop = drop_};
  }
  ScaledStep& step() { return step_; }
  const double* p_of_class(int64_t step) const { return scratch_.p_of_class + PlaceOf(step); }

  /// The buffer for the states, or the gradients of classes, of a step.
  float* floats(int64_t step) const { return scratch_.floats + (step - first_) * plan_.sizes.floats(); }
  /// The buffer for sums by class; zero while unused.
  double* sums(int64_t step) const { return scratch_.sums + PlaceOf(step); }

  /// Copies the states from blank and label `first` on to a row.
  void CopyStates(size_t first, const Row& row) const;
  /// Saves everything that the next step needs of the last.
  void Keep(const Snapshot& snapshot) const;
  void Fetch(const Snapshot& snapshot);

 private:
  int64_t PlaceOf(int64_t step) const { return (step - first_) * plan_.sizes.classes; }
  void CopyArrays(const ScaledStates& from, const ScaledStates& to) const;

  const CtcPlan& plan_;
  const ScaledScratch scratch_;
  ScaledStep step_ = {};
  int64_t first_ = 0;  // first step of the block, and the end of those that are scaled
  int64_t end_ = 0;
  double drop_ = 0;
  bool are_on_ = false;
};

class Sample {
 public:
  Sample(const exec::RunContext& run, const CtcPlan& plan, const SampleLengths& lengths, int slot);
  Sample(const Sample&) = delete;

  /// Reads the labels and prepares the scratch. Must be called before all functions below.
  void Begin();

  /// Reads the inputs of steps of pairs: the log-probabilities of the blank and the labels, and their exponentials.
  /// `is_far`: the rows of these steps are not in the cache from a previous read. `writes`: the outputs of the steps
  /// will be written, too.
  void ReadPairs(int64_t begin, int64_t end, bool is_far, bool writes) const;
  /// Reads the inputs of scaled steps: the log-probabilities of the classes, and their exponentials.
  void ReadScaled(int64_t begin, int64_t end, bool is_far, bool writes);
  /// The scaled steps from `step` to `last`; outputs are not set.
  ScaledBlock ScaledBlockOf(int64_t step, int64_t last) const {
    ScaledBlock block = scaled_.BlockOf(step, last, ReachOfPaths(step));
    if (prefetches_in_steps_) SetAhead(step, block);
    return block;
  }

  /// Whether scaled steps may read whole rows, and whether those of this block have: then a row of the gradient is
  /// written as a whole, too.
  bool takes_rows() const { return takes_rows_ && scaled_.are_on(); }
  bool has_rows() const { return has_rows_ && scaled_.are_on(); }

  /// Starts scaled steps with the states of step 0, if they are in range.
  void BeginScaled();
  /// Continues with pairs after a scaled step.
  void EndScaled(int64_t step);
  /// Converts the states of the last step, a scaled one, to pairs, from blank and label `first` on.
  void CopyScaledStates(int64_t step, size_t first) const;
  /// Converts everything about the last step, a scaled one, to the form of pairs.
  void MakePairs(int64_t step);
  bool has_pairs(int64_t step) const { return step == step_of_pairs_; }
  ScaledSteps& scaled() { return scaled_; }

  /// Saves the states of the last step to a slot of the shared scratch, and restores them.
  void KeepStates(int64_t step, int place) const;
  void FetchStates(int64_t step, int place);

  /// How many blanks, and how many labels, of a step are possible, counted from the start of the recursion; must be
  /// called for each step in turn. An Inf or NaN among the log-probabilities makes impossible states NaN, so that from
  /// then on all are included.
  size_t Reach(int64_t step) const;
  /// The same if no log-probability is Inf or NaN.
  size_t ReachOfPaths(int64_t step) const {
    return std::min(labels() + 1, static_cast<size_t>(step + 1 + (plan_.backward ? 1 : 0)));
  }

  const CtcPlan& plan() const { return plan_; }
  int64_t number() const { return lengths_.number; }
  int64_t steps() const { return lengths_.steps; }
  size_t labels() const { return static_cast<size_t>(lengths_.labels); }
  Row RowOf(int64_t step) const {
    return {scratch_.rows + RowNumber(step) * (kRowArrays * plan_.sizes.pitch) + plan_.sizes.lanes, plan_.sizes.pitch};
  }
  size_t reached(int64_t step) const { return StateOf(step).reached; }
  int64_t TimeOf(int64_t step) const { return plan_.backward ? steps() - 1 - step : step; }
  /// The address of log alpha of the first state at a time.
  std::byte* AlphaAt(int64_t time) const { return At(plan_.alpha) + time * plan_.alpha.time; }
  /// Whether the states in memory have the layout that the kernels read and write.
  bool IsAlphaDirect() const { return IsDirect(plan_.alpha); }
  bool IsDirect(const Place& place) const { return plan_.dtype == ACL_FLOAT && place.element == sizeof(float); }
  /// How many of the first `pairs` blanks and labels the kernels read directly from log alpha, or write to it.
  size_t DirectPairs(size_t pairs) const {
    return IsAlphaDirect() ? pairs / plan_.kernels->lanes * plan_.kernels->lanes : 0;
  }
  const double* skip() const { return scratch_.skip; }
  /// negLogLikelihood and gradOut, for the gradient.
  double nll() const { return nll_; }
  double grad() const { return grad_; }

  /// The address of the operand's element 0 for this sample.
  std::byte* At(const Place& place) const { return run_.Address(place.operand) + number() * place.sample; }

  /// The row of the gradient of a step, or the buffer that Stream() copies to it.
  std::byte* OutOf(int64_t step) const {
    if (!streams_) return At(plan_.out) + TimeOf(step) * plan_.out.time;
    return scratch_.streamed + (step & (plan_.sizes.most_steps() - 1)) * plan_.sizes.streamed;
  }
  void Stream(int64_t step) const;
  bool streams() const { return streams_; }

  /// The number of classes that occur, each counted once; the blank is the first.
  size_t class_count() const { return class_count_; }
  /// Index of the class of label j; class_count() if it is out of range.
  const int32_t* class_of_label() const { return scratch_.class_of_label; }
  /// An index in Row::p of that class.
  const int32_t* place_of_class() const { return scratch_.place_of_class; }
  const int64_t* class_numbers() const { return scratch_.class_numbers; }

 private:
  int64_t RowNumber(int64_t step) const { return step & (plan_.sizes.rows - 1); }
  RowState& StateOf(int64_t step) const { return scratch_.row_states[RowNumber(step)]; }
  void SetAhead(int64_t step, ScaledBlock& block) const;
  /// Whether the classes that occur touch fewer cache lines of a row than it has.
  bool IsScattered() const;
  /// Prefetches the cache lines that a later step reads and writes.
  void Prefetch(int64_t step, bool is_far, bool writes) const;
  Snapshot SnapshotAt(int place) const;
  /// Computes the exponentials of whole rows, the first at `row`; false if one of the steps is not scaled.
  bool TakeRows(const std::byte* row, int64_t time, int64_t begin, int64_t end);
  void ReadLabels();
  void NumberClasses();

  const exec::RunContext& run_;
  const CtcPlan& plan_;
  const SampleLengths& lengths_;
  const SampleScratch scratch_;
  size_t class_count_ = 0;  // until classes are numbered
  size_t line_count_ = 0;
  bool all_in_range_ = true;
  bool prefetches_in_steps_ = false;  // scaled steps prefetch the cache lines of the classes that occur
  ScaledSteps scaled_;
  int64_t step_of_pairs_ = -1;
  bool streams_ = false;
  bool takes_rows_ = false;
  bool has_rows_ = false;
  double nll_ = 0;
  double grad_ = 0;
};

/// How alpha, or beta, is computed from step to step: as pairs, or scaled.
struct Recursion {
  /// Reads the log-probabilities that steps need, see Sample.
  void (*read)(Sample& sample, int64_t begin, int64_t end, bool is_far, bool writes);
  /// Computes the states of steps from `step` on, and, if `writes`, the values that outputs need; step 0 has no
  /// predecessor. Returns the first step that was not computed, at most `last`. It returns `step` if its states cannot
  /// be represented in this form, and then keeps the states of the step before.
  int64_t (*advance)(Sample& sample, int64_t step, int64_t last, bool writes);
  /// Writes the outputs of each of these steps; null if advance() has written them.
  void (*write)(Sample& sample, int64_t step);
};

inline void ReadPairs(Sample& sample, int64_t begin, int64_t end, bool is_far, bool writes) {
  sample.ReadPairs(begin, end, is_far, writes);
}
inline void ReadScaled(Sample& sample, int64_t begin, int64_t end, bool is_far, bool writes) {
  sample.ReadScaled(begin, end, is_far, writes);
}

/// The differences between alpha and beta.
struct Direction {
  /// Called before the first step; returns false if the sample needs no recursion and its outputs have been written.
  bool (*begin)(const Sample& sample);
  /// Writes the parts of outputs that do not depend on states; null if there are none.
  void (*prepare)(const Sample& sample, int64_t begin, int64_t end);
  Recursion pairs;   // for any step
  Recursion scaled;  // for as long as possible; never step 0
  /// Called after the last step.
  void (*finish)(Sample& sample);
};

/// Runs the samples of a batch, or the steps of one sample when there are too few samples for all threads.
void RunBatch(const exec::RunContext& run, const Direction& direction);

}  // namespace portacl::ops::ctc_loss
