// SPDX-License-Identifier: Apache-2.0
// oneDNN's softmax over the last axis, which has neither scale nor mask; operands in the order of
// operators/scaled_masked_softmax.py.
#include "bench/onednn_call.h"

BENCH_EXPORT void OnednnScaledMaskedSoftmaxBackward(OnednnCall* call, const OperandView* operand) {
  const OperandView& grad = operand[0];
  const OperandView& y = operand[1];
  const OperandView& out = operand[3];
  const auto desc = OnednnCall::Describe(y);
  const auto axis = static_cast<int>(y.rank) - 1;
  const dnnl::softmax_forward::primitive_desc forward({dnnl::prop_kind::forward_training, desc, axis}, call->engine());
  call->Prepare<dnnl::softmax_backward>({{OnednnCall::Describe(grad), desc, axis}, call->engine(), forward},
                                        {{DNNL_ARG_DIFF_DST, &grad}, {DNNL_ARG_DST, &y}, {DNNL_ARG_DIFF_SRC, &out}});
}

BENCH_EXPORT void OnednnScaledMaskedSoftmax(OnednnCall* call, const OperandView* operand) {
  const OperandView& x = operand[0];
  const OperandView& y = operand[2];
  call->Prepare<dnnl::softmax_forward>(
      {{dnnl::prop_kind::forward_inference, OnednnCall::Describe(x), static_cast<int>(x.rank) - 1}, call->engine()},
      {{DNNL_ARG_SRC, &x}, {DNNL_ARG_DST, &y}});
}
