// SPDX-License-Identifier: Apache-2.0
// What a program or a shared library expects of others and gives them, from its ELF tables for the loader.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace portacl::tool {

struct ElfNames {
  std::vector<std::string> undefined;  // what others must define; sorted, each once
  std::vector<std::string> defined;    // what it defines for others; sorted, each once
  std::vector<std::string> libraries;  // the libraries that it names, in its order
};

// Any content is safe: whatever the file says about itself is compared with its size. Throws std::runtime_error when it
// is no 64-bit little-endian ELF file, or has no table of dynamic symbols (a static program, an object file).
ElfNames ReadElfNames(std::istream& file);

}  // namespace portacl::tool
