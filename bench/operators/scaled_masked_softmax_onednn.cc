// SPDX-License-Identifier: Apache-2.0
// oneDNN's softmax over the last axis, which has neither scale nor mask; operands in the order of
// operators/scaled_masked_softmax.py.
#include "bench/onednn_call.h"

namespace {

int LastAxis(const OperandView& view) { return static_cast<int>(view.rank) - 1; }

dnnl::softmax_forward::primitive_desc Forward(const OnednnCall& call, dnnl::prop_kind kind, const OperandView& x) {
  const auto desc = OnednnCall::Describe(x);
#if DNNL_VERSION_MAJOR >= 3
  return {call.engine(), kind, dnnl::algorithm::softmax_accurate, desc, desc, LastAxis(x)};
#else
  return {{kind, desc, LastAxis(x)}, call.engine()};
#endif
}

}  // namespace

BENCH_EXPORT void OnednnScaledMaskedSoftmaxBackward(OnednnCall* call, const OperandView* operand) {
  const OperandView& grad = operand[0];
  const OperandView& y = operand[1];
  const OperandView& out = operand[3];
  const auto forward = Forward(*call, dnnl::prop_kind::forward_training, y);
  const auto desc = OnednnCall::Describe(y);
  const auto desc_of_grad = OnednnCall::Describe(grad);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::softmax_backward::primitive_desc description(call->engine(), dnnl::algorithm::softmax_accurate,
                                                           desc_of_grad, desc_of_grad, desc, LastAxis(y), forward);
#else
  const dnnl::softmax_backward::primitive_desc description({desc_of_grad, desc, LastAxis(y)}, call->engine(), forward);
#endif
  call->Prepare<dnnl::softmax_backward>(description,
                                        {{DNNL_ARG_DIFF_DST, &grad}, {DNNL_ARG_DST, &y}, {DNNL_ARG_DIFF_SRC, &out}});
}

BENCH_EXPORT void OnednnScaledMaskedSoftmax(OnednnCall* call, const OperandView* operand) {
  const OperandView& x = operand[0];
  const OperandView& y = operand[2];
  call->Prepare<dnnl::softmax_forward>(Forward(*call, dnnl::prop_kind::forward_inference, x),
                                       {{DNNL_ARG_SRC, &x}, {DNNL_ARG_DST, &y}});
}
