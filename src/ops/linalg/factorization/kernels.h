// SPDX-License-Identifier: Apache-2.0
//
// Kernels for each matrix of a batch, see loops/batches/matrices.h.
#pragma once

#include "loops/batches/matrices.h"

namespace portacl::ops::factorization {

/// The matrix and its inverse.
void Invert(const loops::batches::Matrix* operands);

/// The matrix, the sign of its determinant and the logarithm of its size.
void TakeDeterminant(const loops::batches::Matrix* operands);
/// The same for complex numbers, the logarithm as a real number; and as a complex one.
void TakeComplexDeterminant(const loops::batches::Matrix* operands);
void TakeComplexDeterminantAndLog(const loops::batches::Matrix* operands);

/// The matrix, Q and R, all with rows and columns exchanged; and without Q.
void FactorQr(const loops::batches::Matrix* operands);
void FactorR(const loops::batches::Matrix* operands);

}  // namespace portacl::ops::factorization
