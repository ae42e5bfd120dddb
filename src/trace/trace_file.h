// SPDX-License-Identifier: Apache-2.0
// A list in JSON that is complete whenever the process stops, also where it is killed: it goes from one complete list
// to the next in steps that cannot be divided.
//
// A tail of four bytes closes whatever is open, and blanks follow it up to the file's end. What stays within a page and
// leaves the file's length as it is, the system writes as a whole: an element and the tail behind it are one such
// write. Where the next element does not fit, one instruction stores the tail on the other side of the page's end. An
// element longer than a page is divided within its strings; there the tail closes the string and its objects as well.
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

  // Adds an object. False: the disk is full, or the like; the file is closed, and complete up to here. Divided can be
  // what has long strings, as values in it or in objects in it.
  bool Append(std::string_view element) noexcept;

  void Close() noexcept;
  // In a forked child, whose file it is not.
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
  size_t bytes_ = 0;      // of the file
  size_t end_ = 0;        // of what is written; the tail follows
  Tail tail_ = kEnd;      // as it stands there
  char* map_ = nullptr;   // the last part of the file
  size_t map_begin_ = 0;  // where in the file it begins
  size_t map_bytes_ = 0;
  bool empty_ = true;
  std::string error_;
};

}  // namespace portacl::trace
