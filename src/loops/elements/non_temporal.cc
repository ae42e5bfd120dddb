// SPDX-License-Identifier: Apache-2.0
#include "loops/elements/non_temporal.h"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "base/environment.h"
#include "base/target.h"
#include "loops/elements/move_lanes.h"

namespace portacl::loops {
inline namespace v1 {

int64_t NonTemporalBytes() {
  // On a system that reports hundreds of MiB of shared cache, non-temporal stores won from 80 MiB on. At 64 MiB a chain
  // of operators took the same time either way, and results that were in the cache before took twice as long.
  static constexpr int64_t kMost = 72 << 20;
  static const int64_t bytes = [] {
    const long last_level = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const int64_t otherwise = last_level > 0 ? std::min<int64_t>(last_level / 2, kMost) : kMost;
    return VariableInteger(Variable::kNonTemporalBytes, 0, std::numeric_limits<int64_t>::max(), otherwise);
  }();
  return bytes;
}

void StoreAround(const std::byte* from, std::byte* to, int64_t bytes) {
  static const MoveFunction stream = StreamLanes(ActiveTarget());
  stream(from, to, bytes);
}

}  // namespace v1
}  // namespace portacl::loops
