// SPDX-License-Identifier: Apache-2.0
// Physical memory that can be mapped at several addresses: ranges of a sparse anonymous file. Many ranges share one
// file, so that the number of descriptors does not grow with them.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <memory>

namespace portacl::memory {

// An anonymous file that grows at its end. A range that is returned leaves a hole, so no range is handed out twice.
class SparseFile {
 public:
  SparseFile();  // a file that the system refuses to create cannot grow
  SparseFile(const SparseFile&) = delete;
  ~SparseFile();

  int descriptor() const { return descriptor_; }
  // False in a child of fork(), which shares the file with its parent: a change by the child would affect the parent.
  bool IsOurs() const noexcept { return owner_ == getpid(); }
  // Returns false when the file would be too long, or when the system refuses.
  bool Grow(size_t bytes) noexcept;
  off_t end() const { return end_; }
  // Returns false when the system cannot free a part of a file.
  bool PunchHole(off_t begin, size_t bytes) noexcept;

 private:
  const int descriptor_;
  const pid_t owner_ = getpid();
  off_t end_ = 0;
};

struct FileRange {
  std::shared_ptr<SparseFile> file;
  off_t begin = 0;
};

// The file is closed with its last range. Callers lock.
class PhysicalMemory {
 public:
  // Returns a range of zeros, or a range without a file when memory is exhausted. Throws bad_alloc.
  FileRange Allocate(size_t bytes);
  static void Free(FileRange& range, size_t bytes) noexcept;

 private:
  std::weak_ptr<SparseFile> current_;
};

}  // namespace portacl::memory
