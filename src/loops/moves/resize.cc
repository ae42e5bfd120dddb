// SPDX-License-Identifier: Apache-2.0
//
// A single walk over the elements of the result. The source has no strides along the resized axes; instead, two tables,
// filled by the run, hold the positions of the neighbours. A tile has rows of elements that one table places, or of
// pixels.
#include "loops/moves/resize.h"

#include <algorithm>
#include <cstring>

#include "base/target.h"
#include "hwy/cache_control.h"
#include "loops/elements/move_lanes.h"
#include "loops/moves/indices.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/tile_plan.h"
#include "simd/strided_copy.h"

namespace portacl::loops::moves {
namespace {

// Time on one core.
constexpr double kNeighbourNs = 0.3;  // per element of a row
constexpr double kPixelNs = 1.5;

// Non-temporal results are collected in blocks of this many bytes.
constexpr int64_t kBufferBytes = 4096;

// Above this, FLOAT does not hold every position.
constexpr int64_t kExactPlaces = int64_t{1} << 24;

struct ResizedAxis {
  int64_t from;  // size in the source
  int64_t to;    // size in the result
  int64_t step;  // in bytes of the source

  // The halved positions are exact in float32.
  bool Doubles() const { return to == 2 * from && to <= kExactPlaces; }
};

struct ResizePlan {
  ResizedAxis axes[2];
  int64_t bytes;  // per element
  MoveFunction stream;
  TilePlan tiles;
};

// Sets the byte offset of the neighbour of each position.
void FillPlaces(const ResizedAxis& axis, int64_t* places) {
  const float scale = static_cast<float>(axis.from) / static_cast<float>(axis.to);
  for (int64_t i = 0; i < axis.to; ++i)
    places[i] = std::min(static_cast<int64_t>(static_cast<float>(i) * scale), axis.from - 1) * axis.step;
}

int64_t PlaceAt(const TileOperand& table, int64_t row) { return ReadIndex(table.base + row * table.row_stride, true); }

// Copies the elements of a row from the offsets in `places`.
template <size_t kBytes>
void TakeRow(const std::byte* from, const int64_t* places, int64_t n, std::byte* to, int64_t step) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * step, from + places[i], kBytes);
}

// Stores each element twice; the compiler vectorises this.
template <size_t kBytes>
void DoubleRow(const std::byte* from, int64_t n, std::byte* to) {
  using Word = typename simd::strided_copy::WordOf<kBytes>::Type;
  const Word* __restrict source = reinterpret_cast<const Word*>(from);
  Word* __restrict words = reinterpret_cast<Word*>(to);
  for (int64_t i = 0; i < n / 2; ++i) {
    words[2 * i] = source[i];
    words[2 * i + 1] = source[i];
  }
  if (n % 2 != 0) words[n - 1] = source[n / 2];
}

// Handles a tile whose rows run along one of the resized axes.
class RowsOfTile {
 public:
  RowsOfTile(const ResizePlan& plan, const Tile& tile)
      : plan_(plan),
        tile_(tile),
        is_high_(tile.operand[0].column_stride != 0),
        along_(tile.operand[is_high_ ? 0 : 1]),
        across_(tile.operand[is_high_ ? 1 : 0]) {
    const ResizedAxis& axis = plan.axes[is_high_ ? 0 : 1];
    const int64_t first = PlaceAt(along_, 0);
    const bool is_even = tile.columns > 1 && ReadIndex(along_.base + along_.column_stride, true) == first;
    doubles_ = axis.Doubles() && axis.step == plan.bytes && is_even;
  }

  void Take() const {
    const TileOperand& out = tile_.operand[3];
    const int64_t bytes = tile_.columns * plan_.bytes;
    const bool is_dense = out.column_stride == plan_.bytes;
    const bool streams = tile_.non_temporal && is_dense && bytes >= kStreamedRowBytes;
    const bool copies = is_dense && out.row_stride >= bytes;  // of rows with the same source
    for (int64_t row = 0, end = 0; row < tile_.rows; row = end) {
      const std::byte* const from = SourceOf(row);
      for (end = row + 1; end < tile_.rows && (streams || copies) && SourceOf(end) == from;) ++end;
      if (streams) {
        Stream(from, row, end);
        continue;
      }
      std::byte* const to = out.base + row * out.row_stride;
      TakeElements(from, 0, tile_.columns, to, out.column_stride);
      for (int64_t copy = row + 1; copy < end; ++copy)
        std::memcpy(out.base + copy * out.row_stride, to, static_cast<size_t>(bytes));
    }
    if (streams) hwy::FlushStream();
  }

 private:
  const std::byte* SourceOf(int64_t row) const {
    return tile_.operand[2].base + row * tile_.operand[2].row_stride + PlaceAt(across_, row);
  }

  // Stores the rows [row, end), which are equal, with non-temporal stores.
  void Stream(const std::byte* from, int64_t row, int64_t end) const {
    alignas(kLineBytes) std::byte buffer[kBufferBytes];
    const TileOperand& out = tile_.operand[3];
    const int64_t most = kBufferBytes / plan_.bytes;
    for (int64_t column = 0; column < tile_.columns; column += most) {
      const int64_t n = std::min(most, tile_.columns - column);
      TakeElements(from, column, n, buffer, plan_.bytes);
      for (int64_t copy = row; copy < end; ++copy)
        plan_.stream(buffer, out.base + copy * out.row_stride + column * plan_.bytes, n * plan_.bytes);
    }
  }

  // Copies the elements [column, column + n); `column` is even.
  void TakeElements(const std::byte* from, int64_t column, int64_t n, std::byte* to, int64_t step) const {
    const auto* const places = reinterpret_cast<const int64_t*>(along_.base) + column;
    const bool doubles = doubles_ && step == plan_.bytes;
    if (doubles) from += places[0];
    switch (plan_.bytes) {
      case 1:
        return doubles ? DoubleRow<1>(from, n, to) : TakeRow<1>(from, places, n, to, step);
      case 2:
        return doubles ? DoubleRow<2>(from, n, to) : TakeRow<2>(from, places, n, to, step);
      case 4:
        return doubles ? DoubleRow<4>(from, n, to) : TakeRow<4>(from, places, n, to, step);
      default:
        return doubles ? DoubleRow<8>(from, n, to) : TakeRow<8>(from, places, n, to, step);
    }
  }

  const ResizePlan& plan_;
  const Tile& tile_;
  bool is_high_;
  const TileOperand& along_;   // offsets of the elements within a row
  const TileOperand& across_;  // offsets of the rows
  bool doubles_;
};

// Copies a pixel of few bytes, for which a call of memcpy would cost more than the copy.
void CopyPixel(const std::byte* from, std::byte* to, int64_t bytes) {
  constexpr int64_t kFewBytes = 128;
  const auto both_ends = [&]<size_t kBytes>(std::integral_constant<size_t, kBytes>) {
    std::memcpy(to, from, kBytes);
    std::memcpy(to + bytes - kBytes, from + bytes - kBytes, kBytes);
  };
  if (bytes > kFewBytes) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  } else if (bytes >= 16) {
    for (int64_t at = 16; at + 16 <= bytes; at += 16) std::memcpy(to + at, from + at, 16);
    both_ends(std::integral_constant<size_t, 16>());
  } else if (bytes >= 8) {
    both_ends(std::integral_constant<size_t, 8>());
  } else if (bytes >= 4) {
    both_ends(std::integral_constant<size_t, 4>());
  } else if (bytes >= 2) {
    both_ends(std::integral_constant<size_t, 2>());
  } else {
    *to = *from;
  }
}

// Handles a tile whose rows are contiguous in the source: both tables give one offset for a whole row.
void TakePixels(const ResizePlan& plan, const Tile& tile) {
  const TileOperand& self = tile.operand[2];
  const TileOperand& out = tile.operand[3];
  const int64_t bytes = tile.columns * plan.bytes;
  const auto source_of = [&](int64_t row) {
    return self.base + row * self.row_stride + PlaceAt(tile.operand[0], row) + PlaceAt(tile.operand[1], row);
  };
  const bool is_dense = self.column_stride == plan.bytes && out.column_stride == plan.bytes;
  if (!is_dense) {
    for (int64_t row = 0; row < tile.rows; ++row)
      CopyBlock(plan.bytes, 1, tile.columns, {source_of(row), 0, self.column_stride}, BlockAt(out, row, 0));
  } else if (tile.non_temporal && bytes >= kStreamedRowBytes) {
    for (int64_t row = 0; row < tile.rows; ++row) plan.stream(source_of(row), out.base + row * out.row_stride, bytes);
    hwy::FlushStream();
  } else if (tile.non_temporal && out.row_stride == bytes) {
    alignas(kLineBytes) std::byte buffer[kBufferBytes];
    const int64_t most = kBufferBytes / bytes;
    for (int64_t row = 0; row < tile.rows; row += most) {
      const int64_t n = std::min(most, tile.rows - row);
      for (int64_t i = 0; i < n; ++i) CopyPixel(source_of(row + i), buffer + i * bytes, bytes);
      plan.stream(buffer, out.base + row * bytes, n * bytes);
    }
    hwy::FlushStream();
  } else {
    for (int64_t row = 0; row < tile.rows; ++row) CopyPixel(source_of(row), out.base + row * out.row_stride, bytes);
  }
}

bool HasRows(const TileOperand& high, const TileOperand& wide) {
  return high.column_stride != 0 || wide.column_stride != 0;
}

int32_t RunResize(const exec::RunContext& context) {
  const ResizePlan& plan = context.Parameters<ResizePlan>();
  const ResizedAxis &high = plan.axes[0], &wide = plan.axes[1];
  const int64_t bytes = (high.to + wide.to) * static_cast<int64_t>(sizeof(int64_t));
  WithScratch(bytes, [&](std::byte* scratch) {
    auto* const places = reinterpret_cast<int64_t*>(scratch);
    FillPlaces(high, places);
    FillPlaces(wide, places + high.to);
    TileTask task(plan.tiles, context);
    task.addresses[0] = scratch;
    task.addresses[1] = reinterpret_cast<std::byte*>(places + high.to);
    RunTiles(task, 0, [&](const Tile& tile) {
      HasRows(tile.operand[0], tile.operand[1]) ? RowsOfTile(plan, tile).Take() : TakePixels(plan, tile);
    });
  });
  return 0;
}

}  // namespace

inline namespace v1 {

void ResizeNearest(exec::PlanBuilder& plan, int self, int axis, int out) {
  const View& from = plan.OperandView(self);
  const View& to = plan.OperandView(out);
  const auto bytes = static_cast<int64_t>(ElementBytes(to.dtype));
  // The views of all operands, along the axes of the result.
  View source = to, tables[2] = {to, to};
  source.offset = tables[0].offset = tables[1].offset = from.offset;
  tables[0].dtype = tables[1].dtype = ACL_INT64;
  for (int i = 0; i < to.rank; ++i) {
    source.strides[i] = i == axis || i == axis + 1 ? 0 : from.step(i);
    for (int table = 0; table < 2; ++table) tables[table].strides[i] = i == axis + table ? 1 : 0;
  }
  const View* const views[] = {&tables[0], &tables[1], &source, &to};
  const auto resized = [&](int i) { return ResizedAxis{from.shape[i], to.shape[i], from.step(i) * bytes}; };
  ResizePlan resize{.axes = {resized(axis), resized(axis + 1)},
                    .bytes = bytes,
                    .stream = StreamLanes(ActiveTarget()),
                    .tiles = {.code = {.inputs = 3}, .nest = MakeLoopNest(to.dims(), views)}};
  LoopNest& nest = resize.tiles.nest;
  if (nest.Elements() == 0) return;
  nest.element_bytes[0] = nest.element_bytes[1] = 0;  // tables stay in the cache, so they cause no traffic
  const bool has_rows = nest.strides[0][0] != 0 || nest.strides[1][0] != 0;
  const double ns = has_rows ? kNeighbourNs : kPixelNs / static_cast<double>(nest.shape[0]);
  resize.tiles.tiling = MakeTiling(nest, ns);
  SetOperands(plan, {{self, tables[0]}, {self, tables[1]}, {self, source}, out}, {}, &resize.tiles);
  plan.ForbidInPlace(self);
  PlanTiles(plan, RunResize, resize, ns);
}

}  // namespace v1
}  // namespace portacl::loops::moves
