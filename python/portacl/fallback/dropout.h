// SPDX-License-Identifier: Apache-2.0
//
// Dropout by a mask of bits, which two operators of the plug-in write and apply. Its own kernel needs an `aclnn`
// operator that draws and applies at once.
#pragma once

#include <optional>
#include <tuple>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/functorch/DynamicLayer.h>
#include <torch/csrc/autograd/custom_function.h>

#include "draws.h"

namespace portacl {

// A bit for each element, 0 with probability p.
inline at::Tensor DropoutMask(const at::Tensor& input, double p) {
  static const c10::OperatorHandle op =
      c10::Dispatcher::singleton().findSchemaOrThrow("npu::_npu_dropout_gen_mask", "Tensor");
  const Draw draw = NextDraw(GeneratorOf(input.device()));
  torch::jit::Stack stack = {input, input.sizes(), p, static_cast<int64_t>(draw.seed),
                             static_cast<int64_t>(draw.offset)};
  // By default, the mask is written on a second stream.
  for (size_t i = stack.size(); i < op.schema().arguments().size(); ++i) stack.emplace_back(false);
  op.callBoxed(&stack);
  return stack.front().toTensor();
}

// Linear in the input, so that it is its own derivative.
class MaskedFunction final : public torch::autograd::Function<MaskedFunction> {
 public:
  using Context = torch::autograd::AutogradContext;
  using Tensors = torch::autograd::variable_list;

  static at::Tensor forward(Context* context, const at::Tensor& input, const at::Tensor& mask, double p) {
    static const auto op = c10::Dispatcher::singleton()
                               .findSchemaOrThrow("npu::npu_dropout_backward", "")
                               .typed<at::Tensor(const at::Tensor&, const at::Tensor&, double)>();
    context->saved_data["p"] = p;
    context->save_for_backward({mask});
    const at::AutoDispatchBelowADInplaceOrView below;
    return op.call(input, mask, p);
  }
  static Tensors backward(Context* context, const Tensors& gradients) {
    const at::Tensor mask = context->get_saved_variables().front();
    return {apply(gradients.front(), mask, context->saved_data["p"].toDouble()), at::Tensor(), at::Tensor()};
  }
};

// Composed of other operators where the input is of another dtype, or a wrapper; the mask is then BOOL.
inline std::tuple<at::Tensor, at::Tensor> Dropout(const at::Tensor& input, double p, std::optional<bool> train) {
  const at::ScalarType dtype = input.scalar_type();
  const bool has_bits = dtype == at::kFloat || dtype == at::kHalf || dtype == at::kBFloat16;
  const bool drops = train.value_or(true) && p != 0;
  TORCH_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  if (!drops) return {input.clone(), at::ones_like(input, input.options().dtype(at::kBool))};
  if (p == 1 || input.numel() == 0 || !has_bits || input.key_set().has(c10::DispatchKey::Python) ||
      at::functorch::maybeCurrentDynamicLayer()) {
    const at::Tensor mask = at::empty_like(input, input.options().dtype(at::kBool)).bernoulli_(1 - p);
    return {input.mul(mask).mul(p == 1 ? 0 : 1 / (1 - p)), mask};
  }
  const at::Tensor mask = DropoutMask(input, p);
  return {MaskedFunction::apply(input, mask, p), mask};
}

}  // namespace portacl
