// SPDX-License-Identifier: Apache-2.0
//
// The engine for batches of matrices. Each matrix is read into scratch as float64 or complex float64 and computed there
// as a whole; then the results are stored.
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

/// Contiguous rows; the first is aligned to a cache line.
struct Matrix {
  double* elements;  // for complex dtypes, pairs of a real and an imaginary part
  int64_t rows;
  int64_t columns;
};

struct MatrixKernel {
  /// Takes the matrices of all operands and may overwrite its inputs. Throws std::bad_alloc or nothing.
  void (*run)(const Matrix* operands);
  double ns_per_matrix;  // on one core
  int outputs = 1;
};

inline namespace v1 {

/// Plans `kernel` over operands: inputs, then outputs. The last two axes of an operand are those of a matrix, which may
/// be empty. The others, the batch, have the same sizes in all operands. Any strides, any floating and complex dtypes;
/// results are rounded once. An output may be exactly one of the inputs. A single thread computes a matrix, so results
/// do not depend on the number of threads.
PORTACL_EXPORT void Matrices(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands,
                             const MatrixKernel& kernel);

}  // namespace v1
}  // namespace portacl::loops::batches
