// SPDX-License-Identifier: Apache-2.0
//
// The keys are distributed over buckets by their first bits, and each bucket is sorted in the cache. As keys are
// uniform, buckets have nearly the same size. Keys are drawn twice, which takes less time than to keep them.
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
using loops::RunChunks;
using loops::moves::StreamSource;

constexpr int64_t kKeysPerChunk = 64 * kBlock;
constexpr int kMostBits = 11;    // of the number of buckets
constexpr int kBucketBits = 12;  // of the elements that a bucket should have

struct PermutationPlan {
  StreamSource source;
  decltype(SampleFunctions::pairs) pairs;
  const loops::Conversion* conversion;
  int64_t count;
  int64_t stride;  // in bytes
  int64_t bytes;   // per element
  int out;
  int bits;  // of the number of buckets
  bool serial;
};

// Keys come first: pairs are compared by them.
using Entry = std::pair<uint64_t, int64_t>;

struct PermutationTask {
  const PermutationPlan& plan;
  const Stream stream;
  std::byte* const out;

  int64_t Buckets() const { return int64_t{1} << plan.bits; }
  int64_t BucketOf(uint64_t key) const { return static_cast<int64_t>(key >> 1 >> (63 - plan.bits)); }

  // Calls f(key, i) for the integers of a chunk.
  template <class F>
  void ForKeys(int64_t chunk, const F& f) const {
    uint64_t keys[kBlock];
    const int64_t end = std::min(plan.count, (chunk + 1) * kKeysPerChunk);
    for (int64_t first = chunk * kKeysPerChunk; first < end; first += kBlock) {
      plan.pairs(stream, first, keys);
      for (int64_t i = 0; i < std::min(kBlock, end - first); ++i) f(keys[i], first + i);
    }
  }

  // Stores the integers of sorted entries as elements from `first` on.
  void Store(const Entry* entries, int64_t first, int64_t n) const {
    alignas(16) std::byte elements[16 * kBlock];
    int64_t integers[kBlock];
    for (int64_t at = 0; at < n; at += kBlock) {
      const int64_t count = std::min(kBlock, n - at);
      for (int64_t i = 0; i < count; ++i) integers[i] = entries[at + i].second;
      std::memcpy(elements, integers, static_cast<size_t>(count) * sizeof(int64_t));
      if (plan.conversion->steps != 0)
        loops::Convert(*plan.conversion, reinterpret_cast<const std::byte*>(integers), elements, count);
      std::byte* const to = out + (first + at) * plan.stride;
      if (plan.stride == plan.bytes) {
        std::memcpy(to, elements, static_cast<size_t>(count * plan.bytes));
        continue;
      }
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(to + i * plan.stride, elements + i * plan.bytes, static_cast<size_t>(plan.bytes));
    }
  }

  // Distributes a bucket by the next bits of its keys, so that few entries remain to be compared.
  void SortBucket(const Entry* bucket, int64_t n, Entry* sorted) const {
    const int bits = std::clamp(static_cast<int>(std::bit_width(static_cast<uint64_t>(n))), 1, kMostBits);
    const auto place = [&](uint64_t key) { return static_cast<size_t>(key << plan.bits >> (64 - bits)); };
    int64_t ends[(1 << kMostBits) + 1] = {};
    for (int64_t i = 0; i < n; ++i) ++ends[place(bucket[i].first) + 1];
    for (int64_t i = 0; i < int64_t{1} << bits; ++i) ends[i + 1] += ends[i];
    for (int64_t i = 0; i < n; ++i) sorted[ends[place(bucket[i].first)]++] = bucket[i];
    int64_t begin = 0;
    for (int64_t i = 0; i < int64_t{1} << bits; ++i) {
      if (ends[i] - begin > 1) std::sort(sorted + begin, sorted + ends[i]);
      begin = ends[i];
    }
  }
};

int32_t RunPermutation(const exec::RunContext& context) {
  const auto& plan = context.Parameters<PermutationPlan>();
  const PermutationTask task{plan, plan.source.In(context), context.Address(plan.out)};
  const int64_t chunks = CeilDivide(plan.count, kKeysPerChunk), buckets = task.Buckets();
  const PoolMemory entries_memory(plan.count * static_cast<int64_t>(sizeof(Entry)));
  const PoolMemory sorted_memory(plan.count * static_cast<int64_t>(sizeof(Entry)));
  const PoolMemory places_memory((chunks + 1) * buckets * static_cast<int64_t>(sizeof(int64_t)));
  auto* const entries = entries_memory.As<Entry>();
  auto* const sorted = sorted_memory.As<Entry>();
  auto* const places = places_memory.As<int64_t>();  // of the next entry of each bucket, for each chunk
  loops::ForEachChunk({.count = chunks}, [&](int64_t chunk, std::byte*) {
    int64_t* const counts = places + chunk * buckets;
    std::fill_n(counts, buckets, int64_t{0});
    task.ForKeys(chunk, [&](uint64_t key, int64_t) { ++counts[task.BucketOf(key)]; });
  });
  int64_t* const begins = places + chunks * buckets;
  int64_t next = 0;
  for (int64_t bucket = 0; bucket < buckets; ++bucket) {
    begins[bucket] = next;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) next += std::exchange(places[chunk * buckets + bucket], next);
  }
  loops::ForEachChunk({.count = chunks}, [&](int64_t chunk, std::byte*) {
    int64_t* const place = places + chunk * buckets;
    task.ForKeys(chunk, [&](uint64_t key, int64_t i) { entries[place[task.BucketOf(key)]++] = {key, i}; });
  });
  loops::ForEachChunk({.count = buckets, .is_serial = plan.serial}, [&](int64_t bucket, std::byte*) {
    const int64_t begin = begins[bucket], end = bucket + 1 < buckets ? begins[bucket + 1] : plan.count;
    task.SortBucket(entries + begin, end - begin, sorted + begin);
    task.Store(sorted + begin, begin, end - begin);
  });
  return 0;
}

}  // namespace

void PlanPermutation(exec::PlanBuilder& plan) {
  constexpr double kNsPerElement = 15, kMostNs = 1e18;
  const int out = plan.Output("out");
  const View& view = plan.OperandView(out);
  const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  const int64_t count = view.shape[0];
  const int bits =
      std::clamp(static_cast<int>(std::bit_width(static_cast<uint64_t>(count))) - kBucketBits, 0, kMostBits);
  const PermutationPlan permutation{.source = StreamSource(plan),
                                    .pairs = FunctionsFor(ActiveTarget()).pairs,
                                    .conversion = &loops::ConversionOf(ACL_INT64, view.dtype),
                                    .count = count,
                                    .stride = view.step(0) * bytes,
                                    .bytes = bytes,
                                    .out = out,
                                    .bits = bits,
                                    .serial = loops::MustBeSerial(plan, out)};
  plan.Run(RunPermutation, permutation,
           static_cast<int64_t>(std::min(static_cast<double>(count) * kNsPerElement, kMostNs)));
}

}  // namespace portacl::ops::sample
