// SPDX-License-Identifier: Apache-2.0
// Checks of copies and fills, in a fixed order.
#include "runtime/acl/copy_checks.h"

#include "base/observer.h"
#include "runtime/arguments.h"
#include "runtime/memory/memory.h"

namespace portacl {

bool NeedsCopy(const char* function, const CopyArguments& copy, aclError* status) noexcept {
  *status = ACL_SUCCESS;
  if (copy.count == 0) return false;
  if (copy.dst == nullptr || copy.src == nullptr) {
    *status = NullArgument(function, copy.dst == nullptr ? "dst" : "src");
    return false;
  }
  // Kinds above 5 exist for descriptors only.
  if (copy.kind < ACL_MEMCPY_HOST_TO_HOST || copy.kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
    *status = Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'kind': expected 0..5, got {}", function, copy.kind);
    return false;
  }
  if (copy.dest_max < copy.count) {
    *status = Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'count': expected at most destMax = {}, got {}", function,
                    copy.dest_max, copy.count);
    return false;
  }
  return copy.dst != copy.src;
}

bool NeedsFill(const char* function, const FillArguments& fill, aclError* status) noexcept {
  *status = ACL_SUCCESS;
  if (fill.count == 0) return false;
  if (fill.dst == nullptr) {
    *status = NullArgument(function, "devPtr");
    return false;
  }
  if (fill.max_count < fill.count) {
    *status = Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'count': expected at most maxCount = {}, got {}",
                    function, fill.max_count, fill.count);
    return false;
  }
  return true;
}

bool StaysInBlock(const void* begin, size_t offset, size_t bytes) noexcept {
  memory::Block block;
  const memory::Located located = memory::Locate(begin, &block);
  if (located != memory::Located::kBlock) return located == memory::Located::kForeign;
  const size_t room = block.usable - (reinterpret_cast<uintptr_t>(begin) - block.begin);
  return offset <= room && bytes <= room - offset;
}

aclError CheckRange(const char* function, const char* argument, const void* begin, size_t bytes,
                    aclError refusal) noexcept {
  const auto address = reinterpret_cast<uintptr_t>(begin);
  if (bytes > UINTPTR_MAX - address) {
    return Failf(refusal, "{}: argument '{}': expected bytes within the address space, got {} of them at {}", function,
                 argument, bytes, begin);
  }
  if (StaysInBlock(begin, 0, bytes)) return ACL_SUCCESS;
  memory::Block block;
  if (memory::Locate(begin, &block) != memory::Located::kBlock) {
    return Failf(refusal, "{}: argument '{}': expected an address in a live block, got {}", function, argument, begin);
  }
  return Failf(refusal, "{}: argument '{}': expected {} bytes within its block, which ends {} bytes after {}", function,
               argument, bytes, block.begin + block.usable - address, begin);
}

aclError CheckRows(const char* function, const streams::Rows& rows, aclError refusal) noexcept {
  const struct {
    const char* argument;
    const void* begin;
    size_t pitch;
  } sides[] = {{"dst", rows.dst, rows.dst_pitch}, {"src", rows.src, rows.src_pitch}};
  for (const auto& side : sides) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(rows.height - 1, side.pitch, &bytes) ||
        __builtin_add_overflow(bytes, rows.width, &bytes)) {
      return Failf(refusal, "{}: argument 'height': expected rows within the address space, got {} of {} bytes each",
                   function, rows.height, side.pitch);
    }
    if (const aclError status = CheckRange(function, side.argument, side.begin, bytes, refusal)) return status;
  }
  return ACL_SUCCESS;
}

void DescribeFill(void* dst, size_t bytes, TaskNote* note) noexcept {
  note->role = TaskRole::kFill;
  note->name = "fill";
  note->Add(dst, bytes, true);
}

void NotifyOfFill(void* dst, size_t bytes) noexcept {
  if (!Observed()) [[likely]]
    return;
  TaskNote note;
  note.task = &note;
  DescribeFill(dst, bytes, &note);
  ForEachObserver([&](Observer& each) { each.TaskQueued(note); });
}

}  // namespace portacl
