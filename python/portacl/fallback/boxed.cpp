// SPDX-License-Identifier: Apache-2.0
//
// Operators of PyTorch on "npu" in C++. Compiled against the installed PyTorch by compiled.py. Names of operators have
// their namespace, except those of aten.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <torch/library.h>

#include "calls.h"
#include "convolution.h"
#include "copies.h"
#include "draws.h"
#include "dropout.h"
#include "native_first.h"
#include "on_cpu.h"
#include "one_call.h"
#include "replacements.h"
#include "versions.h"

namespace portacl {
namespace {

using c10::DispatchKey;
using Names = std::vector<std::string>;

std::string WithNamespace(const std::string& name) {
  return name.find("::") == std::string::npos ? "aten::" + name : name;
}

c10::OperatorHandle OperatorOf(const std::string& name) {
  const std::string full = WithNamespace(name);
  const size_t dot = full.find('.');
  const std::string overload = dot == std::string::npos ? "" : full.substr(dot + 1);
  return c10::Dispatcher::singleton().findSchemaOrThrow(full.substr(0, dot).c_str(), overload.c_str());
}

// Kernels are registered for the lifetime of the process.
void Install(const std::string& name, torch::CppFunction function, DispatchKey key = DispatchKey::PrivateUse1) {
  static auto* const libraries = new std::map<std::string, torch::Library>;
  const std::string full = WithNamespace(name), space = full.substr(0, full.find("::"));
  const auto library =
      libraries->try_emplace(space, torch::Library::IMPL, space, std::nullopt, __FILE__, __LINE__).first;
  library->second.impl(full.c_str(), torch::dispatch(key, std::move(function)));
}
template <class Kernel, class... Args>
void InstallBoxed(const std::string& name, DispatchKey key, Args&&... args) {
  Install(name, torch::CppFunction::makeFromBoxedFunctor(std::make_unique<Kernel>(std::forward<Args>(args)...)), key);
}

// The operators of a namespace with a kernel for a dispatch key.
Names Registered(const std::string& key, const std::string& space) {
  auto& dispatcher = c10::Dispatcher::singleton();
  const std::string begin = space + "::";
  Names names;
  for (const c10::OperatorName& op : dispatcher.getRegistrationsForDispatchKey(c10::parseDispatchKey(key))) {
    const std::string name = c10::toString(op);
    // The plug-in registers kernels for operators without a schema.
    if (name.rfind(begin, 0) != 0 || !dispatcher.findSchema(op)) continue;
    names.push_back(space == "aten" ? name.substr(begin.size()) : name);
  }
  return names;
}

// Those of the operators whose random numbers are always drawn on the CPU.
Names ThatDrawOnCpu(const Names& names) {
  Names drawing;
  if (!DrawsOnCpu()) return drawing;
  for (const std::string& name : names) {
    if (MayDraw(OperatorOf(name))) drawing.push_back(name);
  }
  return drawing;
}

void InstallOnCpu(const Names& names) {
  static const bool once = (c10::SetCPUAllocator(&ResultAllocator::Get(), 1), true);
  static_cast<void>(once);
  for (const std::string& name : names)
    InstallBoxed<OnCpuKernel>(name, DispatchKey::PrivateUse1, OperatorOf(name), OperatorOf(name));
}

// An operator of the namespace portacl with the name and the arguments of another; its kernel is in Python.
c10::OperatorHandle CloneOf(const c10::OperatorHandle& op) {
  static auto* const clones = new torch::Library(torch::Library::FRAGMENT, "portacl", std::nullopt, __FILE__, __LINE__);
  const std::string name = "portacl" + op.schema().name().substr(op.schema().name().find("::"));
  clones->def(op.schema().cloneWithName(name, op.schema().overload_name()));
  return c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), op.schema().overload_name().c_str());
}

// The operators run natively if possible. On the CPU, the clone of one of npu computes it.
void InstallNativeFirst(const Names& names) {
  for (const std::string& name : names) {
    const c10::OperatorHandle op = OperatorOf(name);
    InstallBoxed<NativeFirst>(name, DispatchKey::PrivateUse1, name, KernelOfPlugin(op), op,
                              name.rfind("npu::", 0) == 0 ? CloneOf(op) : op,
                              name == "convolution_backward" ? GradientByConvolutions : nullptr);
  }
}

// The clones of the operators replace the plug-in's kernels.
void InstallDirect(const Names& names) {
  for (const std::string& name : names)
    InstallBoxed<Through>(name, DispatchKey::PrivateUse1, CloneOf(OperatorOf(name)), DispatchKey::PrivateUse1);
}

// The errors of the operators name an alternative.
void InstallExplained(const Names& names, const Names& sentences, const std::string& key) {
  for (size_t i = 0; i < names.size(); ++i) {
    const c10::OperatorHandle op = OperatorOf(names[i]);
    InstallBoxed<Explained>(names[i], c10::parseDispatchKey(key), op, KernelOfPlugin(op), sentences.at(i));
  }
}

void InstallOneCall(const Names& names) {
  for (const std::string& name : names)
    InstallBoxed<OneCallKernel>(name, DispatchKey::AutogradPrivateUse1, OperatorOf(name));
}

// The operators use, for one dispatch key, PyTorch's kernels for another.
void InstallThrough(const Names& names, const std::string& key, const std::string& to) {
  for (const std::string& name : names)
    InstallBoxed<Through>(name, c10::parseDispatchKey(key), OperatorOf(name), c10::parseDispatchKey(to));
}

// Returns the names of the operators that it replaces.
Names InstallReplacements() {
  InstallBoxed<CopyKernel>("copy_", DispatchKey::PrivateUse1, KernelOfPlugin(OperatorOf("copy_")));
  Names names = {"copy_"};
  const auto install = [&names](const char* name, auto* function, bool for_autograd) {
    names.emplace_back(name);
    Install(name, torch::CppFunction(function));
    if (for_autograd) Install(name, torch::CppFunction(function), DispatchKey::AutogradPrivateUse1);
  };
  install("empty_like", &EmptyLike, false);
  install("_to_copy", &ToCopy, false);
  install("contiguous", &Contiguous, true);
  install("_thnn_fused_lstm_cell", &LstmCell, true);
  install("_thnn_fused_gru_cell", &GruCell, true);
  install("convolution_overrideable", &ConvolutionOverrideable, false);
  install("convolution_backward_overrideable", &ConvolutionBackwardOverrideable, false);
  if (!DrawsOnCpu()) install("native_dropout", &Dropout, true);
  install("_fused_sdp_choice", &AttentionMath, false);
  install("_nested_tensor_from_mask_left_aligned", &NoNestedTensor, false);
  install("npu::npu_broadcast.out", &BroadcastInto, false);
  return names;
}

// The report counts the plug-in's kernels of the operators.
void InstallCounted(const Names& names) {
  for (const std::string& name : names) {
    const c10::OperatorHandle op = OperatorOf(name);
    InstallBoxed<Counted>(name, DispatchKey::PrivateUse1, op, KernelOfPlugin(op));
  }
}

// For the report: operator, tab, place, tab, number of calls, tab, nanoseconds.
Names AllCalls() {
  Names lines;
  for (const Calls* calls : Calls::All()) {
    if (calls->count != 0)
      lines.push_back(calls->name + "\t" + calls->place + "\t" + std::to_string(calls->count) + "\t" +
                      std::to_string(calls->nanoseconds));
  }
  return lines;
}

// Names of operators that ran natively; operators that did not, each with a tab and a name that it misses.
std::tuple<Names, Names> Outcomes() {
  Names ran, not_found;
  for (const NativeFirst* kernel : NativeFirst::All()) {
    if (kernel->ran()) ran.push_back(kernel->name());
    for (const std::string& what : kernel->missing()) not_found.push_back(kernel->name() + "\t" + what);
  }
  return {ran, not_found};
}

TORCH_LIBRARY(portacl, library) {
  library.def("registered(str key, str namespace) -> str[]", &Registered);
  library.def("that_draw_on_cpu(str[] names) -> str[]", &ThatDrawOnCpu);
  library.def("install_on_cpu(str[] names) -> ()", &InstallOnCpu);
  library.def("install_native_first(str[] names) -> ()", &InstallNativeFirst);
  library.def("install_direct(str[] names) -> ()", &InstallDirect);
  library.def("install_explained(str[] names, str[] sentences, str key) -> ()", &InstallExplained);
  library.def("install_one_call(str[] names) -> ()", &InstallOneCall);
  library.def("install_through(str[] names, str key, str to) -> ()", &InstallThrough);
  library.def("install_replacements() -> str[]", &InstallReplacements);
  library.def("install_counted(str[] names) -> ()", &InstallCounted);
  library.def("calls() -> str[]", &AllCalls);
  library.def("outcomes() -> (str[], str[])", &Outcomes);
  library.def("forget() -> ()", [] {
    for (NativeFirst* kernel : NativeFirst::All()) kernel->Forget();
  });
  // How often this thread has waited for a stream in order to compute on the CPU.
  library.def("waits() -> int", [] { return static_cast<int64_t>(waits); });
}

}  // namespace
}  // namespace portacl
