// SPDX-License-Identifier: Apache-2.0
//
// An array whose sums fit in the cache is added to in one go. Else the elements are distributed over ranges of the
// array whose sums do, and each range is one thread's work.
#include "loops/moves/add_by_range.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/dtype.h"
#include "loops/elements/conversion.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {
namespace {

// Sums of a range, and those that are too many to have them in the cache together.
constexpr int kAddedRangeBits = 16;
constexpr int64_t kAddedRange = int64_t{1} << kAddedRangeBits;
constexpr int64_t kManySums = int64_t{1} << 18;

constexpr int64_t kLeastAddedChunk = 32 * PlacedElements::kPiece;
constexpr int64_t kMostAddedChunks = 64;

// An element, in the range for which it is kept.
struct PlacedFloat {
  uint32_t place;
  float value;
};

struct ElementAdder {
  static constexpr int64_t kPiece = PlacedElements::kPiece;

  explicit ElementAdder(const PlacedElements& from, std::byte* to, int64_t count_of)
      : elements(from), array(to), size(count_of), bytes(static_cast<int64_t>(ElementBytes(from.dtype))) {}

  // The sums of the elements [first, first + n) of the array, as they are before, and back.
  void Load(int64_t first, int64_t n, double* sums) const {
    Convert(ConversionOf(elements.dtype, ACL_DOUBLE), array + first * bytes, reinterpret_cast<std::byte*>(sums), n);
  }
  void Store(const double* sums, int64_t first, int64_t n) const {
    Convert(ConversionOf(ACL_DOUBLE, elements.dtype), reinterpret_cast<const std::byte*>(sums), array + first * bytes,
            n);
  }

  // Calls f(places, values, n) for pieces of the elements [first, end).
  template <class F>
  void ForEachPiece(int64_t first, int64_t end, const F& f) const {
    const Conversion& widening = ConversionOf(elements.dtype, ACL_FLOAT);
    int64_t places[kPiece];
    alignas(kLineBytes) std::byte read[kPiece * sizeof(float)];
    alignas(kLineBytes) float widened[kPiece];
    for (; first < end; first += kPiece) {
      const int64_t n = std::min(kPiece, end - first);
      const std::byte* const values = elements.Elements(first, n, read);
      if (widening.steps == 0) {
        std::memcpy(widened, values, static_cast<size_t>(n) * sizeof(float));
      } else {
        Convert(widening, values, reinterpret_cast<std::byte*>(widened), n);
      }
      f(elements.Places(first, n, places), widened, n);
    }
  }

  // Counts the elements [first, end) of each range.
  void Count(int64_t first, int64_t end, int64_t* counts) const {
    int64_t buffer[kPiece];
    for (; first < end; first += kPiece) {
      const int64_t n = std::min(kPiece, end - first);
      const int64_t* const places = elements.Places(first, n, buffer);
      for (int64_t i = 0; i < n; ++i) {
        if (places[i] >= 0) [[likely]]
          ++counts[places[i] >> kAddedRangeBits];
      }
    }
  }

  void Run() const {
    const int64_t chunk = std::max(kLeastAddedChunk, CeilDivide(elements.count, kMostAddedChunks));
    const int64_t chunks = CeilDivide(elements.count, chunk), ranges = CeilDivide(size, kAddedRange);
    const PoolMemory memory(elements.count * static_cast<int64_t>(sizeof(PlacedFloat)));
    const PoolMemory next_memory((chunks + 1) * ranges * static_cast<int64_t>(sizeof(int64_t)));
    auto* const placed = memory.As<PlacedFloat>();
    auto* const next = next_memory.As<int64_t>();  // where the next element goes, for each chunk and range
    int64_t* const begins = next + chunks * ranges;
    std::fill_n(next, chunks * ranges, int64_t{0});
    ForEachChunk({.count = chunks}, [&](int64_t k, std::byte*) {
      Count(k * chunk, std::min(elements.count, (k + 1) * chunk), next + k * ranges);
    });
    int64_t sum = 0;
    for (int64_t range = 0; range < ranges; ++range) {
      begins[range] = sum;
      for (int64_t k = 0; k < chunks; ++k) sum += std::exchange(next[k * ranges + range], sum);
    }
    ForEachChunk({.count = chunks}, [&](int64_t k, std::byte*) {
      int64_t* const to = next + k * ranges;
      ForEachPiece(k * chunk, std::min(elements.count, (k + 1) * chunk),
                   [&](const int64_t* places, const float* values, int64_t n) {
                     for (int64_t i = 0; i < n; ++i) {
                       if (places[i] >= 0) [[likely]]
                         placed[to[places[i] >> kAddedRangeBits]++] = {
                             static_cast<uint32_t>(places[i] & (kAddedRange - 1)), values[i]};
                     }
                   });
    });
    ForEachChunk({.count = ranges, .scratch_bytes = kAddedRange * static_cast<int64_t>(sizeof(double)), .differ = true},
                 [&](int64_t range, std::byte* scratch) {
                   auto* const sums = reinterpret_cast<double*>(scratch);
                   const int64_t first = range * kAddedRange, n = std::min(kAddedRange, size - first);
                   const PlacedFloat* const end = placed + (range + 1 < ranges ? begins[range + 1] : sum);
                   if (placed + begins[range] == end) return;
                   Load(first, n, sums);
                   for (const PlacedFloat* at = placed + begins[range]; at != end; ++at)
                     sums[at->place] += static_cast<double>(at->value);
                   Store(sums, first, n);
                 });
  }

  const PlacedElements& elements;
  std::byte* const array;
  const int64_t size;
  const int64_t bytes;
};

}  // namespace

bool AddsByRange(aclDataType dtype, int64_t size) {
  return size > kManySums && (dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16);
}

void AddByRange(const PlacedElements& elements, std::byte* array, int64_t size) {
  ElementAdder(elements, array, size).Run();
}

}  // namespace portacl::loops::moves
