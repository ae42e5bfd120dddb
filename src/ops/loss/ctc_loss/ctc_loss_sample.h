// SPDX-License-Identifier: Apache-2.0
//
// One running sample: its labels, its steps in scratch memory, and what is done to a range of steps. Steps are counted
// in the direction of the recursion: step i is time i of alpha, and time inputLength - 1 - i of beta.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ops/loss/ctc_loss/ctc_loss_plain_steps.h"
#include "ops/loss/ctc_loss/ctc_loss_plan.h"

namespace portacl::ops::ctc_loss {

/// Arrays of plan.pitch words in front of those of the steps.
inline constexpr int kFirstPlainArray = 6;
inline constexpr int kLabelArrays = kFirstPlainArray + kPlainStepsArrays;

/// What a step leaves to the next of a sample, in words.
inline int64_t KeptWords(int64_t pitch) {
  return 1 + std::max(1 + kKeptArrays * pitch, PlainSteps::kKeptScalars + kPlainArrays * pitch);
}

class Sample {
 public:
  Sample(const exec::RunContext& run, const CtcPlan& plan, const SampleLengths& lengths, int slot);
  Sample(const Sample&) = delete;

  /// Reads the labels and prepares the scratch. To be called before all below.
  void Begin();

  /// The log-probabilities of the blank and the labels, and their exponentials. `is_far`: the rows of these steps were
  /// not read as a whole just before. `writes`: the outputs of the steps will be written, too.
  void ReadEmissions(int64_t begin, int64_t end, bool is_far, bool writes) const;

  /// Begins plain steps with the states of step 0, when they are.
  void BeginPlainSteps();
  /// Asks for a later step, as ReadEmissions does, and reads the classes of this one. False when it is not plain.
  bool ReadClasses(int64_t step, bool is_far, bool writes);
  /// Makes a row of the states of a plain step, from blank and label `first` on.
  void CopyPlainStates(const PlainStates& states, int64_t step, size_t first) const;
  PlainSteps& plain() { return plain_; }

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
    // plan.rows is a power of two.
    return {ArrayAt(kLabelArrays) + (step & (plan_.rows - 1)) * (kRowArrays * plan_.pitch) + plan_.kernels->lanes,
            plan_.pitch};
  }
  int64_t TimeOf(int64_t step) const { return plan_.backward ? steps() - 1 - step : step; }
  /// Log alpha of the first state at a time.
  std::byte* AlphaAt(int64_t time) const { return At(plan_.alpha) + time * plan_.alpha.time; }
  /// Whether its states lie there as the kernels make and use them.
  bool IsAlphaDirect() const { return plan_.dtype == ACL_FLOAT && plan_.alpha.element == sizeof(float); }
  /// How many of the first `pairs` blanks and labels the kernels take straight from, or to, log alpha.
  size_t DirectPairs(size_t pairs) const {
    return IsAlphaDirect() ? pairs / plan_.kernels->lanes * plan_.kernels->lanes : 0;
  }
  const double* skip() const { return words_ + plan_.kernels->lanes; }
  /// Of the gradient: negLogLikelihood and gradOut.
  double nll() const { return nll_; }
  double grad() const { return grad_; }

  /// Element 0 of what the operand holds for this sample.
  std::byte* At(const Place& place) const { return run_.Address(place.operand) + number() * place.sample; }

  /// The classes that occur, the blank being the first, each once.
  size_t class_count() const { return class_count_; }
  /// Number of label j's class; class_count() when that is out of range.
  const int32_t* class_of_label() const { return reinterpret_cast<const int32_t*>(ArrayAt(2)); }
  /// A place in Row::p of that class.
  const int32_t* place_of_class() const { return reinterpret_cast<const int32_t*>(ArrayAt(3)); }
  const int64_t* class_numbers() const { return reinterpret_cast<const int64_t*>(ArrayAt(4)); }

 private:
  double* ArrayAt(int array) const { return words_ + array * plan_.pitch; }
  int64_t* label_numbers() const { return reinterpret_cast<int64_t*>(ArrayAt(1)); }
  // Of the classes that occur, in bytes from the first of a row.
  int64_t* class_offsets() const { return reinterpret_cast<int64_t*>(ArrayAt(5)); }
  /// Asks for what a later step reads and writes.
  void Prefetch(int64_t step, bool is_far, bool writes) const;
  double* KeptStates(int place) const;
  void ReadLabels();
  void NumberClasses();

  const exec::RunContext& run_;
  const CtcPlan& plan_;
  const SampleLengths& lengths_;
  double* const words_;
  size_t class_count_ = 1;
  bool all_in_range_ = true;
  PlainSteps plain_;
  double nll_ = 0;
  double grad_ = 0;
};

/// -1 for what is no class.
int64_t LabelAt(aclDataType dtype, const std::byte* at, int64_t classes);

}  // namespace portacl::ops::ctc_loss
