// SPDX-License-Identifier: Apache-2.0
//
// The plug-in's own kernels are tried first; the CPU computes a call only if such a kernel does not find the `aclnn`
// operator that it needs.
//
// Which `aclnn` operators a kernel needs depends on its arguments, and only the kernel knows. It looks up a name before
// it uses it, and its error tells which name is missing. That answer is cached for each kind of call. Any other error
// goes to the caller.
//
// A kernel may have written before it misses a name. New results are then dropped. The caller's tensors are saved until
// a call of the kind has run natively; from then on, the numbers of the thread's tasks show that nothing was written.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "calls.h"
#include "draws.h"
#include "kind.h"
#include "on_cpu.h"
#include "refusals.h"
#include "unlike.h"
#include "versions.h"

namespace portacl {

// A kernel of the plug-in, whose calls are counted.
class Counted final : public c10::OperatorKernel {
 public:
  Counted(const c10::OperatorHandle& op, PluginKernel plugin)
      : plugin_(std::move(plugin)), calls_(c10::toString(op.operator_name()), kNative) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
    const Calls::Timer timer(&calls_);
    plugin_.callBoxed(op, keys, stack);
  }

 private:
  const PluginKernel plugin_;
  Calls calls_;
};

// A kernel of the plug-in whose error names the alternative if the toolkit lacks what it needs.
class Explained final : public c10::OperatorKernel {
 public:
  Explained(const c10::OperatorHandle& op, PluginKernel plugin, std::string sentence)
      : plugin_(op, std::move(plugin)), sentence_(std::move(sentence)) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
    TakeRefusal();
    try {
      plugin_(op, keys, stack);
    } catch (const std::exception& error) {
      const std::optional<std::string> what = NotFound(error.what(), true);
      if (!what) throw;
      TORCH_CHECK_NOT_IMPLEMENTED(false, sentence_, " (missing: ", *what, ")");
    }
  }

 private:
  Counted plugin_;
  const std::string sentence_;
};

// The plug-in's kernels do not check on which npu a tensor is.
template <class Iterator>
void CheckOneDevice(Iterator begin, Iterator end) {
  std::optional<c10::Device> first;
  const auto check = [&first](const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.device().type() != kNpu) return;
    if (!first) first = tensor.device();
    TORCH_CHECK(tensor.device() == *first,
                "Expected all tensors to be on the same device, but found at least two devices, ", *first, " and ",
                tensor.device(), "!");
  };
  for (; begin != end; ++begin) {
    if (begin->isTensor()) {
      check(begin->toTensor());
    } else if (begin->isTensorList()) {
      for (const c10::IValue& tensor : begin->toListRef()) check(tensor.toTensor());
    }
  }
}

// A value that changes whenever the thread starts a task on a stream, or waits for one to compute on the CPU.
using Starts = std::pair<uint32_t, uint64_t>;
inline Starts Started() {
  using LastTask = int32_t (*)(uint32_t*);
  static const auto last_task = reinterpret_cast<LastTask>(dlsym(RTLD_DEFAULT, "aclrtGetThreadLastTaskId"));
  uint32_t task = 0;
  if (last_task != nullptr) last_task(&task);
  return {task, waits};
}

class NativeFirst final : public c10::OperatorKernel {
 public:
  // Computes a call with other operators of the device; returns false and does nothing if it cannot.
  using Instead = bool (*)(Stack* stack);

  NativeFirst(std::string name, PluginKernel plugin, const c10::OperatorHandle& op, const c10::OperatorHandle& on_cpu,
              Instead instead)
      : name_(std::move(name)),
        is_of_plugin_(name_.rfind("npu::", 0) == 0),
        plugin_(op, std::move(plugin)),
        on_cpu_(op, on_cpu),
        instead_(instead),
        may_draw_(is_of_plugin_ || MayDraw(op)),
        is_unlike_(UnlikeCallsOf(op.schema())) {
    const c10::FunctionSchema& schema = op.schema();
    for (size_t i = 0; i < schema.arguments().size(); ++i) {
      const c10::Argument& argument = schema.arguments()[i];
      const std::string& its_name = argument.name();
      // Running statistics and the tensors of npu_apply_adam_w are changed without being declared so.
      if (IsWritten(argument) || its_name == "running_mean" || its_name == "running_var" || its_name == "out")
        written_.push_back(i);
    }
    All().push_back(this);
  }

  // All of them, for the lifetime of the process.
  static std::vector<NativeFirst*>& All() {
    static auto* const all = new std::vector<NativeFirst*>;
    return *all;
  }
  const std::string& name() const { return name_; }
  bool ran() const { return ran_; }
  std::vector<std::string> missing() const {
    const std::shared_lock lock(mutex_);
    return missing_;
  }
  // For tests: resets the state, except for the kinds of calls that are refused.
  void Forget() {
    const std::unique_lock lock(mutex_);
    ran_ = false;
    ran_kinds_.clear();
    missing_.clear();
  }

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
    const auto begin = stack->end() - static_cast<ptrdiff_t>(op.schema().arguments().size());
    CheckOneDevice(begin, stack->end());
    // Not every kernel resizes an `out=` tensor.
    if (on_cpu_.HasEmpty(*stack) || IsRefused(begin, stack->end()) ||
        (is_unlike_ != nullptr && is_unlike_(&*begin, op.schema().arguments().size())) ||
        (may_draw_ && HasCpuGenerator(begin, stack->end())))
      return WithoutPlugin(op, keys, stack);
    const Stack arguments(begin, stack->end());
    const size_t below = stack->size() - arguments.size();
    const bool is_first = !written_.empty() && !HasRun(arguments);
    const bool keeps = !written_.empty() && (is_first || !StreamStateIsAuthoritative());
    const auto kept = keeps ? Copies(arguments) : std::vector<std::pair<at::Tensor, at::Tensor>>();
    const auto before = keeps || written_.empty() ? Starts() : Started();
    // A kernel may draw random numbers before it misses a name: they are drawn again.
    at::Generator generator;
    if (may_draw_) generator = GeneratorIn(begin, stack->end());
    const uint64_t offset = generator.defined() ? generator.get_offset() : 0;
    TakeRefusal();  // clears refusals that another client got
    try {
      plugin_(op, keys, stack);
      if (!ran_.load(std::memory_order_relaxed)) ran_ = true;
      if (is_first) AddRun(arguments);
      return;
    } catch (const std::exception& error) {
      const std::optional<std::string> what = NotFound(error.what(), is_of_plugin_);
      if (!what) throw;
      Refuse(arguments, *what);
      TORCH_CHECK(keeps || written_.empty() || Started() == before, op.operator_name(),
                  " had written to its operands before torch_npu found that the toolkit lacks ", *what,
                  "; from now on such calls run on the CPU");
    }
    Restore(kept);
    if (generator.defined()) generator.set_offset(offset);
    stack->resize(below);
    stack->insert(stack->end(), arguments.begin(), arguments.end());
    WithoutPlugin(op, keys, stack);
  }

 private:
  void WithoutPlugin(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) const {
    if (instead_ == nullptr || !instead_(stack)) on_cpu_(op, keys, stack);
  }
  // The generator of the call, or that of the device.
  template <class Iterator>
  static at::Generator GeneratorIn(Iterator begin, Iterator end) {
    const auto given = std::find_if(begin, end, [](const c10::IValue& value) { return value.isGenerator(); });
    return given != end ? given->toGenerator() : GeneratorOf(Runtime().getDevice());
  }
  template <class Iterator>
  static bool HasCpuGenerator(Iterator begin, Iterator end) {
    return std::any_of(begin, end, [](const c10::IValue& value) {
      return value.isGenerator() && value.toGenerator().device().is_cpu();
    });
  }
  template <class Iterator>
  bool IsRefused(Iterator begin, Iterator end) const {
    if (!refuses_.load(std::memory_order_acquire)) return false;
    const std::string kind = KindOf(begin, end);
    const std::shared_lock lock(mutex_);
    return refused_.contains(kind);
  }
  bool HasRun(const Stack& arguments) const {
    const std::string kind = KindOf(arguments.begin(), arguments.end());
    const std::shared_lock lock(mutex_);
    return ran_kinds_.contains(kind);
  }
  void AddRun(const Stack& arguments) {
    const std::unique_lock lock(mutex_);
    ran_kinds_.insert(KindOf(arguments.begin(), arguments.end()));
  }
  void Refuse(const Stack& arguments, const std::string& what) {
    const std::unique_lock lock(mutex_);
    refused_.insert(KindOf(arguments.begin(), arguments.end()));
    if (std::find(missing_.begin(), missing_.end(), what) == missing_.end()) missing_.push_back(what);
    refuses_.store(true, std::memory_order_release);
  }

  // The npu tensors that the kernel may write to, each with a copy of its values.
  std::vector<std::pair<at::Tensor, at::Tensor>> Copies(const Stack& arguments) const {
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;
    const auto add = [&](const at::Tensor& tensor) {
      if (!tensor.defined() || tensor.device().type() != kNpu) return;
      Wait(tensor.device());
      copies.emplace_back(tensor, OnCpu(tensor).clone());
    };
    const at::AutoDispatchBelowADInplaceOrView below;
    for (const size_t i : written_) {
      if (arguments[i].isTensor()) add(arguments[i].toTensor());
      if (!arguments[i].isTensorList()) continue;
      for (const at::Tensor& tensor : arguments[i].toTensorVector()) add(tensor);
    }
    return copies;
  }
  static void Restore(const std::vector<std::pair<at::Tensor, at::Tensor>>& copies) {
    const at::AutoDispatchBelowADInplaceOrView below;
    for (const auto& [tensor, values] : copies) {
      Wait(tensor.device());
      if (tensor.sizes() == values.sizes()) OnCpu(tensor).copy_(values);
    }
  }

  const std::string name_;
  const bool is_of_plugin_;
  Counted plugin_;
  const OnCpuKernel on_cpu_;
  const Instead instead_;
  const bool may_draw_;
  const IsUnlike is_unlike_;
  std::vector<size_t> written_;
  std::atomic<bool> ran_{false};
  std::atomic<bool> refuses_{false};
  mutable std::shared_mutex mutex_;
  std::unordered_set<std::string> refused_;    // kinds of calls for which names are missing
  std::unordered_set<std::string> ran_kinds_;  // of an operator that writes to its arguments
  std::vector<std::string> missing_;           // names that were not found, each once and in order
};

}  // namespace portacl
