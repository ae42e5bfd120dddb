// SPDX-License-Identifier: Apache-2.0
#include "tool/elf_names.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace portacl::tool {
namespace {

// Header, symbols and texts, then the sections: none, .dynsym, .dynstr.
struct Image {
  Elf64_Ehdr header = {};
  Elf64_Sym symbols[3] = {};
  char texts[16] = {};
  Elf64_Shdr sections[3] = {};

  Image() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_shoff = offsetof(Image, sections);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 3;
    std::memcpy(texts, "\0need\0have\0", 11);
    symbols[1].st_name = 1;
    symbols[2].st_name = 6;
    symbols[2].st_shndx = 1;
    sections[1].sh_type = SHT_DYNSYM;
    sections[1].sh_link = 2;
    sections[1].sh_offset = offsetof(Image, symbols);
    sections[1].sh_size = sizeof(symbols);
    sections[2].sh_type = SHT_STRTAB;
    sections[2].sh_offset = offsetof(Image, texts);
    sections[2].sh_size = sizeof(texts);
  }
  std::string Bytes() const { return {reinterpret_cast<const char*>(this), sizeof(*this)}; }
};

std::vector<std::string> NamesIn(const std::string& content) {
  std::istringstream stream(content);
  return UndefinedNames(stream);
}

std::string ProblemOf(const std::string& content) {
  try {
    NamesIn(content);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

TEST(ElfNames, ListsWhatIsNotDefined) {
  // The first symbol of every table is empty.
  EXPECT_EQ(NamesIn(Image().Bytes()), (std::vector<std::string>{"", "need"}));
}

TEST(ElfNames, ReadsThisProgram) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::vector<std::string> names = UndefinedNames(file);
  EXPECT_NE(std::find(names.begin(), names.end(), "memcpy"), names.end());
}

TEST(ElfNames, RefusesEveryTruncatedFile) {
  const std::string whole = Image().Bytes();
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(ProblemOf(whole.substr(0, length)), "none") << length;
}

TEST(ElfNames, RefusesOtherFiles) {
  EXPECT_EQ(ProblemOf(""), "not an ELF file");
  EXPECT_EQ(ProblemOf(std::string(1000, 'x')), "not an ELF file");
  Image narrow;
  narrow.header.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(ProblemOf(narrow.Bytes()), "not a 64-bit little-endian ELF file");
  Image without;
  without.sections[1].sh_type = SHT_SYMTAB;
  EXPECT_EQ(ProblemOf(without.Bytes()), "the file has no table of dynamic symbols");
}

TEST(ElfNames, RefusesTablesThatLeaveTheFile) {
  Image sections;
  sections.header.e_shoff = ~uint64_t{0} - 64;
  EXPECT_EQ(ProblemOf(sections.Bytes()), "the ELF file is cut off");
  Image symbols;
  symbols.sections[1].sh_size = uint64_t{1} << 62;
  EXPECT_EQ(ProblemOf(symbols.Bytes()), "the ELF file is cut off");
  Image link;
  link.sections[1].sh_link = 7;
  EXPECT_EQ(ProblemOf(link.Bytes()), "the file has no table of dynamic symbols");
}

TEST(ElfNames, StopsANameAtTheEndOfItsTable) {
  Image image;
  std::memset(image.texts, 'a', sizeof(image.texts));
  EXPECT_EQ(NamesIn(image.Bytes()).back(), std::string(sizeof(image.texts), 'a'));
  image.symbols[1].st_name = 1000;
  EXPECT_EQ(NamesIn(image.Bytes()).size(), 1u);
}

}  // namespace
}  // namespace portacl::tool
