// SPDX-License-Identifier: Apache-2.0
//
// The plain steps of a running sample (see ctc_loss_lanes.h) in its scratch memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "ops/loss/ctc_loss/ctc_loss_plan.h"

namespace portacl::ops::ctc_loss {

/// Arrays of plan.pitch words.
inline constexpr int kPlainStepsArrays = 11;

class PlainSteps {
 public:
  PlainSteps(const CtcPlan& plan, double* arrays) : plan_(plan), arrays_(arrays) {}

  /// Whether all steps up to the last were plain, the first apart, and the next may be.
  bool are_on() const { return are_on_; }
  /// No state is reached. The arguments are those of the sample.
  void Begin(const double* skip, const int32_t* class_of_label, size_t labels);
  /// Now one blank and one label are; `label` may be the number of labels.
  void Reach(size_t blank, double p_blank, size_t label, double p_label);
  void End() { are_on_ = false; }

  /// Where the next step's log-probabilities are to be written, class by class.
  float* log_probs() const { return reinterpret_cast<float*>(ArrayAt(8)); }
  /// Makes a step of them, in which states from `begin` to `end` are reached. False when it is not plain.
  bool Read(size_t classes, size_t begin, size_t end);
  PlainStep& step() { return step_; }
  /// The states that were written are those that come before the next.
  void Finish() { std::swap(step_.from, step_.to); }

  /// Room for the states as float32.
  float* float_states() const { return reinterpret_cast<float*>(ArrayAt(9)); }
  /// Room for sums by class; 0 between their uses.
  double* sums() const { return ArrayAt(10); }

  /// The same states, from blank and label `first` on, as those of a row.
  void CopyStates(const PlainStates& states, size_t first, const Row& row) const;
  /// All that the next step needs of the last, in kKeptScalars and kPlainArrays arrays.
  static constexpr int64_t kKeptScalars = 3;
  void Keep(double* to) const;
  void Fetch(const double* from);

 private:
  double* ArrayAt(int array) const { return arrays_ + array * plan_.pitch; }
  double* StatesAt() const { return step_.from.blank - plan_.kernels->lanes; }

  const CtcPlan& plan_;
  double* const arrays_;
  PlainStep step_ = {};
  bool are_on_ = false;
};

}  // namespace portacl::ops::ctc_loss
