// SPDX-License-Identifier: Apache-2.0
// portacl missing: the functions of CANN that a program or library needs and Portacl lacks.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "tool/commands.h"
#include "tool/elf_names.h"
#include "tool/error.h"
#include "tool/text.h"

namespace portacl::tool {
namespace {

// acl*, aclrt*, aclnn*, and the few that begin with a capital. POSIX access-control lists are acl_*.
bool IsOfCann(const std::string& name) {
  if (name.size() < 4 || (name.compare(0, 3, "acl") != 0 && name.compare(0, 3, "Acl") != 0)) return false;
  return std::isalnum(static_cast<unsigned char>(name[3])) != 0;
}

}  // namespace

int Missing(const Options& options) {
  std::vector<std::string> needed;
  try {
    std::ifstream file(options.target, std::ios::binary);
    if (!file) throw std::runtime_error(std::strerror(errno));
    needed = UndefinedNames(file);
  } catch (const std::runtime_error& error) {
    throw Failure(fmt::format("{}: {}", options.target, error.what()));
  }
  std::erase_if(needed, [](const std::string& name) { return !IsOfCann(name); });
  std::vector<std::string> missing;
  // This process has the whole toolkit loaded.
  std::copy_if(needed.begin(), needed.end(), std::back_inserter(missing),
               [](const std::string& name) { return dlsym(RTLD_DEFAULT, name.c_str()) == nullptr; });
  if (options.json) {
    Print({{"file", options.target}, {"needed", needed}, {"missing", missing}});
  } else {
    for (const std::string& name : missing) fmt::print("{}\n", name);
    fmt::print(stderr, "{}: needs {} names of CANN, Portacl lacks {}\n", options.target, needed.size(), missing.size());
  }
  return missing.empty() ? 0 : 1;
}

}  // namespace portacl::tool
