// SPDX-License-Identifier: Apache-2.0
// Caches and name of the processor, as the system reports them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace portacl::tool {

struct Cache {
  int level = 0;
  std::string type;  // "Data", "Instruction", "Unified"
  int64_t bytes = 0;
  std::string cores;  // cores that share one: "0-3"
};

// The caches of the first core; empty if the system does not report them.
std::vector<Cache> Caches();
// Size in bytes of the data cache of that level; `otherwise` if unknown.
int64_t CacheBytes(int level, int64_t otherwise);

// "AMD EPYC 9654"; the architecture if the system reports no name.
std::string ProcessorName();

}  // namespace portacl::tool
