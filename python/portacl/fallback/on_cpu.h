// SPDX-License-Identifier: Apache-2.0
//
// The kernel of an operator that computes on the CPU over the memory of npu tensors: kernel.py in C++.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/empty_ops.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "draws.h"
#include "kind.h"
#include "result_allocator.h"

namespace portacl {

using torch::jit::Stack;

inline const c10::impl::VirtualGuardImpl& Runtime() {
  static const c10::impl::VirtualGuardImpl runtime(kNpu);
  return runtime;
}

// With the plug-in's queue enabled, another thread starts the tasks.
inline bool StreamStateIsAuthoritative() {
  static const bool tell = [] {
    const char* const queue = std::getenv("TASK_QUEUE_ENABLE");
    return queue != nullptr && std::string_view(queue) == "0";
  }();
  return tell;
}

// Whether a stream has no work left, according to the toolkit's runtime: the query takes less time than the plug-in's
// wait for an idle stream. An error of earlier work is reported only once, so that it is raised here.
inline bool IsIdle(const c10::Stream& stream) {
  using Query = int32_t (*)(void*, int32_t*);
  constexpr int32_t kNoContext = 107002, kComplete = 0;
  static const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "aclrtStreamQuery"));
  if (query == nullptr || !StreamStateIsAuthoritative()) return false;
  int32_t state = -1;
  const int32_t status = query(stream.native_handle(), &state);
  TORCH_CHECK(status == 0 || status == kNoContext, "work that was queued earlier failed with status ", status);
  return status == 0 && state == kComplete;
}

// How often this thread has waited for a stream in order to compute on the CPU.
inline thread_local uint64_t waits = 0;

inline void Wait(c10::Device device) {
  ++waits;
  const c10::Stream stream = Runtime().getStream(device);
  if (!IsIdle(stream)) stream.synchronize();
}

inline void ReleaseStorage(void* storage) { c10::raw::intrusive_ptr::decref(static_cast<c10::StorageImpl*>(storage)); }

// A CPU tensor over the memory of an npu tensor, with its shape, strides, conjugation and sign bit.
inline at::Tensor OnCpu(const at::Tensor& npu) {
  c10::StorageImpl* const storage = npu.storage().unsafeGetStorageImpl();
  c10::raw::intrusive_ptr::incref(storage);
  c10::DataPtr data(storage->mutable_data(), storage, &ReleaseStorage, c10::Device(c10::kCPU));
  c10::Storage over(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), storage->nbytes(),
                                                          std::move(data), nullptr, false));
  at::Tensor cpu = at::detail::make_tensor<c10::TensorImpl>(std::move(over), c10::DispatchKeySet(c10::DispatchKey::CPU),
                                                            npu.dtype());
  cpu.unsafeGetTensorImpl()->set_sizes_and_strides(npu.sizes(), npu.strides(), npu.storage_offset());
  if (npu.is_conj()) cpu._set_conj(true);
  if (npu.is_neg()) cpu._set_neg(true);
  return cpu;
}

// The result of at::empty on the device; at::empty_strided takes longer there.
inline at::Tensor EmptyOnNpu(c10::IntArrayRef sizes, at::ScalarType dtype, c10::Device device) {
  const c10::DispatchKeySet npu(c10::DispatchKey::PrivateUse1);
  return at::_ops::empty_memory_format::redispatch(npu, c10::fromIntArrayRefUnchecked(sizes), dtype, c10::kStrided,
                                                   device, false, std::nullopt);
}

// An npu tensor with the content of a CPU tensor; it takes over the memory if no other tensor uses it.
inline at::Tensor OnNpu(at::Tensor cpu, c10::Device device) {
  TORCH_CHECK_NOT_IMPLEMENTED(cpu.layout() == c10::kStrided && !cpu.is_quantized() && !cpu.is_nested(),
                              "Portacl has no sparse, nested and quantised tensors on npu (", cpu.layout(), ", ",
                              cpu.scalar_type(), "); those of the CPU work");
  if (cpu.is_conj() || cpu.is_neg()) cpu = cpu.resolve_conj().resolve_neg();
  if (at::has_internal_overlap(cpu) != at::MemOverlap::No) cpu = cpu.contiguous();
  const auto options = cpu.options().device(device).requires_grad(false);
  c10::StorageImpl* const storage = cpu.storage().unsafeGetStorageImpl();
  if (cpu.use_count() == 1 && cpu.storage().use_count() == 1) {
    if (c10::DataPtr memory = ResultAllocator::Get().TakeFrom(storage)) {
      c10::Storage taken(c10::make_storage_impl(c10::StorageImpl::use_byte_size_t(), storage->nbytes(),
                                                std::move(memory), c10::GetAllocator(kNpu), true, device));
      at::Tensor npu = at::empty({0}, options);
      npu.set_(std::move(taken), cpu.storage_offset(), cpu.sizes(), cpu.strides());
      return npu;
    }
  }
  at::Tensor npu = cpu.is_contiguous() ? EmptyOnNpu(cpu.sizes(), cpu.scalar_type(), device)
                                       : at::empty_strided(cpu.sizes(), cpu.strides(), options);
  if (cpu.is_non_overlapping_and_dense() && !cpu._is_zerotensor()) {
    std::memcpy(npu.mutable_data_ptr(), cpu.const_data_ptr(), cpu.nbytes());
  } else if (cpu.numel() != 0) {
    OnCpu(npu).copy_(cpu);
  }
  return npu;
}

// Whether an operator accepts CPU tensors besides those of the device for this argument, as devices.py defines.
inline bool MayStayOnCpu(const std::string& name, const std::string& argument) {
  if (argument == "indices") return name.find("index") != std::string::npos;
  return argument == "lengths" || argument == "input_lengths" || argument == "target_lengths" ||
         argument == "batch_sizes" || argument == "tensor_indices_or_sections" || name == "aten::_foreach_copy_" ||
         name == "aten::is_same_size";
}

// Converts the arguments of one call for the CPU.
class Arguments {
 public:
  // `anywhere`: CPU tensors are accepted here.
  c10::IValue Convert(const c10::IValue& value, bool anywhere) {
    if (value.isTensor()) return Converted(value.toTensor(), anywhere);
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      list.reserve(value.toListRef().size());
      for (const c10::IValue& tensor : value.toListRef()) list.push_back(Converted(tensor.toTensor(), anywhere));
      return list;
    }
    if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const std::optional<at::Tensor> tensor : value.toOptionalTensorList())
        list.push_back(tensor ? std::optional(Converted(*tensor, anywhere)) : std::nullopt);
      return list;
    }
    if (value.isGenerator()) return CpuGenerator(value.toGenerator());
    if (value.isDevice()) {
      WaitFor(value.toDevice());
      return c10::Device(c10::kCPU);
    }
    return value;
  }
  // The device of the first npu tensor, or of the argument, otherwise the current one. Waits for its stream: freed
  // memory may be in use until then.
  c10::Device Device() {
    TORCH_CHECK(!tensor_ || !other_, "Expected all tensors to be on the same device, but found at least two devices, ",
                *tensor_, " and ", *other_, "!");
    if (!device_) WaitFor(Runtime().getDevice());
    return *device_;
  }

 private:
  void WaitFor(c10::Device device) {
    if (device_) return;
    device_ = device.has_index() ? device : Runtime().getDevice();
    Wait(*device_);
  }
  at::Tensor Converted(const at::Tensor& tensor, bool anywhere) {
    if (!tensor.defined()) return tensor;
    const c10::Device device = tensor.device();
    if (device.type() != kNpu) {
      if (!anywhere && tensor.dim() != 0) other_ = device;
      return tensor;
    }
    if (!tensor_) tensor_ = device;
    if (device != *tensor_) other_ = device;
    WaitFor(device);
    return OnCpu(tensor);
  }

  std::optional<c10::Device> device_;
  std::optional<c10::Device> tensor_;  // device of the first npu tensor
  std::optional<c10::Device> other_;   // device of a tensor that is incompatible with the first
};

// Runs an operator on the CPU.
class OnCpuKernel final : public c10::OperatorKernel {
 public:
  explicit OnCpuKernel(const c10::OperatorHandle& op) : draws_(op.hasTag(at::Tag::nondeterministic_seeded)) {
    const c10::FunctionSchema& schema = op.schema();
    const auto& arguments = schema.arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::string type = arguments[i].type()->str();
      const bool moves = type.find("Tensor") != std::string::npos || type.find("Generator") != std::string::npos ||
                         type.find("Device") != std::string::npos;
      const bool may_stay = MayStayOnCpu(schema.name(), arguments[i].name());
      ways_.push_back(arguments[i].name() == "pin_memory" ? Way::kNone
                      : !moves                            ? Way::kSame
                      : may_stay                          ? Way::kMovedFromAnywhere
                                                          : Way::kMoved);
      if (IsWritten(arguments[i])) written_.push_back(i);
      if (arguments[i].is_out()) outs_.push_back(i);
    }
    for (const c10::Argument& result : schema.returns()) returned_.push_back(ArgumentOf(schema, result));
  }

  // Whether an `out=` tensor has no elements, and may have to be resized.
  bool HasEmpty(const Stack& arguments) const {
    const size_t begin = arguments.size() - ways_.size();
    return std::any_of(outs_.begin(), outs_.end(), [&](size_t i) {
      const c10::IValue& out = arguments[begin + i];
      return out.isTensor() && out.toTensor().defined() && out.toTensor().numel() == 0;
    });
  }

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/, Stack* stack) const {
    const at::AutoDispatchBelowADInplaceOrView below;
    const size_t begin = stack->size() - ways_.size();
    Arguments arguments;
    Stack own = Converted(stack->data() + begin, &arguments);
    const c10::Device device = arguments.Device();
    {
      const auto is_generator = [](const c10::IValue& value) { return value.isGenerator(); };
      std::optional<DefaultOf> draw;
      if (draws_ && std::none_of(own.begin(), own.end(), is_generator) && Draws(op.schema(), own)) draw.emplace(device);
      Run(op, stack->data() + begin, &own);
    }
    for (size_t i = 0; i < returned_.size(); ++i) {
      if (returned_[i] >= 0) {
        const c10::IValue& npu = (*stack)[begin + static_cast<size_t>(returned_[i])];
        // An `out=` tensor that was larger than the result.
        if (own[i].isTensor() && npu.isTensor() && own[i].toTensor().sizes() != npu.toTensor().sizes())
          npu.toTensor().resize_(own[i].toTensor().sizes());
        own[i] = npu;
      } else {
        Adopt(&own[i], device);
      }
    }
    stack->resize(begin);
    std::move(own.begin(), own.end(), std::back_inserter(*stack));
  }

 private:
  // How an argument is passed to the CPU's kernel.
  enum class Way : uint8_t { kSame, kMoved, kMovedFromAnywhere, kNone };

  Stack Converted(const c10::IValue* npu, Arguments* arguments) const {
    Stack own;
    own.reserve(std::max(ways_.size(), returned_.size()));
    for (const Way way : ways_) {
      const c10::IValue& value = *npu++;
      if (way == Way::kSame) {
        own.push_back(value);
      } else if (way == Way::kNone) {
        own.emplace_back();
      } else {
        own.push_back(arguments->Convert(value, way == Way::kMovedFromAnywhere));
      }
    }
    return own;
  }
  static ptrdiff_t ArgumentOf(const c10::FunctionSchema& schema, const c10::Argument& result) {
    if (result.alias_info() == nullptr) return -1;
    for (size_t i = 0; i < schema.arguments().size(); ++i) {
      const c10::Argument& argument = schema.arguments()[i];
      if (IsWritten(argument) && argument.alias_info()->beforeSets() == result.alias_info()->beforeSets())
        return static_cast<ptrdiff_t>(i);
    }
    return -1;
  }

  // Replaces the arguments by the results.
  void Run(const c10::OperatorHandle& op, const c10::IValue* npu, Stack* own) const {
    const ResultsOnDevice results;
    if (HasEmpty(*own)) return RunAside(op, npu, own);
    if (const std::optional<at::ScalarType> dtype = TooNarrow(*own)) return RunWidened(op, *dtype, own);
    const Stack kept = draws_ ? *own : Stack();  // a generator that was converted again would return other numbers
    const auto again = [&] {
      Arguments arguments;
      return draws_ ? kept : Converted(npu, &arguments);
    };
    try {
      op.callBoxed(own);
    } catch (const c10::NotImplementedError& error) {
      *own = again();
      const std::optional<at::ScalarType> dtype = written_.empty() ? NarrowIn(error.what(), *own) : std::nullopt;
      if (!dtype) throw;
      const std::string kind = KindOf(own->begin(), own->end());
      RunWidened(op, *dtype, own);
      const std::lock_guard lock(mutex_);
      too_narrow_.emplace(kind, *dtype);
      widens_.store(true, std::memory_order_release);
    } catch (const c10::Error& error) {
      // A CPU tensor over npu memory cannot grow.
      if (std::string_view(error.what()).find("not resizable") == std::string_view::npos) throw;
      *own = again();
      RunAside(op, npu, own);
    }
  }
  // The same for calls of a kind that was tried before: throwing and catching takes a millisecond.
  std::optional<at::ScalarType> TooNarrow(const Stack& arguments) const {
    if (!widens_.load(std::memory_order_acquire)) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const auto found = too_narrow_.find(KindOf(arguments.begin(), arguments.end()));
    return found == too_narrow_.end() ? std::nullopt : std::optional(found->second);
  }
  // The dtype of an argument that PyTorch's CPU kernel lacks; a card may have it.
  static std::optional<at::ScalarType> NarrowIn(std::string_view error, const Stack& arguments) {
    for (const c10::IValue& value : arguments) {
      if (!value.isTensor() || !value.toTensor().defined()) continue;
      const at::ScalarType dtype = value.toTensor().scalar_type();
      if (at::isComplexType(dtype) || dtype == at::kDouble) continue;
      if (error.find(std::string("not implemented for '") + c10::toString(dtype) + "'") != std::string_view::npos)
        return dtype;
    }
    return std::nullopt;
  }
  // Runs with arguments of `dtype` converted to a wider one, and converts results back to `dtype`.
  static void RunWidened(const c10::OperatorHandle& op, at::ScalarType dtype, Stack* own) {
    const at::ScalarType wide = dtype == at::kHalf || dtype == at::kBFloat16 ? at::kFloat : at::kDouble;
    const auto convert = [own](at::ScalarType from, at::ScalarType to) {
      for (c10::IValue& value : *own) {
        if (value.isTensor() && value.toTensor().defined() && value.toTensor().scalar_type() == from)
          value = value.toTensor().to(to);
      }
    };
    convert(dtype, wide);
    op.callBoxed(own);
    convert(wide, dtype);
  }
  // Runs with ordinary CPU tensors for the outputs: the npu tensors get their shapes and values afterwards.
  void RunAside(const c10::OperatorHandle& op, const c10::IValue* npu, Stack* own) const {
    std::vector<std::pair<at::Tensor, at::Tensor>> pairs;
    for (const size_t i : written_) {
      if (!(*own)[i].isTensor() || !npu[i].toTensor().defined()) continue;
      pairs.emplace_back(npu[i].toTensor(), (*own)[i].toTensor().clone());
      (*own)[i] = pairs.back().second;
    }
    op.callBoxed(own);
    for (auto& [target, source] : pairs) {
      if (target.sizes() != source.sizes()) target.resize_(source.sizes());
      if (source.numel() != 0) (target.is_cpu() ? target : OnCpu(target)).copy_(source);
    }
  }

  static void Adopt(c10::IValue* value, c10::Device device) {
    if (value->isTensor()) {
      at::Tensor cpu = std::move(*value).toTensor();
      *value = cpu.defined() ? OnNpu(std::move(cpu), device) : cpu;
    } else if (value->isTensorList()) {
      c10::List<at::Tensor> list = std::move(*value).toTensorList();
      for (size_t i = 0; i < list.size(); ++i) list.set(i, OnNpu(list.extract(i), device));
      *value = std::move(list);
    }
  }

  bool draws_;
  std::vector<Way> ways_;  // one for each argument
  std::vector<size_t> written_;
  std::vector<size_t> outs_;
  std::vector<ptrdiff_t> returned_;
  mutable std::atomic<bool> widens_{false};
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, at::ScalarType> too_narrow_;  // kinds of calls
};

}  // namespace portacl
