// SPDX-License-Identifier: Apache-2.0
// Memory and launches of the CPU device.
#include "runtime/devices/cpu_device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/file_text.h"
#include "base/float_mode.h"
#include "runtime/task.h"

namespace portacl::devices {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

// Physical memory, or the memory limit of the container when that is smaller.
size_t ReadMemoryTotal() noexcept {
  size_t total = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    char text[64];
    unsigned long long limit = 0;
    if (ReadFileText(path, text) && std::sscanf(text, "%llu", &limit) == 1 && limit > 0)
      total = std::min<size_t>(total, limit);
  }
  return total;
}

}  // namespace

void* MapAligned(size_t bytes, size_t alignment, int protection) noexcept {
  if (bytes + alignment < bytes) return nullptr;
  void* mapped = mmap(nullptr, bytes + alignment, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  const uintptr_t first = reinterpret_cast<uintptr_t>(mapped);
  const uintptr_t begin = (first + alignment - 1) & ~(alignment - 1);
  if (begin != first) munmap(mapped, begin - first);
  const uintptr_t surplus = first + alignment - begin;
  if (surplus != 0) munmap(reinterpret_cast<void*>(begin + bytes), surplus);
  return reinterpret_cast<void*>(begin);
}

void* CpuDevice::Allocate(size_t bytes, size_t alignment) noexcept {
  const bool huge = bytes >= 2 * kHugePage;
  void* memory = MapAligned(bytes, huge ? std::max(alignment, kHugePage) : alignment, PROT_READ | PROT_WRITE);
  // A hint: the first use of 2 MiB then causes one page fault instead of 512.
  if (memory != nullptr && huge) madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

void CpuDevice::Release(void* begin, size_t bytes) noexcept { munmap(begin, bytes); }

size_t CpuDevice::MemoryTotal() const noexcept {
  static const size_t total = ReadMemoryTotal();
  return total;
}

void CpuDevice::Copy(void* dst, const void* src, size_t bytes) noexcept { std::memmove(dst, src, bytes); }

void CpuDevice::Fill(void* dst, int value, size_t bytes) noexcept { std::memset(dst, value, bytes); }

int32_t CpuDevice::Launch(Task& task) noexcept {
  const DefaultFloatMode mode;
  return task.Run();
}

}  // namespace portacl::devices
