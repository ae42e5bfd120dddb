// SPDX-License-Identifier: Apache-2.0
//
// Eigen's factorisations. It starts no threads, takes more than a little memory from the heap, as stacks of clients may
// be small, and none of it lives on when it throws.
#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_STACK_ALLOCATION_LIMIT 16384

#include "ops/linalg/factorization/kernels.h"

#include <Eigen/LU>

namespace portacl::ops::factorization {
namespace {

// Columns that follow each other: the transpose of a loops::Matrix, in Eigen's own order.
using Dense = Eigen::MatrixXd;
using InPlaceLu = Eigen::PartialPivLU<Eigen::Ref<Dense>>;
using Mapped = Eigen::Map<Dense, Eigen::Aligned16>;

Mapped Transposed(const loops::Matrix& matrix) { return {matrix.elements, matrix.columns, matrix.rows}; }

}  // namespace

// The inverse of the transpose is the transpose of the inverse.
void Invert(const loops::Matrix* operands) {
  Mapped self = Transposed(operands[0]);
  Transposed(operands[1]) = InPlaceLu(self).inverse();
}

}  // namespace portacl::ops::factorization
