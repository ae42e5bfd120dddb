// SPDX-License-Identifier: Apache-2.0
// PyTorch's best preallocated form of the pair; operands and attributes in the order of operators/smooth_l1_loss.py.
#include <optional>

#include <ATen/core/Reduction.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/smooth_l1_loss.h>
#include <ATen/ops/smooth_l1_loss_backward.h>

#include "bench/operand_view.h"

// The numbers of the reductions are those of PyTorch.
BENCH_EXPORT void TorchSmoothL1LossBackward(at::Tensor* operand, const double* attribute) {
  at::smooth_l1_loss_backward_outf(operand[0], operand[1], operand[2], static_cast<int64_t>(attribute[0]), attribute[1],
                                   operand[3]);
}

// Given a preallocated result, the mean of PyTorch's operator would resize it: the losses are kept here instead.
BENCH_EXPORT void TorchSmoothL1Loss(at::Tensor* operand, const double* attribute) {
  static at::Tensor losses;
  if (!losses.defined() || losses.sizes() != operand[0].sizes() || losses.scalar_type() != operand[0].scalar_type())
    losses = at::empty_like(operand[0]);
  at::smooth_l1_loss_outf(operand[0], operand[1], at::Reduction::None, attribute[1], losses);
  at::mean_outf(losses, at::OptionalIntArrayRef(), false, std::nullopt, operand[2]);
}
