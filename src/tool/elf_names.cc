// SPDX-License-Identifier: Apache-2.0
#include "tool/elf_names.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace portacl::tool {
namespace {

constexpr size_t kMaxSections = 0xff00;  // SHN_LORESERVE: more would be numbered in another way, and nobody needs them

class File {
 public:
  explicit File(std::istream& stream) : stream_(stream) {
    stream_.seekg(0, std::ios::end);
    bytes_ = static_cast<uint64_t>(std::max<std::streamoff>(stream_.tellg(), 0));
  }

  // `count` records from `offset` on.
  template <class T>
  std::vector<T> Read(uint64_t offset, uint64_t count) {
    if (offset > bytes_ || count > (bytes_ - offset) / sizeof(T)) throw std::runtime_error("the ELF file is cut off");
    std::vector<T> records(count);
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(records.data()), static_cast<std::streamsize>(count * sizeof(T)));
    if (!stream_) throw std::runtime_error("the ELF file is cut off");
    return records;
  }

 private:
  std::istream& stream_;
  uint64_t bytes_ = 0;
};

Elf64_Ehdr ReadHeader(File& file) {
  Elf64_Ehdr header = {};
  try {
    header = file.Read<Elf64_Ehdr>(0, 1)[0];
  } catch (const std::runtime_error&) {
    // Shorter than a header: no ELF file either.
  }
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw std::runtime_error("not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    throw std::runtime_error("not a 64-bit little-endian ELF file");
  }
  return header;
}

}  // namespace

std::vector<std::string> UndefinedNames(std::istream& stream) {
  File file(stream);
  const Elf64_Ehdr header = ReadHeader(file);
  std::vector<Elf64_Shdr> sections;
  if (header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shnum < kMaxSections) {
    sections = file.Read<Elf64_Shdr>(header.e_shoff, header.e_shnum);
  }
  const auto is_table = [](const Elf64_Shdr& section) { return section.sh_type == SHT_DYNSYM; };
  const auto table = std::find_if(sections.begin(), sections.end(), is_table);
  if (table == sections.end() || table->sh_link >= sections.size()) {
    throw std::runtime_error("the file has no table of dynamic symbols");
  }
  const Elf64_Shdr& texts = sections[table->sh_link];
  const std::vector<Elf64_Sym> symbols = file.Read<Elf64_Sym>(table->sh_offset, table->sh_size / sizeof(Elf64_Sym));
  const std::vector<char> characters = file.Read<char>(texts.sh_offset, texts.sh_size);

  std::vector<std::string> names;
  for (const Elf64_Sym& symbol : symbols) {
    if (symbol.st_shndx != SHN_UNDEF || symbol.st_name >= characters.size()) continue;
    const char* begin = characters.data() + symbol.st_name;
    names.emplace_back(begin, strnlen(begin, characters.size() - symbol.st_name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace portacl::tool
