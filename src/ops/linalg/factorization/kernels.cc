// SPDX-License-Identifier: Apache-2.0
//
// Eigen's factorisations. It starts no threads, takes more than a little memory from the heap, as stacks of clients may
// be small, and none of it lives on when it throws.
#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_STACK_ALLOCATION_LIMIT 16384

#include "ops/linalg/factorization/kernels.h"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace portacl::ops::factorization {
namespace {

// Columns that follow each other: the transpose of a loops::Matrix, in Eigen's own order.
using Dense = Eigen::MatrixXd;
using InPlaceLu = Eigen::PartialPivLU<Eigen::Ref<Dense>>;
using Mapped = Eigen::Map<Dense, Eigen::Aligned16>;

Mapped Transposed(const loops::Matrix& matrix) { return {matrix.elements, matrix.columns, matrix.rows}; }

// Makes the largest element of each column one from 1 to 2, but for the smallest subnormal columns: norms neither
// overflow nor vanish then. Powers of two, so that nothing is rounded; Q is the same.
Eigen::ArrayXi ScaleColumns(Mapped matrix) {
  Eigen::ArrayXi exponents(matrix.cols());
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
    const double largest = matrix.rows() == 0 ? 0 : matrix.col(j).cwiseAbs().maxCoeff();
    exponents[j] = largest == 0 ? 0 : std::clamp(std::ilogb(largest), -1000, 1000);
    matrix.col(j) *= std::ldexp(1.0, -exponents[j]);
  }
  return exponents;
}

// Q has no rows where it is not asked for.
void Factor(Mapped self, Mapped q, Mapped r) {
  if (!self.allFinite()) {
    q.setConstant(std::numeric_limits<double>::quiet_NaN());
    r.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const Eigen::ArrayXi exponents = ScaleColumns(self);
  const Eigen::HouseholderQR<Eigen::Ref<Dense>> qr(self);
  r = self.topRows(r.rows()).triangularView<Eigen::Upper>();
  for (Eigen::Index j = 0; j < r.cols(); ++j) r.col(j) *= std::ldexp(1.0, exponents[j]);
  if (q.rows() == 0) return;
  q.setIdentity();
  q.applyOnTheLeft(qr.householderQ());
}

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

void FactorQr(const loops::Matrix* operands) {
  Factor(Transposed(operands[0]), Transposed(operands[1]), Transposed(operands[2]));
}

void FactorR(const loops::Matrix* operands) {
  Factor(Transposed(operands[0]), Mapped(nullptr, 0, 0), Transposed(operands[1]));
}

}  // namespace portacl::ops::factorization
