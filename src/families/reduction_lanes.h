// SPDX-License-Identifier: Apache-2.0
//
// How elements are reduced, as plain functions. Floating sums and products are done in float64; DOUBLE sums keep what
// each addition rounds off beside them. Of a sum with results of 16 bits, each four elements are added in float32
// first, which is exact where they are of similar magnitude.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "loops/reductions/reduce_axes.h"

namespace portacl::families {

enum class Reduction : uint8_t {
  kSum,
  kNarrowSum,     // of FLOAT16 or BFLOAT16, with results of as many bits
  kSumOfNumbers,  // a NaN counts as 0
  kNarrowSumOfNumbers,
  kSumOfMagnitudes,
  kNarrowSumOfSquares,
  kSumOfSquares,
  kSumOfPowers,
  kNonZero,  // how many elements are not 0; a NaN is not
  kProduct,
  kMaximum,  // a NaN wins
  kMinimum,
  kLargestMagnitude,
  kSmallestMagnitude,
  kAllTrue,  // 1 or 0
  kAnyTrue,
  kFirstMaximum,  // and its place, the first of equal ones or the first NaN: two results
  kFirstMinimum,
};

/// Parameters of every reduction.
struct ReductionParameters {
  double power = 1;  // kSumOfPowers
  bool mean = false;
  aclDataType whole = ACL_INT64;  // of an integer sum or product: results are modulo 2^n of this dtype, means truncated
};

/// `dtype`: FLOAT, DOUBLE or INT64, which the elements have. Sums and products of FLOAT have results of DOUBLE, places
/// INT64, all others `dtype`. kSum and kProduct: COMPLEX128, too; parts are summed as DOUBLE is. Sums of elements, numbers,
/// magnitudes and squares, kMaximum and kMinimum: FLOAT16 and BFLOAT16, too, as FLOAT. Magnitudes, squares, powers, kNonZero and truth: no
/// DOUBLE, no INT64. `target` is a HWY_* bit.
loops::reductions::Reducer ReducerOf(Reduction reduction, aclDataType dtype, int64_t target);

/// What takes elements in, of an instruction set; ReducerOf completes it.
struct AddFunctions {
  void (*rows)(const loops::reductions::ReduceTile& tile);
  void (*columns)(const loops::reductions::ReduceTile& tile);
};
AddFunctions AddFunctionsOf(Reduction reduction, aclDataType dtype, int64_t target);
/// For kMaximum and kMinimum of FLOAT16 and BFLOAT16.
AddFunctions NarrowExtremeFunctionsOf(Reduction reduction, aclDataType dtype, int64_t target);
/// For sums of floating elements, and those of the numbers among them, magnitudes and squares but for DOUBLE; products
/// of FLOAT.
AddFunctions SumFunctionsOf(Reduction reduction, aclDataType dtype, int64_t target);

}  // namespace portacl::families
