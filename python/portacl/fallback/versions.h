// SPDX-License-Identifier: Apache-2.0
//
// What differs between the versions of PyTorch and of its plug-in; versions.py has the differences in Python. Only this
// file tests a version of PyTorch.
#pragma once

#include <dlfcn.h>

#include <ATen/core/Generator.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/Stream.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

namespace portacl {

// A function that the plug-in exports, by its name in the symbol table.
template <class Function>
Function* OfPlugin(const char* name) {
  void* const plugin = dlopen("libtorch_npu.so", RTLD_LAZY | RTLD_NOLOAD);
  auto* const function = plugin == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(plugin, name));
  TORCH_CHECK(function != nullptr, "torch_npu does not have the function ", name);
  return function;
}

// The toolkit's handle of a stream. PyTorch has native_handle() since 2.12, and the plug-in implements it since 2.13;
// c10_npu::NPUStream, which wraps a c10::Stream and has no other member, has stream() in all versions.
inline void* HandleOf(const c10::Stream& stream) {
  static auto* const handle = OfPlugin<void*(const c10::Stream*)>("_ZNK7c10_npu9NPUStream6streamEv");
  return handle(&stream);
}

// The default generator of a device. PyTorch's Context gets it from the plug-in since 2.13.
inline const at::Generator& GeneratorOf(c10::Device device) {
  using Default = const at::Generator&(c10::DeviceIndex);
  static auto* const generator = OfPlugin<Default>("_ZN6at_npu6detail22getDefaultNPUGeneratorEa");
  return generator(device.index());
}

// The plug-in's kernel of an operator.
#if TORCH_VERSION_MINOR >= 9
using PluginKernel = c10::SafeKernelFunction;
inline PluginKernel KernelOfPlugin(const c10::OperatorHandle& op) {
  return op.getComputedKernelForDispatchKey(c10::DispatchKey::PrivateUse1);
}
#else
// Before 2.9 only a private member leads to the table of an operator's kernels. An explicit instantiation may name it.
using PluginKernel = c10::KernelFunction;
auto DefinitionOf(const c10::OperatorHandle& op);
template <auto kDefinition>
struct Definition {
  friend auto DefinitionOf(const c10::OperatorHandle& op) { return op.*kDefinition; }
};
template struct Definition<&c10::OperatorHandle::operatorDef_>;
inline PluginKernel KernelOfPlugin(const c10::OperatorHandle& op) {
  return DefinitionOf(op)->op.lookup(c10::DispatchKeySet(c10::DispatchKey::PrivateUse1));
}
#endif

}  // namespace portacl
