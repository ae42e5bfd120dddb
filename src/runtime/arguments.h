// SPDX-License-Identifier: Apache-2.0
// Reports that many runtime functions share.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "acl/acl.h"
#include "base/observer.h"
#include "base/status.h"

namespace portacl {

// The integer in an enum argument. A C caller may pass any value, and reading an invalid one as an enum is undefined.
template <class Enum>
int EnumNumber(const Enum& value) noexcept {
  static_assert(sizeof(Enum) == sizeof(int));
  int number;
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

inline aclError NullArgument(const char* function, const char* argument) noexcept {
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument '{}': expected a pointer, got NULL", function, argument);
}

inline aclError OutOfMemory(const char* function) noexcept {
  return Failf(ACL_ERROR_RT_MEMORY_ALLOCATION, "{}: out of host memory", function);
}

inline aclError BadHandle(const char* function, const char* argument, const char* kind, const void* handle) noexcept {
  NotifyObservers([=](Observer& each) {
    for (const auto& [name, its_kind] :
         {std::pair{"stream", HandleKind::kStream}, {"event", HandleKind::kEvent}, {"notify", HandleKind::kNotify}}) {
      if (std::strcmp(kind, name) == 0) each.HandleDead(its_kind, reinterpret_cast<uintptr_t>(handle));
    }
  });
  return Failf(ACL_ERROR_RT_INVALID_HANDLE, "{}: argument '{}': expected a live {}, got {} (destroyed, or no {})",
               function, argument, kind, handle, kind);
}

}  // namespace portacl
