// SPDX-License-Identifier: Apache-2.0
//
// The plan of either operator, and the scratch memory of a run: every array by name and type. The same code computes
// sizes in phase 1 and addresses in the run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/plan.h"
#include "ops/loss/ctc_loss/ctc_loss_lanes.h"

namespace portacl::ops::ctc_loss {

/// Only one thread runs the recursion of a shared sample, which is about half of its work.
inline constexpr int kMostSlotsOfSample = 4;

/// Sizes of scratch memory, which depend on the longest target and the instruction set.
struct ScratchSizes {
  int64_t lanes = 0;     // float64 lanes in a register
  int64_t pitch = 0;     // elements of an array of labels, including a register on either side
  int64_t classes = 0;   // elements of an array of classes, in whole registers
  int64_t rows = 0;      // steps that fit into the buffers of a sample; a power of two
  int64_t scaled = 0;    // scaled steps whose probabilities the buffers hold; a power of two
  int64_t streamed = 0;  // bytes of a buffered row of the gradient for non-temporal stores; 0 without these

  int64_t most_steps() const { return std::max(rows, scaled); }
  /// 16-bit elements in a register: LoadFloats() may write this many past the last.
  int64_t half_lanes() const { return 4 * lanes; }
  /// Elements of the float32 buffer of a step.
  int64_t floats() const { return std::max(2 * pitch, classes) + half_lanes(); }
};

/// Allocates the arrays of a memory block one by one, each aligned to a cache line. Without a block it only computes
/// the size.
class Layout {
 public:
  explicit Layout(const ScratchSizes& of, std::byte* block = nullptr) : sizes(of), block_(block) {}

  template <class T>
  T* Add(int64_t count) {
    constexpr int64_t kLineBytes = 64;
    T* const array = reinterpret_cast<T*>(end());
    bytes_ += (count * static_cast<int64_t>(sizeof(T)) + kLineBytes - 1) / kLineBytes * kLineBytes;
    return array;
  }
  /// An array of labels: points to the first element after the register of padding.
  template <class T>
  T* AddLabels() {
    T* const array = Add<T>(sizes.pitch);
    return array == nullptr ? nullptr : array + sizes.lanes;
  }

  std::byte* end() const { return block_ == nullptr ? nullptr : block_ + bytes_; }
  int64_t bytes() const { return bytes_; }

  const ScratchSizes sizes;

 private:
  std::byte* const block_;
  int64_t bytes_ = 0;
};

inline ScaledStates AddStates(Layout& layout) {
  return {layout.AddLabels<double>(), layout.AddLabels<double>(), layout.AddLabels<int32_t>()};
}

/// Scratch memory for the scaled steps of a sample.
struct ScaledScratch {
  explicit ScaledScratch(Layout& layout)
      : begin(layout.end()),
        states(AddStates(layout)),
        spare(AddStates(layout)),
        sums(layout.Add<double>(layout.sizes.scaled * layout.sizes.classes)),
        end(layout.end()),
        products(layout.Add<double>(layout.sizes.pitch)),
        p_of_class(layout.Add<double>(layout.sizes.scaled * layout.sizes.classes)),
        log_probs(layout.Add<float>(layout.sizes.scaled * layout.sizes.classes + layout.sizes.half_lanes())),
        floats(layout.Add<float>(layout.sizes.scaled * layout.sizes.floats())) {}

  std::byte* begin;  // start of the arrays that are set to 0
  ScaledStates states;
  ScaledStates spare;
  double* sums;  // by step and class; zero while unused, and only for beta
  std::byte* end;
  double* products;
  double* p_of_class;  // by step and class
  float* log_probs;    // by step and class
  float* floats;       // by step: blanks and labels interleaved, or gradients of classes
};

/// The part of a step's state that is not in a Row.
struct RowState {
  bool is_finite;  // no log-probability is Inf or NaN
  size_t reached;  // blanks, or labels, that the recursion has reached
};

struct SampleScratch {
  explicit SampleScratch(Layout layout)
      : skip(layout.AddLabels<double>()),
        numbers(layout.Add<int64_t>(layout.sizes.pitch)),
        order(layout.Add<int32_t>(layout.sizes.pitch)),
        class_of_label(layout.Add<int32_t>(layout.sizes.pitch)),
        place_in_row(layout.Add<int32_t>(layout.sizes.pitch)),
        place_of_class(layout.Add<int32_t>(layout.sizes.pitch)),
        class_numbers(layout.Add<int64_t>(layout.sizes.pitch)),
        class_offsets(layout.Add<int64_t>(layout.sizes.pitch)),
        line_offsets(layout.Add<int64_t>(layout.sizes.pitch)),
        scaled(layout),
        row_states(layout.Add<RowState>(layout.sizes.rows)),
        rows(layout.Add<double>(layout.sizes.rows * kRowArrays * layout.sizes.pitch)),
        streamed(layout.Add<std::byte>(layout.sizes.most_steps() * layout.sizes.streamed)),
        bytes(layout.bytes()) {}

  double* skip;             // see PairStep
  int64_t* numbers;         // the labels; -1 for one that is not a class
  int32_t* order;           // the labels ordered by class, until classes have been numbered
  int32_t* class_of_label;  // indices of the classes that occur; the blank is the first
  int32_t* place_in_row;    // the labels, when scaled steps read whole rows
  int32_t* place_of_class;  // index in Row::p of a class
  int64_t* class_numbers;
  int64_t* class_offsets;  // in bytes from the start of a row
  int64_t* line_offsets;   // offsets in cache lines other than that of the previous class
  ScaledScratch scaled;
  RowState* row_states;
  double* rows;
  std::byte* streamed;  // buffered rows of the gradient, by step
  int64_t bytes;
};

/// The state that one step passes to the next, saved for another thread.
struct Snapshot {
  struct Scalars {
    bool is_scaled;
    size_t reached;
    double drop;
    double gain;
    int32_t gap;
  };

  explicit Snapshot(Layout layout)
      : scalars(layout.Add<Scalars>(1)),
        states(layout.Add<double>(kStateArrays * layout.sizes.pitch)),
        scaled(AddStates(layout)),
        bytes(layout.bytes()) {}

  Scalars* scalars;
  double* states;
  ScaledStates scaled;
  int64_t bytes;
};

/// An operand and its strides in bytes; a stride is 0 if the operand has no such axis.
struct Place {
  int operand;
  int64_t time;
  int64_t sample;
  int64_t element;  // class, state, label
};

/// Samples are ordered by when they start: the most expensive first.
struct SampleLengths {
  int64_t number;
  int64_t steps;        // inputLength of the sample
  int64_t labels;       // targetLength of the sample
  int64_t first_label;  // index of its first label in 1-D targets, otherwise 0
};

struct CtcPlan {
  aclDataType dtype;
  aclDataType targets_dtype;
  bool zero_infinity;
  bool backward;
  int64_t steps;    // T
  int64_t samples;  // N
  int64_t classes;  // C
  int64_t states;   // X
  int64_t blank;
  Place log_probs;
  Place targets;
  Place loss;   // negLogLikelihood(Out)
  Place alpha;  // logAlpha(Out)
  Place grad;   // gradOut; only for backward, as is out
  Place out;
  const Kernels* kernels;
  ExponentialRow exponential_row;
  HalfFloats half_floats;
  bool takes_rows;  // scaled steps can read whole rows, as there are few classes
  bool is_near;     // all inputs fit in a cache that is fast enough without prefetching
  // Scratch: a SampleScratch for each of `slots` samples that run concurrently, or threads that share one; then
  // snapshots.
  exec::Region scratch;
  ScratchSizes sizes;
  int64_t slot_bytes;
  int64_t snapshot_bytes;
  int slots;
  bool splits;           // only one sample; threads share its steps
  int64_t block;         // steps that a sample processes together
  int64_t shared_steps;  // steps of a shared sample that a thread processes together
};

/// The lengths are stored after the plan in the executor.
inline std::span<const SampleLengths> LengthsOf(const CtcPlan& plan) {
  return {reinterpret_cast<const SampleLengths*>(&plan + 1), static_cast<size_t>(plan.samples)};
}

/// The functions that run the plans.
int32_t RunForward(const exec::RunContext& run);
int32_t RunBackward(const exec::RunContext& run);

}  // namespace portacl::ops::ctc_loss
