// SPDX-License-Identifier: Apache-2.0
//
// Eigen's factorisations. Eigen starts no threads here. Larger temporaries come from the heap, as stacks of clients may
// be small, and are freed when an exception is thrown.
#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_STACK_ALLOCATION_LIMIT 16384

#include "ops/linalg/factorization/kernels.h"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "families/complex.h"

namespace portacl::ops::factorization {
namespace {

using families::Complex128;

constexpr double kLogOf2 = 0.693147180559945309417;

// Contiguous columns: the transpose of a loops::batches::Matrix, in Eigen's own order.
using Dense = Eigen::MatrixXd;
using ComplexDense = Eigen::MatrixXcd;
using InPlaceLu = Eigen::PartialPivLU<Eigen::Ref<Dense>>;
using Mapped = Eigen::Map<Dense, Eigen::Aligned16>;

Mapped Transposed(const loops::batches::Matrix& matrix) { return {matrix.elements, matrix.columns, matrix.rows}; }

// Scales each column so that its largest element is from 1 to 2, except the smallest subnormal columns: norms then
// neither overflow nor underflow. The factors are powers of two, so that nothing is rounded; Q does not change.
Eigen::ArrayXi ScaleColumns(Mapped matrix) {
  Eigen::ArrayXi exponents(matrix.cols());
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
    const double largest = matrix.rows() == 0 ? 0 : matrix.col(j).cwiseAbs().maxCoeff();
    exponents[j] = largest == 0 ? 0 : std::clamp(std::ilogb(largest), -1000, 1000);
    matrix.col(j) *= std::ldexp(1.0, -exponents[j]);
  }
  return exponents;
}

// Q has no rows if it is not requested.
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

// One block of columns for FactorLu.
double FactorColumns(Eigen::Ref<ComplexDense> self, Eigen::Index first, Eigen::Index count) {
  double sign = 1;
  for (Eigen::Index k = first; k < first + count; ++k) {
    const Eigen::Index below = self.rows() - k - 1;
    Eigen::Index best = k;
    for (Eigen::Index i = k + 1; i < self.rows(); ++i) {
      if (std::abs(self(i, k)) > std::abs(self(best, k))) best = i;
    }
    if (best != k) {
      self.row(k).swap(self.row(best));
      sign = -sign;
    }
    const Complex128 pivot = self(k, k);
    auto factors = self.col(k).tail(below);
    if (pivot != 0.0) {
      for (Complex128& factor : factors) factor = families::Divide(factor, pivot);
    }
    const Eigen::Index rest = first + count - k - 1;
    self.block(k + 1, k + 1, below, rest).noalias() -= factors * self.row(k).segment(k + 1, rest);
  }
  return sign;
}

// Replaces a matrix by its triangular factors and returns the sign of the row exchanges. Divisions in Eigen's own
// decomposition use squares, which leave the range of float64 below 2^-537.
double FactorLu(Eigen::Ref<ComplexDense> self) {
  constexpr Eigen::Index kBlock = 32;
  const Eigen::Index n = self.rows();
  double sign = 1;
  for (Eigen::Index first = 0; first < n; first += kBlock) {
    const Eigen::Index count = std::min(kBlock, n - first), rest = n - first - count;
    sign *= FactorColumns(self, first, count);
    if (rest == 0) break;
    auto right = self.block(first, first + count, count, rest);
    self.block(first, first, count, count).triangularView<Eigen::UnitLower>().solveInPlace(right);
    self.bottomRightCorner(rest, rest).noalias() -= self.block(first + count, first, rest, count) * right;
  }
  return sign;
}

}  // namespace

// The inverse of the transpose is the transpose of the inverse.
void Invert(const loops::batches::Matrix* operands) {
  Mapped self = Transposed(operands[0]);
  Transposed(operands[1]) = InPlaceLu(self).inverse();
}

// Computes the determinant with a separate exponent, so that it cannot overflow.
void TakeDeterminant(const loops::batches::Matrix* operands) {
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
  operands[2].elements[0] = std::log(std::abs(fraction)) + static_cast<double>(exponent) * kLogOf2;
}

void TakeComplexDeterminant(const loops::batches::Matrix* operands) {
  const loops::batches::Matrix& matrix = operands[0];
  Eigen::Map<ComplexDense, Eigen::Aligned16> self(reinterpret_cast<Complex128*>(matrix.elements), matrix.columns,
                                                  matrix.rows);
  const bool has_nan = self.hasNaN();  // an infinity in the same matrix would hide the NaN
  Complex128 fraction = FactorLu(self);
  int64_t exponent = 0;
  for (Complex128 pivot : self.diagonal()) {
    exponent += families::TakeExponent(&pivot);
    fraction *= pivot;
    exponent += families::TakeExponent(&fraction);
  }
  const double size = has_nan ? std::numeric_limits<double>::quiet_NaN() : std::abs(fraction);
  *reinterpret_cast<Complex128*>(operands[1].elements) = size == 0 ? Complex128() : fraction / size;
  operands[2].elements[0] = std::log(size) + static_cast<double>(exponent) * kLogOf2;
}

void TakeComplexDeterminantAndLog(const loops::batches::Matrix* operands) {
  TakeComplexDeterminant(operands);
  operands[2].elements[1] = 0;
}

void FactorQr(const loops::batches::Matrix* operands) {
  Factor(Transposed(operands[0]), Transposed(operands[1]), Transposed(operands[2]));
}

void FactorR(const loops::batches::Matrix* operands) {
  Factor(Transposed(operands[0]), Mapped(nullptr, 0, 0), Transposed(operands[1]));
}

}  // namespace portacl::ops::factorization
