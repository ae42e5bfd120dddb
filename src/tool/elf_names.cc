// SPDX-License-Identifier: Apache-2.0
#include "tool/elf_names.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace portacl::tool {
namespace {

constexpr size_t kMaxSections = 0xff00;  // SHN_LORESERVE: a larger count is stored elsewhere, and no library needs it

class File {
 public:
  explicit File(std::istream& stream) : stream_(stream) {
    stream_.seekg(0, std::ios::end);
    bytes_ = static_cast<uint64_t>(std::max<std::streamoff>(stream_.tellg(), 0));
  }

  // Reads `count` records from `offset` on.
  template <class T>
  std::vector<T> Read(uint64_t offset, uint64_t count) {
    if (offset > bytes_ || count > (bytes_ - offset) / sizeof(T)) throw std::runtime_error("the ELF file is truncated");
    std::vector<T> records(count);
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(records.data()), static_cast<std::streamsize>(count * sizeof(T)));
    if (!stream_) throw std::runtime_error("the ELF file is truncated");
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
    // Shorter than a header: not an ELF file.
  }
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw std::runtime_error("not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    throw std::runtime_error("not a 64-bit little-endian ELF file");
  }
  return header;
}

std::string TextAt(const std::vector<char>& texts, uint64_t offset) {
  return {texts.data() + offset, strnlen(texts.data() + offset, texts.size() - offset)};
}

void SortUnique(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

ElfNames ReadElfNames(std::istream& stream) {
  File file(stream);
  const Elf64_Ehdr header = ReadHeader(file);
  std::vector<Elf64_Shdr> sections;
  if (header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shnum < kMaxSections) {
    sections = file.Read<Elf64_Shdr>(header.e_shoff, header.e_shnum);
  }
  // Finds a section of that type that refers to an existing string table.
  const auto find = [&](uint32_t type) {
    const auto is_wanted = [&](const Elf64_Shdr& section) { return section.sh_type == type; };
    const auto found = std::find_if(sections.begin(), sections.end(), is_wanted);
    return found == sections.end() || found->sh_link >= sections.size() ? nullptr : &*found;
  };
  const auto texts_of = [&](const Elf64_Shdr& section) {
    const Elf64_Shdr& texts = sections[section.sh_link];
    return file.Read<char>(texts.sh_offset, texts.sh_size);
  };
  const Elf64_Shdr* table = find(SHT_DYNSYM);
  if (table == nullptr) throw std::runtime_error("the file has no table of dynamic symbols");

  ElfNames names;
  std::vector<char> texts = texts_of(*table);
  for (const Elf64_Sym& symbol : file.Read<Elf64_Sym>(table->sh_offset, table->sh_size / sizeof(Elf64_Sym))) {
    if (symbol.st_name >= texts.size()) continue;
    (symbol.st_shndx == SHN_UNDEF ? names.undefined : names.defined).push_back(TextAt(texts, symbol.st_name));
  }
  SortUnique(names.undefined);
  SortUnique(names.defined);
  const Elf64_Shdr* dynamic = find(SHT_DYNAMIC);
  if (dynamic == nullptr) return names;
  texts = texts_of(*dynamic);
  for (const Elf64_Dyn& entry : file.Read<Elf64_Dyn>(dynamic->sh_offset, dynamic->sh_size / sizeof(Elf64_Dyn))) {
    if (entry.d_tag != DT_NEEDED || entry.d_un.d_val >= texts.size()) continue;
    names.libraries.push_back(TextAt(texts, entry.d_un.d_val));
  }
  return names;
}

}  // namespace portacl::tool
