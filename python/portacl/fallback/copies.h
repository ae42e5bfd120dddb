// SPDX-License-Identifier: Apache-2.0
//
// Allocations and copies whose results have the layout of their operands: the functions of special.py in C++.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <ATen/Functions.h>

#include "on_cpu.h"

namespace portacl {

struct Wanted {
  std::optional<at::ScalarType> dtype;
  std::optional<c10::Device> device;
  std::optional<bool> pin_memory;
  std::optional<at::MemoryFormat> memory_format;
};

// The result of at::empty_like on the CPU. The plug-in supports only the contiguous format, but any strides.
inline at::Tensor Allocated(const at::Tensor& like, const Wanted& wanted) {
  const at::MemoryFormat format = wanted.memory_format.value_or(at::MemoryFormat::Preserve);
  const bool is_contiguous =
      format == at::MemoryFormat::Contiguous || (format == at::MemoryFormat::Preserve && like.is_contiguous());
  const c10::Device device = wanted.device.value_or(like.device());
  if (is_contiguous && device.type() == kNpu && device.has_index() && !wanted.pin_memory.value_or(false))
    return EmptyOnNpu(like.sizes(), wanted.dtype.value_or(like.scalar_type()), device);
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
  return at::empty_strided(like.sizes(), strides, wanted.dtype.value_or(like.scalar_type()), c10::kStrided, device,
                           wanted.pin_memory.value_or(false));
}

inline at::Tensor EmptyLike(const at::Tensor& self, std::optional<at::ScalarType> dtype,
                            std::optional<at::Layout> /*layout*/, std::optional<c10::Device> device,
                            std::optional<bool> pin_memory, std::optional<at::MemoryFormat> memory_format) {
  return Allocated(self, {dtype, device, pin_memory, memory_format});
}

// The plug-in's own kernel returns float32 where float64 was requested.
inline at::Tensor ToCopy(const at::Tensor& self, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> /*layout*/, std::optional<c10::Device> device,
                         std::optional<bool> pin_memory, bool non_blocking,
                         std::optional<at::MemoryFormat> memory_format) {
  return Allocated(self, {dtype, device, pin_memory, memory_format}).copy_(self, non_blocking);
}

// copy_. The plug-in's own kernel ignores conjugation and negation of views, unless it reads one on the device, and
// copies from another npu only if layout and dtype are the same.
class CopyKernel final : public c10::OperatorKernel {
 public:
  explicit CopyKernel(c10::SafeKernelFunction plugin) : plugin_(std::move(plugin)) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) const {
    const size_t begin = stack->size() - 3;
    const Stack& arguments = *stack;
    if (!IsOfHost(arguments[begin].toTensor(), arguments[begin + 1].toTensor()))
      return plugin_.callBoxed(op, keys, stack);
    const at::Tensor self = arguments[begin].toTensor(), source = arguments[begin + 1].toTensor();
    const at::AutoDispatchBelowADInplaceOrView below;
    const auto on_cpu = [](const at::Tensor& tensor) {
      if (tensor.device().type() != kNpu) return tensor;
      Wait(tensor.device());
      return OnCpu(tensor);
    };
    on_cpu(self).copy_(on_cpu(source));
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

  const c10::SafeKernelFunction plugin_;
};

inline at::Tensor Contiguous(const at::Tensor& self, at::MemoryFormat memory_format) {
  return self.is_contiguous(memory_format) ? self : self.clone(memory_format);
}

}  // namespace portacl
