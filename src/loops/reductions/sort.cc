// SPDX-License-Identifier: Apache-2.0
//
// Elements are mapped to unsigned integers in the same order, each followed by its position in the row. No two of these
// are equal, so any sorting algorithm keeps the order of equal elements. Short rows are sorted by comparison, longer
// ones by radix, one byte of the integer at a time.
#include "loops/reductions/sort.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/dtype.h"
#include "base/tuning.h"
#include "loops/elements/conversion.h"
#include "loops/tiles/rows.h"

namespace portacl::loops::reductions {
namespace {

struct SortParameters {
  const Conversion* store;  // for values; null: there are no values
  int64_t element_bytes;
  bool descending;
};

// These classes map the bits of an element to an unsigned integer in the same order.
struct UnsignedOrder {
  template <class Bits>
  static Bits Rank(Bits bits) {
    return bits;
  }
};
struct BoolOrder {
  static uint8_t Rank(uint8_t bits) { return bits != 0 ? 1 : 0; }
};
template <class Bits>
constexpr Bits kSignBit = static_cast<Bits>(Bits{1} << (std::numeric_limits<Bits>::digits - 1));
struct SignedOrder {
  template <class Bits>
  static Bits Rank(Bits bits) {
    return bits ^ kSignBit<Bits>;
  }
};
template <int kExponentBits>
struct FloatingOrder {
  template <class Bits>
  static Bits Rank(Bits bits) {
    constexpr Bits kSign = kSignBit<Bits>;
    constexpr auto kInfinity = static_cast<Bits>(kSign - (kSign >> kExponentBits));
    const auto magnitude = static_cast<Bits>(bits & ~kSign);
    if (magnitude > kInfinity) return std::numeric_limits<Bits>::max();
    if (magnitude == 0) return kSign;
    return static_cast<Bits>(bits == magnitude ? bits | kSign : ~bits);
  }
};

// A record is an integer of up to 32 bits above a position, or one of 64 bits beside it.
struct ShortRecord {
  uint64_t bits;
  ShortRecord() = default;
  ShortRecord(uint64_t rank, uint64_t place) : bits(rank << 32 | place) {}
  uint64_t rank() const { return bits >> 32; }
  int64_t place() const { return static_cast<int64_t>(bits & 0xFFFFFFFF); }
  bool operator<(const ShortRecord& other) const { return bits < other.bits; }
};
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

constexpr int64_t kFewRecords = 512;
constexpr int kBuckets = 256;

// Sorts n records. The result is in one of the two arrays, each of n records.
template <size_t kBytes, class Record>
const Record* SortRecords(Record* records, Record* others, int64_t n) {
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

template <class Record>
void StoreValues(const SortParameters& parameters, const Record* sorted, const std::byte* elements, int64_t n,
                 const TileOperand& values) {
  constexpr int64_t kSortedBlock = 512;
  alignas(64) std::byte block[8 * kSortedBlock];
  const int64_t bytes = parameters.element_bytes;
  for (int64_t first = 0; first < n; first += kSortedBlock) {
    const int64_t count = std::min(kSortedBlock, n - first);
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(block + i * bytes, elements + sorted[first + i].place() * bytes, static_cast<size_t>(bytes));
    Convert(*parameters.store, block, values.base + first * values.column_stride, count);
  }
}

// Operands of the tile: self, values if there are any, indices.
template <class Bits, class Order, class Record>
void SortRows(const Tile& tile) {
  const auto& parameters = *static_cast<const SortParameters*>(tile.parameters);
  const int64_t n = tile.columns;
  auto* const records = static_cast<Record*>(tile.scratch);
  auto* const copy = reinterpret_cast<std::byte*>(records + 2 * n);  // values may overwrite self
  const auto flip = static_cast<Bits>(parameters.descending ? std::numeric_limits<Bits>::max() : 0);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const std::byte* const self = tile.Row<const std::byte>(0, row);
    for (int64_t i = 0; i < n; ++i) {
      Bits bits;
      std::memcpy(&bits, self + i * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
      records[i] = Record(static_cast<Bits>(Order::Rank(bits) ^ flip), static_cast<uint64_t>(i));
    }
    if (parameters.store != nullptr) std::memcpy(copy, self, static_cast<size_t>(n) * sizeof(Bits));
    const Record* const sorted = SortRecords<sizeof(Bits)>(records, records + n, n);
    if (parameters.store != nullptr) {
      TileOperand values = tile.operand[1];
      values.base += row * values.row_stride;
      StoreValues(parameters, sorted, copy, n, values);
    }
    auto* const indices = tile.Row<int64_t>(parameters.store != nullptr ? 2 : 1, row);
    for (int64_t i = 0; i < n; ++i) indices[i] = sorted[i].place();
  }
}

LaneFunction SortFunction(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT:
      return SortRows<uint32_t, FloatingOrder<8>, ShortRecord>;
    case ACL_BF16:
      return SortRows<uint16_t, FloatingOrder<8>, ShortRecord>;
    case ACL_FLOAT16:
      return SortRows<uint16_t, FloatingOrder<5>, ShortRecord>;
    case ACL_INT8:
      return SortRows<uint8_t, SignedOrder, ShortRecord>;
    case ACL_INT16:
      return SortRows<uint16_t, SignedOrder, ShortRecord>;
    case ACL_INT32:
      return SortRows<uint32_t, SignedOrder, ShortRecord>;
    case ACL_INT64:
      return SortRows<uint64_t, SignedOrder, LongRecord>;
    case ACL_UINT8:
      return SortRows<uint8_t, UnsignedOrder, ShortRecord>;
    default:
      return SortRows<uint8_t, BoolOrder, ShortRecord>;
  }
}

}  // namespace

inline namespace v1 {

void Sort(exec::PlanBuilder& plan, int self, int axis, bool descending, int values, int indices) {
  const View& from = plan.OperandView(self);
  const auto bytes = static_cast<int64_t>(ElementBytes(from.dtype));
  const bool has_values = values != kNoValues;
  const auto record_bytes = static_cast<int64_t>(bytes > 4 ? sizeof(LongRecord) : sizeof(ShortRecord));
  const int64_t columns = from.rank == 0 ? 1 : from.shape[axis];
  const RowKernel kernel{.run = SortFunction(from.dtype),
                         .ns_per_element = CurrentTuning().sort_ns,
                         .outputs = has_values ? 2 : 1,
                         .scratch_bytes = columns * (2 * record_bytes + (has_values ? bytes : 0))};
  const auto rows = [&](int operand) { return OperandPart(operand, RowsAlong(plan.OperandView(operand), axis)); };
  SortParameters parameters{nullptr, bytes, descending};
  if (!has_values) return Rows(plan, {rows(self), rows(indices)}, kernel, parameters);
  parameters.store = &ConversionOf(from.dtype, plan.OperandView(values).dtype);
  Rows(plan, {rows(self), rows(values), rows(indices)}, kernel, parameters);
}

}  // namespace v1
}  // namespace portacl::loops::reductions
