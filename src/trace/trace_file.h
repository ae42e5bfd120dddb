// SPDX-License-Identifier: Apache-2.0
// A JSON list that is complete whenever the process stops, even if it is killed: it changes from one complete list to
// the next in atomic steps.
//
// A tail of four bytes closes all open elements, and is followed by blanks up to the file's end. The system executes a
// write atomically if it stays within a page and does not change the file's length: an element and the tail after it
// are one such write. Where the next element does not fit, one instruction stores the tail on the other side of the
// page's end. An element longer than a page is divided within its strings; there the tail also closes the string and
// its objects.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace portacl::trace {

class TraceFile {
 public:
  // Creates the file. Returns false when it cannot be written; Error() returns the reason.
  bool Open(const std::string& path) noexcept;
  bool IsOpen() const noexcept { return descriptor_ >= 0; }

  // Adds an object. Returns false when the disk is full, or after another error; the file is then closed, and complete
  // up to here. Long elements can be divided only within long strings that are values of the object or of objects in
  // it.
  bool Append(std::string_view element) noexcept;

  void Close() noexcept;
  // Called in a forked child, which must not write to the parent's file.
  void Abandon() noexcept;

  const std::string& error() const noexcept { return error_; }

 private:
  // The text that closes all open elements.
  struct Tail {
    char text[4];
  };
  static constexpr Tail kEnd = {{' ', '\n', ']', '\n'}};
  class Place;

  size_t Rest() const noexcept;
  bool Put(std::string_view separator, std::string_view text, size_t blanks, Tail tail) noexcept;
  bool CrossPage(std::string_view four, Tail tail) noexcept;
  bool NextPage() noexcept;
  bool AppendLong(std::string_view separator, std::string_view element) noexcept;
  bool Reach(size_t wanted) noexcept;
  bool Fail(int number) noexcept;

  int descriptor_ = -1;
  size_t bytes_ = 0;      // the file's length
  size_t end_ = 0;        // the end of the written text; the tail follows
  Tail tail_ = kEnd;      // the tail that is in the file
  char* map_ = nullptr;   // the mapped last part of the file
  size_t map_begin_ = 0;  // its offset in the file
  size_t map_bytes_ = 0;
  bool empty_ = true;
  std::string error_;
};

}  // namespace portacl::trace
