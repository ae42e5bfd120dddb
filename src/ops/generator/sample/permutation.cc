// SPDX-License-Identifier: Apache-2.0
//
// An entry is an integer below the first bits of its key. Entries are distributed over buckets by the first of these
// bits, and each bucket is sorted in the cache. As keys are uniform, buckets have nearly the same size. Few entries
// have all of their bits in common: the rest of their keys is then drawn once more.
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
using loops::PoolMemory;
using loops::moves::StreamSource;

constexpr int64_t kLeastChunk = 64 * kBlock;
constexpr int64_t kMostChunks = 256;
constexpr int kMostBits = 11;    // of the number of buckets
constexpr int kBucketBits = 10;  // of the number of entries that a bucket should have
constexpr int kPlaceBits = 12;   // of the number of places over which a bucket is distributed, at most

struct PermutationPlan {
  StreamSource source;
  decltype(SampleFunctions::pairs) pairs;
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

struct PermutationTask {
  const PermutationPlan& plan;
  const Stream stream;
  std::byte* const out;

  uint64_t Mask() const { return (uint64_t{1} << plan.integer_bits) - 1; }
  size_t BucketOf(uint64_t entry) const { return static_cast<size_t>(entry >> 1 >> (63 - plan.bucket_bits)); }

  uint64_t KeyOf(uint64_t integer) const {
    uint64_t keys[kBlock];
    plan.pairs(stream, static_cast<int64_t>(integer & ~uint64_t{1}), keys);
    return keys[integer & 1];
  }

  // Writes the entries of a chunk, and counts those of each bucket.
  void MakeEntries(int64_t chunk, uint64_t* entries, int64_t* counts) const {
    uint64_t keys[kBlock];
    const int64_t end = std::min(plan.count, (chunk + 1) * plan.chunk);
    for (int64_t first = chunk * plan.chunk; first < end; first += kBlock) {
      plan.pairs(stream, first, keys);
      const int64_t n = std::min(kBlock, end - first);
      for (int64_t i = 0; i < n; ++i) {
        keys[i] = (keys[i] & ~Mask()) | static_cast<uint64_t>(first + i);
        ++counts[BucketOf(keys[i])];
      }
      std::copy(keys, keys + n, entries + first);
    }
  }

  // Distributes a bucket by the next bits of its entries, so that few remain to be compared.
  void SortBucket(const uint64_t* bucket, int64_t n, uint64_t* sorted) const {
    const int bits = std::min(static_cast<int>(std::bit_width(static_cast<uint64_t>(n))) + 1, kPlaceBits);
    const auto place = [&](uint64_t entry) { return static_cast<size_t>(entry << plan.bucket_bits >> (64 - bits)); };
    const int64_t places = int64_t{1} << bits;
    int32_t ends[(1 << kPlaceBits) + 1];
    std::fill_n(ends, places + 1, 0);
    for (int64_t i = 0; i < n; ++i) ++ends[place(bucket[i]) + 1];
    for (int64_t i = 0; i < places; ++i) ends[i + 1] += ends[i];
    for (int64_t i = 0; i < n; ++i) sorted[ends[place(bucket[i])]++] = bucket[i];
    if (n <= 4 * places) {
      for (int64_t i = 1; i < n; ++i) {
        const uint64_t entry = sorted[i];
        int64_t at = i;
        for (; at > 0 && sorted[at - 1] > entry; --at) sorted[at] = sorted[at - 1];
        sorted[at] = entry;
      }
    } else {
      for (int64_t i = 0; i < places; ++i) std::sort(sorted + (i == 0 ? 0 : ends[i - 1]), sorted + ends[i]);
    }
    for (int64_t i = 1; i < n; ++i) {
      if ((sorted[i - 1] ^ sorted[i]) <= Mask()) [[unlikely]]
        i = SortAlike(sorted, i - 1, n);
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
  const PoolMemory entries_memory(2 * plan.count * static_cast<int64_t>(sizeof(uint64_t)));
  const PoolMemory places_memory((chunks + 1) * buckets * static_cast<int64_t>(sizeof(int64_t)));
  auto* const entries = entries_memory.As<uint64_t>();
  uint64_t* const distributed = entries + plan.count;
  auto* const places = places_memory.As<int64_t>();  // of the next entry of each bucket, for each chunk
  std::fill_n(places, (chunks + 1) * buckets, int64_t{0});
  loops::ForEachChunk({.count = chunks},
                      [&](int64_t chunk, std::byte*) { task.MakeEntries(chunk, entries, places + chunk * buckets); });
  int64_t* const begins = places + chunks * buckets;
  int64_t next = 0;
  for (int64_t bucket = 0; bucket < buckets; ++bucket) {
    begins[bucket] = next;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      int64_t& place = places[chunk * buckets + bucket];
      next += std::exchange(place, next);
    }
  }
  loops::ForEachChunk({.count = chunks}, [&](int64_t chunk, std::byte*) {
    int64_t* const place = places + chunk * buckets;
    const int64_t end = std::min(plan.count, (chunk + 1) * plan.chunk);
    for (int64_t i = chunk * plan.chunk; i < end; ++i) distributed[place[task.BucketOf(entries[i])]++] = entries[i];
  });
  loops::ForEachChunk({.count = buckets, .is_serial = plan.serial}, [&](int64_t bucket, std::byte*) {
    const int64_t begin = begins[bucket], end = bucket + 1 < buckets ? begins[bucket + 1] : plan.count;
    task.SortBucket(distributed + begin, end - begin, entries + begin);
    task.Store(entries + begin, begin, end - begin);
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
  const int bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(count)));
  const int64_t chunk = CeilDivide(CeilDivide(count, kMostChunks), kBlock) * kBlock;
  const PermutationPlan permutation{.source = StreamSource(plan),
                                    .pairs = FunctionsFor(ActiveTarget()).pairs,
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
