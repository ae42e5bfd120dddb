// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
//
// A probability is a pair: mantissa * 2^(256 exponent), both float64, the exponent a whole number. The mantissa of an
// ordinary one lies in [2^-129, 2^129); zero has the exponent kZeroExponent, so that it is never the largest of a sum.
// Infinities and NaN are mantissas that go through the arithmetic as the logarithms would through theirs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::ops::ctc_loss {

inline constexpr double kZeroExponent = -1e300;

/// One time step of one sample. Arrays of labels have L elements and the blank as the one behind them, those of states
/// L + 1. All have, on either side, as many further elements as a register, and whole registers are read and written.
class Row {
 public:
  Row(double* arrays, int64_t pitch) : arrays_(arrays), pitch_(pitch) {}

  double* lp() const { return Array(0); }          // log-probabilities: labels, blank
  double* p() const { return Array(1); }           // their exponentials: mantissas and
  double* p_exponent() const { return Array(2); }  //   exponents
  double* blank() const { return Array(3); }       // states 0, 2, .. 2L
  double* blank_exponent() const { return Array(4); }
  double* label() const { return Array(5); }  // states 1, 3, .. 2L - 1, and a zero
  double* label_exponent() const { return Array(6); }
  double* even() const { return Array(7); }  // room for what is read of, or written to, states of the client
  double* odd() const { return Array(8); }
  double* sums() const { return Array(9); }  // by class, at most L + 2

 private:
  double* Array(int64_t number) const { return arrays_ + number * pitch_; }

  double* arrays_;
  int64_t pitch_;
};
inline constexpr int kRowArrays = 10;
// The arrays of states, from blank() on.
inline constexpr int kStateArrays = 4;

/// Arguments of the recursion of one step of pairs.
struct PairStep {
  Row from;            // the step before, in the direction of the recursion
  Row to;              // p is read, the states are written
  const double* skip;  // all bits set where label j may follow label j - 1 at once, else 0
  size_t labels;
  size_t begin;  // first and last blank, or label, that a path can have reached; the others become zero
  size_t end;    // one past the last
};

struct PosteriorSums {
  double blanks;
  size_t begin;  // Labels outside of these have none: a path passes through few of many states at a time.
  size_t end;
};

/// States of a scaled step: float64 and, for a tile of one register of blanks and one of labels, an exponent of 2, a
/// multiple of kTileBits. Around the arrays there is room as in those of Row, and an exponent on either side.
struct ScaledStates {
  double* blank;
  double* label;
  int32_t* exponent;
};
inline constexpr int32_t kTileShift = 6;
inline constexpr int32_t kTileBits = 1 << kTileShift;

/// The scaled range: a step is scaled when the log-probabilities of its classes lie between these. As long as all do, no
/// probability needs an exponent, and states next to each other can do with one for all, which takes 35 to 50 % of the
/// time.
inline constexpr double kLeastScaled = -88;
inline constexpr double kGreatestScaled = 0.5;

/// The last scaled step that was made, and what the next needs of the sample.
struct ScaledStep {
  ScaledStates states;
  ScaledStates spare;  // room for those of the next
  const double* skip;  // as in PairStep
  size_t labels;
  const int32_t* class_of_label;  // for whole registers
  size_t blank;                   // its class
  double* products;               // room for those with alpha, by label
  // Bits lost or gained since the last rescale, plus the largest exponent gap between tiles.
  double drop = 0;
  double gain = 0;
  int32_t gap = 0;
  bool has_sums = true;  // of a step of beta: if not, its posteriors take more than scaled arithmetic
};

/// Steps that follow each other in the direction of the recursion.
struct ScaledBlock {
  size_t count;    // steps
  size_t reached;  // blanks, or labels, of the first, from where the recursion begins; each step reaches one more
  const double* p_of_class;  // by step and class
  size_t pitch;              // of p_of_class and sums
  double drop;               // bits that a state loses at most in a step
  // Log alpha of the first step, a blank and a label in turns, and from there to the next. Alpha writes all states,
  // beta reads them and adds posteriors to `sums`, by step and class. Null: states alone.
  float* log_alpha = nullptr;
  ptrdiff_t time = 0;
  double nll = 0;
  double* sums = nullptr;
  // Lines that alpha prefetches meanwhile: at these offsets of rows, the first of which is `ahead`. Prefetching all at
  // once would stall until they have arrived.
  const std::byte* ahead = nullptr;
  ptrdiff_t ahead_time = 0;
  size_t ahead_steps = 0;
  const int64_t* lines = nullptr;
  size_t line_count = 0;
};

/// For FLOAT and what is narrower. What is written element by element is not read by whole registers at once, as these would
/// wait until all of it has reached the cache: so steps are taken several at a time.
struct ScaledKernels {
  /// p of `n` log-probabilities of each of `count` steps, `time` elements from step to step, and the drop of all. Returns how
  /// many of the first steps are scaled, and have a p.
  size_t (*exponentials)(const float* lp, ptrdiff_t time, size_t n, double* p, size_t pitch, size_t count,
                         double* drop);
  /// Steps of alpha, or of beta, as many as can be made: up to the first whose result would leave the scaled range, or whose
  /// sums would.
  size_t (*forward)(ScaledStep& step, const ScaledBlock& block);
  size_t (*backward)(ScaledStep& step, const ScaledBlock& block);
  /// (p - posterior) * grad of such sums, which become 0.
  void (*gradients)(const double* p_of_class, double* sums, double grad, size_t classes, float* out);
};

/// For any dtype; what float32 results cannot show is left out for all but DOUBLE.
struct PairKernels {
  /// p and p_exponent of `n` log-probabilities. False when one is Inf or NaN.
  bool (*exponentials)(const double* lp, double* p, double* p_exponent, size_t n);
  /// One step of alpha, or of beta.
  void (*forward)(const PairStep& step);
  void (*backward)(const PairStep& step);
  /// Element n of the logarithms of the blanks to row.even(), of the labels to row.odd(), for begin <= n < end.
  void (*logarithms)(const Row& row, size_t begin, size_t end);
  /// The same for n < `pairs`, a multiple of the lanes, one after the other to out[2 n] and out[2 n + 1]; float32.
  void (*logarithm_pairs)(const Row& row, size_t pairs, float* out);
  /// odd[j] = exp(odd[j] + nll - lp[j]) * label j, the posteriors of the labels, of whose log alpha `odd` holds the
  /// values, and the sum of the same over the blanks and `even`. The first `pairs`, a multiple of the lanes, are read
  /// from log_alpha instead, which holds those of a blank and a label in turns.
  PosteriorSums (*posteriors)(const Row& row, const float* log_alpha, size_t pairs, double nll, size_t labels);
};

struct Kernels {
  size_t lanes;  // float64 in a register
  ScaledKernels scaled;
  PairKernels pairs;
  /// Copies by non-temporal stores, and prefetches as many bytes from `ahead` on; the caller calls hwy::FlushStream().
  void (*stream)(const std::byte* from, std::byte* to, size_t bytes, const std::byte* ahead);
};

const Kernels& KernelsFor(aclDataType dtype, int64_t target);

/// out[c] = exp(lp[c]) * grad, NaN where lp[c] is -Inf; contiguous elements.
using ExponentialRow = void (*)(const std::byte* lp, std::byte* out, size_t n, double grad);
ExponentialRow ExponentialRowFor(aclDataType dtype, int64_t target);

/// To and from FLOAT16 or BFLOAT16; whole registers of float32 are read and written. Null for others.
struct HalfFloats {
  void (*narrow)(const float* from, std::byte* to, size_t n);
  void (*widen)(const std::byte* from, float* to, size_t n);
};
HalfFloats HalfFloatsFor(aclDataType dtype, int64_t target);

}  // namespace portacl::ops::ctc_loss
