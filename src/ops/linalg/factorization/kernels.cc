// SPDX-License-Identifier: Apache-2.0
//
// Eigen's factorisations. It starts no threads, takes more than a little memory from the heap, as stacks of clients may
// be small, and none of it lives on when it throws.
#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_STACK_ALLOCATION_LIMIT 16384

#include "ops/linalg/factorization/kernels.h"

#include <Eigen/LU>
#include <cmath>
#include <cstdint>

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

// The determinant has exponents without limit.
void TakeDeterminant(const loops::Matrix* operands) {
  Mapped self = Transposed(operands[0]);
  const InPlaceLu lu(self);
  double fraction = static_cast<double>(lu.permutationP().determinant());
  int64_t exponent = 0;
  for (const double pivot : self.diagonal()) {
    int of_pivot = 0, of_product = 0;
    fraction = std::frexp(fraction * std::frexp(pivot, &of_pivot), &of_product);
    exponent += of_pivot + of_product;
  }
  operands[1].elements[0] = fraction == 0 || std::isnan(fraction) ? std::abs(fraction) : std::copysign(1.0, fraction);
  constexpr double kLogOf2 = 0.693147180559945309417;
  operands[2].elements[0] = std::log(std::abs(fraction)) + static_cast<double>(exponent) * kLogOf2;
}

}  // namespace portacl::ops::factorization
