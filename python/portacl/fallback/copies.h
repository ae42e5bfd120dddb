// SPDX-License-Identifier: Apache-2.0
//
// Allocations and copies whose results have the layout of their operands.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <ATen/Functions.h>

#include "calls.h"
#include "on_cpu.h"
#include "versions.h"

namespace portacl {

// The result of at::empty_like on the CPU. The plug-in supports only the contiguous format, but any strides.
inline at::Tensor Allocated(const at::Tensor& like, std::optional<at::ScalarType> dtype, std::optional<c10::Device> on,
                            std::optional<bool> pin_memory, std::optional<at::MemoryFormat> memory_format) {
  const at::MemoryFormat format = memory_format.value_or(at::MemoryFormat::Preserve);
  const bool is_contiguous =
      format == at::MemoryFormat::Contiguous || (format == at::MemoryFormat::Preserve && like.is_contiguous());
  const c10::Device device = on.value_or(like.device());
  if (is_contiguous && device.type() == kNpu && device.has_index() && !pin_memory.value_or(false))
    return EmptyOnNpu(like.sizes(), dtype.value_or(like.scalar_type()), device);
  std::vector<int64_t> strides(static_cast<size_t>(like.dim()));
  if (is_contiguous) {
    int64_t stride = 1;
    for (size_t axis = strides.size(); axis-- > 0;) {
      strides[axis] = stride;
      stride *= std::max<int64_t>(like.sizes()[axis], 1);
    }
  } else if (format == at::MemoryFormat::Preserve && like.is_non_overlapping_and_dense()) {
    strides = like.strides().vec();
  } else {
    const auto meta = at::TensorOptions(c10::Device(c10::kMeta)).dtype(like.dtype());
    const at::Tensor shadow = at::empty_strided(like.sizes(), like.strides(), meta);
    strides = at::empty_like(shadow, meta, format).strides().vec();
  }
  return at::empty_strided(like.sizes(), strides, dtype.value_or(like.scalar_type()), c10::kStrided, device,
                           pin_memory.value_or(false));
}

inline at::Tensor EmptyLike(const at::Tensor& self, std::optional<at::ScalarType> dtype,
                            std::optional<at::Layout> /*layout*/, std::optional<c10::Device> device,
                            std::optional<bool> pin_memory, std::optional<at::MemoryFormat> memory_format) {
  static auto* const calls = new Calls("aten::empty_like", kNative);
  const Calls::Timer timer(calls);
  return Allocated(self, dtype, device, pin_memory, memory_format);
}

// The plug-in's own kernel returns float32 where float64 was requested.
inline at::Tensor ToCopy(const at::Tensor& self, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> /*layout*/, std::optional<c10::Device> device,
                         std::optional<bool> pin_memory, bool non_blocking,
                         std::optional<at::MemoryFormat> memory_format) {
  static auto* const calls = new Calls("aten::_to_copy", kNative);
  const Calls::Timer timer(calls);
  return Allocated(self, dtype, device, pin_memory, memory_format).copy_(self, non_blocking);
}

// The tensor itself if it is on the CPU, otherwise a CPU tensor over its memory, when its stream has no work left.
inline at::Tensor OnCpuWhenIdle(const at::Tensor& tensor) {
  if (tensor.device().type() != kNpu) return tensor;
  Wait(tensor.device());
  return OnCpu(tensor);
}

// npu_broadcast. `out` may be on another device: this is how the plug-in copies expanded tensors to one.
inline at::Tensor& BroadcastInto(const at::Tensor& input, c10::IntArrayRef size, at::Tensor& out) {
  const at::AutoDispatchBelowADInplaceOrView below;
  OnCpuWhenIdle(out).copy_(OnCpuWhenIdle(input).expand(size));
  return out;
}

// copy_. The plug-in's own kernel ignores conjugation and negation of views, unless it reads one on the device, and
// copies from another npu only if layout and dtype are the same.
class CopyKernel final : public c10::OperatorKernel {
 public:
  explicit CopyKernel(PluginKernel plugin) : plugin_(std::move(plugin)) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
    const Calls::Timer timer(&calls_);
    const size_t begin = stack->size() - 3;
    const Stack& arguments = *stack;
    if (!IsOfHost(arguments[begin].toTensor(), arguments[begin + 1].toTensor()))
      return plugin_.callBoxed(op, keys, stack);
    const at::Tensor self = arguments[begin].toTensor(), source = arguments[begin + 1].toTensor();
    const at::AutoDispatchBelowADInplaceOrView below;
    OnCpuWhenIdle(self).copy_(OnCpuWhenIdle(source));
    stack->resize(begin);
    stack->emplace_back(self);
  }

 private:
  static bool IsLazy(const at::Tensor& tensor) { return tensor.is_conj() || tensor.is_neg(); }
  // Whether the host copies, directly in the memory of the devices.
  static bool IsOfHost(const at::Tensor& self, const at::Tensor& source) {
    const c10::Device to = self.device(), from = source.device();
    if (IsLazy(self) || (IsLazy(source) && to != from)) return true;
    if (to == from || to.type() != kNpu || from.type() != kNpu) return false;
    return self.scalar_type() != source.scalar_type() || self.sizes() != source.sizes() || !self.is_contiguous() ||
           !source.is_contiguous();
  }

  const PluginKernel plugin_;
  Calls calls_{"aten::copy_", kNative};
};

inline at::Tensor Contiguous(const at::Tensor& self, at::MemoryFormat memory_format) {
  return self.is_contiguous(memory_format) ? self : self.clone(memory_format);
}

}  // namespace portacl
