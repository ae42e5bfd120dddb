// SPDX-License-Identifier: Apache-2.0
//
// One running sample: its labels, its steps in scratch memory, and what is done to a range of steps. Steps are counted
// in the direction of the recursion: step i is time i of alpha, and time inputLength - 1 - i of beta.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bfloat16.h"
#include "base/float16.h"
#include "ops/loss/ctc_loss/ctc_loss_plan.h"

namespace portacl::ops::ctc_loss {

// Single elements of each dtype as float64, for what lies scattered in memory.

template <class Word>
Word LoadWord(const std::byte* at) {
  Word word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

// kLeast: differences of probabilities below it count as 0, as no subnormal is made that the data does not ask for.
// Narrow results are rounded to float32 first, as if they had been computed there.

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

/// f(Element()) for the element type of the dtype: one of the four.
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

/// `n` elements, `stride` bytes from one to the next, of the dtype of a plan that is no DOUBLE; whole registers of float32
/// are written, or read.
void LoadFloats(const CtcPlan& plan, const std::byte* from, int64_t stride, float* to, size_t n);
void StoreFloats(const CtcPlan& plan, const float* from, std::byte* to, int64_t stride, size_t n);

/// The class that an element of targets names; -1 for what is none.
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
      // Truncated, -0.5 is class 0. NaN fails both comparisons.
      return label > -1 && label < static_cast<double>(classes) ? static_cast<int64_t>(label) : -1;
    }
  }
}

/// The scaled steps of a running sample (see ctc_loss_lanes.h).
class ScaledSteps {
 public:
  ScaledSteps(const CtcPlan& plan, const ScaledScratch& scratch) : plan_(plan), scratch_(scratch) {}

  /// Whether all steps up to the last were scaled, the first apart, and the next may be.
  bool are_on() const { return are_on_; }
  /// No state is reached. The arguments are those of the sample.
  void Begin(const double* skip, size_t labels);
  /// Now one blank and one label are; `label` may be the number of labels.
  void Reach(size_t blank, double p_blank, size_t label, double p_label);
  void End() { are_on_ = false; }

  /// Where the log-probabilities of a step of the block are to be written, class by class.
  float* log_probs(int64_t place) const { return scratch_.log_probs + place * plan_.sizes.classes; }
  /// Takes exponentials of `count` steps from `step` on, the next block. False when it is one step, or more, too long.
  bool TakeExponentials(int64_t step, int64_t count, const float* log_probs, int64_t time, size_t classes);
  void SetClasses(const int32_t* class_of_label, size_t blank) {
    step_.class_of_label = class_of_label;
    step_.blank = blank;
  }
  /// Steps of the block from `step` on, the first of which reaches `reached` blanks, or labels; without outputs.
  ScaledBlock BlockOf(int64_t step, int64_t last, size_t reached) const {
    return {.count = static_cast<size_t>(std::min(last, end_) - step),
            .reached = reached,
            .p_of_class = p_of_class(step),
            .pitch = static_cast<size_t>(plan_.sizes.classes),
            .drop = drop_};
  }
  ScaledStep& step() { return step_; }
  const double* p_of_class(int64_t step) const { return scratch_.p_of_class + PlaceOf(step); }

  /// Room for the states, or the gradients of classes, of a step.
  float* floats(int64_t step) const { return scratch_.floats + (step - first_) * plan_.sizes.floats(); }
  /// Room for sums by class; 0 between their uses.
  double* sums(int64_t step) const { return scratch_.sums + PlaceOf(step); }

  /// The same states, from blank and label `first` on, as those of a row.
  void CopyStates(size_t first, const Row& row) const;
  /// All that the next step needs of the last.
  void Keep(const Snapshot& snapshot) const;
  void Fetch(const Snapshot& snapshot);

 private:
  int64_t PlaceOf(int64_t step) const { return (step - first_) * plan_.sizes.classes; }
  void CopyArrays(const ScaledStates& from, const ScaledStates& to) const;

  const CtcPlan& plan_;
  const ScaledScratch scratch_;
  ScaledStep step_ = {};
  int64_t first_ = 0;  // of the block, the first step and the one behind the last that is scaled
  int64_t end_ = 0;
  double drop_ = 0;
  bool are_on_ = false;
};

class Sample {
 public:
  Sample(const exec::RunContext& run, const CtcPlan& plan, const SampleLengths& lengths, int slot);
  Sample(const Sample&) = delete;

  /// Reads the labels and prepares the scratch. To be called before all below.
  void Begin();

  /// Inputs of steps of pairs: the log-probabilities of the blank and the labels, and their exponentials. `is_far`: the
  /// rows of these steps were not read as a whole just before. `writes`: the outputs of the steps will be written, too.
  void ReadPairs(int64_t begin, int64_t end, bool is_far, bool writes) const;
  /// Inputs of scaled steps: the log-probabilities of the classes, and their exponentials.
  void ReadScaled(int64_t begin, int64_t end, bool is_far, bool writes);
  /// Those of them from `step` to `last`, without outputs.
  ScaledBlock ScaledBlockOf(int64_t step, int64_t last) const {
    ScaledBlock block = scaled_.BlockOf(step, last, ReachOfPaths(step));
    if (prefetches_in_steps_) SetAhead(step, block);
    return block;
  }

  /// Whether scaled steps are to take whole rows, and whether those of this block have: then a row of the gradient is
  /// written as a whole, too.
  bool takes_rows() const { return takes_rows_ && scaled_.are_on(); }
  bool has_rows() const { return has_rows_ && scaled_.are_on(); }

  /// Begins scaled steps with the states of step 0, when they are.
  void BeginScaled();
  /// Goes on with pairs after a scaled step.
  void EndScaled(int64_t step);
  /// Makes pairs of the states of the last step, a scaled one, from blank and label `first` on.
  void CopyScaledStates(int64_t step, size_t first) const;
  /// Makes all of the last step, a scaled one, what it would be among pairs.
  void MakePairs(int64_t step);
  bool has_pairs(int64_t step) const { return step == step_of_pairs_; }
  ScaledSteps& scaled() { return scaled_; }

  /// The states of the last step to, and from, a place of the scratch that all slots see.
  void KeepStates(int64_t step, int place) const;
  void FetchStates(int64_t step, int place);

  /// How many blanks, and how many labels, of a step can be possible, counted from where the recursion begins; to be
  /// asked step by step. An Inf or NaN among the log-probabilities makes NaN of what is impossible, so that from then
  /// on all count.
  size_t Reach(int64_t step) const;
  /// The same without such log-probabilities.
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
  /// Log alpha of the first state at a time.
  std::byte* AlphaAt(int64_t time) const { return At(plan_.alpha) + time * plan_.alpha.time; }
  /// Whether its states lie there as the kernels make and use them.
  bool IsAlphaDirect() const { return IsDirect(plan_.alpha); }
  bool IsDirect(const Place& place) const { return plan_.dtype == ACL_FLOAT && place.element == sizeof(float); }
  /// How many of the first `pairs` blanks and labels the kernels take straight from, or to, log alpha.
  size_t DirectPairs(size_t pairs) const {
    return IsAlphaDirect() ? pairs / plan_.kernels->lanes * plan_.kernels->lanes : 0;
  }
  const double* skip() const { return scratch_.skip; }
  /// The gradient's negLogLikelihood and gradOut.
  double nll() const { return nll_; }
  double grad() const { return grad_; }

  /// Element 0 of what the operand holds for this sample.
  std::byte* At(const Place& place) const { return run_.Address(place.operand) + number() * place.sample; }

  /// The row of the gradient of a step, or what Stream() copies to it.
  std::byte* OutOf(int64_t step) const {
    if (!streams_) return At(plan_.out) + TimeOf(step) * plan_.out.time;
    return scratch_.streamed + (step & (plan_.sizes.most_steps() - 1)) * plan_.sizes.streamed;
  }
  void Stream(int64_t step) const;
  bool streams() const { return streams_; }

  /// The classes that occur, the blank being the first, each once.
  size_t class_count() const { return class_count_; }
  /// Number of label j's class; class_count() when that is out of range.
  const int32_t* class_of_label() const { return scratch_.class_of_label; }
  /// A place in Row::p of that class.
  const int32_t* place_of_class() const { return scratch_.place_of_class; }
  const int64_t* class_numbers() const { return scratch_.class_numbers; }

 private:
  int64_t RowNumber(int64_t step) const { return step & (plan_.sizes.rows - 1); }
  RowState& StateOf(int64_t step) const { return scratch_.row_states[RowNumber(step)]; }
  void SetAhead(int64_t step, ScaledBlock& block) const;
  /// Whether the classes that occur have fewer lines of a row than all.
  bool IsScattered() const;
  /// Prefetches the lines that a later step reads and writes.
  void Prefetch(int64_t step, bool is_far, bool writes) const;
  Snapshot SnapshotAt(int place) const;
  /// Exponentials of whole rows, the first at `row`; false when one of the steps is not scaled.
  bool TakeRows(const std::byte* row, int64_t time, int64_t begin, int64_t end);
  void ReadLabels();
  void NumberClasses();

  const exec::RunContext& run_;
  const CtcPlan& plan_;
  const SampleLengths& lengths_;
  const SampleScratch scratch_;
  size_t class_count_ = 0;  // until they have numbers
  size_t line_count_ = 0;
  bool all_in_range_ = true;
  bool prefetches_in_steps_ = false;  // scaled steps prefetch the lines of the classes that occur
  ScaledSteps scaled_;
  int64_t step_of_pairs_ = -1;
  bool streams_ = false;
  bool takes_rows_ = false;
  bool has_rows_ = false;
  double nll_ = 0;
  double grad_ = 0;
};

/// How alpha, or beta, is carried from step to step: as pairs, or scaled.
struct Recursion {
  /// The log-probabilities that steps need, see Sample.
  void (*read)(Sample& sample, int64_t begin, int64_t end, bool is_far, bool writes);
  /// The states of steps from `step` on, and what their outputs need of them if it `writes` any; step 0 has no
  /// predecessor. Returns the first that is not made, `last` at most; that is `step` when its states cannot be had in this
  /// way, and those of the step before are then kept.
  int64_t (*advance)(Sample& sample, int64_t step, int64_t last, bool writes);
  /// Writes the outputs of each of these steps; null when advance() has.
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
  /// Before the first step; false when the sample needs no recursion and its outputs are written.
  bool (*begin)(const Sample& sample);
  /// What the outputs of steps hold that depends on no state; null for nothing.
  void (*prepare)(const Sample& sample, int64_t begin, int64_t end);
  Recursion pairs;   // any step
  Recursion scaled;  // as long as it can; never step 0
  /// After the last step.
  void (*finish)(Sample& sample);
};

/// Runs the samples of a batch, or the steps of one sample when there are too few samples for all threads.
void RunBatch(const exec::RunContext& run, const Direction& direction);

}  // namespace portacl::ops::ctc_loss
