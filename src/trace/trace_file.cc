// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace portacl::trace {
namespace {

constexpr size_t kPart = size_t{1} << 20;
constexpr size_t kPage = size_t{1} << 16;  // a multiple of every machine's
constexpr std::string_view kTail = "\n]\n";

}  // namespace

bool TraceFile::Fail(int number) noexcept {
  error_ = number == EWOULDBLOCK ? "another process writes it (%p in the name is the process)" : std::strerror(number);
  Close();
  return false;
}

bool TraceFile::Open(const std::string& path) noexcept {
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
  if (descriptor_ < 0) return Fail(errno);
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 || ftruncate(descriptor_, 0) != 0) {
    const int number = errno;
    close(std::exchange(descriptor_, -1));
    return Fail(number);
  }
  end_ = 0;
  empty_ = true;
  if (!Grow(kTail.size() + 1)) return false;
  std::memcpy(map_, "[", 1);
  std::memcpy(map_ + 1, kTail.data(), kTail.size());
  end_ = 1;
  return true;
}

// Room for that many bytes behind the last element.
bool TraceFile::Grow(size_t wanted) noexcept {
  if (map_ != nullptr && end_ + wanted <= map_begin_ + map_bytes_) return true;
  const size_t begin = end_ / kPage * kPage;
  const size_t bytes = (end_ - begin + wanted + kPart - 1) / kPart * kPart;
  // The system would end the process for it.
  rlimit limit = {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < begin + bytes) return Fail(EFBIG);
  // Space on the disk, so that none of the writes below can find it full.
  if (const int number = posix_fallocate(descriptor_, static_cast<off_t>(begin), static_cast<off_t>(bytes)))
    return Fail(number);
  void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, static_cast<off_t>(begin));
  if (map == MAP_FAILED) return Fail(errno);
  const size_t used = map_ == nullptr ? 0 : end_ - begin + kTail.size();
  std::memset(static_cast<char*>(map) + used, ' ', bytes - used);
  if (map_ != nullptr) munmap(map_, map_bytes_);
  map_ = static_cast<char*>(map);
  map_begin_ = begin;
  map_bytes_ = bytes;
  return true;
}

bool TraceFile::Append(std::string_view element) noexcept {
  if (!IsOpen() || !Grow(element.size() + 2 + kTail.size())) return false;
  char* const place = map_ + (end_ - map_begin_);
  const std::string_view separator = empty_ ? "\n" : ",\n";
  const size_t bytes = separator.size() + element.size();
  std::memcpy(place + bytes, kTail.data(), kTail.size());
  std::memcpy(place + separator.size(), element.data(), element.size());
  std::memcpy(place, separator.data(), separator.size());
  empty_ = false;
  end_ += bytes;
  return true;
}

void TraceFile::Close() noexcept {
  if (map_ != nullptr) munmap(std::exchange(map_, nullptr), map_bytes_);
  if (descriptor_ < 0) return;
  if (end_ != 0 && ftruncate(descriptor_, static_cast<off_t>(end_ + kTail.size())) != 0) error_ = std::strerror(errno);
  close(std::exchange(descriptor_, -1));
}

void TraceFile::Abandon() noexcept {
  if (map_ != nullptr) munmap(std::exchange(map_, nullptr), map_bytes_);
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
}

}  // namespace portacl::trace
