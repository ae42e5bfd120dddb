// SPDX-License-Identifier: Apache-2.0
// Prints the tables of operators that the READMEs and docs/numerics.md show, from the schemas.
//
//   operator_table            the tables, as Markdown
//   operator_table FILE...    exit code 1 unless each file holds exactly such a table between its two marker lines, and
//                             each header says of its operators what their schemas promise
//   operator_table --write FILE...    puts tables there; a header is for its author to write
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/product.h"
#include "calls/word_calls.h"
#include "exec/bind.h"
#include "ops/operators.h"
#include "tool/accuracy_text.h"
#include "tool/schema_text.h"

namespace portacl {
namespace {

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

std::string OperatorTable() {
  std::string head = "| operator |";
  std::string rule = "|---|";
  for (const Product& product : kProducts) {
    head += std::string(" ") + product.family_name + " |";
    rule += "---|";
  }
  std::string table = head + "\n" + rule + "\n";
  for (const exec::OperatorEntry* entry : Operators()) {
    table += std::string("| `") + entry->schema->api + "` |";
    for (const Product& product : kProducts) table += " " + DtypesText(*entry->schema, product.family) + " |";
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
std::string AccuracyTable() {
  std::string table =
      "| operator | output | dtypes | largest error | of the larger of the result and |\n|---|---|---|---|---|\n";
  for (const exec::OperatorEntry* entry : Operators()) {
    for (const exec::ErrorBound& bound : entry->schema->accuracy) {
      const std::string dtypes =
          bound.dtypes.empty() ? "all" : fmt::format("{}", fmt::join(calls::NamesIn(bound.dtypes), ", "));
      table += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry->schema->api, tool::PlaceText(bound), dtypes,
                           tool::LimitText(bound), TermText(bound));
    }
  }
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

int Run(const std::vector<std::string>& arguments) {
  const std::vector<Table> tables = {{"operators", OperatorTable()}, {"accuracy", AccuracyTable()}};
  const bool write = !arguments.empty() && arguments[0] == "--write";
  if (arguments.empty()) std::cout << tables[0].text << "\n" << tables[1].text;
  int wrong = 0;
  int headers = 0;
  int promises = 0;
  for (size_t i = write ? 1 : 0; i < arguments.size(); ++i) {
    std::ifstream file(arguments[i]);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (arguments[i].ends_with(".h")) {
      const int found = CountPromises(arguments[i], text);
      ++headers;
      promises += found;
      if (found < 0) ++wrong;
      continue;
    }
    const std::string wanted = WithTables(text, tables);
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
