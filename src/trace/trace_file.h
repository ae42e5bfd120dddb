// SPDX-License-Identifier: Apache-2.0
// A list in JSON that is complete whenever the process stops: the file is mapped into memory, so that the system writes
// what a crash leaves, and what is allocated beyond the list's end are spaces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace portacl::trace {

class TraceFile {
 public:
  // Begins the file. False: it cannot be written; Error() says why.
  bool Open(const std::string& path) noexcept;
  bool IsOpen() const noexcept { return descriptor_ >= 0; }

  // Adds an element. False: the disk is full, or the like; the file is closed, and complete up to here.
  bool Append(std::string_view element) noexcept;

  void Close() noexcept;
  // In a forked child, whose file it is not.
  void Abandon() noexcept;

  const std::string& error() const noexcept { return error_; }

 private:
  bool Grow(size_t wanted) noexcept;
  bool Fail(int number) noexcept;

  int descriptor_ = -1;
  char* map_ = nullptr;   // the last part of the file
  size_t map_begin_ = 0;  // where in the file it begins
  size_t map_bytes_ = 0;
  size_t end_ = 0;  // of the last element
  bool empty_ = true;
  std::string error_;
};

}  // namespace portacl::trace
