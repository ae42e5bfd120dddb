// SPDX-License-Identifier: Apache-2.0
//
// Lane code of this room, as plain functions.
//
// A probability is a pair: mantissa * 2^(256 exponent), both float64, the exponent an integer. The mantissa of an
// ordinary one lies in [2^-129, 2^129); zero has the exponent kZeroExponent, so that it is never the largest of a sum.
// Infinities and NaN are mantissas, and propagate as they would in a computation with logarithms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl::ops::ctc_loss {

inline constexpr double kZeroExponent = -1e300;

/// One time step of one sample. Arrays of labels have L elements followed by one for the blank; arrays of states have L
/// + 1. All have one register of padding on either side, as whole registers are read and written.
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
  double* even() const { return Array(7); }  // buffer for states read from, or written to, the client's tensors
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
  Row from;            // the previous step, in the direction of the recursion
  Row to;              // p is read, states are written
  const double* skip;  // all bits set where label j may directly follow label j - 1, otherwise 0
  size_t labels;
  size_t begin;  // first and last blank, or label, that a path can have reached; others are set to zero
  size_t end;    // one past the last
};

struct PosteriorSums {
  double blanks;
  size_t begin;  // Labels outside this range have no probability: a path passes through few states at a time.
  size_t end;
};

/// States of a scaled step: float64 values, and an exponent of 2, a multiple of kTileBits, for each tile of one
/// register of blanks and one of labels. The arrays are padded like those of Row, with one more exponent on either
/// side.
struct ScaledStates {
  double* blank;
  double* label;
  int32_t* exponent;
};
inline constexpr int32_t kTileShift = 6;
inline constexpr int32_t kTileBits = 1 << kTileShift;

/// The scaled range: a step is scaled if the log-probabilities of its classes lie between these limits. As long as all
/// do, probabilities need no exponents, and adjacent states can share one, which takes 35 to 50 % of the time.
inline constexpr double kLeastScaled = -88;
inline constexpr double kGreatestScaled = 0.5;

/// The last scaled step that was computed, and what the next step needs of the sample.
struct ScaledStep {
  ScaledStates states;
  ScaledStates spare;  // buffer for the states of the next step
  const double* skip;  // as in PairStep
  size_t labels;
  const int32_t* class_of_label;  // padded to whole registers
  size_t blank;                   // the class of the blank
  double* products;               // buffer for products with alpha, by label
  // Bits lost or gained since the last rescaling, plus the largest difference between exponents of tiles.
  double drop = 0;
  double gain = 0;
  int32_t gap = 0;
  bool has_sums = true;  // for a step of beta: if false, scaled arithmetic cannot represent its posteriors
};

/// Consecutive steps in the direction of the recursion.
struct ScaledBlock {
  size_t count;              // number of steps
  size_t reached;            // blanks, or labels, that the first step reaches; each step reaches one more
  const double* p_of_class;  // by step and class
  size_t pitch;              // row length of p_of_class and sums
  double drop;               // bits that a state can lose in a step
  // Log alpha of the first step, with blanks and labels alternating, and the distance to the next step. Alpha writes
  // all states, beta reads them and adds posteriors to `sums`, by step and class. Null: only states are computed.
  float* log_alpha = nullptr;
  ptrdiff_t time = 0;
  double nll = 0;
  double* sums = nullptr;
  // Cache lines that alpha prefetches during the computation: at these offsets in rows, the first of which is `ahead`.
  // Prefetching all at once would stall until they arrive.
  const std::byte* ahead = nullptr;
  ptrdiff_t ahead_time = 0;
  size_t ahead_steps = 0;
  const int64_t* lines = nullptr;
  size_t line_count = 0;
};

/// For FLOAT and 16-bit dtypes. Loading a whole register right after its elements were stored one by one would stall
/// until all stores have reached the cache: therefore several steps are processed together.
struct ScaledKernels {
  /// p of `n` log-probabilities of each of `count` steps, `time` elements from step to step, and the drop over all of
  /// them. Returns how many of the first steps are scaled and have their p.
  size_t (*exponentials)(const float* lp, ptrdiff_t time, size_t n, double* p, size_t pitch, size_t count,
                         double* drop);
  /// Computes as many steps of alpha, or of beta, as possible: up to the first whose result, or whose sums, would leave
  /// the scaled range.
  size_t (*forward)(ScaledStep& step, const ScaledBlock& block);
  size_t (*backward)(ScaledStep& step, const ScaledBlock& block);
  /// (p - posterior) * grad from these sums, which are reset to 0.
  void (*gradients)(const double* p_of_class, double* sums, double grad, size_t classes, float* out);
};

/// For any dtype; except for DOUBLE, terms too small to affect float32 results are skipped.
struct PairKernels {
  /// p and p_exponent of `n` log-probabilities. False if one is Inf or NaN.
  bool (*exponentials)(const double* lp, double* p, double* p_exponent, size_t n);
  /// One step of alpha, or of beta.
  void (*forward)(const PairStep& step);
  void (*backward)(const PairStep& step);
  /// Writes the logarithms of the blanks to row.even() and of the labels to row.odd(), for elements begin <= n < end.
  void (*logarithms)(const Row& row, size_t begin, size_t end);
  /// The same for n < `pairs`, a multiple of the lanes, interleaved to out[2 n] and out[2 n + 1]; in float32.
  void (*logarithm_pairs)(const Row& row, size_t pairs, float* out);
  /// odd[j] = exp(odd[j] + nll - lp[j]) * label j, the posteriors of the labels, where `odd` holds their log alpha;
  /// returns the same summed over the blanks and `even`. For the first `pairs`, a multiple of the lanes, log alpha is
  /// read from log_alpha instead, where blanks and labels alternate.
  PosteriorSums (*posteriors)(const Row& row, const float* log_alpha, size_t pairs, double nll, size_t labels);
};

struct Kernels {
  size_t lanes;  // number of float64 lanes in a register
  ScaledKernels scaled;
  PairKernels pairs;
  /// Copies with non-temporal stores, and prefetches the same number of bytes from `ahead` on; the caller calls
  /// hwy::FlushStream().
  void (*stream)(const std::byte* from, std::byte* to, size_t bytes, const std::byte* ahead);
};

const Kernels& KernelsFor(aclDataType dtype, int64_t target);

/// out[c] = exp(lp[c]) * grad, NaN where lp[c] is -Inf; contiguous elements.
using ExponentialRow = void (*)(const std::byte* lp, std::byte* out, size_t n, double grad);
ExponentialRow ExponentialRowFor(aclDataType dtype, int64_t target);

/// Conversions to and from FLOAT16 or BFLOAT16; whole registers of float32 are read and written. Null for other dtypes.
struct HalfFloats {
  void (*narrow)(const float* from, std::byte* to, size_t n);
  void (*widen)(const std::byte* from, float* to, size_t n);
};
HalfFloats HalfFloatsFor(aclDataType dtype, int64_t target);

}  // namespace portacl::ops::ctc_loss
