// SPDX-License-Identifier: Apache-2.0
// PyTorch's best preallocated form of the pair, a composition; operands and attributes in the order of
// operators/scaled_masked_softmax.py.
#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/scalar_tensor.h>

#include "bench/operand_view.h"

BENCH_EXPORT void TorchScaledMaskedSoftmaxBackward(at::Tensor* operand, const double* attribute) {
  at::Tensor& out = operand[3];
  at::_softmax_backward_data_outf(operand[0], operand[1], -1, operand[0].scalar_type(), out);
  out.mul_(attribute[0]);
  out.masked_fill_(operand[2], 0);
}

BENCH_EXPORT void TorchScaledMaskedSoftmax(at::Tensor* operand, const double* attribute) {
  at::Tensor& out = operand[2];
  at::mul_outf(operand[0], at::scalar_tensor(attribute[0], operand[0].options()), out);
  out.masked_fill_(operand[1], -10000.0);
  at::_softmax_outf(out, -1, false, out);
}
