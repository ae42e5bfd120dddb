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

// Header, symbols, strings and libraries, then the sections: null, .dynsym, .dynstr, .dynamic.
struct Image {
  Elf64_Ehdr header = {};
  Elf64_Sym symbols[3] = {};
  char texts[16] = {};
  Elf64_Dyn libraries[2] = {};
  Elf64_Shdr sections[4] = {};

  Image() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_shoff = offsetof(Image, sections);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 4;
    std::memcpy(texts, "\0need\0have\0lib", 14);
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
    libraries[0].d_tag = DT_NEEDED;
    libraries[0].d_un.d_val = 11;
    sections[3].sh_type = SHT_DYNAMIC;
    sections[3].sh_link = 2;
    sections[3].sh_offset = offsetof(Image, libraries);
    sections[3].sh_size = sizeof(libraries);
  }
  std::string Bytes() const { return {reinterpret_cast<const char*>(this), sizeof(*this)}; }
};

ElfNames NamesIn(const std::string& content) {
  std::istringstream stream(content);
  return ReadElfNames(stream);
}

std::string ProblemOf(const std::string& content) {
  try {
    NamesIn(content);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

TEST(ElfNames, ListsWhatIsNeededAndWhatIsDefined) {
  const ElfNames names = NamesIn(Image().Bytes());
  // The first symbol of every table is empty.
  EXPECT_EQ(names.undefined, (std::vector<std::string>{"", "need"}));
  EXPECT_EQ(names.defined, (std::vector<std::string>{"have"}));
  EXPECT_EQ(names.libraries, (std::vector<std::string>{"lib"}));
}

TEST(ElfNames, NeedsNoListOfLibraries) {
  Image image;
  image.sections[3].sh_type = SHT_NULL;
  EXPECT_EQ(NamesIn(image.Bytes()).undefined.size(), 2u);
  EXPECT_TRUE(NamesIn(image.Bytes()).libraries.empty());
}

TEST(ElfNames, ReadsThisProgram) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const ElfNames names = ReadElfNames(file);
  EXPECT_NE(std::find(names.undefined.begin(), names.undefined.end(), "memcpy"), names.undefined.end());
  EXPECT_NE(std::find(names.libraries.begin(), names.libraries.end(), "libc.so.6"), names.libraries.end());
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
  EXPECT_EQ(ProblemOf(sections.Bytes()), "the ELF file is truncated");
  Image symbols;
  symbols.sections[1].sh_size = uint64_t{1} << 62;
  EXPECT_EQ(ProblemOf(symbols.Bytes()), "the ELF file is truncated");
  Image link;
  link.sections[1].sh_link = 7;
  EXPECT_EQ(ProblemOf(link.Bytes()), "the file has no table of dynamic symbols");
  Image libraries;
  libraries.sections[3].sh_offset = ~uint64_t{0};
  EXPECT_EQ(ProblemOf(libraries.Bytes()), "the ELF file is truncated");
}

TEST(ElfNames, StopsANameAtTheEndOfItsTable) {
  Image image;
  std::memset(image.texts, 'a', sizeof(image.texts));
  EXPECT_EQ(NamesIn(image.Bytes()).undefined.back(), std::string(sizeof(image.texts), 'a'));
  EXPECT_EQ(NamesIn(image.Bytes()).libraries.back(), std::string(sizeof(image.texts) - 11, 'a'));
  image.symbols[1].st_name = 1000;
  image.libraries[0].d_un.d_val = ~uint64_t{0};
  EXPECT_EQ(NamesIn(image.Bytes()).undefined.size(), 1u);
  EXPECT_TRUE(NamesIn(image.Bytes()).libraries.empty());
}

}  // namespace
}  // namespace portacl::tool
