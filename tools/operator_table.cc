// SPDX-License-Identifier: Apache-2.0
// Prints the tables of operators that the READMEs and docs/numerics.md show, from the schemas.
//
//   operator_table            the tables, as Markdown
//   operator_table FILE...    exit code 1 unless each file holds exactly such a table between its two marker lines
//   operator_table --write FILE...    writes the tables
//
// The tables have a row for each family. Its operators are listed on its page: if a FILE is the folder docs/families,
// it has one page for each family, in English and Chinese.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/soc.h"
#include "exec/bind.h"
#include "family_page.h"
#include "ops/operators.h"
#include "tool/schema_text.h"

namespace portacl {
namespace {

// Operators by family and room.
std::map<std::string, FamilySchemas> Families() {
  std::map<std::string, FamilySchemas> families;
  for (const exec::OperatorEntry* entry : Operators())
    families[std::string(tool::FamilyOf(*entry))][std::string(RoomOf(*entry))].push_back(entry->schema);
  return families;
}

// The file name of a family's page, for links from other pages.
std::string PageName(const std::string& family, Language language) {
  return family + (language == Language::kChinese ? ".zh-CN.md" : ".md");
}
std::string LinkText(const std::string& family, const std::string& reader) {
  const bool is_chinese = reader.ends_with(".zh-CN.md");
  return fmt::format("[{}]({}families/{})", family, reader.starts_with("docs/") ? "" : "docs/",
                     PageName(family, is_chinese ? Language::kChinese : Language::kEnglish));
}

// The number of each family's operators on each SoC.
std::string OperatorTable(const std::string& reader) {
  std::string head = "| family |";
  std::string rule = "|---|";
  for (const Soc& soc : kSocs) {
    head += std::string(" ") + soc.family_name + " |";
    rule += "---|";
  }
  std::string table = head + "\n" + rule + "\n";
  for (const auto& [family, rooms] : Families()) {
    table += fmt::format("| {} |", LinkText(family, reader));
    for (const Soc& soc : kSocs) {
      int64_t count = 0;
      for (const auto& [folder, schemas] : rooms) {
        count +=
            std::ranges::count_if(schemas, [&](const exec::Schema* schema) { return schema->socs.Holds(soc.family); });
      }
      table += fmt::format(" {} |", count);
    }
    table += "\n";
  }
  return table;
}

// The number of each family's operators by what they promise: exact or rounded once, or an error bound.
std::string AccuracyTable(const std::string& reader) {
  std::string table = "| family | exact, or rounded once | with a largest error |\n|---|---|---|\n";
  const auto has_bits = [](const exec::Schema* schema) {
    return std::ranges::all_of(schema->accuracy,
                               [](const exec::ErrorBound& bound) { return bound.unit == exec::ErrorUnit::kBits; });
  };
  for (const auto& [family, rooms] : Families()) {
    int64_t exact = 0;
    int64_t all = 0;
    for (const auto& [folder, schemas] : rooms) {
      exact += std::ranges::count_if(schemas, has_bits);
      all += std::ssize(schemas);
    }
    table += fmt::format("| {} | {} | {} |\n", LinkText(family, reader), exact, all - exact);
  }
  return table;
}

struct Table {
  std::string name;
  std::string text;

  std::string begin() const { return fmt::format("<!-- {}: begin (written by tools/operator_table) -->\n", name); }
  std::string end() const { return fmt::format("<!-- {}: end -->", name); }
};

// Replaces the text between the marker lines of each table; the result is empty when there are none.
std::string WithTables(std::string text, const std::vector<Table>& tables) {
  bool found = false;
  for (const Table& table : tables) {
    const size_t begin = text.find(table.begin());
    const size_t end = text.find(table.end());
    if (begin == std::string::npos || end == std::string::npos || end < begin) continue;
    found = true;
    text = text.substr(0, begin + table.begin().size()) + table.text + text.substr(end);
  }
  return found ? text : "";
}

// Returns the number of pages that differ from the schemas; with `write` they are written.
int ComparePages(const std::filesystem::path& folder, bool write) {
  std::map<std::filesystem::path, std::string> pages;
  for (const auto& [family, rooms] : Families()) {
    for (const Language language : {Language::kEnglish, Language::kChinese})
      pages[folder / PageName(family, language)] = FamilyPage(family, rooms, language);
  }
  if (write) std::filesystem::create_directories(folder);
  int wrong = 0;
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (pages.contains(entry.path())) continue;
      if (write) std::filesystem::remove(entry.path());
      std::cerr << entry.path().string() << (write ? ": deleted" : ": there is no such family") << "\n";
      wrong += write ? 0 : 1;
    }
  }
  for (const auto& [path, page] : pages) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text == page) continue;
    if (write) {
      std::ofstream(path) << page;
    } else {
      std::cerr << path.string() << ": not what the schemas say; operator_table --write " << folder.string()
                << " writes it\n";
      ++wrong;
    }
  }
  return wrong;
}

int Run(const std::vector<std::string>& arguments) {
  const bool write = !arguments.empty() && arguments[0] == "--write";
  if (arguments.empty()) std::cout << OperatorTable("README.md") << "\n" << AccuracyTable("docs/numerics.md");
  int wrong = 0;
  for (size_t i = write ? 1 : 0; i < arguments.size(); ++i) {
    if (arguments[i].ends_with("families")) {
      wrong += ComparePages(arguments[i], write);
      continue;
    }
    std::ifstream file(arguments[i]);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string wanted =
        WithTables(text, {{"operators", OperatorTable(arguments[i])}, {"accuracy", AccuracyTable(arguments[i])}});
    if (wanted.empty()) {
      std::cerr << arguments[i] << ": no marker lines for a table\n";
      ++wrong;
    } else if (write) {
      std::ofstream(arguments[i]) << wanted;
    } else if (wanted != text) {
      std::cerr << arguments[i] << ": a table is old; operator_table --write " << arguments[i] << " writes it\n";
      ++wrong;
    }
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace portacl

int main(int count, char** arguments) { return portacl::Run({arguments + 1, arguments + count}); }
