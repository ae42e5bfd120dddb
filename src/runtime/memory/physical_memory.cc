// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/physical_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/no_cancel.h"

namespace portacl::memory {
namespace {

// The largest size of a file: the system sends a signal that kills the process if it makes a file longer.
rlim_t MostFileBytes() noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

}  // namespace

SparseFile::SparseFile() : descriptor_(memfd_create("portacl", MFD_CLOEXEC)) {}

SparseFile::~SparseFile() {
  const NoCancel no_cancel;
  if (descriptor_ >= 0) close(descriptor_);
}

bool SparseFile::Grow(size_t bytes) noexcept {
  off_t end = 0;
  if (__builtin_add_overflow(end_, bytes, &end) || static_cast<rlim_t>(end) > MostFileBytes()) return false;
  if (ftruncate(descriptor_, end) != 0) return false;
  end_ = end;
  return true;
}

bool SparseFile::PunchHole(off_t begin, size_t bytes) noexcept {
  const NoCancel no_cancel;
  return fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, static_cast<off_t>(bytes)) == 0;
}

FileRange PhysicalMemory::Allocate(size_t bytes) {
  std::shared_ptr<SparseFile> file = current_.lock();
  if (file == nullptr || !file->IsOurs() || !file->Grow(bytes)) {
    file = std::make_shared<SparseFile>();
    if (!file->Grow(bytes)) return {};
    // On systems that cannot punch holes, only truncating a file frees memory: then each range has a file of its own.
    if (file->PunchHole(0, bytes)) current_ = file;
  }
  return {file, file->end() - static_cast<off_t>(bytes)};
}

void PhysicalMemory::Free(FileRange& range, size_t bytes) noexcept {
  if (range.file != nullptr && range.file->IsOurs()) range.file->PunchHole(range.begin, bytes);
  range.file.reset();
}

}  // namespace portacl::memory
