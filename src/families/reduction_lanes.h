// SPDX-License-Identifier: Apache-2.0
//
// The lane code of reductions, as plain functions. Floating sums and products are computed in float64; DOUBLE sums also
// sum their rounding errors. For sums with 16-bit results, groups of four elements are added in float32 first, which is
// exact if they are of similar magnitude.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/reductions/reduce_axes.h"

namespace portacl::families {

enum class Reduction : uint8_t {
  kSum,
  kNarrowSum,     // for FLOAT16 or BFLOAT16 with a 16-bit result
  kSumOfNumbers,  // NaN counts as 0
  kNarrowSumOfNumbers,
  kSumOfMagnitudes,
  kNarrowSumOfSquares,
  kSumOfSquares,
  kSumOfPowers,
  kNonZero,  // number of elements that are not 0; NaN counts as 0
  kProduct,
  kMaximum,  // NaN wins
  kMinimum,
  kLargestMagnitude,
  kSmallestMagnitude,
  kAllTrue,  // 1 or 0
  kAnyTrue,
  kFirstMaximum,  // and its position; the first of equal elements or the first NaN wins: two results
  kFirstMinimum,
  kVariance,  // and the mean: two results
};

/// Parameters of every reduction.
struct ReductionParameters {
  double power = 1;  // for kSumOfPowers
  bool mean = false;
  bool root = false;              // for kVariance: the standard deviation
  int64_t correction = 0;         // for kVariance: the divisor is the number of elements less this
  aclDataType whole = ACL_INT64;  // integer sums and products wrap modulo 2^n of this dtype, means are truncated
};

/// `dtype` is the dtype of the elements: FLOAT, DOUBLE or INT64. Sums and products of FLOAT give DOUBLE, positions are
/// INT64, all other results have `dtype`. kSum and kProduct also support COMPLEX128, whose parts are summed like
/// DOUBLE. Sums of elements, numbers, magnitudes and squares, kMaximum and kMinimum also support FLOAT16 and BFLOAT16,
/// with results as for FLOAT. Magnitudes, squares, powers, kNonZero and truth values do not support DOUBLE and INT64.
/// kVariance supports FLOAT, FLOAT16 and BFLOAT16, with results as for sums. `target` is a HWY_* bit.
loops::reductions::Reducer ReducerOf(Reduction reduction, aclDataType dtype, int64_t target);

/// The functions that add elements, for one instruction set; ReducerOf adds the others.
struct AddFunctions {
  void (*rows)(const loops::reductions::ReduceTile& tile);
  void (*columns)(const loops::reductions::ReduceTile& tile);
};
AddFunctions AddFunctionsOf(Reduction reduction, aclDataType dtype, int64_t target);
/// For kMaximum and kMinimum of FLOAT16 and BFLOAT16.
AddFunctions NarrowExtremeFunctionsOf(Reduction reduction, aclDataType dtype, int64_t target);
/// For sums of floating elements, and, except for DOUBLE, of their numbers, magnitudes and squares; for products of
/// FLOAT.
AddFunctions SumFunctionsOf(Reduction reduction, aclDataType dtype, int64_t target);

/// For kSumOfPowers of FLOAT.
AddFunctions PowerFunctionsOf(int64_t target);
/// For kVariance.
AddFunctions VarianceFunctionsOf(aclDataType dtype, int64_t target);

/// The state of a variance: the sum of `count` elements, the sum of the squares of their deviations from their mean,
/// and their number. Joined() is that of both samples.
struct Moments {
  double sum;
  double squares;
  double count;
};
Moments Joined(const Moments& a, const Moments& b);

/// ReducerOf for kVariance, without the functions that add elements.
loops::reductions::Reducer VarianceReducer(aclDataType dtype);

}  // namespace portacl::families
