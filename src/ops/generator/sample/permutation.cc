// SPDX-License-Identifier: Apache-2.0
//
// An entry is an integer below the first bits of its key. Entries are distributed over buckets by the first of these
// bits, and each bucket is sorted in the cache: its entries are distributed over the columns of a table, of a few each,
// and the columns are sorted side by side. As keys are uniform, buckets have nearly the same size, and so have columns.
// Few entries have all of their bits in common: the rest of their keys is then drawn once more.
#include "ops/generator/sample/permutation.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

constexpr int64_t kLeastChunk = 64 * kBlock;
constexpr int64_t kMostChunks = 256;
constexpr int kMostBits = 11;    // of the number of buckets
constexpr int kBucketBits = 14;  // a bucket should have half of that many entries, or fewer
constexpr int64_t kColumn = 5;   // the entries that a column should have: one of 70,000 then has more than kRows

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
};

// What one thread needs to sort a bucket.
struct BucketScratch {
  uint32_t* table;
  uint8_t* counts;  // of the entries in each column
  uint8_t* alike;
  uint64_t* sorted;
  uint64_t* others;

  // An odd multiple of kColumns, so that the rows of a column do not compete for the same lines of the cache.
  static int64_t ColumnsFor(int64_t n) { return (n / (kColumn * kColumns) | 1) * kColumns; }
};

struct BucketLayout {
  explicit BucketLayout(int64_t n) {
    const int64_t columns = BucketScratch::ColumnsFor(n);
    table = layout.Add<uint32_t>(columns * kRows);
    counts = layout.Add<uint8_t>(columns);
    alike = layout.Add<uint8_t>(columns / kColumns);
    sorted = layout.Add<uint64_t>(n + kRows);
    others = layout.Add<uint64_t>(n);
  }
  BucketScratch In(std::byte* scratch) const {
    return {table.In(scratch), counts.In(scratch), alike.In(scratch), sorted.In(scratch), others.In(scratch)};
  }

  loops::ScratchLayout layout;
  loops::ScratchPart<uint32_t> table;
  loops::ScratchPart<uint8_t> counts;
  loops::ScratchPart<uint8_t> alike;
  loops::ScratchPart<uint64_t> sorted;
  loops::ScratchPart<uint64_t> others;
};

struct PermutationTask {
  const PermutationPlan& plan;
  const Stream stream;
  std::byte* const out;

  uint64_t Mask() const { return (uint64_t{1} << plan.integer_bits) - 1; }
  size_t BucketOf(uint64_t entry) const { return static_cast<size_t>(entry >> 1 >> (63 - plan.bucket_bits)); }

  uint64_t KeyOf(uint64_t integer) const {
    uint64_t keys[kBlock];
    plan.functions.pairs(stream, static_cast<int64_t>(integer & ~uint64_t{1}), keys);
    return keys[integer & 1];
  }

  // Writes the entries of a chunk, and counts those of each bucket.
  void MakeEntries(int64_t chunk, uint64_t* entries, int64_t* counts) const {
    uint64_t keys[kBlock];
    const int64_t end = std::min(plan.count, (chunk + 1) * plan.chunk);
    for (int64_t first = chunk * plan.chunk; first < end; first += kBlock) {
      plan.functions.pairs(stream, first, keys);
      const int64_t n = std::min(kBlock, end - first);
      for (int64_t i = 0; i < n; ++i) entries[first + i] = (keys[i] & ~Mask()) | static_cast<uint64_t>(first + i);
      if (plan.bucket_bits == 0) {
        counts[0] += n;  // one by one, each would wait for the last
      } else {
        for (int64_t i = 0; i < n; ++i) ++counts[BucketOf(entries[first + i])];
      }
    }
  }

  // Sorts a bucket. A number of the table has the bits of an entry that follow those of its column, and its place in
  // the bucket; there are only ones where the column has no entry.
  void SortBucket(const uint64_t* bucket, int64_t n, const BucketScratch& scratch) const {
    const int64_t columns = BucketScratch::ColumnsFor(n);
    const uint32_t low = (uint32_t{1} << std::bit_width(static_cast<uint64_t>(n))) - 1;
    std::fill_n(scratch.counts, columns, uint8_t{0});
    std::fill_n(scratch.table, columns * kRows, ~uint32_t{0});
    int64_t others = 0;  // entries of full columns
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t place = (bucket[i] << plan.bucket_bits >> 32) * static_cast<uint64_t>(columns);
      const auto column = static_cast<int64_t>(place >> 32);
      const int64_t row = scratch.counts[column];
      if (row == kRows) [[unlikely]] {
        scratch.others[others++] = bucket[i];
        continue;
      }
      scratch.counts[column] = static_cast<uint8_t>(row + 1);
      scratch.table[row * columns + column] = (static_cast<uint32_t>(place) & ~low) | (low - static_cast<uint32_t>(i));
    }
    plan.functions.sort_columns(scratch.table, columns, low, scratch.alike);
    uint64_t* to = scratch.sorted;
    bool may_be_alike = others > 0;
    for (int64_t group = 0; group < columns; group += kColumns) {
      uint64_t* const begin = to;
      for (int64_t column = group; column < group + kColumns; ++column) {
        const uint32_t* const numbers = scratch.table + column;
        const int64_t count = scratch.counts[column];
        // What follows the entries of the column is overwritten, which costs less than branches that are mispredicted.
        for (int64_t row = 0; row < kRows / 2; ++row) to[row] = bucket[~numbers[row * columns] & low];
        if (count > kRows / 2) [[unlikely]] {
          for (int64_t row = kRows / 2; row < kRows; ++row) to[row] = bucket[~numbers[row * columns] & low];
        }
        to += count;
      }
      if (scratch.alike[group / kColumns] == 0) continue;
      std::sort(begin, to);
      may_be_alike = true;
    }
    for (int64_t i = 0; i < others; ++i, ++to) {
      uint64_t* const at = std::upper_bound(scratch.sorted, to, scratch.others[i]);
      std::copy_backward(at, to, to + 1);
      *at = scratch.others[i];
    }
    for (int64_t i = 1; may_be_alike && i < n; ++i) {
      if ((scratch.sorted[i - 1] ^ scratch.sorted[i]) <= Mask()) [[unlikely]]
        i = SortAlike(scratch.sorted, i - 1, n);
    }
  }

  // Sorts the entries that have the same bits as the one at `begin` by their whole keys; returns where they end.
  int64_t SortAlike(uint64_t* sorted, int64_t begin, int64_t n) const {
    int64_t end = begin + 1;
    while (end < n && (sorted[begin] ^ sorted[end]) <= Mask()) ++end;
    std::sort(sorted + begin, sorted + end, [&](uint64_t one, uint64_t other) {
      return std::pair(KeyOf(one & Mask()), one) < std::pair(KeyOf(other & Mask()), other);
    });
    return end;
  }

  // Stores the integers of sorted entries as elements from `first` on.
  void Store(const uint64_t* entries, int64_t first, int64_t n) const {
    alignas(16) std::byte elements[16 * kBlock];
    uint64_t integers[kBlock];
    for (int64_t at = 0; at < n; at += kBlock) {
      const int64_t count = std::min(kBlock, n - at);
      for (int64_t i = 0; i < count; ++i) integers[i] = entries[at + i] & Mask();
      const auto* from = reinterpret_cast<const std::byte*>(integers);
      if (plan.conversion->steps != 0) {
        loops::Convert(*plan.conversion, from, elements, count);
        from = elements;
      }
      std::byte* const to = out + (first + at) * plan.stride;
      if (plan.stride == plan.bytes) {
        std::memcpy(to, from, static_cast<size_t>(count * plan.bytes));
        continue;
      }
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(to + i * plan.stride, from + i * plan.bytes, static_cast<size_t>(plan.bytes));
    }
  }
};

int32_t RunPermutation(const exec::RunContext& context) {
  const auto& plan = context.Parameters<PermutationPlan>();
  const PermutationTask task{plan, plan.source.In(context), context.Address(plan.out)};
  const int64_t chunks = CeilDivide(plan.count, plan.chunk), buckets = int64_t{1} << plan.bucket_bits;
  const PoolMemory entries_memory(plan.count * static_cast<int64_t>(sizeof(uint64_t)));
  const PoolMemory distributed_memory(buckets == 1 ? 0 : plan.count * static_cast<int64_t>(sizeof(uint64_t)));
  const PoolMemory places_memory((chunks + 1) * buckets * static_cast<int64_t>(sizeof(int64_t)));
  auto* const entries = entries_memory.As<uint64_t>();
  auto* const distributed = buckets == 1 ? entries : distributed_memory.As<uint64_t>();
  auto* const places = places_memory.As<int64_t>();  // of the next entry of each bucket, for each chunk
  std::fill_n(places, (chunks + 1) * buckets, int64_t{0});
  loops::ForEachChunk({.count = chunks},
                      [&](int64_t chunk, std::byte*) { task.MakeEntries(chunk, entries, places + chunk * buckets); });
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
  const Chunks distributes{.count = buckets == 1 ? 0 : chunks};
  loops::ForEachChunk(distributes, [&](int64_t chunk, std::byte*) {
    int64_t* const place = places + chunk * buckets;
    const int64_t end = std::min(plan.count, (chunk + 1) * plan.chunk);
    for (int64_t i = chunk * plan.chunk; i < end; ++i) distributed[place[task.BucketOf(entries[i])]++] = entries[i];
  });
  const BucketLayout layout(largest);
  const Chunks sorts{.count = buckets, .is_serial = plan.serial, .scratch_bytes = layout.layout.bytes()};
  loops::ForEachChunk(sorts, [&](int64_t bucket, std::byte* memory) {
    const int64_t begin = begins[bucket], n = (bucket + 1 < buckets ? begins[bucket + 1] : plan.count) - begin;
    if (n == 0) return;
    const BucketScratch scratch = layout.In(memory);
    task.SortBucket(distributed + begin, n, scratch);
    task.Store(scratch.sorted, begin, n);
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
                                    .bucket_bits = std::clamp(bits - kBucketBits, 0, kMostBits),
                                    .serial = loops::MustBeSerial(plan, out)};
  plan.Run(RunPermutation, permutation,
           static_cast<int64_t>(std::min(static_cast<double>(count) * kNsPerElement, kMostNs)));
}

}  // namespace portacl::ops::sample
