// SPDX-License-Identifier: Apache-2.0
// Writes the public headers of operators and their C functions, from the rows of the rooms.
//
//   operator_headers FOLDER    writes FOLDER/aclnnop/aclnn_*.h, deletes others of such names, and writes
//                              FOLDER/ops/<family>/<room>/<room>_functions.inc; a file that has not changed keeps its
//                              time
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "exec/schema.h"
#include "header_text.h"
#include "rooms.h"

namespace portacl {
namespace {

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Write(const std::filesystem::path& path, const std::string& text) {
  // Never writes through a link.
  if (!std::filesystem::is_symlink(path) && Read(path) == text) return true;
  std::filesystem::create_directories(path.parent_path());
  const std::filesystem::path scratch = path.string() + ".new";
  std::ofstream file(scratch);
  file << text;
  file.close();
  std::filesystem::rename(scratch, path);
  return static_cast<bool>(file);
}

// The texts of the files, by their paths.
std::map<std::filesystem::path, std::string> Files(const std::filesystem::path& folder) {
  std::map<std::filesystem::path, std::vector<const exec::Schema*>> headers;
  std::map<std::filesystem::path, std::string> files;
  for (const Room& room : Rooms()) {
    for (const exec::Schema* row : room.rows) headers[folder / "aclnnop" / row->header].push_back(row);
    const std::filesystem::path place = folder / "ops" / room.folder;
    files[place / (place.filename().string() + "_functions.inc")] = FunctionText(room.folder, room.rows);
  }
  for (const auto& [path, rows] : headers) files[path] = HeaderText(rows);
  return files;
}

int Run(const std::filesystem::path& folder) {
  const auto files = Files(folder);
  std::filesystem::create_directories(folder / "aclnnop");
  for (const auto& entry : std::filesystem::directory_iterator(folder / "aclnnop")) {
    if (entry.path().filename().string().starts_with("aclnn_") && !files.contains(entry.path()))
      std::filesystem::remove(entry.path());
  }
  for (const auto& [path, text] : files) {
    if (Write(path, text)) continue;
    std::cerr << path.string() << ": cannot be written\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace portacl

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: operator_headers FOLDER\n";
    return 2;
  }
  return portacl::Run(arguments[1]);
}
