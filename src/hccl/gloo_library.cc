// SPDX-License-Identifier: Apache-2.0
#include "hccl/gloo_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <mutex>

#include "base/library_folder.h"
#include "base/never_destroyed.h"

namespace portacl::hccl {
namespace {

// The library's symbols stay local: PyTorch has another version of Gloo. Sanitizers replace functions by their names,
// and refuse the flag.
#if defined(PORTACL_SANITIZED_BUILD)
constexpr int kOpenFlags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int kOpenFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

constexpr char kPlace[] = "portacl/libportacl_gloo.so";

struct Library {
  std::mutex mutex;  // guards all members below
  const GlooTable* table = nullptr;
};

Library& TheLibrary() {
  static NeverDestroyed<Library> library;
  return *library;
}

}  // namespace

const GlooTable* OpenGloo(std::string* why) {
  Library& library = TheLibrary();
  const std::scoped_lock lock(library.mutex);
  if (library.table != nullptr) return library.table;
  const std::string path = FolderOfLibrary(reinterpret_cast<const void*>(&OpenGloo)) + kPlace;
  if (access(path.c_str(), F_OK) != 0) {
    *why = fmt::format("messages between hosts need Gloo, without which this toolkit was built: there is no {}", path);
    return nullptr;
  }
  void* const handle = dlopen(path.c_str(), kOpenFlags);
  if (handle == nullptr) {
    *why = fmt::format("messages between hosts need Gloo, which cannot be loaded: {}", dlerror());
    return nullptr;
  }
  const auto open = reinterpret_cast<decltype(&PortaclGlooTable)>(dlsym(handle, "PortaclGlooTable"));
  const GlooTable* const table = open == nullptr ? nullptr : open();
  if (table == nullptr || table->version != kGlooTableVersion) {
    *why = fmt::format("expected the version of libhccl.so, {} is of another", path);
    return nullptr;
  }
  return library.table = table;
}

}  // namespace portacl::hccl
