// SPDX-License-Identifier: Apache-2.0
// The names that a program or a shared library expects others to define, from its ELF table of dynamic symbols.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace portacl::tool {

// Sorted, each once. Any content is safe: whatever the file says about itself is compared with its size. Throws
// std::runtime_error when it is no 64-bit little-endian ELF file, or has no such table (a static program, an object
// file).
std::vector<std::string> UndefinedNames(std::istream& file);

}  // namespace portacl::tool
