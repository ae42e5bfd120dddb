// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/no_cancel.h"

namespace portacl::trace {
namespace {

constexpr size_t kPart = size_t{1} << 20;
constexpr size_t kMapped = size_t{1} << 16;  // a multiple of every machine's page size
constexpr size_t kPage = size_t{1} << 12;    // a divisor of every machine's page size
constexpr size_t kTailBytes = 4;
constexpr size_t kMostBytes = kPage - kTailBytes;  // the size limit of one write

// Stored with one instruction, even if it is not aligned.
struct [[gnu::packed]] EightBytes {
  uint64_t bits;
};

}  // namespace

// A position in an element: which strings and objects are open there.
class TraceFile::Place {
 public:
  void Pass(char next) noexcept {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (in_string_) {
      is_escaped_ = next == '\\';
      in_string_ = next != '"';
      ends_value_ = !in_string_ && is_value_;
    } else {
      if (next == '{') ++depth_;
      if (next == '}') --depth_;
      in_string_ = next == '"';
      is_value_ = in_string_ && follows_colon_;
      ends_value_ = false;
      follows_colon_ = next == ':';
    }
  }
  // Whether the tail may be written here and the text continue after it on the next page.
  bool MayPause() const noexcept { return (depth_ == 0 && !in_string_) || (ends_value_ && Fits(depth_ + 1)); }
  // Whether the text may be divided here, without blanks in between.
  bool MayDivide() const noexcept { return in_string_ && is_value_ && !is_escaped_ && Fits(depth_ + 2); }

  Tail TailHere() const noexcept {
    if (depth_ == 0) return kEnd;
    Tail tail = {{' ', ' ', ' ', ' '}};
    char* next = tail.text;
    if (in_string_) *next++ = '"';
    for (size_t i = 0; i < depth_; ++i) *next++ = '}';
    *next = ']';
    return tail;
  }

 private:
  static bool Fits(size_t bytes) noexcept { return bytes <= kTailBytes; }

  size_t depth_ = 0;
  bool in_string_ = false;
  bool is_escaped_ = false;
  bool follows_colon_ = false;
  bool is_value_ = false;    // the current string is a value
  bool ends_value_ = false;  // a string value ends here
};

bool TraceFile::Fail(int number) noexcept {
  error_ = number == EWOULDBLOCK ? "another process writes it (%p in the name is the process)" : std::strerror(number);
  Close();
  return false;
}

bool TraceFile::Open(const std::string& path) noexcept {
  const NoCancel no_cancel;
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
  if (descriptor_ < 0) return Fail(errno);
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 || ftruncate(descriptor_, 0) != 0) {
    const int number = errno;
    close(std::exchange(descriptor_, -1));
    return Fail(number);
  }
  bytes_ = end_ = 0;
  tail_ = kEnd;
  empty_ = true;
  return Reach(kPage);
}

// Extends the file to at least that many bytes, with blanks after its tail.
bool TraceFile::Reach(size_t wanted) noexcept {
  if (wanted <= bytes_) return true;
  // Beyond this limit the system would end the process.
  rlimit limit = {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes_ + kPart) return Fail(EFBIG);
  // Written with blanks, because extending a file without writing ends it in zeros. Writing also reserves the space on
  // the disk, so that later stores there cannot find the disk full.
  char blanks[kPage];
  std::memset(blanks, ' ', kPage);
  if (bytes_ == 0) {
    blanks[0] = '[';
    std::memcpy(blanks + 1, tail_.text, kTailBytes);
  }
  for (const size_t reached = bytes_ + kPart; bytes_ < reached; bytes_ += kPage) {
    const ssize_t written = pwrite(descriptor_, blanks, kPage, static_cast<off_t>(bytes_));
    if (written != static_cast<ssize_t>(kPage)) return Fail(written < 0 ? errno : ENOSPC);
    if (bytes_ != 0) continue;
    end_ = 1;
    std::memset(blanks, ' ', kPage);
  }
  if (map_ != nullptr) munmap(std::exchange(map_, nullptr), map_bytes_);
  map_begin_ = end_ / kMapped * kMapped;
  map_bytes_ = bytes_ - map_begin_;
  void* const map =
      mmap(nullptr, map_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, static_cast<off_t>(map_begin_));
  if (map == MAP_FAILED) return Fail(errno);
  map_ = static_cast<char*>(map);
  return true;
}

// The number of bytes that still fit into this page before the tail.
size_t TraceFile::Rest() const noexcept { return kMostBytes - end_ % kPage; }

// Replaces the tail by the text and a new tail, which all fit into the page.
bool TraceFile::Put(std::string_view separator, std::string_view text, size_t blanks, Tail tail) noexcept {
  char page[kPage];
  const size_t texts = separator.size() + text.size();
  const size_t bytes = texts + blanks + kTailBytes;
  separator.copy(page, separator.size());
  text.copy(page + separator.size(), text.size());
  std::memset(page + texts, ' ', blanks);
  std::memcpy(page + texts + blanks, tail.text, kTailBytes);
  const ssize_t written = pwrite(descriptor_, page, bytes, static_cast<off_t>(end_));
  if (written != static_cast<ssize_t>(bytes)) {
    const int number = written < 0 ? errno : ENOSPC;
    [[maybe_unused]] const ssize_t restored = pwrite(descriptor_, tail_.text, kTailBytes, static_cast<off_t>(end_));
    return Fail(number);
  }
  end_ += bytes - kTailBytes;
  tail_ = tail;
  return true;
}

// The tail is at the end of its page: it moves to the beginning of the next one, and the text replaces it.
bool TraceFile::CrossPage(std::string_view four, Tail tail) noexcept {
  if (!Reach(end_ + kTailBytes + kPage)) return false;
  char* const place = map_ + (end_ - map_begin_);
  uint64_t bits;
  static_assert(sizeof(bits) == 2 * kTailBytes);
  std::memcpy(&bits, four.data(), kTailBytes);
  std::memcpy(reinterpret_cast<char*>(&bits) + kTailBytes, tail.text, kTailBytes);
  // Touches both pages before the instruction: if it had to wait for the second page, it could already have stored to
  // the first.
  for (const size_t each : {size_t{0}, kTailBytes}) {
    volatile char* const byte = place + each;
    *byte = *byte;
  }
  reinterpret_cast<volatile EightBytes*>(place)->bits = bits;
  end_ += kTailBytes;
  tail_ = tail;
  return true;
}

bool TraceFile::NextPage() noexcept { return Put("", "", Rest(), tail_) && CrossPage("    ", tail_); }

bool TraceFile::Append(std::string_view element) noexcept {
  if (!IsOpen()) return false;
  const NoCancel no_cancel;
  const std::string_view separator = std::exchange(empty_, false) ? "\n" : ",\n";
  const size_t bytes = separator.size() + element.size();
  if (bytes > kMostBytes) return AppendLong(separator, element);
  if (bytes > Rest() && !NextPage()) return false;
  return Put(separator, element, 0, kEnd);
}

bool TraceFile::AppendLong(std::string_view separator, std::string_view element) noexcept {
  Place begin;  // the position up to which the element has been written; `element` is the rest
  while (separator.size() + element.size() > Rest()) {
    const size_t most = Rest() - std::min(Rest(), separator.size());
    Place place = begin, pause = begin;
    size_t bytes_to_pause = 0;
    for (size_t i = 0; i < most; ++i) {
      place.Pass(element[i]);
      if (!place.MayPause()) continue;
      pause = place;
      bytes_to_pause = i + 1;
    }
    if (most != 0 && place.MayDivide()) {
      // If the string ends there, blanks follow.
      char four[] = "    ";
      Place behind = place;
      size_t bytes = 0;
      while (bytes < kTailBytes && most + bytes < element.size() && !behind.MayPause()) {
        four[bytes] = element[most + bytes];
        behind.Pass(four[bytes++]);
      }
      if (!behind.MayPause() && !behind.MayDivide()) return Fail(EMSGSIZE);
      if (!Put(separator, element.substr(0, most), 0, place.TailHere()) || !CrossPage(four, behind.TailHere()))
        return false;
      begin = behind;
      element.remove_prefix(most + bytes);
      separator = "";
    } else if (bytes_to_pause != 0) {
      if (!Put(separator, element.substr(0, bytes_to_pause), 0, pause.TailHere()) || !NextPage()) return false;
      begin = pause;
      element.remove_prefix(bytes_to_pause);
      separator = "";
    } else if (begin.MayPause() && Rest() < kMostBytes) {
      if (!NextPage()) return false;
    } else {
      return Fail(EMSGSIZE);
    }
  }
  return Put(separator, element, 0, kEnd);
}

void TraceFile::Close() noexcept {
  if (map_ != nullptr) munmap(std::exchange(map_, nullptr), map_bytes_);
  if (descriptor_ < 0) return;
  if (end_ != 0 && ftruncate(descriptor_, static_cast<off_t>(end_ + kTailBytes)) != 0) error_ = std::strerror(errno);
  close(std::exchange(descriptor_, -1));
}

void TraceFile::Abandon() noexcept {
  if (map_ != nullptr) munmap(std::exchange(map_, nullptr), map_bytes_);
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
}

}  // namespace portacl::trace
