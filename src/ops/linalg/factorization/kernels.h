// SPDX-License-Identifier: Apache-2.0
//
// Kernels for each matrix of a batch, see loops/batches/matrices.h.
#pragma once

#include "loops/batches/matrices.h"

namespace portacl::ops::factorization {

/// The matrix and its inverse.
void Invert(const loops::batches::Matrix* operands);

/// The matrix, the sign of its determinant and the logarithm of its magnitude.
void TakeDeterminant(const loops::batches::Matrix* operands);
/// The same for complex numbers, with a real logarithm; and with a complex one.
void TakeComplexDeterminant(const loops::batches::Matrix* operands);
void TakeComplexDeterminantAndLog(const loops::batches::Matrix* operands);

/// The matrix, Q and R, all transposed; and the same without Q.
void FactorQr(const loops::batches::Matrix* operands);
void FactorR(const loops::batches::Matrix* operands);

}  // namespace portacl::ops::factorization
