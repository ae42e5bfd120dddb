// SPDX-License-Identifier: Apache-2.0
//
// The engine of batches of matrices: each is read into scratch as float64, or complex numbers of it, worked on there as
// a whole, and what came is stored.
//
//   Matrices(plan, {self, out}, {.run = Invert, .ns_per_matrix = 0.5 * n * n * n});
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/operands.h"

namespace portacl::loops::batches {

inline constexpr int kMostMatrices = 4;

/// Contiguous rows, the first aligned to a cache line.
struct Matrix {
  double* elements;  // of a complex dtype both parts of each
  int64_t rows;
  int64_t columns;
};

struct MatrixKernel {
  /// Takes the matrices of all operands, and may change those that it reads. Throws std::bad_alloc or nothing.
  void (*run)(const Matrix* operands);
  double ns_per_matrix;  // one core
  int outputs = 1;
};

inline namespace v1 {

/// Plans `kernel` over operands: inputs, then outputs. Their last two axes are those of a matrix, which may have no
/// elements; the others, the batch, have the same sizes in all. Any strides, any floating and complex dtypes: results are rounded
/// once. An output may be exactly one of the inputs. One thread has all of a matrix, so that results do not depend on
/// their number.
PORTACL_EXPORT void Matrices(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands,
                             const MatrixKernel& kernel);

}  // namespace v1
}  // namespace portacl::loops::batches
