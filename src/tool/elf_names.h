// SPDX-License-Identifier: Apache-2.0
// The dynamic symbols that a program or a shared library imports and exports, from its ELF tables.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace portacl::tool {

struct ElfNames {
  std::vector<std::string> undefined;  // defined by other libraries; sorted, unique
  std::vector<std::string> defined;    // exported; sorted, unique
  std::vector<std::string> libraries;  // DT_NEEDED, in the order of the file
};

// Safe for any content: offsets and sizes are checked against the size of the file. Throws std::runtime_error if it is
// not a 64-bit little-endian ELF file, or has no table of dynamic symbols (a static program, an object file).
ElfNames ReadElfNames(std::istream& file);

}  // namespace portacl::tool
