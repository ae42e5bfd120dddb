// SPDX-License-Identifier: Apache-2.0
// PyTorch's best preallocated form of the pair, a composition; operands and attributes in the order of
// operators/swi_glu.py.
#include <ATen/ops/mul.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>

#include "bench/operand_view.h"

namespace {

at::Tensor Half(const at::Tensor& tensor, const double* attribute, int64_t number) {
  const auto dim = static_cast<int64_t>(attribute[0]);
  const int64_t size = tensor.size(dim) / 2;
  return tensor.narrow(dim, number * size, size);
}

}  // namespace

BENCH_EXPORT void TorchSwiGluGrad(at::Tensor* operand, const double* attribute) {
  const at::Tensor& grad = operand[0];
  const at::Tensor a = Half(operand[1], attribute, 0);
  const at::Tensor b = Half(operand[1], attribute, 1);
  at::Tensor out_a = Half(operand[2], attribute, 0);
  at::Tensor out_b = Half(operand[2], attribute, 1);
  // outB serves for yGrad * B first, so that nothing is allocated.
  at::mul_outf(grad, b, out_b);
  at::silu_backward_outf(out_b, a, out_a);
  at::silu_outf(a, out_b);
  at::mul_outf(out_b, grad, out_b);
}

BENCH_EXPORT void TorchSwiGlu(at::Tensor* operand, const double* attribute) {
  at::silu_outf(Half(operand[0], attribute, 0), operand[1]);
  at::mul_outf(operand[1], Half(operand[0], attribute, 1), operand[1]);
}
