// SPDX-License-Identifier: Apache-2.0
// Checks of copies and fills that come before those of context and stream, in the order that clients rely on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl.h"
#include "runtime/streams/transfer.h"

namespace portacl {

struct TaskNote;

struct CopyArguments {
  void* dst;
  size_t dest_max;
  const void* src;
  size_t count;
  int kind;  // an aclrtMemcpyKind, or any other value
};

struct FillArguments {
  void* dst;
  size_t max_count;
  int32_t value;
  size_t count;
};

// Returns false when the call has ended with *status (0 when there is nothing to copy).
bool NeedsCopy(const char* function, const CopyArguments& copy, aclError* status) noexcept;
bool NeedsFill(const char* function, const FillArguments& fill, aclError* status) noexcept;

// Description for observers: a queued fill, and a fill that the calling thread executes at once.
void DescribeFill(void* dst, size_t bytes, TaskNote* note) noexcept;
void NotifyOfFill(void* dst, size_t bytes) noexcept;

// The last check: whether `bytes` from an offset after `begin` stay within the live block that contains `begin`. Always
// true for memory that is not the library's.
bool StaysInBlock(const void* begin, size_t offset, size_t bytes) noexcept;

// Returns 0, or `refusal` with a report.
aclError CheckRange(const char* function, const char* argument, const void* begin, size_t bytes,
                    aclError refusal) noexcept;
aclError CheckRows(const char* function, const streams::Rows& rows, aclError refusal) noexcept;

}  // namespace portacl
