// SPDX-License-Identifier: Apache-2.0
// Prints the table of operators that the READMEs show, from the schemas.
//
//   operator_table            the table, as Markdown
//   operator_table FILE...    exit code 1 unless each file holds exactly that table between its two marker lines
//   operator_table --write FILE...    puts it there
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/product.h"
#include "exec/bind.h"
#include "ops/operators.h"
#include "tool/schema_text.h"

namespace portacl {
namespace {

constexpr std::string_view kBegin = "<!-- operators: begin (written by tools/operator_table) -->\n";
constexpr std::string_view kEnd = "<!-- operators: end -->";

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

std::string Table() {
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

// Exchanges the text between the marker lines; empty when the file lacks them.
std::string WithTable(const std::string& text, const std::string& table) {
  const size_t begin = text.find(kBegin);
  const size_t end = text.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return text.substr(0, begin + kBegin.size()) + table + text.substr(end);
}

int Run(const std::vector<std::string>& arguments) {
  const std::string table = Table();
  const bool write = !arguments.empty() && arguments[0] == "--write";
  if (arguments.empty()) std::cout << table;
  int wrong = 0;
  for (size_t i = write ? 1 : 0; i < arguments.size(); ++i) {
    std::ifstream file(arguments[i]);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string wanted = WithTable(text, table);
    if (wanted.empty()) {
      std::cerr << arguments[i] << ": no marker lines for the table\n";
      ++wrong;
    } else if (write) {
      std::ofstream(arguments[i]) << wanted;
    } else if (wanted != text) {
      std::cerr << arguments[i] << ": the operator table is old; operator_table --write " << arguments[i]
                << " writes it\n";
      ++wrong;
    }
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace portacl

int main(int count, char** arguments) { return portacl::Run({arguments + 1, arguments + count}); }
