// SPDX-License-Identifier: Apache-2.0
// PyTorch's own form of the pair, into preallocated memory; operands in the order of operators/ctc_loss.py.
#include <vector>

#include <ATen/ops/_ctc_loss.h>
#include <ATen/ops/_ctc_loss_backward.h>

#include "bench/operand_view.h"

namespace {

// PyTorch takes no FLOAT labels: they are converted once for a batch, as a client would have them.
const at::Tensor& LabelsOf(const at::Tensor& targets) {
  static at::Tensor source;
  static at::Tensor labels;
  if (!source.defined() || source.unsafeGetTensorImpl() != targets.unsafeGetTensorImpl()) {
    source = targets;
    labels = targets.to(at::kLong);
  }
  return labels;
}

std::vector<int64_t> InputLengths(const at::Tensor& log_probs) {
  return std::vector<int64_t>(static_cast<size_t>(log_probs.size(1)), log_probs.size(0));
}

std::vector<int64_t> TargetLengths(const at::Tensor& targets) {
  return std::vector<int64_t>(static_cast<size_t>(targets.size(0)), targets.size(1));
}

}  // namespace

BENCH_EXPORT void TorchCtcLoss(at::Tensor* operand, const double*) {
  at::_ctc_loss_out(operand[2], operand[3], operand[0], LabelsOf(operand[1]), InputLengths(operand[0]),
                    TargetLengths(operand[1]), 0, false);
}

BENCH_EXPORT void TorchCtcLossBackward(at::Tensor* operand, const double*) {
  at::_ctc_loss_backward_out(operand[5], operand[0], operand[1], LabelsOf(operand[2]), InputLengths(operand[1]),
                             TargetLengths(operand[2]), operand[3], operand[4], 0, false);
}
