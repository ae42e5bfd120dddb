// SPDX-License-Identifier: Apache-2.0
// portacl missing: lists functions of CANN that a program or library needs and that Portacl lacks, or defines in a
// library to which the file is not linked.
#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "acl/acl.h"
#include "exec/bind.h"
#include "ops/operators.h"
#include "tool/commands.h"
#include "tool/elf_names.h"
#include "tool/error.h"
#include "tool/text.h"

namespace portacl::tool {
namespace {

// The C++ interfaces in the namespaces of graphs and transformers: functions, and tables of classes.
bool IsInNamespaceOfCann(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return false;
  mangled.remove_prefix(2);
  if (mangled.size() > 1 && mangled[0] == 'T' && std::strchr("VTIS", mangled[1]) != nullptr) mangled.remove_prefix(2);
  if (!mangled.starts_with('N')) return false;
  mangled.remove_prefix(std::min(mangled.find_first_not_of("NVKr"), mangled.size()));
  return mangled.starts_with("2ge") || mangled.starts_with("4gert") || mangled.starts_with("3atb");
}

std::string Demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : name;
}

// acl*, aclrt*, aclnn*, and the few names with a capital first letter. POSIX access-control lists are acl_*.
bool IsOfCann(const std::string& name) {
  if (IsInNamespaceOfCann(name)) return true;
  if (name.size() < 4 || (name.compare(0, 3, "acl") != 0 && name.compare(0, 3, "Acl") != 0)) return false;
  return std::isalnum(static_cast<unsigned char>(name[3])) != 0;
}

ElfNames NamesOf(const std::string& path) {
  try {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(std::strerror(errno));
    return ReadElfNames(file);
  } catch (const std::runtime_error& error) {
    throw Failure(fmt::format("{}: {}", path, error.what()));
  }
}

// The toolkit's file that contains `address`.
std::filesystem::path FileOf(const void* address) {
  Dl_info info = {};
  return dladdr(address, &info) == 0 ? "" : info.dli_fname;
}

// The names that toolkit libraries among `libraries` define, including their dependencies.
std::set<std::string> DefinedIn(std::vector<std::string> libraries) {
  const std::filesystem::path folder = FileOf(reinterpret_cast<const void*>(&aclInit)).parent_path();
  std::set<std::string> names;
  for (size_t i = 0; i < libraries.size(); ++i) {
    const bool is_ours = libraries[i].find('/') == std::string::npos && std::filesystem::exists(folder / libraries[i]);
    if (!is_ours || std::count(libraries.begin(), libraries.begin() + static_cast<int64_t>(i), libraries[i]) != 0)
      continue;
    const ElfNames library = NamesOf(folder / libraries[i]);
    names.insert(library.defined.begin(), library.defined.end());
    libraries.insert(libraries.end(), library.libraries.begin(), library.libraries.end());
  }
  return names;
}

// The library that a program must link for `name`, which is defined at `address`. libopapi.so defines all operators.
std::string LibraryOf(const std::string& name, const void* address) {
  for (const exec::OperatorEntry* entry : Operators()) {
    const std::string api = entry->schema->api;
    if (name == api || name == api + "GetWorkspaceSize") return fmt::format("lib{}.so", entry->schema->library);
  }
  return FileOf(address).filename();
}

}  // namespace

int Missing(const Options& options) {
  ElfNames file = NamesOf(options.target);
  std::vector<std::string>& needed = file.undefined;
  std::erase_if(needed, [](const std::string& name) { return !IsOfCann(name); });
  // A plug-in that is not linked to any library of the toolkit uses those that its host has loaded.
  const std::set<std::string> named = DefinedIn(file.libraries);
  std::vector<std::string> missing;
  std::map<std::string, std::string> elsewhere;  // name and library
  for (const std::string& name : needed) {
    const void* address = dlsym(RTLD_DEFAULT, name.c_str());  // this process has loaded the whole toolkit
    if (address == nullptr) {
      missing.push_back(name);
    } else if (!named.empty() && named.count(name) == 0) {
      elsewhere[name] = LibraryOf(name, address);
    }
  }
  if (options.json) {
    Print({{"file", options.target}, {"needed", needed}, {"missing", missing}, {"elsewhere", elsewhere}});
  } else {
    for (const std::string& name : missing) fmt::print("{}\n", Printable(Demangled(name)));
    for (const auto& [name, library] : elsewhere) {
      fmt::print("{} is in {}, which the file does not link\n", name, library);
    }
    fmt::print(stderr, "{}: needs {} names of CANN, Portacl lacks {}\n", options.target, needed.size(), missing.size());
  }
  return missing.empty() && elsewhere.empty() ? 0 : 1;
}

}  // namespace portacl::tool
