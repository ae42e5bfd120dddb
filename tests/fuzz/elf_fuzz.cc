// SPDX-License-Identifier: Apache-2.0
// Any bytes as an ELF file: the result is names that the file contains, or a refusal. Every input gets the
// identification of an ELF file.
#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tool/elf_names.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string content(reinterpret_cast<const char*>(data), size);
  const char ident[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB};
  content.replace(0, std::min(size, sizeof(ident)), ident, std::min(size, sizeof(ident)));
  std::istringstream file(content);
  try {
    const portacl::tool::ElfNames names = portacl::tool::ReadElfNames(file);
    for (const auto* list : {&names.undefined, &names.defined, &names.libraries}) {
      for (const std::string& name : *list) {
        if (content.find(name) == std::string::npos) std::abort();
      }
    }
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 0;
}
