// SPDX-License-Identifier: Apache-2.0
// PyTorch's best preallocated form of the pair; operands and attributes in the order of operators/logit.py.
#include <optional>

#include <ATen/ops/logit.h>
#include <ATen/ops/logit_backward.h>

#include "bench/operand_view.h"

namespace {

std::optional<double> Eps(double eps) { return eps < 0 ? std::nullopt : std::optional<double>(eps); }

}  // namespace

BENCH_EXPORT void TorchLogitGrad(at::Tensor* operand, const double* attribute) {
  at::logit_backward_outf(operand[1], operand[0], Eps(attribute[0]), operand[2]);
}

BENCH_EXPORT void TorchLogit(at::Tensor* operand, const double* attribute) {
  at::logit_outf(operand[0], Eps(attribute[0]), operand[1]);
}
