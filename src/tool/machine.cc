// SPDX-License-Identifier: Apache-2.0
#include "tool/machine.h"

#include <sys/utsname.h>

#include <fstream>
#include <sstream>

namespace portacl::tool {
namespace {

std::string FirstLine(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

// "1024K" -> 1048576
int64_t SizeOf(const std::string& text) {
  std::istringstream stream(text);
  int64_t size = 0;
  char unit = ' ';
  stream >> size >> unit;
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

}  // namespace

std::vector<Cache> Caches() {
  constexpr int kMostCaches = 16;
  std::vector<Cache> caches;
  for (int i = 0; i < kMostCaches; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string type = FirstLine(folder + "type");
    if (type.empty()) break;
    caches.push_back({std::atoi(FirstLine(folder + "level").c_str()), type, SizeOf(FirstLine(folder + "size")),
                      FirstLine(folder + "shared_cpu_list")});
  }
  return caches;
}

int64_t CacheBytes(int level, int64_t otherwise) {
  for (const Cache& cache : Caches()) {
    if (cache.level == level && cache.type != "Instruction" && cache.bytes > 0) return cache.bytes;
  }
  return otherwise;
}

std::string ProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system = {};
  uname(&system);
  return system.machine;
}

}  // namespace portacl::tool
