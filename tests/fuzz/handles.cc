// SPDX-License-Identifier: Apache-2.0
// Foreign addresses for the API fuzzer, see handles.h.
#include "handles.h"

#include <cstdint>

namespace portacl::fuzz {

void* Garbage(calls::Random& random) {
  alignas(64) static char ours[4096];
  switch (random.Below(4)) {
    case 0:
      return ours + random.Below(sizeof(ours));
    case 1:
      return reinterpret_cast<void*>(static_cast<uintptr_t>(random.Below(4096)));
    case 2:
      return reinterpret_cast<void*>(static_cast<uintptr_t>(random.Bits()));
    default:
      return &random;
  }
}

}  // namespace portacl::fuzz
