// SPDX-License-Identifier: Apache-2.0
#include "tool/stream_ceiling.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "acl/acl.h"
#include "runtime/parallel/parallel.h"
#include "tool/timing.h"

namespace portacl::tool {
namespace {

constexpr size_t kChunk =
    128 << 10;  // of source and of destination each: the size that the library gives a thread at a time

class Block {
 public:
  explicit Block(size_t bytes) {
    // From the host's pool, which works like the device's: the host must not access device memory.
    if (aclrtMallocHost(&data_, bytes) != ACL_SUCCESS) throw std::bad_alloc();
    std::memset(data_, 1, bytes);
  }
  Block(const Block&) = delete;
  ~Block() { aclrtFreeHost(data_); }
  char* data() const { return static_cast<char*>(data_); }

 private:
  void* data_ = nullptr;
};

struct Copy {
  const char* from;
  char* to;
  size_t bytes;
};

void CopyOrdinary(void* argument, int64_t chunk) {
  const auto& copy = *static_cast<const Copy*>(argument);
  const size_t at = static_cast<size_t>(chunk) * kChunk;
  std::memcpy(copy.to + at, copy.from + at, std::min(kChunk, copy.bytes - at));
}

void CopyNonTemporal(void* argument, int64_t chunk) {
#ifdef __SSE2__
  const auto& copy = *static_cast<const Copy*>(argument);
  const size_t begin = static_cast<size_t>(chunk) * kChunk;
  const size_t end = std::min(begin + kChunk, copy.bytes);  // both are multiples of 64
  for (size_t at = begin; at < end; at += sizeof(__m128i)) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(copy.to + at),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(copy.from + at)));
  }
  _mm_sfence();
#else
  CopyOrdinary(argument, chunk);
#endif
}

}  // namespace

double StreamCeiling(size_t bytes, double seconds) {
  constexpr size_t kLine = 64;
  const size_t half = std::max(kLine, bytes / 2 / kLine * kLine);
  const Block from(half);
  const Block to(half);
  Copy copy{from.data(), to.data(), half};
  const auto chunks = static_cast<int64_t>((half + kChunk - 1) / kChunk);
  double best = 0;
  for (const auto body : {CopyOrdinary, CopyNonTemporal}) {
    const Timing timing = Measure(seconds / 2, 0, [&] { parallel::For(chunks, body, &copy); });
    best = std::max(best, 2 * static_cast<double>(half) / timing.median);
  }
  return best;
}

}  // namespace portacl::tool
