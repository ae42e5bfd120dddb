// SPDX-License-Identifier: Apache-2.0
// What copies and fills check before they look at context and stream, in the order that clients rely on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl.h"

namespace portacl {

struct CopyArguments {
  void* dst;
  size_t dest_max;
  const void* src;
  size_t count;
  int kind;  // an aclrtMemcpyKind, or anything else
};

struct FillArguments {
  void* dst;
  size_t max_count;
  int32_t value;
  size_t count;
};

// False: the call is over, with *status (0 when there is nothing to copy).
bool NeedsCopy(const char* function, const CopyArguments& copy, aclError* status) noexcept;
bool NeedsFill(const char* function, const FillArguments& fill, aclError* status) noexcept;

}  // namespace portacl
