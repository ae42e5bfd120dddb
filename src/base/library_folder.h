// SPDX-License-Identifier: Apache-2.0
// Where a library lies, to find the files beside it.
#pragma once

#include <dlfcn.h>

#include <string>

namespace portacl {

/// The folder of the library or program that holds `address`, with its last slash; "" where that is not known.
inline std::string FolderOfLibrary(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace portacl
