// SPDX-License-Identifier: Apache-2.0
//
// Records of the elements of a row: the rank of an element, an unsigned integer that has the order of the elements, and
// its position. No two records of a row are equal, so any sorting algorithm keeps the order of equal elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace portacl::loops::reductions {

/// A rank of up to 32 bits above a position.
struct ShortRecord {
  uint64_t bits;
  ShortRecord() = default;
  ShortRecord(uint64_t rank, uint64_t place) : bits(rank << 32 | place) {}
  uint64_t rank() const { return bits >> 32; }
  int64_t place() const { return static_cast<int64_t>(bits & 0xFFFFFFFF); }
  bool operator<(const ShortRecord& other) const { return bits < other.bits; }
};

/// A rank of 64 bits beside a position.
struct LongRecord {
  uint64_t number;
  uint64_t index;
  LongRecord() = default;
  LongRecord(uint64_t rank, uint64_t place) : number(rank), index(place) {}
  uint64_t rank() const { return number; }
  int64_t place() const { return static_cast<int64_t>(index); }
  bool operator<(const LongRecord& other) const {
    return number != other.number ? number < other.number : index < other.index;
  }
};

/// Fewer records than this are sorted by comparison, others by radix, one byte of the rank at a time.
inline constexpr int64_t kFewRecords = 512;

/// Sorts n records whose ranks have kBytes bytes and whose positions ascend. The result is in one of the two arrays, each
/// of n records.
template <size_t kBytes, class Record>
Record* SortRecords(Record* records, Record* others, int64_t n) {
  constexpr int kBuckets = 256;
  if (n <= kFewRecords) {
    std::sort(records, records + n);
    return records;
  }
  uint32_t counts[kBytes][kBuckets] = {};
  for (int64_t i = 0; i < n; ++i) {
    for (size_t byte = 0; byte < kBytes; ++byte) ++counts[byte][records[i].rank() >> (8 * byte) & 0xFF];
  }
  for (size_t byte = 0; byte < kBytes; ++byte) {
    uint32_t* const starts = counts[byte];
    if (starts[records[0].rank() >> (8 * byte) & 0xFF] == n) continue;
    uint32_t start = 0;
    for (int bucket = 0; bucket < kBuckets; ++bucket) {
      const uint32_t count = starts[bucket];
      starts[bucket] = start;
      start += count;
    }
    for (int64_t i = 0; i < n; ++i) others[starts[records[i].rank() >> (8 * byte) & 0xFF]++] = records[i];
    std::swap(records, others);
  }
  return records;
}

}  // namespace portacl::loops::reductions
