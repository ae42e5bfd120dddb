// SPDX-License-Identifier: Apache-2.0
#include "hccl/inbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/parallel/threads.h"

namespace portacl::hccl {
namespace {

// The largest size of all rings of an inbox, and of one ring, which holds a piece of a reduction (collectives.cc).
constexpr size_t kMostRingsBytes = size_t{4} << 20;
constexpr size_t kMostRingBytes = size_t{1} << 20;
constexpr size_t kLeastRingBytes = size_t{64} << 10;
constexpr size_t kPageBytes = 4096;

constexpr int kNeededSeals = F_SEAL_SHRINK | F_SEAL_GROW;

static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

size_t AlignUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

void* MapShared(int descriptor, size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

struct Inbox::Head {
  uint64_t token[2];
  alignas(64) std::atomic<uint32_t> bell;
  alignas(64) std::atomic<uint32_t> sleepers;
};

size_t Inbox::RingBytes(size_t slots) noexcept {
  return std::clamp(std::bit_floor(kMostRingsBytes / slots), kLeastRingBytes, kMostRingBytes);
}

size_t Inbox::Bytes(size_t slots) noexcept {
  return AlignUp(sizeof(Head) + slots * sizeof(InboxSlot), kPageBytes) + slots * RingBytes(slots);
}

Inbox::Inbox(void* memory, size_t bytes, size_t slots, int descriptor) noexcept
    : memory_(static_cast<std::byte*>(memory)),
      bytes_(bytes),
      slots_(slots),
      ring_bytes_(RingBytes(slots)),
      descriptor_(descriptor) {}

Inbox::~Inbox() {
  munmap(memory_, bytes_);
  Close();
}

std::unique_ptr<Inbox> Inbox::Make(size_t slots) {
  uint64_t token[2];
  if (getrandom(token, sizeof(token), 0) != sizeof(token)) return nullptr;
  const int descriptor = memfd_create("portacl", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return nullptr;
  const size_t bytes = Bytes(slots);
  // Sealed, so that no process can remove pages that others use.
  void* memory = nullptr;
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) == 0 &&
      fcntl(descriptor, F_ADD_SEALS, kNeededSeals | F_SEAL_SEAL) == 0)
    memory = MapShared(descriptor, bytes);
  if (memory == nullptr) {
    close(descriptor);
    return nullptr;
  }
  // Fresh pages are zero, which is the initial value of all counts.
  std::memcpy(memory, token, sizeof(token));
  return std::unique_ptr<Inbox>(new Inbox(memory, bytes, slots, descriptor));
}

std::unique_ptr<Inbox> Inbox::Open(const InboxPlace& place, size_t slots) {
  const std::string path = fmt::format("/proc/{}/fd/{}", place.process, place.descriptor);
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return nullptr;
  const size_t bytes = Bytes(slots);
  struct stat status;
  const bool fits = fstat(descriptor, &status) == 0 && static_cast<size_t>(status.st_size) == bytes &&
                    (fcntl(descriptor, F_GET_SEALS) & kNeededSeals) == kNeededSeals;
  void* const memory = fits ? MapShared(descriptor, bytes) : nullptr;
  close(descriptor);
  if (memory == nullptr) return nullptr;
  std::unique_ptr<Inbox> inbox(new Inbox(memory, bytes, slots, -1));
  // Another process may have got the process identifier of one that has ended.
  if (std::memcmp(memory, place.token, sizeof(place.token)) != 0) return nullptr;
  return inbox;
}

InboxPlace Inbox::place() const {
  InboxPlace place = {};
  std::memcpy(place.token, memory_, sizeof(place.token));
  place.process = getpid();
  place.descriptor = descriptor_;
  return place;
}

void Inbox::Close() noexcept {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

Inbox::Head& Inbox::head() const noexcept { return *reinterpret_cast<Head*>(memory_); }

InboxSlot& Inbox::slot(size_t index) const noexcept {
  return reinterpret_cast<InboxSlot*>(memory_ + sizeof(Head))[index];
}

std::byte* Inbox::ring(size_t index) const noexcept { return memory_ + bytes_ - (slots_ - index) * ring_bytes_; }

uint32_t Inbox::heard() const noexcept { return head().bell.load(std::memory_order_acquire); }

void Inbox::Listen(uint32_t heard, Deadline deadline, std::chrono::microseconds spin) noexcept {
  std::atomic<uint32_t>& bell = head().bell;
  const auto begin = std::chrono::steady_clock::now();
  auto now = begin;
  while (now - begin < spin) {
    for (int i = 0; i < 32; ++i) {
      if (bell.load(std::memory_order_acquire) != heard) return;
      parallel::Pause();
    }
    now = std::chrono::steady_clock::now();
  }
  timespec left = {};
  if (deadline) {
    const int64_t ns = std::max<int64_t>(std::chrono::nanoseconds(*deadline - now).count(), 0);
    left = {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  }
  // Either Ring() sees this sleeper, or the system sees that the bell was rung.
  head().sleepers.fetch_add(1);
  syscall(SYS_futex, &bell, FUTEX_WAIT, heard, deadline ? &left : nullptr, nullptr, 0);
  head().sleepers.fetch_sub(1);
}

void Inbox::Ring() noexcept {
  head().bell.fetch_add(1);
  if (head().sleepers.load() != 0) syscall(SYS_futex, &head().bell, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

}  // namespace portacl::hccl
