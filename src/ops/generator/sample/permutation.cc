// SPDX-License-Identifier: Apache-2.0
//
// An entry is an integer below the first bits of its key. Entries are distributed over buckets by the first of these
// bits, and each bucket is sorted in the cache: its entries are distributed over slots by the bits that follow. As keys
// are uniform, buckets have nearly the same size, and most slots have at most one entry: what is left to sort is nearly
// sorted. Few entries have all of their bits in common: the rest of their keys is then drawn once more.
#include "ops/generator/sample/permutation.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "base/dtype.h"
#include "base/target.h"
#include "loops/elements/conversion.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/scratch.h"
#include "ops/generator/sample/sample_lanes.h"

namespace portacl::ops::sample {
namespace {

using loops::CeilDivide;
using loops::Chunks;
using loops::PoolMemory;
using loops::moves::StreamSource;

constexpr int64_t kLeastChunk = 256 * kBlock;
constexpr int64_t kMostChunks = 256;
// Fewer entries are one bucket. Where few buckets are next to be written to, each store waits for the one before it
// that had the same bucket: with 2^10 buckets, an entry of 2^18 is distributed in 1.4 ns, with 2^4 in 2.9 (Zen 3,
// 2026-11-30).
constexpr int kLeastBits = 17;
constexpr int kBucketBits = 10;

struct PermutationPlan {
  StreamSource source;
  SampleFunctions functions;
  const loops::Conversion* conversion;
  int64_t count;
  int64_t chunk;   // entries
  int64_t stride;  // in bytes
  int64_t bytes;   // per element
  int out;
  int integer_bits;
  int bucket_bits;
  bool serial;

  // Whether the elements are the integers, next to each other.
  bool IsDirect() const { return conversion->steps == 0 && stride == static_cast<int64_t>(sizeof(uint64_t)); }
};

// The bits of the number of slots of a bucket of n entries.
int SlotBits(int64_t n) { return std::max(1, static_cast<int>(std::bit_width(static_cast<uint64_t>(n - 1)))); }

// What one thread needs to sort a bucket. Short places leave more of the first-level cache to the entries.
using ShortPlace = uint16_t;
using LongPlace = uint32_t;
struct BucketLayout {
  BucketLayout(const PermutationPlan& plan, int64_t n) : is_short(n <= std::numeric_limits<ShortPlace>::max()) {
    const int64_t bytes = is_short ? sizeof(ShortPlace) : sizeof(LongPlace);
    places = layout.Add<std::byte>(bytes << SlotBits(n));
    sorted = layout.Add<uint64_t>(n);
    integers = layout.Add<uint64_t>(plan.IsDirect() ? 0 : n);
  }
  loops::ScratchLayout layout;
  bool is_short;
  loops::ScratchPart<std::byte> places;  // of the next entry of each slot
  loops::ScratchPart<uint64_t> sorted;
  loops::ScratchPart<uint64_t> integers;
};

struct PermutationTask {
  const PermutationPlan& plan;
  const Stream stream;
  std::byte* const out;

  uint64_t Mask() const { return (uint64_t{1} << plan.integer_bits) - 1; }
  size_t BucketOf(uint64_t entry) const { return static_cast<size_t>(entry >> 1 >> (63 - plan.bucket_bits)); }

  uint64_t KeyOf(uint64_t integer) const {
    uint64_t keys[kBlock];
    plan.functions.pairs(stream, static_cast<int64_t>(integer & ~uint64_t{1}), 0, keys);
    return keys[integer & 1];
  }

  bool IsLess(uint64_t one, uint64_t other) const {
    if ((one ^ other) > Mask()) return one < other;
    return std::pair(KeyOf(one & Mask()), one) < std::pair(KeyOf(other & Mask()), other);
  }

  // Writes the entries [first, end), of which the first begins a block.
  void MakeEntries(int64_t first, int64_t end, uint64_t* entries) const {
    for (; first + kBlock <= end; first += kBlock) plan.functions.pairs(stream, first, Mask(), entries + first);
    if (first == end) return;
    uint64_t rest[kBlock];
    plan.functions.pairs(stream, first, Mask(), rest);
    std::copy_n(rest, end - first, entries + first);
  }

  // Sorts a bucket, and stores its integers as elements from `first` on.
  template <class Place>
  void SortBucket(const uint64_t* bucket, int64_t n, const BucketLayout& layout, std::byte* scratch,
                  int64_t first) const {
    const int bits = SlotBits(n), shift = 64 - plan.bucket_bits - bits;
    const int64_t slots = int64_t{1} << bits;
    const uint64_t last_slot = static_cast<uint64_t>(slots) - 1;
    auto* const places = reinterpret_cast<Place*>(layout.places.In(scratch));
    uint64_t* const sorted = layout.sorted.In(scratch);
    std::fill_n(places, slots, Place{0});
    for (int64_t i = 0; i < n; ++i) ++places[bucket[i] >> shift & last_slot];
    Place next = 0;
    for (int64_t slot = 0; slot < slots; ++slot) {
      const Place count = places[slot];
      places[slot] = next;
      next = static_cast<Place>(next + count);
    }
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t entry = bucket[i];
      sorted[places[entry >> shift & last_slot]++] = entry;
    }
    std::byte* const to = out + first * plan.stride;
    if (plan.IsDirect()) return SortByInsertion(sorted, n, reinterpret_cast<uint64_t*>(to));
    uint64_t* const integers = layout.integers.In(scratch);
    SortByInsertion(sorted, n, integers);
    Store(integers, n, to);
  }
  void SortBucket(const uint64_t* bucket, int64_t n, const BucketLayout& layout, std::byte* scratch,
                  int64_t first) const {
    if (layout.is_short) return SortBucket<ShortPlace>(bucket, n, layout, scratch, first);
    SortBucket<LongPlace>(bucket, n, layout, scratch, first);
  }

  // Sorts entries of which few are out of place, and writes their integers. The largest one so far is kept back, so
  // that neighbours change places without a branch, which would be mispredicted.
  void SortByInsertion(uint64_t* entries, int64_t n, uint64_t* integers) const {
    const uint64_t mask = Mask();
    uint64_t largest = entries[0], last = 0;
    for (int64_t i = 1; i < n; ++i) {
      const uint64_t smaller = std::min(largest, entries[i]);
      largest = std::max(largest, entries[i]);
      entries[i - 1] = smaller;
      integers[i - 1] = smaller & mask;
      const bool is_next = smaller > (last | mask);
      last = smaller;
      if (!is_next) [[unlikely]]
        last = Insert(entries, i - 1, integers);
    }
    entries[n - 1] = largest;
    Insert(entries, n - 1, integers);
  }

  // Moves an entry to its place among those before it, which are sorted. Returns the last of them.
  uint64_t Insert(uint64_t* entries, int64_t at, uint64_t* integers) const {
    const uint64_t entry = entries[at];
    const int64_t end = at;
    for (; at > 0 && IsLess(entry, entries[at - 1]); --at) {
      entries[at] = entries[at - 1];
      integers[at] = integers[at - 1];
    }
    entries[at] = entry;
    integers[at] = entry & Mask();
    return entries[end];
  }

  // Stores integers as elements.
  void Store(const uint64_t* integers, int64_t n, std::byte* to) const {
    alignas(16) std::byte elements[16 * kBlock];
    for (int64_t at = 0; at < n; at += kBlock, to += kBlock * plan.stride) {
      const int64_t count = std::min(kBlock, n - at);
      const auto* from = reinterpret_cast<const std::byte*>(integers + at);
      if (plan.conversion->steps != 0) {
        loops::Convert(*plan.conversion, from, plan.stride == plan.bytes ? to : elements, count);
        if (plan.stride == plan.bytes) continue;
        from = elements;
      }
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(to + i * plan.stride, from + i * plan.bytes, static_cast<size_t>(plan.bytes));
    }
  }
};

void SortAll(const PermutationTask& task) {
  const int64_t n = task.plan.count;
  BucketLayout layout(task.plan, n);
  const auto entries = layout.layout.Add<uint64_t>(n);
  loops::WithScratch(layout.layout.bytes(), [&](std::byte* scratch) {
    task.MakeEntries(0, n, entries.In(scratch));
    task.SortBucket(entries.In(scratch), n, layout, scratch, 0);
  });
}

int32_t RunPermutation(const exec::RunContext& context) {
  const auto& plan = context.Parameters<PermutationPlan>();
  const PermutationTask task{plan, plan.source.In(context), context.Address(plan.out)};
  if (plan.bucket_bits == 0) {
    SortAll(task);
    return 0;
  }
  const int64_t chunks = CeilDivide(plan.count, plan.chunk), buckets = int64_t{1} << plan.bucket_bits;
  // Until it gets the integers, the output has room for the entries.
  uint64_t* const in_output = plan.IsDirect() ? reinterpret_cast<uint64_t*>(task.out) : nullptr;
  const PoolMemory entries_memory(in_output == nullptr ? plan.count * static_cast<int64_t>(sizeof(uint64_t)) : 0);
  const PoolMemory distributed_memory(plan.count * static_cast<int64_t>(sizeof(uint64_t)));
  const PoolMemory places_memory((chunks + 1) * buckets * static_cast<int64_t>(sizeof(int64_t)));
  auto* const entries = in_output == nullptr ? entries_memory.As<uint64_t>() : in_output;
  auto* const distributed = distributed_memory.As<uint64_t>();
  auto* const places = places_memory.As<int64_t>();  // of the next entry of each bucket, for each chunk
  std::fill_n(places, (chunks + 1) * buckets, int64_t{0});
  const auto end_of = [&](int64_t chunk) { return std::min(plan.count, (chunk + 1) * plan.chunk); };
  loops::ForEachChunk({.count = chunks}, [&](int64_t chunk, std::byte*) {
    const int64_t begin = chunk * plan.chunk, end = end_of(chunk);
    int64_t* const counts = places + chunk * buckets;
    task.MakeEntries(begin, end, entries);
    for (int64_t i = begin; i < end; ++i) ++counts[task.BucketOf(entries[i])];
  });
  int64_t* const begins = places + chunks * buckets;
  int64_t next = 0, largest = 0;
  for (int64_t bucket = 0; bucket < buckets; ++bucket) {
    begins[bucket] = next;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      int64_t& place = places[chunk * buckets + bucket];
      next += std::exchange(place, next);
    }
    largest = std::max(largest, next - begins[bucket]);
  }
  loops::ForEachChunk({.count = chunks}, [&](int64_t chunk, std::byte*) {
    int64_t* const place = places + chunk * buckets;
    const int64_t end = end_of(chunk);
    for (int64_t i = chunk * plan.chunk; i < end; ++i) distributed[place[task.BucketOf(entries[i])]++] = entries[i];
  });
  const BucketLayout layout(plan, largest);
  const Chunks sorts{.count = buckets, .is_serial = plan.serial, .scratch_bytes = layout.layout.bytes()};
  loops::ForEachChunk(sorts, [&](int64_t bucket, std::byte* scratch) {
    const int64_t begin = begins[bucket], n = (bucket + 1 < buckets ? begins[bucket + 1] : plan.count) - begin;
    if (n == 0) return;
    task.SortBucket(distributed + begin, n, layout, scratch, begin);
  });
  return 0;
}

}  // namespace

void PlanPermutation(exec::PlanBuilder& plan) {
  constexpr double kNsPerElement = 10, kMostNs = 1e18;
  const int out = plan.Output("out");
  const View& view = plan.OperandView(out);
  const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  const int64_t count = view.shape[0];
  const int bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(count - 1)));
  const int64_t chunk = CeilDivide(CeilDivide(count, kMostChunks), kBlock) * kBlock;
  const PermutationPlan permutation{.source = StreamSource(plan),
                                    .functions = FunctionsFor(ActiveTarget()),
                                    .conversion = &loops::ConversionOf(ACL_INT64, view.dtype),
                                    .count = count,
                                    .chunk = std::max(chunk, kLeastChunk),
                                    .stride = view.step(0) * bytes,
                                    .bytes = bytes,
                                    .out = out,
                                    .integer_bits = bits,
                                    .bucket_bits = bits < kLeastBits ? 0 : kBucketBits,
                                    .serial = loops::MustBeSerial(plan, out)};
  plan.Run(RunPermutation, permutation,
           static_cast<int64_t>(std::min(static_cast<double>(count) * kNsPerElement, kMostNs)));
}

}  // namespace portacl::ops::sample
