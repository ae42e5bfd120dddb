// SPDX-License-Identifier: Apache-2.0
// Device memory for the library's own use.
#include <algorithm>

#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/pool.h"

namespace portacl {
inline namespace v1 {

void* AllocateScratch(size_t bytes) noexcept {
  int device = t_thread.running_device;
  if (device < 0) {
    const Context* context = FindCurrentContext();
    device = context == nullptr ? 0 : context->device();
  }
  return DevicePool(device).Allocate(std::max<size_t>(bytes, 1), Padding::k32Bytes);
}

void FreeScratch(void* scratch) noexcept {
  if (scratch != nullptr) FreeBlock(scratch, Pool::Side::kDevice);
}

}  // namespace v1
}  // namespace portacl
