// SPDX-License-Identifier: Apache-2.0
#include "check/call_sites.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unwind.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/library_folder.h"
#include "check/symbols.h"

namespace portacl::check {
namespace {

constexpr size_t kMostFrames = 64;

struct Frames {
  void* addresses[kMostFrames];
  size_t count = 0;
};

_Unwind_Reason_Code Collect(_Unwind_Context* context, void* argument) {
  auto* frames = static_cast<Frames*>(argument);
  if (frames->count == kMostFrames) return _URC_END_OF_STACK;
  frames->addresses[frames->count++] = reinterpret_cast<void*>(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

std::string_view NameIn(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

enum class Owner : uint8_t { kToolkit, kSystem, kClient };

Owner OwnerOf(void* address) {
  Dl_info info = {};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return Owner::kClient;
  const std::string_view name = NameIn(info.dli_fname);
  const auto is_one = [name](std::initializer_list<const char*> libraries) {
    return std::any_of(libraries.begin(), libraries.end(), [name](const char* each) { return name.starts_with(each); });
  };
  if (is_one({"libascendcl.so", "libnnopbase.so", "libopapi", "libhccl.so", "libportacl_"})) return Owner::kToolkit;
  // Libraries through which both the toolkit and the client may access memory, and those between Python and the
  // toolkit.
  if (is_one({"libc.so", "libm.so", "ld-linux", "libstdc++.so", "libgcc_s.so", "libasan.so", "libtsan.so",
              "libubsan.so", "libffi.so", "_ctypes."}))
    return Owner::kSystem;
  return Owner::kClient;
}

PortaclDescribeAddressFunction OpenSymbols() {
  const std::string path =
      FolderOfLibrary(reinterpret_cast<const void*>(&PythonLine)) + "portacl/libportacl_symbols.so";
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  // A wheel's plugin names no library for libdw's functions: it takes them from the process.
  if (handle == nullptr && dlopen("libdw.so.1", RTLD_NOW | RTLD_GLOBAL) != nullptr)
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  return reinterpret_cast<PortaclDescribeAddressFunction>(dlsym(handle, "PortaclDescribeAddress"));
}

CallSiteText DescribeAddress(void* address) {
  static const PortaclDescribeAddressFunction describe = OpenSymbols();
  CallSiteText text;
  if (describe != nullptr) {
    SourceLine line;
    describe(address, &line);
    text = {line.function, line.file, line.line};
  }
  Dl_info info = {};
  if (!text.file.empty() || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return text;
  if (text.function.empty() && info.dli_sname != nullptr) text.function = info.dli_sname;
  // The offset that addr2line expects.
  const auto offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(info.dli_fbase);
  text.file = fmt::format("{}+{:#x}", NameIn(info.dli_fname), offset);
  return text;
}

}  // namespace

std::string CallSiteText::Text() const {
  const std::string name = function.empty() ? "?" : function;
  if (file.empty()) return name;
  return line > 0 ? fmt::format("{} at {}:{}", name, file, line) : fmt::format("{} at {}", name, file);
}

bool CallSites::IsOurs(void* address) {
  const auto [found, fresh] = ours_.try_emplace(address, false);
  if (!fresh) return found->second;
  Dl_info info = {};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
  const std::string_view name = NameIn(info.dli_fname);
  for (const char* ours : {"libascendcl.so", "libnnopbase.so", "libopapi", "libhccl.so", "libportacl_", "libffi.so",
                           "_ctypes.", "libgcc_s.so"}) {
    if (name.starts_with(ours)) found->second = true;
  }
  return found->second;
}

CallSiteId CallSites::Here() noexcept {
  try {
    CallSiteText python;
    const bool is_python = PythonLine(&python);
    Frames frames;
    if (!is_python) _Unwind_Backtrace(&Collect, &frames);
    const std::scoped_lock lock(mutex_);
    void* client = nullptr;
    for (size_t i = 0; i < frames.count && client == nullptr; ++i) {
      if (!IsOurs(frames.addresses[i])) client = frames.addresses[i];
    }
    return client == nullptr && !is_python ? 0 : Keep(client, std::move(python), is_python);
  } catch (...) {
    return 0;
  }
}

bool CallSites::OfClient(void* code, CallSiteId* here) noexcept {
  try {
    Frames frames;
    _Unwind_Backtrace(&Collect, &frames);
    // The frames before the fault belong to the signal handler.
    void** const end = frames.addresses + frames.count;
    void** at = std::find(frames.addresses, end, code);
    // A return address may belong to the next line, but the address of a fault belongs to its own line.
    void* client = static_cast<char*>(code) + 1;
    Owner owner = OwnerOf(code);
    for (; owner == Owner::kSystem && at != end && ++at != end; client = *at) owner = OwnerOf(*at);
    if (owner != Owner::kClient) return false;
    CallSiteText python;
    const bool is_python = PythonLine(&python);
    const std::scoped_lock lock(mutex_);
    *here = Keep(is_python ? nullptr : client, std::move(python), is_python);
    return true;
  } catch (...) {
    return false;
  }
}

bool CallSites::CalledByPlugIn() noexcept {
  try {
    Frames frames;
    _Unwind_Backtrace(&Collect, &frames);
    const std::scoped_lock lock(mutex_);
    void** const end = frames.addresses + frames.count;
    void** const caller = std::find_if(frames.addresses, end, [this](void* address) { return !IsOurs(address); });
    Dl_info info = {};
    return caller != end && dladdr(*caller, &info) != 0 && info.dli_fname != nullptr &&
           NameIn(info.dli_fname).starts_with("libtorch_npu.so");
  } catch (...) {
    return false;
  }
}

// The caller holds the lock.
CallSiteId CallSites::Keep(void* client, CallSiteText python, bool is_python) {
  const auto [found, fresh] = ids_.try_emplace({client, is_python ? python.Text() : std::string()},
                                               static_cast<CallSiteId>(call_sites_.size()));
  if (fresh) call_sites_.push_back({client, std::move(python), is_python});
  return found->second;
}

const CallSiteText& CallSites::Describe(CallSiteId id) {
  const std::scoped_lock lock(mutex_);
  CallSite& site = call_sites_[id];
  if (!site.described && site.address != nullptr) site.text = DescribeAddress(site.address);
  site.described = true;
  return site.text;
}

}  // namespace portacl::check
