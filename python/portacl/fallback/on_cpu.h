// SPDX-License-Identifier: Apache-2.0
//
// The kernel of an operator that computes on the CPU over the memory of npu tensors.
//
// Inputs, in-place operands, `out=` tensors and arguments that an operator changes without declaring so (running
// statistics) are accessed in the caller's memory. Only results that the CPU allocated are copied or taken over, into
// storages of the npu allocator: these are freed in stream order, so that queued native operators may still read them.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "calls.h"
#include "draws.h"
#include "kind.h"
#include "memory.h"
#include "versions.h"

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
  const int32_t status = query(HandleOf(stream), &state);
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

// Whether an operator accepts CPU tensors besides those of the device for this argument, as on a card. Scalar tensors
// are accepted anywhere.
inline bool MayStayOnCpu(const std::string& name, const std::string& argument) {
  if (argument == "indices") return name.find("index") != std::string::npos;
  return argument == "lengths" || argument == "input_lengths" || argument == "target_lengths" ||
         argument == "batch_sizes" || argument == "tensor_indices_or_sections" || argument == "scalars" ||
         name == "aten::_foreach_copy_" || name == "aten::is_same_size";
}

// Whether PyTorch's kernel takes several times as long for contiguous images as for those whose channels are adjacent.
inline bool IsFasterByPixel(const std::string& name) { return name == "aten::max_pool2d_with_indices"; }

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
  // `on_cpu`: the operator that computes, with the same arguments.
  OnCpuKernel(const c10::OperatorHandle& op, const c10::OperatorHandle& on_cpu)
      : on_cpu_(on_cpu),
        draws_(op.hasTag(at::Tag::nondeterministic_seeded)),
        by_pixel_(IsFasterByPixel(op.schema().name())),
        calls_(c10::toString(op.operator_name()), kOnCpu) {
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
      // npu_apply_adam_w writes to these tensors and returns them, without declaring so.
      if (arguments[i].name() == "out" && !IsWritten(arguments[i])) returned_list_ = i;
    }
    for (const c10::Argument& result : schema.returns()) returned_.push_back(ArgumentOf(schema, result));
    // Packed sequences keep their batch sizes on the CPU, where recurrent layers read them.
    if (schema.name() == "aten::_pack_padded_sequence") returned_[1] = kStaysOnCpu;
  }

  // Whether an `out=` tensor has no elements, and may have to be resized.
  bool HasEmpty(const Stack& arguments) const {
    const size_t begin = arguments.size() - ways_.size();
    const auto is_empty = [](const c10::IValue& out) {
      return out.isTensor() && out.toTensor().defined() && out.toTensor().numel() == 0;
    };
    return std::any_of(outs_.begin(), outs_.end(), [&](size_t i) {
      const c10::IValue& out = arguments[begin + i];
      if (!out.isTensorList()) return is_empty(out);
      const c10::ArrayRef<c10::IValue> list = out.toListRef();
      return std::any_of(list.begin(), list.end(), is_empty);
    });
  }

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/, Stack* stack) const {
    const Calls::Timer timer(&calls_);
    const at::AutoDispatchBelowADInplaceOrView below;
    const size_t begin = stack->size() - ways_.size();
    Arguments arguments;
    Stack own = Converted(stack->data() + begin, &arguments);
    const c10::Device device = arguments.Device();
    {
      const auto is_generator = [](const c10::IValue& value) { return value.isGenerator(); };
      std::optional<DefaultOf> draw;
      if (draws_ && std::none_of(own.begin(), own.end(), is_generator) && Draws(op.schema(), own)) draw.emplace(device);
      Run(stack->data() + begin, &own);
    }
    for (size_t i = 0; i < returned_.size(); ++i) {
      if (returned_[i] >= 0) {
        const c10::IValue& npu = (*stack)[begin + static_cast<size_t>(returned_[i])];
        // An `out=` tensor that was larger than the result.
        if (own[i].isTensor() && npu.isTensor()) ResizeLike(own[i].toTensor(), npu.toTensor());
        own[i] = npu;
      } else if (returned_list_) {
        own[i] = (*stack)[begin + *returned_list_].toListRef()[i];
      } else if (returned_[i] != kStaysOnCpu) {
        Adopt(&own[i], device);
      }
    }
    stack->resize(begin);
    std::move(own.begin(), own.end(), std::back_inserter(*stack));
  }

 private:
  // How an argument is passed to the CPU's kernel.
  enum class Way : uint8_t { kSame, kMoved, kMovedFromAnywhere, kNone };
  // Results that are no arguments.
  static constexpr ptrdiff_t kNew = -1, kStaysOnCpu = -2;

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
    if (result.alias_info() == nullptr) return kNew;
    for (size_t i = 0; i < schema.arguments().size(); ++i) {
      const c10::Argument& argument = schema.arguments()[i];
      if (IsWritten(argument) && argument.alias_info()->beforeSets() == result.alias_info()->beforeSets())
        return static_cast<ptrdiff_t>(i);
    }
    return kNew;
  }

  // Replaces the arguments by the results.
  void Run(const c10::IValue* npu, Stack* own) const {
    const ResultsOnDevice results;
    // An operator that writes to a list of `out=` tensors returns nothing from which their shapes could be known.
    if (HasEmpty(*own) || (returned_.empty() && !outs_.empty())) return RunAside(npu, own);
    if (const std::optional<at::ScalarType> dtype = TooNarrow(*own)) return RunWidened(*dtype, own);
    const Stack kept = draws_ ? *own : Stack();  // a generator that was converted again would return other numbers
    const auto again = [&] {
      Arguments arguments;
      return draws_ ? kept : Converted(npu, &arguments);
    };
    try {
      Call(own);
    } catch (const c10::Error& error) {
      *own = again();
      // A CPU tensor over npu memory cannot grow.
      if (std::string_view(error.what()).find("not resizable") != std::string_view::npos) return RunAside(npu, own);
      // In 2.7, not every kernel that lacks a dtype raises a NotImplementedError.
      const std::optional<at::ScalarType> dtype = written_.empty() ? NarrowIn(error.what(), *own) : std::nullopt;
      if (!dtype) throw;
      const std::string kind = KindOf(own->begin(), own->end());
      RunWidened(*dtype, own);
      const std::lock_guard lock(mutex_);
      too_narrow_.emplace(kind, *dtype);
      widens_.store(true, std::memory_order_release);
    }
  }
  void Call(Stack* own) const {
    constexpr int64_t kFewestChannels = 8;
    const at::Tensor first = by_pixel_ ? own->front().toTensor() : at::Tensor();
    const bool rearranges =
        first.defined() && first.dim() == 4 && first.size(1) >= kFewestChannels && first.is_contiguous();
    if (rearranges) own->front() = first.contiguous(at::MemoryFormat::ChannelsLast);
    on_cpu_.callBoxed(own);
    if (!rearranges) return;
    for (c10::IValue& result : *own) result = result.toTensor().contiguous();
  }
  static void ResizeLike(const at::Tensor& source, const at::Tensor& npu) {
    if (source.sizes() != npu.sizes()) npu.resize_(source.sizes());
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
  void RunWidened(at::ScalarType dtype, Stack* own) const {
    const at::ScalarType wide = dtype == at::kHalf || dtype == at::kBFloat16 ? at::kFloat : at::kDouble;
    const auto convert = [own](at::ScalarType from, at::ScalarType to) {
      for (c10::IValue& value : *own) {
        if (value.isTensor() && value.toTensor().defined() && value.toTensor().scalar_type() == from)
          value = value.toTensor().to(to);
      }
    };
    convert(dtype, wide);
    on_cpu_.callBoxed(own);
    convert(wide, dtype);
  }
  // Runs with ordinary CPU tensors for the outputs: the npu tensors get their shapes and values afterwards.
  void RunAside(const c10::IValue* npu, Stack* own) const {
    std::vector<std::pair<at::Tensor, at::Tensor>> pairs;
    const auto aside = [&pairs](const c10::IValue& target, const c10::IValue& over) {
      if (!target.toTensor().defined()) return at::Tensor();
      return pairs.emplace_back(target.toTensor(), over.toTensor().clone()).second;
    };
    for (const size_t i : written_) {
      c10::IValue& value = (*own)[i];
      if (value.isTensor()) {
        value = aside(npu[i], value);
      } else if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (size_t k = 0; k < value.toListRef().size(); ++k)
          list.push_back(aside(npu[i].toListRef()[k], value.toListRef()[k]));
        value = std::move(list);
      }
    }
    on_cpu_.callBoxed(own);
    for (const auto& [target, source] : pairs) {
      ResizeLike(source, target);
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

  const c10::OperatorHandle on_cpu_;
  bool draws_;
  bool by_pixel_;
  std::vector<Way> ways_;  // one for each argument
  std::vector<size_t> written_;
  std::vector<size_t> outs_;
  std::vector<ptrdiff_t> returned_;
  std::optional<size_t> returned_list_;
  mutable Calls calls_;
  mutable std::atomic<bool> widens_{false};
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, at::ScalarType> too_narrow_;  // kinds of calls
};

}  // namespace portacl
