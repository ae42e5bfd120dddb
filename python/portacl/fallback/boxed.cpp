// SPDX-License-Identifier: Apache-2.0
//
// Operators of PyTorch on "npu" in C++. Compiled against the installed PyTorch by compiled.py.
//
//   torch.ops.portacl.install_on_cpu(["erfinv", ...])           these aten operators run on the CPU
//   torch.ops.portacl.install_native_first(["add.Tensor", ...], ["sigmoid_backward", ...])
//                        the first list runs natively if possible, the second with real numbers only
//   torch.ops.portacl.install_refusals(["...", ...])            the plug-in's own messages for a refusal
//   torch.ops.portacl.install_explained(["npu_mish", ...], ["...", ...])   errors of these npu ones name an alternative
//   torch.ops.portacl.install_one_call(["lstm.input", ...])     these are one CPU call for autograd
//   torch.ops.portacl.install_through(["matmul", ...], key, to)
//                        these use, for one dispatch key, PyTorch's kernels for another
//   torch.ops.portacl.install_copies()                          copy_, _to_copy, empty_like, contiguous
//   torch.ops.portacl.natively_run(), not_found(), forget()
//                        results of native operators: names; name, tab, missing name
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <torch/library.h>

#include "convolution.h"
#include "copies.h"
#include "native_first.h"
#include "on_cpu.h"
#include "one_call.h"

namespace portacl {
namespace {

c10::OperatorHandle OperatorOf(const std::string& name, const std::string& space = "aten") {
  const size_t dot = name.find('.');
  const std::string overload = dot == std::string::npos ? "" : name.substr(dot + 1);
  return c10::Dispatcher::singleton().findSchemaOrThrow((space + "::" + name.substr(0, dot)).c_str(), overload.c_str());
}

// Kernels are registered for the lifetime of the process.
torch::Library& Kernels(bool where_autograd_looks = false) {
  static auto* const kernels =
      new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  static auto* const autograd_kernels =
      new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::AutogradPrivateUse1, __FILE__, __LINE__);
  return where_autograd_looks ? *autograd_kernels : *kernels;
}

void InstallOnCpu(const std::vector<std::string>& names) {
  static const bool once = (c10::SetCPUAllocator(&ResultAllocator::Get(), 1), true);
  static_cast<void>(once);
  for (const std::string& name : names) {
    auto kernel = std::make_unique<OnCpuKernel>(OperatorOf(name));
    Kernels().impl(name.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::move(kernel)));
  }
}

void InstallRefusals(const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) RefusalsOfPlugin().emplace_back(pattern);
}

void InstallNativeFirst(const std::vector<std::string>& names, const std::vector<std::string>& real) {
  for (const std::string& name : names) {
    const c10::OperatorHandle op = OperatorOf(name);
    auto kernel = std::make_unique<NativeFirst>(name, op.getComputedKernelForDispatchKey(c10::DispatchKey::PrivateUse1),
                                                op, name == "convolution_backward" ? GradientByConvolutions : nullptr,
                                                std::find(real.begin(), real.end(), name) != real.end());
    Kernels().impl(name.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::move(kernel)));
  }
}

void InstallExplained(const std::vector<std::string>& names, const std::vector<std::string>& sentences) {
  static auto* const kernels =
      new torch::Library(torch::Library::IMPL, "npu", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  for (size_t i = 0; i < names.size(); ++i) {
    const c10::OperatorHandle op = OperatorOf(names[i], "npu");
    auto kernel =
        std::make_unique<Explained>(op.getComputedKernelForDispatchKey(c10::DispatchKey::PrivateUse1), sentences.at(i));
    kernels->impl(names[i].c_str(), torch::CppFunction::makeFromBoxedFunctor(std::move(kernel)));
  }
}

void InstallOneCall(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    Kernels(true).impl(name.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::make_unique<OneCallKernel>()));
  }
}

void InstallThrough(const std::vector<std::string>& names, const std::string& key, const std::string& to) {
  const bool where_autograd_looks = c10::parseDispatchKey(key) == c10::DispatchKey::AutogradPrivateUse1;
  for (const std::string& name : names) {
    auto kernel = std::make_unique<Through>(c10::parseDispatchKey(to));
    Kernels(where_autograd_looks).impl(name.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::move(kernel)));
  }
}

void InstallCopies() {
  const auto plugin = OperatorOf("copy_").getComputedKernelForDispatchKey(c10::DispatchKey::PrivateUse1);
  Kernels().impl("copy_", torch::CppFunction::makeFromBoxedFunctor(std::make_unique<CopyKernel>(plugin)));
  Kernels().impl("empty_like", &EmptyLike);
  Kernels().impl("_to_copy", &ToCopy);
  for (const bool where_autograd_looks : {false, true}) Kernels(where_autograd_looks).impl("contiguous", &Contiguous);
}

std::vector<std::string> NativelyRun() {
  std::vector<std::string> names;
  for (const NativeFirst* kernel : NativeFirst::All()) {
    if (kernel->ran()) names.push_back(kernel->name());
  }
  return names;
}

std::vector<std::string> AllNotFound() {
  std::vector<std::string> found;
  for (const NativeFirst* kernel : NativeFirst::All()) {
    for (const std::string& what : kernel->missing()) found.push_back(kernel->name() + "\t" + what);
  }
  return found;
}

void Forget() {
  for (NativeFirst* kernel : NativeFirst::All()) kernel->Forget();
}

TORCH_LIBRARY(portacl, library) {
  library.def("install_on_cpu(str[] names) -> ()", &InstallOnCpu);
  library.def("install_refusals(str[] patterns) -> ()", &InstallRefusals);
  library.def("install_native_first(str[] names, str[] real) -> ()", &InstallNativeFirst);
  library.def("install_explained(str[] names, str[] sentences) -> ()", &InstallExplained);
  library.def("install_one_call(str[] names) -> ()", &InstallOneCall);
  library.def("install_through(str[] names, str key, str to) -> ()", &InstallThrough);
  library.def("install_copies() -> ()", &InstallCopies);
  library.def("natively_run() -> str[]", &NativelyRun);
  library.def("not_found() -> str[]", &AllNotFound);
  library.def("forget() -> ()", &Forget);
}

}  // namespace

// For memory.py, which compares the counts in the same thread.
extern "C" [[gnu::visibility("default")]] uint64_t portacl_fallback_waits() { return waits; }
extern "C" [[gnu::visibility("default")]] void portacl_fallback_count_wait() { ++waits; }

}  // namespace portacl
