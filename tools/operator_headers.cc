// SPDX-License-Identifier: Apache-2.0
// Writes the public headers of operators, from their schemas.
//
//   operator_headers ROOT            exit code 1 unless ROOT/src/ops/<family>/<room>/headers/ hold exactly these
//   operator_headers --write ROOT    writes them, and deletes what no schema names
//
// Needs the spec headers of the rooms, not their functions: those are compiled against what this writes.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "exec/schema.h"
#include "family_rooms.h"
#include "header_text.h"

namespace portacl {
namespace {

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What the headers hold, by their path.
std::map<std::filesystem::path, std::string> Headers(const std::filesystem::path& ops) {
  std::map<std::filesystem::path, std::vector<const exec::Schema*>> schemas;
  for (const FamilyRoom& room : FamilyRooms()) {
    for (const exec::Schema* schema : room.schemas)
      schemas[ops / room.folder / "headers" / schema->header].push_back(schema);
  }
  std::map<std::filesystem::path, std::string> headers;
  for (const auto& [path, list] : schemas) headers[path] = HeaderText(list);
  return headers;
}

// Headers that are there and that no schema names.
std::set<std::filesystem::path> Unnamed(const std::filesystem::path& ops,
                                        const std::map<std::filesystem::path, std::string>& headers) {
  std::set<std::filesystem::path> unnamed;
  for (const FamilyRoom& room : FamilyRooms()) {
    const std::filesystem::path folder = ops / room.folder / "headers";
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (!headers.contains(entry.path())) unnamed.insert(entry.path());
    }
  }
  return unnamed;
}

int Compare(const std::map<std::filesystem::path, std::string>& headers,
            const std::set<std::filesystem::path>& unnamed) {
  int wrong = 0;
  for (const auto& [path, text] : headers) {
    if (Read(path) == text) continue;
    std::cerr << path.string() << ": not what the schemas say\n";
    ++wrong;
  }
  for (const auto& path : unnamed) {
    std::cerr << path.string() << ": no schema names it\n";
    ++wrong;
  }
  if (wrong > 0) std::cerr << "operator_headers --write . writes these headers anew\n";
  return wrong > 0 ? 1 : 0;
}

int Run(const std::vector<std::string>& arguments) {
  const bool write = arguments.size() == 2 && arguments[0] == "--write";
  if (!write && arguments.size() != 1) {
    std::cerr << "usage: operator_headers [--write] ROOT\n";
    return 2;
  }
  const std::filesystem::path ops = std::filesystem::path(arguments.back()) / "src" / "ops";
  const auto headers = Headers(ops);
  const auto unnamed = Unnamed(ops, headers);
  if (!write) return Compare(headers, unnamed);
  int written = 0;
  for (const auto& [path, text] : headers) {
    if (Read(path) == text) continue;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    ++written;
  }
  for (const auto& path : unnamed) std::filesystem::remove(path);
  fmt::print("{} headers: {} written, {} deleted\n", headers.size(), written, unnamed.size());
  return 0;
}

}  // namespace
}  // namespace portacl

int main(int count, char** arguments) { return portacl::Run({arguments + 1, arguments + count}); }
