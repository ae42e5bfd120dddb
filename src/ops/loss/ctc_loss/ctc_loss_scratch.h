// SPDX-License-Identifier: Apache-2.0
//
// The scratch memory of a run: every array by name and type. The same code counts bytes in phase 1 and places arrays in
// the run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/loss/ctc_loss/ctc_loss_lanes.h"

namespace portacl::ops::ctc_loss {

/// What sizes follow from: the longest target and the instruction set.
struct ScratchSizes {
  int64_t lanes = 0;  // float64 in a register
  int64_t pitch = 0;  // elements of an array of labels, with a register on either side
  int64_t rows = 0;   // steps that a sample has room for; a power of two
};

/// Hands out the arrays of a block of memory, each at a multiple of a line. Without a block it only counts.
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
  /// An array of labels: its first element is that behind the register in front.
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

inline PlainStates AddStates(Layout& layout) {
  return {layout.AddLabels<double>(), layout.AddLabels<double>(), layout.AddLabels<int32_t>()};
}

/// Of the plain steps of a sample.
struct PlainScratch {
  explicit PlainScratch(Layout& layout)
      : begin(layout.end()),
        from(AddStates(layout)),
        to(AddStates(layout)),
        p(layout.AddLabels<double>()),
        p_of_class(layout.Add<double>(layout.sizes.pitch)),
        sums(layout.Add<double>(layout.sizes.pitch)),
        log_probs(layout.Add<float>(layout.sizes.pitch)),
        states_as_float(layout.Add<float>(2 * layout.sizes.pitch)),
        end(layout.end()) {}

  std::byte* begin;
  PlainStates from;
  PlainStates to;
  double* p;
  double* p_of_class;
  double* sums;            // by class; 0 between their uses
  float* log_probs;        // by class
  float* states_as_float;  // blanks and labels in turns
  std::byte* end;
};

/// What a Row does not hold of a step.
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
        place_of_class(layout.Add<int32_t>(layout.sizes.pitch)),
        class_numbers(layout.Add<int64_t>(layout.sizes.pitch)),
        class_offsets(layout.Add<int64_t>(layout.sizes.pitch)),
        plain(layout),
        row_states(layout.Add<RowState>(layout.sizes.rows)),
        rows(layout.Add<double>(layout.sizes.rows * kRowArrays * layout.sizes.pitch)),
        bytes(layout.bytes()) {}

  double* skip;             // see StepInput
  int64_t* numbers;         // the labels; -1 for what is no class
  int32_t* order;           // the labels by class, until the classes have numbers
  int32_t* class_of_label;  // numbers of the classes that occur, the blank being the first
  int32_t* place_of_class;  // a place in Row::p of a class
  int64_t* class_numbers;
  int64_t* class_offsets;  // in bytes from the first of a row
  PlainScratch plain;
  RowState* row_states;
  double* rows;
  int64_t bytes;
};

/// What a step leaves to the next, kept for another thread.
struct Snapshot {
  struct Scalars {
    bool is_plain;
    size_t reached;
    double drop;
    double gain;
    int32_t gap;
  };

  explicit Snapshot(Layout layout)
      : scalars(layout.Add<Scalars>(1)),
        states(layout.Add<double>(kStateArrays * layout.sizes.pitch)),
        plain(AddStates(layout)),
        bytes(layout.bytes()) {}

  Scalars* scalars;
  double* states;
  PlainStates plain;
  int64_t bytes;
};

}  // namespace portacl::ops::ctc_loss
