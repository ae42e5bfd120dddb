// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/index_table.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "acl/error_codes/rt_error_codes.h"
#include "base/status.h"
#include "base/target.h"
#include "loops/tiles/chunks.h"

namespace portacl::loops::moves {
namespace {

// Elements from which on the rows of broadcast indices are taken one by one.
constexpr int64_t kLeastLongRow = 32;

template <class T>
bool AddOffsets(const T* index, int64_t n, int64_t limit, int64_t stride, bool is_first, int64_t* offsets) {
  bool good = true;
  for (int64_t i = 0; i < n; ++i) {
    int64_t place = index[i];
    place += place < 0 ? limit : 0;
    const bool names_it = static_cast<uint64_t>(place) < static_cast<uint64_t>(limit);
    const int64_t before = is_first ? 0 : offsets[i];
    offsets[i] = names_it && before >= 0 ? before + place * stride : IndexTable::kNone;
    good &= names_it;
  }
  return good;
}

// The axes [first, first + axes) of a view.
View AxesOf(const View& view, int first, int axes) {
  View part = view;
  part.rank = axes;
  std::copy_n(view.shape + first, axes, part.shape);
  std::copy_n(view.strides + first, axes, part.strides);
  return part;
}

}  // namespace

TablePlan::TablePlan(const exec::PlanBuilder& plan, const View& self, int indices, const IndexEntries& entries_of)
    : api(plan.schema().api),
      shape(entries_of.shape()),
      has_mask(entries_of.has_mask()),
      narrow(nullptr),
      has_long_rows(false),
      has_like_rows(false),
      count(0) {
  bool is_dense = true, is_broadcast = false, is_line = true;
  for (const IndexEntry& item : entries_of.items()) {
    const int operand = plan.Operand(indices, item.element);
    const View& view = plan.OperandView(operand);
    const View axes = AxesOf(self, item.axis, item.axes);
    TableEntry& entry = entries[count++];
    entry.operand = operand;
    entry.element = item.element;
    entry.is_mask = item.is_mask;
    if (item.is_mask) {
      entry.mask = Tested(plan, operand, view.dims());
      entry.places = Sequence(axes, axes.dims());
    } else {
      entry.is_wide = view.dtype == ACL_INT64;
      entry.limit = axes.shape[0];
      entry.stride = axes.step(0);
      entry.index = view;
      const int last = view.rank - 1;
      entry.varies_in_rows = view.rank > 0 && view.shape[last] > 1;
      is_dense = is_dense && (!entry.varies_in_rows || view.strides[last] == 1);
      is_line = is_line && (!entry.varies_in_rows ||
                            std::all_of(view.shape, view.shape + last, [](int64_t size) { return size == 1; }));
      is_broadcast = is_broadcast || std::ranges::find(view.dims(), 1) != view.dims().end() || view.rank < shape.rank;
    }
  }
  has_long_rows =
      !has_mask && is_broadcast && is_dense && shape.rank > 0 && shape.dims[shape.rank - 1] >= kLeastLongRow;
  has_like_rows = has_long_rows && is_line;
  if (count == 1 && !has_mask && entries[0].stride == 1 && IsContiguous(entries[0].index) &&
      entries[0].limit <= kMostPlaces)
    narrow = PlaceLanes(entries[0].is_wide, ActiveTarget());
}

IndexTable::IndexTable(const TablePlan& plan, const exec::RunContext& context)
    : plan_(plan), context_(context), shape_(plan.shape) {
  for (int k = 0; k < plan.count; ++k) {
    if (!plan.entries[k].is_mask) continue;
    const int64_t found = bits_[k].emplace(plan.entries[k].mask, context).count();
    int64_t& last = shape_.dims[shape_.rank - 1];
    if (last == 1) last = found;
    masks_fit_ = masks_fit_ && (found == last || found == 1);
  }
  for (const int64_t size : shape_.span()) count_ *= size;
}

int32_t IndexTable::CheckSize(int64_t size, bool broadcasts) const {
  if (!masks_fit_) {
    return Failf(ACL_ERROR_RT_AICORE_EXCEPTION,
                 "{}: argument 'indices': expected masks with as many elements as the other indices have", plan_.api);
  }
  if (!plan_.has_mask || size == kAnySize) return 0;
  const int64_t found = shape_.dims[shape_.rank - 1];
  if (found == size || (broadcasts && size == 1)) return 0;
  return Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument 'indices': expected masks that name {} elements, got {}",
               plan_.api, size, found);
}

void IndexTable::PlacesOfMask(int number) {
  const NonzeroBits& bits = *bits_[number];
  const Sequence& axes = plan_.entries[number].places;
  int64_t* const places =
      mask_places_[number].emplace(bits.count() * static_cast<int64_t>(sizeof(int64_t))).As<int64_t>();
  ScratchLayout layout;
  const auto positions = layout.Add<uint32_t>(NonzeroBits::kPiece + kPositionsSlack);
  bits.ForEachPiece(false, layout.bytes(), [&](const NonzeroBits::Piece& piece, std::byte* scratch) {
    bits.Positions(piece, positions.In(scratch));
    Sequence::Walk walk(axes);
    for (int64_t i = 0; i < piece.count; ++i)
      places[piece.before + i] = walk.PlaceOf(piece.begin + positions.In(scratch)[i]) / axes.bytes();
  });
}

bool IndexTable::AddEntry(int number, int64_t begin, int64_t n, std::byte* scratch, int64_t* offsets) const {
  const TableEntry& entry = plan_.entries[number];
  if (entry.is_mask) {
    const View places = {.dtype = ACL_INT64, .rank = 1, .shape = {bits_[number]->count()}, .strides = {1}};
    const auto* const read = reinterpret_cast<const int64_t*>(
        Sequence(places, shape_.span()).Read(mask_places_[number]->As(), begin, n, scratch));
    return AddOffsets(read, n, std::numeric_limits<int64_t>::max(), 1, number == 0, offsets);
  }
  const std::byte* const read =
      Sequence(entry.index, shape_.span()).Read(context_.Address(entry.operand), begin, n, scratch);
  if (entry.is_wide) {
    return AddOffsets(reinterpret_cast<const int64_t*>(read), n, entry.limit, entry.stride, number == 0, offsets);
  }
  return AddOffsets(reinterpret_cast<const int32_t*>(read), n, entry.limit, entry.stride, number == 0, offsets);
}

void IndexTable::FindPlaces() {
  for (int k = 0; k < plan_.count; ++k) {
    if (plan_.entries[k].is_mask) PlacesOfMask(k);
  }
}

int64_t IndexTable::OffsetOfRow(int64_t begin) const {
  int64_t offset = 0;
  for (int k = 0; k < plan_.count; ++k) {
    const TableEntry& entry = plan_.entries[k];
    if (entry.varies_in_rows) continue;
    int64_t place =
        ReadIndex(context_.Address(entry.operand) + Sequence(entry.index, shape_.span()).PlaceOf(begin), entry.is_wide);
    place += place < 0 ? entry.limit : 0;
    if (static_cast<uint64_t>(place) >= static_cast<uint64_t>(entry.limit)) return kNone;
    offset += place * entry.stride;
  }
  return offset;
}

// The part of the offsets that varies.
bool IndexTable::OffsetsInRow(int64_t begin, int64_t n, int64_t* offsets) const {
  bool good = true, varies = false;
  for (int k = 0; k < plan_.count; ++k) {
    const TableEntry& entry = plan_.entries[k];
    if (!entry.varies_in_rows) continue;
    const std::byte* const first =
        context_.Address(entry.operand) + Sequence(entry.index, shape_.span()).PlaceOf(begin);
    good &= entry.is_wide
                ? AddOffsets(reinterpret_cast<const int64_t*>(first), n, entry.limit, entry.stride, !varies, offsets)
                : AddOffsets(reinterpret_cast<const int32_t*>(first), n, entry.limit, entry.stride, !varies, offsets);
    varies = true;
  }
  if (!varies) std::fill_n(offsets, n, 0);
  return good;
}

bool IndexTable::Offsets(int64_t begin, int64_t n, std::byte* scratch, int64_t* offsets) const {
  bool good = true;
  if (plan_.has_long_rows) {
    const int64_t columns = this->columns();
    for (int64_t at = 0, row; at < n; at += row) {
      row = std::min(n - at, columns - (begin + at) % columns);
      const int64_t of_row = OffsetOfRow(begin + at);
      good &= OffsetsInRow(begin + at, row, offsets + at) && of_row != kNone;
      for (int64_t i = at; i < at + row; ++i)
        offsets[i] = of_row == kNone || offsets[i] == kNone ? kNone : offsets[i] + of_row;
    }
    return good;
  }
  for (int k = 0; k < plan_.count; ++k) good &= AddEntry(k, begin, n, scratch, offsets);
  return good;
}

bool IndexTable::Places(int64_t begin, int64_t n, uint32_t* places) const {
  if (plan_.narrow == nullptr) return false;
  const TableEntry& entry = plan_.entries[0];
  const int64_t bytes = entry.is_wide ? sizeof(int64_t) : sizeof(int32_t);
  return plan_.narrow(context_.Address(entry.operand) + begin * bytes, n, entry.limit, places);
}

bool IndexTable::Offsets(int64_t* offsets) const {
  std::atomic<bool> good{true};
  ForEachChunk({.count = CeilDivide(count_, kPiece), .scratch_bytes = kPiece * static_cast<int64_t>(sizeof(int64_t))},
               [&](int64_t chunk, std::byte* scratch) {
                 const int64_t begin = chunk * kPiece;
                 if (!Offsets(begin, std::min(kPiece, count_ - begin), scratch, offsets + begin))
                   good.store(false, std::memory_order_relaxed);
               });
  return good.load(std::memory_order_relaxed);
}

int32_t IndexTable::RefuseIndex() const {
  alignas(64) std::byte buffer[sizeof(int64_t)];
  for (int k = 0; k < plan_.count; ++k) {
    const TableEntry& entry = plan_.entries[k];
    if (entry.is_mask) continue;
    const Sequence sequence(entry.index, entry.index.dims());
    for (int64_t i = 0; i < sequence.count(); ++i) {
      const std::byte* const read = sequence.Read(context_.Address(entry.operand), i, 1, buffer);
      const int64_t index = ReadIndex(read, entry.is_wide);
      if (index >= -entry.limit && index < entry.limit) continue;
      return Failf(ACL_ERROR_RT_AICORE_EXCEPTION,
                   "{}: argument 'indices[{}]': expected elements from {} to {}, got {} at {}", plan_.api,
                   entry.element, -entry.limit, entry.limit - 1, index, i);
    }
  }
  return ACL_ERROR_RT_AICORE_EXCEPTION;
}

}  // namespace portacl::loops::moves
