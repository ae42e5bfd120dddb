// SPDX-License-Identifier: Apache-2.0
// Physical memory that can be mapped at several addresses: ranges of a sparse anonymous file. Many share one, so that
// descriptors do not grow with them.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <memory>

namespace portacl::memory {

// An anonymous file that grows at its end. What is given back leaves a hole, so no range is handed out twice.
class SparseFile {
 public:
  SparseFile();  // one that the system refuses cannot grow
  SparseFile(const SparseFile&) = delete;
  ~SparseFile();

  int descriptor() const { return descriptor_; }
  // False in a child of fork(), which shares the file: what it did to it would happen to the parent.
  bool IsOurs() const noexcept { return owner_ == getpid(); }
  // False: the file must not be so long, or the system refuses.
  bool Grow(size_t bytes) noexcept;
  off_t end() const { return end_; }
  // False: the system cannot give back a part of a file.
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

// The file goes with its last range. Callers lock.
class PhysicalMemory {
 public:
  // A range of zeros; one without a file when there is none. Throws bad_alloc.
  FileRange Allocate(size_t bytes);
  static void Free(FileRange& range, size_t bytes) noexcept;

 private:
  std::weak_ptr<SparseFile> current_;
};

}  // namespace portacl::memory
