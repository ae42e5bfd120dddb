// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/gather_tile.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "hwy/cache_control.h"
#include "loops/tiles/copy_block.h"

namespace portacl::loops::moves {
namespace {

// Bytes of a later row that are prefetched; the hardware prefetcher continues from there.
constexpr int64_t kFetchedBytes = 256;
constexpr int64_t kFetchedAhead = 2;
constexpr int64_t kMostFetchedAhead = 16;

// Rows of up to this many bytes are copied without a call.
constexpr int64_t kShortRowBytes = 256;

// Rows from which on indices that they have in common are tested before.
constexpr int64_t kFewestLikeRows = 4;

// Bytes from one column to the next, and from one name to the next.
struct GatherSteps {
  int64_t index, self, out, named;
};

void Clear(int64_t bytes, int64_t columns, const TileOperand& row) {
  for (int64_t c = 0; c < columns; ++c) std::memset(row.base + c * row.column_stride, 0, static_cast<size_t>(bytes));
}

// Copies a row of 16 bytes or more; the last 16 may overlap the others.
void CopyShortRow(const std::byte* from, std::byte* to, int64_t bytes) {
  constexpr int64_t kPart = 16;
  for (int64_t at = 0; at < bytes - kPart; at += kPart) std::memcpy(to + at, from + at, kPart);
  std::memcpy(to + bytes - kPart, from + bytes - kPart, kPart);
}

// How far ahead rows are prefetched, and how many bytes of them.
struct Fetched {
  explicit Fetched(int64_t row_bytes)
      : ahead(std::clamp(4 * kFetchedBytes / row_bytes, kFetchedAhead, kMostFetchedAhead)),
        bytes(std::min(kFetchedBytes, row_bytes)) {}
  void Fetch(const std::byte* row) const {
    for (int64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(row + at, 0, 2);
  }
  int64_t ahead;
  int64_t bytes;
};

// Short rows that are dense in both. All that the loop reads is in locals: a byte that it writes could be any of it.
// kBytes: of a row; 0: the number is known only in the run.
template <int64_t kBytes, class I>
bool GatherShortRows(const GatherPlan& plan, const Indices& indices, const Tile& tile, int64_t row_bytes) {
  const int64_t bytes = kBytes == 0 ? row_bytes : kBytes, named_step = plan.dim_bytes, rows = tile.rows;
  const int64_t from_end = indices.from_end, limit = indices.limit;
  const TileOperand index = tile.operand[0], self = tile.operand[1], out = tile.operand[2];
  const Fetched fetched(bytes);
  // Where the row at this place is in the source; null if nothing has the name.
  const auto named = [=](int64_t row) -> const std::byte* {
    I read;
    std::memcpy(&read, index.base + row * index.row_stride, sizeof(I));
    int64_t i = read;
    if (i < 0) [[unlikely]]
      i += from_end;
    if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(limit)) [[unlikely]]
      return nullptr;
    return self.base + row * self.row_stride + i * named_step;
  };
  bool good = true;
  for (int64_t row = 0; row < rows; ++row) {
    if (row + fetched.ahead < rows) {
      if (const std::byte* const next = named(row + fetched.ahead)) fetched.Fetch(next);
    }
    std::byte* const to = out.base + row * out.row_stride;
    const std::byte* const from = named(row);
    if (from == nullptr) [[unlikely]] {
      std::memset(to, 0, static_cast<size_t>(bytes));
      good = false;
    } else if constexpr (kBytes == 0) {
      CopyShortRow(from, to, bytes);
    } else {
      std::memcpy(to, from, kBytes);
    }
  }
  return good;
}

template <class I>
bool GatherShortRows(const GatherPlan& plan, const Indices& indices, const Tile& tile, int64_t row_bytes) {
  switch (row_bytes) {
    case 16:
      return GatherShortRows<16, I>(plan, indices, tile, row_bytes);
    case 32:
      return GatherShortRows<32, I>(plan, indices, tile, row_bytes);
    case 64:
      return GatherShortRows<64, I>(plan, indices, tile, row_bytes);
    case 128:
      return GatherShortRows<128, I>(plan, indices, tile, row_bytes);
    default:
      return GatherShortRows<0, I>(plan, indices, tile, row_bytes);
  }
}

bool GatherRows(const GatherPlan& plan, const Indices& indices, const Tile& tile) {
  const TileOperand& index = tile.operand[0];
  const TileOperand& self = tile.operand[1];
  const TileOperand& out = tile.operand[2];
  const bool is_dense = self.column_stride == plan.bytes && out.column_stride == plan.bytes;
  const int64_t row_bytes = tile.columns * plan.bytes;
  const bool streams = tile.non_temporal && is_dense && row_bytes >= kStreamedRowBytes;
  if (is_dense && row_bytes >= 16 && row_bytes <= kShortRowBytes) {
    return indices.is_wide ? GatherShortRows<int64_t>(plan, indices, tile, row_bytes)
                           : GatherShortRows<int32_t>(plan, indices, tile, row_bytes);
  }
  const Fetched fetched(row_bytes);
  bool good = true;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const int64_t i = indices.Named(ReadIndex(index.base + row * index.row_stride, indices.is_wide));
    const TileOperand to = BlockAt(out, row, 0);
    if (!indices.Holds(i)) {
      Clear(plan.bytes, tile.columns, to);
      good = false;
      continue;
    }
    if (row + fetched.ahead < tile.rows) {
      const int64_t ahead =
          indices.Named(ReadIndex(index.base + (row + fetched.ahead) * index.row_stride, indices.is_wide));
      if (indices.Holds(ahead))
        fetched.Fetch(self.base + (row + fetched.ahead) * self.row_stride + ahead * plan.dim_bytes);
    }
    TileOperand from = BlockAt(self, row, 0);
    from.base += i * plan.dim_bytes;
    if (streams) {
      plan.stream(from.base, to.base, row_bytes);
    } else if (is_dense) {
      std::memcpy(to.base, from.base, static_cast<size_t>(row_bytes));
    } else {
      CopyBlock(plan.bytes, 1, tile.columns, from, to);
    }
  }
  if (streams) hwy::FlushStream();
  return good;
}

// All that the loop reads is in locals: a byte that it writes could be any of it. kPlain: index and result run on, and
// names are neighbours.
template <size_t kBytes, class I, bool kPlain>
bool GatherRow(const Indices& indices, const std::byte* index, const std::byte* self, std::byte* out, int64_t columns,
               const GatherSteps& steps) {
  const int64_t index_step = kPlain ? int64_t{sizeof(I)} : steps.index, self_step = kPlain ? 0 : steps.self;
  const int64_t out_step = kPlain ? int64_t{kBytes} : steps.out, named_step = kPlain ? int64_t{kBytes} : steps.named;
  const int64_t from_end = indices.from_end;
  const auto limit = static_cast<uint64_t>(indices.limit);
  bool good = true;
#pragma GCC unroll 4
  for (int64_t c = 0; c < columns; ++c) {
    I read;
    std::memcpy(&read, index + c * index_step, sizeof(I));
    int64_t i = read;
    if (static_cast<uint64_t>(i) >= limit && i < 0) [[unlikely]]
      i += from_end;
    if (static_cast<uint64_t>(i) < limit) [[likely]] {
      std::memcpy(out + c * out_step, self + c * self_step + i * named_step, kBytes);
    } else {
      std::memset(out + c * out_step, 0, kBytes);
      good = false;
    }
  }
  return good;
}

// Byte offsets in the source of the columns of a block, which all rows have in common. Returns false if an index is out
// of range.
template <class I>
bool FindPlaces(const Indices& indices, const std::byte* index, int64_t columns, const GatherSteps& steps,
                int64_t* places) {
  const int64_t from_end = indices.from_end;
  const auto limit = static_cast<uint64_t>(indices.limit);
  bool good = true;
  for (int64_t c = 0; c < columns; ++c) {
    I read;
    std::memcpy(&read, index + c * steps.index, sizeof(I));
    const int64_t i = read < 0 ? read + from_end : read;
    good &= static_cast<uint64_t>(i) < limit;
    places[c] = Product(c, steps.self) + Product(i, steps.named);
  }
  return good;
}

template <size_t kBytes>
void GatherPlacesOfRow(const std::byte* self, const int64_t* places, int64_t columns, std::byte* out, int64_t step) {
#pragma GCC unroll 4
  for (int64_t c = 0; c < columns; ++c) std::memcpy(out + c * step, self + places[c], kBytes);
}

// Two rows of elements of 4 bytes, of which two are stored at once: five sixths of the time (Zen 3, 2026-11-30).
void GatherPlacesOfTwoRows(const TileOperand& self, const int64_t* places, int64_t columns, const TileOperand& out) {
  constexpr int64_t kBytes = 4;
  const std::byte* const rows[] = {self.base, self.base + self.row_stride};
  std::byte* const to[] = {out.base, out.base + out.row_stride};
  const auto pair = [](const std::byte* row, int64_t first, int64_t second) {
    uint32_t low, high;
    std::memcpy(&low, row + first, kBytes);
    std::memcpy(&high, row + second, kBytes);
    return low | uint64_t{high} << 32;
  };
  int64_t c = 0;
#pragma GCC unroll 2
  for (; c + 2 <= columns; c += 2) {
    const int64_t first = places[c], second = places[c + 1];
    const uint64_t of_one = pair(rows[0], first, second), of_other = pair(rows[1], first, second);
    std::memcpy(to[0] + c * kBytes, &of_one, sizeof(of_one));
    std::memcpy(to[1] + c * kBytes, &of_other, sizeof(of_other));
  }
  for (int i = 0; c < columns && i < 2; ++i) std::memcpy(to[i] + c * kBytes, rows[i] + places[c], kBytes);
}

// Rows that have the indices in common, which are tested once.
template <size_t kBytes, class I>
bool GatherLikeRows(const Indices& indices, const Tile& tile, const GatherSteps& steps) {
  constexpr int64_t kColumns = 512;
  int64_t places[kColumns];
  bool good = true;
  for (int64_t first = 0; first < tile.columns; first += kColumns) {
    const int64_t columns = std::min(kColumns, tile.columns - first);
    const std::byte* const index = tile.operand[0].base + first * steps.index;
    const bool is_good = FindPlaces<I>(indices, index, columns, steps, places);
    good &= is_good;
    for (int64_t row = 0, rows; row < tile.rows; row += rows) {
      const TileOperand self = BlockAt(tile.operand[1], row, first), out = BlockAt(tile.operand[2], row, first);
      rows = 1;
      if (!is_good) {
        GatherRow<kBytes, I, false>(indices, index, self.base, out.base, columns, steps);
      } else if (kBytes == 4 && steps.out == 4 && row + 2 <= tile.rows) {
        GatherPlacesOfTwoRows(self, places, columns, out);
        rows = 2;
      } else if (steps.out == kBytes) {
        GatherPlacesOfRow<kBytes>(self.base, places, columns, out.base, kBytes);
      } else {
        GatherPlacesOfRow<kBytes>(self.base, places, columns, out.base, steps.out);
      }
    }
  }
  return good;
}

template <size_t kBytes, class I>
bool GatherColumns(const GatherPlan& plan, const Indices& indices, const Tile& tile) {
  const GatherSteps steps = {tile.operand[0].column_stride, tile.operand[1].column_stride,
                             tile.operand[2].column_stride, plan.dim_bytes};
  if (tile.rows >= kFewestLikeRows && tile.operand[0].row_stride == 0)
    return GatherLikeRows<kBytes, I>(indices, tile, steps);
  const bool is_plain = steps.index == sizeof(I) && steps.self == 0 && steps.out == kBytes && steps.named == kBytes;
  const auto gather = is_plain ? GatherRow<kBytes, I, true> : GatherRow<kBytes, I, false>;
  bool good = true;
  for (int64_t row = 0; row < tile.rows; ++row)
    good &= gather(indices, tile.Row<std::byte>(0, row), tile.Row<std::byte>(1, row), tile.Row<std::byte>(2, row),
                   tile.columns, steps);
  return good;
}

template <class I>
bool GatherColumns(const GatherPlan& plan, const Indices& indices, const Tile& tile) {
  switch (plan.bytes) {
    case 1:
      return GatherColumns<1, I>(plan, indices, tile);
    case 2:
      return GatherColumns<2, I>(plan, indices, tile);
    case 4:
      return GatherColumns<4, I>(plan, indices, tile);
    case 8:
      return GatherColumns<8, I>(plan, indices, tile);
    default:
      return GatherColumns<16, I>(plan, indices, tile);
  }
}

}  // namespace

bool GatherTile(const GatherPlan& plan, const Indices& indices, const Tile& tile) {
  if (tile.operand[0].column_stride == 0) return GatherRows(plan, indices, tile);
  return indices.is_wide ? GatherColumns<int64_t>(plan, indices, tile) : GatherColumns<int32_t>(plan, indices, tile);
}

}  // namespace portacl::loops::moves
