// SPDX-License-Identifier: Apache-2.0
// Caches and name of the processor, from the system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace portacl::tool {

struct Cache {
  int level = 0;
  std::string type;  // "Data", "Instruction", "Unified"
  int64_t bytes = 0;
  std::string cores;  // that share one: "0-3"
};

// The caches of the first core; empty if the system does not list them.
std::vector<Cache> Caches();
// Bytes of the data cache of that level; `otherwise` when unknown.
int64_t CacheBytes(int level, int64_t otherwise);

// "AMD EPYC 9654"; the architecture when there is no name.
std::string ProcessorName();

}  // namespace portacl::tool
