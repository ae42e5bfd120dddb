// SPDX-License-Identifier: Apache-2.0
// Prints the tables of operators that the READMEs and docs/numerics.md show, from the schemas.
//
//   operator_table            the tables, as Markdown
//   operator_table FILE...    exit code 1 unless each file holds exactly such a table between its two marker lines, and
//                             each header says of its operators what their schemas promise
//   operator_table --write FILE...    puts tables there; a header is for its author to write
//
// Operators that are rows of a family stand on the pages of their family, in a folder docs/families that is given in
// place of a FILE: one page for each, and its twin in Chinese. The tables count them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/product.h"
#include "calls/word_calls.h"
#include "exec/bind.h"
#include "family_page.h"
#include "ops/operators.h"
#include "tool/accuracy_text.h"
#include "tool/schema_text.h"

namespace portacl {
namespace {

// Operators that are rows of a family, by family and room.
std::map<std::string, FamilySchemas> Families() {
  std::map<std::string, FamilySchemas> families;
  for (const exec::OperatorEntry* entry : Operators()) {
    if (*entry->schema->header == '\0') continue;
    families[std::string(tool::FamilyOf(*entry))][std::string(RoomOf(*entry))].push_back(entry->schema);
  }
  return families;
}

std::vector<const exec::Schema*> HandMade() {
  std::vector<const exec::Schema*> schemas;
  for (const exec::OperatorEntry* entry : Operators()) {
    if (*entry->schema->header == '\0') schemas.push_back(entry->schema);
  }
  return schemas;
}

// The page of a family, as another page names it.
std::string PageName(const std::string& family, Language language) {
  return family + (language == Language::kChinese ? ".zh-CN.md" : ".md");
}
std::string LinkText(const std::string& family, const std::string& reader) {
  const bool is_chinese = reader.ends_with(".zh-CN.md");
  return fmt::format("[{}]({}families/{})", family, reader.starts_with("docs/") ? "" : "docs/",
                     PageName(family, is_chinese ? Language::kChinese : Language::kEnglish));
}

// Writes one word for the dtypes of a kind when all of them are there.
void Abbreviate(std::vector<std::string>& dtypes, const std::vector<std::string>& kind, const char* word) {
  const auto is_listed = [&](const std::string& name) {
    return std::find(dtypes.begin(), dtypes.end(), name) != dtypes.end();
  };
  if (!std::all_of(kind.begin(), kind.end(), is_listed)) return;
  std::erase_if(dtypes,
                [&](const std::string& name) { return std::find(kind.begin(), kind.end(), name) != kind.end(); });
  dtypes.emplace_back(word);
}

// Those of its first operand; empty of an operator without a step about dtypes.
std::string DtypesText(const exec::Schema& schema, Family family) {
  if (!schema.products.Holds(family)) return "-";
  std::vector<std::string> dtypes = tool::DtypesOn(schema, family);
  Abbreviate(dtypes, {"INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"}, "integers");
  Abbreviate(dtypes, {"COMPLEX64", "COMPLEX128"}, "complex");
  return dtypes.empty() ? "any" : fmt::format("{}", fmt::join(dtypes, ", "));
}

// Of a family the number of its operators on each product.
std::string OperatorTable(const std::string& reader) {
  std::string head = "| operator |";
  std::string rule = "|---|";
  for (const Product& product : kProducts) {
    head += std::string(" ") + product.family_name + " |";
    rule += "---|";
  }
  std::string table = head + "\n" + rule + "\n";
  for (const exec::Schema* schema : HandMade()) {
    table += std::string("| `") + schema->api + "` |";
    for (const Product& product : kProducts) table += " " + DtypesText(*schema, product.family) + " |";
    table += "\n";
  }
  for (const auto& [family, rooms] : Families()) {
    table += fmt::format("| {} |", LinkText(family, reader));
    for (const Product& product : kProducts) {
      int64_t count = 0;
      for (const auto& [folder, schemas] : rooms) {
        count += std::ranges::count_if(
            schemas, [&](const exec::Schema* schema) { return schema->products.Holds(product.family); });
      }
      table += fmt::format(" {} |", count);
    }
    table += "\n";
  }
  return table;
}

// A bar would end the cell.
std::string TermText(const exec::ErrorBound& bound) {
  std::string text;
  for (const char* rest = bound.term == nullptr ? "" : bound.term; *rest != '\0'; ++rest) {
    if (*rest == '|') text += '\\';
    text += *rest;
  }
  return text;
}

// A row for each bound.
std::string AccuracyTable(const std::string& reader) {
  std::string table =
      "| operator | output | dtypes | largest error | of the larger of the result and |\n|---|---|---|---|---|\n";
  for (const exec::Schema* schema : HandMade()) {
    for (const exec::ErrorBound& bound : schema->accuracy) {
      const std::string dtypes =
          bound.dtypes.empty() ? "all" : fmt::format("{}", fmt::join(calls::NamesIn(bound.dtypes), ", "));
      table += fmt::format("| `{}` | {} | {} | {} | {} |\n", schema->api, tool::PlaceText(bound), dtypes,
                           tool::LimitText(bound), TermText(bound));
    }
  }
  for (const auto& [family, rooms] : Families())
    table += fmt::format("| {} | see its page |  |  |  |\n", LinkText(family, reader));
  return table;
}

struct Table {
  std::string name;
  std::string text;

  std::string begin() const { return fmt::format("<!-- {}: begin (written by tools/operator_table) -->\n", name); }
  std::string end() const { return fmt::format("<!-- {}: end -->", name); }
};

// Exchanges the text between the marker lines of each table; empty when there are none.
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

// The comments of a header as running text.
std::string Comments(const std::string& header) {
  std::string text;
  std::istringstream lines(header);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("///")) text += line.substr(3);
  }
  return text;
}

// How many operators of this header say there what they promise; -1 when one does not.
int CountPromises(const std::string& path, const std::string& header) {
  int found = 0;
  for (const exec::OperatorEntry* entry : Operators()) {
    if (header.find(fmt::format(" {}GetWorkspaceSize(", entry->schema->api)) == std::string::npos) continue;
    const std::string wanted = fmt::format(" Accuracy: {}. ", tool::AccuracyText(*entry->schema));
    if (Comments(header).find(wanted) == std::string::npos) {
      std::cerr << path << ": expected, of " << entry->schema->api << ", the sentence" << wanted << "\n";
      return -1;
    }
    ++found;
  }
  return found;
}

// The number of pages that are not what the schemas say; with `write` they are made so.
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
  int headers = 0;
  int promises = 0;
  for (size_t i = write ? 1 : 0; i < arguments.size(); ++i) {
    if (arguments[i].ends_with("families")) {
      wrong += ComparePages(arguments[i], write);
      continue;
    }
    std::ifstream file(arguments[i]);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (arguments[i].ends_with(".h")) {
      const int found = CountPromises(arguments[i], text);
      ++headers;
      promises += found;
      if (found < 0) ++wrong;
      continue;
    }
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
  if (wrong == 0 && headers > 0 && promises != static_cast<int>(Operators().size())) {
    std::cerr << promises << " operators in " << headers << " headers instead of " << Operators().size() << "\n";
    ++wrong;
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace portacl

int main(int count, char** arguments) { return portacl::Run({arguments + 1, arguments + count}); }
