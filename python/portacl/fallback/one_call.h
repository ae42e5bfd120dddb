// SPDX-License-Identifier: Apache-2.0
//
// Composites that the CPU computes in one call but the device in many: attention and recurrent layers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <ATen/SavedTensorHooks.h>
#include <ATen/functorch/DynamicLayer.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include "calls.h"
#include "on_cpu.h"

namespace portacl {

// A call whose derivative is needed: it runs on CPU tensors over the memory of the npu tensors, and these record the
// derivative.
struct OneCall final : torch::CustomClassHolder {
  OneCall(const c10::OperatorHandle& its_op, Stack its_arguments) : op(its_op), arguments(std::move(its_arguments)) {}

  c10::OperatorHandle op;
  Stack arguments;                 // with an empty tensor in place of each
  std::vector<at::Tensor> inputs;  // on the CPU; both are empty if nothing may be saved for the backward
  std::vector<at::Tensor> results;
};

// The arguments with `tensors` in the positions of their own tensors.
inline Stack WithTensors(const Stack& arguments, const std::vector<at::Tensor>& tensors) {
  auto next = tensors.begin();
  Stack replaced;
  for (const c10::IValue& argument : arguments) {
    if (argument.isTensor()) {
      replaced.emplace_back(argument.toTensor().defined() ? *next++ : at::Tensor());
    } else if (argument.isTensorList()) {
      c10::List<at::Tensor> list;
      for (size_t i = argument.toTensorList().size(); i > 0; --i) list.push_back(*next++);
      replaced.emplace_back(std::move(list));
    } else {
      replaced.push_back(argument);
    }
  }
  return replaced;
}

inline std::vector<at::Tensor> TensorsOf(const Stack& arguments) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& argument : arguments) {
    if (argument.isTensor() && argument.toTensor().defined()) tensors.push_back(argument.toTensor());
    if (!argument.isTensorList()) continue;
    for (const at::Tensor& tensor : argument.toTensorVector()) tensors.push_back(tensor);
  }
  return tensors;
}

// Whether the program packs the tensors saved for the backward (checkpoints, save_on_cpu).
inline bool PacksSaved() { return at::SavedTensorDefaultHooks::get_hooks().has_value(); }

// The program must not pack tensors that the CPU's own operators save: a checkpoint would recompute its part just for
// them.
class WithoutPacking {
 public:
  WithoutPacking() : before_(at::SavedTensorDefaultHooks::get_tls_state()) {
    at::SavedTensorDefaultHooks::set_tls_state({});
  }
  WithoutPacking(const WithoutPacking&) = delete;
  WithoutPacking& operator=(const WithoutPacking&) = delete;
  ~WithoutPacking() { at::SavedTensorDefaultHooks::set_tls_state(before_); }

 private:
  const at::impl::SavedTensorDefaultHooksTLS before_;
};

class OneCallFunction final : public torch::autograd::Function<OneCallFunction> {
 public:
  using Context = torch::autograd::AutogradContext;
  using Tensors = torch::autograd::variable_list;

  static Tensors forward(Context* context, const c10::intrusive_ptr<OneCall>& call, at::TensorList tensors) {
    const c10::Device device = DeviceOf(tensors);
    Wait(device);
    const Tensors inputs = Inputs(tensors);
    Tensors computed;
    const bool draws = Draws(call->op.schema(), call->arguments);
    if (draws || !PacksSaved()) {
      std::optional<DefaultOf> draw;
      if (draws) draw.emplace(device);
      computed = call->results = Recorded(*call, inputs);
      call->inputs = inputs;
    } else {
      computed = Results(*call, inputs, std::nullopt);
    }
    context->save_for_backward(tensors.vec());  // so that a change of one before the backward is detected
    context->saved_data["call"] = c10::IValue::make_capsule(call);
    context->set_materialize_grads(false);
    Tensors results;
    const at::AutoDispatchBelowADInplaceOrView below;
    for (const at::Tensor& result : computed) results.push_back(OnNpu(result.detach(), device));
    return results;
  }

  static Tensors backward(Context* context, Tensors gradients) {
    const Tensors tensors = context->get_saved_variables();
    const auto call = c10::static_intrusive_pointer_cast<OneCall>(context->saved_data["call"].toCapsule());
    const c10::Device device = DeviceOf(tensors);
    const bool differentiates = at::GradMode::is_enabled();  // second derivatives: computed by the device
    Tensors inputs = call->inputs, outputs = call->results;
    if (differentiates) {
      inputs.clear();
      for (const at::Tensor& tensor : tensors)
        inputs.push_back(tensor.view_as(tensor));  // one tensor may be several arguments
      outputs = Results(*call, inputs, c10::DispatchKey::CompositeImplicitAutograd);
    } else {
      Wait(device);
      if (outputs.empty()) outputs = Recorded(*call, inputs = Inputs(tensors));
    }
    Tensors given, weights, wanted;
    std::vector<size_t> places;
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].defined()) continue;
      given.push_back(outputs[i]);
      weights.push_back(differentiates ? gradients[i] : OnCpu(gradients[i]));
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!context->needs_input_grad(i)) continue;
      wanted.push_back(inputs[i]);
      places.push_back(i);
    }
    Tensors found(1 + tensors.size());  // the call itself is an argument, too
    const ResultsOnDevice results;
    Tensors computed = torch::autograd::grad(given, wanted, weights, true, differentiates, true);
    const at::AutoDispatchBelowADInplaceOrView below;
    for (size_t i = 0; i < places.size(); ++i) {
      at::Tensor& gradient = computed[i];
      const bool is_moved = gradient.defined() && gradient.is_cpu() && !differentiates;
      found[1 + places[i]] = is_moved ? OnNpu(std::move(gradient), device) : std::move(gradient);
    }
    return found;
  }

 private:
  static c10::Device DeviceOf(at::TensorList tensors) {
    const auto npu = std::find_if(tensors.begin(), tensors.end(),
                                  [](const at::Tensor& tensor) { return tensor.device().type() == kNpu; });
    return npu == tensors.end() ? Runtime().getDevice() : npu->device();
  }
  static Tensors Inputs(at::TensorList tensors) {
    Tensors inputs;
    for (const at::Tensor& tensor : tensors) {
      const at::Tensor cpu = tensor.is_cpu() ? tensor.detach() : OnCpu(tensor);
      inputs.push_back(cpu.requires_grad_(tensor.requires_grad()));
    }
    return inputs;
  }
  static Tensors Recorded(const OneCall& call, const Tensors& inputs) {
    const at::AutoGradMode records(true);
    const WithoutPacking without;
    return Results(call, inputs, std::nullopt);
  }
  static Tensors Results(const OneCall& call, const Tensors& tensors, std::optional<c10::DispatchKey> key) {
    Stack stack = WithTensors(call.arguments, tensors);
    key ? call.op.callBoxedForDispatchKey(*key, stack) : call.op.callBoxed(&stack);
    Tensors results;
    for (const c10::IValue& result : stack) results.push_back(result.toTensor());
    return results;
  }
};

// The kernel for the autograd dispatch key.
class OneCallKernel final : public c10::OperatorKernel {
 public:
  explicit OneCallKernel(const c10::OperatorHandle& op) : calls_(c10::toString(op.operator_name()), kOnCpu) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/, Stack* stack) {
    const auto begin = stack->end() - static_cast<ptrdiff_t>(op.schema().arguments().size());
    Stack arguments(begin, stack->end());
    const std::vector<at::Tensor> tensors = TensorsOf(arguments);
    const bool is_plain = std::none_of(tensors.begin(), tensors.end(), [](const at::Tensor& tensor) {
      return tensor.key_set().has(c10::DispatchKey::Python);
    });
    if (!is_plain || at::functorch::maybeCurrentDynamicLayer()) {
      op.callBoxedForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd, *stack);
    } else if (!at::GradMode::is_enabled() || !WantsGradient(tensors)) {
      op.callBoxedForDispatchKey(c10::DispatchKey::PrivateUse1, *stack);
    } else {
      const Calls::Timer timer(&calls_);
      CheckTogether(tensors);
      stack->erase(begin, stack->end());
      static const at::Tensor& place = *new at::Tensor(at::empty({0}));
      auto call = c10::make_intrusive<OneCall>(op, WithTensors(arguments, std::vector(tensors.size(), place)));
      for (at::Tensor& result : OneCallFunction::apply(std::move(call), at::TensorList(tensors)))
        stack->emplace_back(std::move(result));
    }
  }

 private:
  static bool WantsGradient(const std::vector<at::Tensor>& tensors) {
    return std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor& tensor) { return tensor.requires_grad(); });
  }
  // The lengths of packed sequences stay on the CPU.
  static void CheckTogether(const std::vector<at::Tensor>& tensors) {
    std::optional<c10::Device> first;
    for (const at::Tensor& tensor : tensors) {
      const c10::Device device = tensor.device();
      if (tensor.scalar_type() == at::kLong || (tensor.dim() == 0 && device.is_cpu())) continue;
      if (!first) first = device;
      // In CUDA's wording: the device before the CPU.
      TORCH_CHECK(device == *first, "Expected all tensors to be on the same device, but found at least two devices, ",
                  first->is_cpu() ? device : *first, " and ", first->is_cpu() ? *first : device, "!");
    }
  }

  Calls calls_;
};

// For an operator with a kernel of the plug-in: calls the kernel of `op` for another key instead.
class Through final : public c10::OperatorKernel {
 public:
  Through(const c10::OperatorHandle& op, c10::DispatchKey key) : op_(op), key_(key) {}
  void operator()(const c10::OperatorHandle& /*op*/, c10::DispatchKeySet /*keys*/, Stack* stack) const {
    op_.callBoxedForDispatchKey(key_, *stack);
  }

 private:
  const c10::OperatorHandle op_;
  const c10::DispatchKey key_;
};

}  // namespace portacl
