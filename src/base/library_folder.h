// SPDX-License-Identifier: Apache-2.0
// The folder of a library, where other files of the toolkit are found.
#pragma once

#include <dlfcn.h>

#include <string>

namespace portacl {

/// The folder of the library or program that contains `address`, with a final slash; "" where it is unknown.
inline std::string FolderOfLibrary(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);  // npos + 1 wraps to 0
}

}  // namespace portacl
