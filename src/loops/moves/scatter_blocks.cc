// SPDX-License-Identifier: Apache-2.0
//
// Blocks go to the places that indices name. To be replaced, they are taken in the order of the indices, each thread
// writing its part of all blocks. To be combined, those that go to one place are laid next to each other, in the order
// of the indices, as one thread's work.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include "base/target.h"
#include "base/tuning.h"
#include "hwy/cache_control.h"
#include "loops/elements/non_temporal.h"
#include "loops/moves/combine_blocks.h"
#include "loops/moves/scatter_positions.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {
namespace {

// Moves of single elements, and bytes of blocks, of a chunk.
constexpr int64_t kChunkMoves = 4 << 10;
constexpr int64_t kChunkBytes = 64 << 10;

// The most bytes of a place that are prefetched; the hardware prefetcher continues from there.
constexpr int64_t kPrefetchedBytes = 4 * kLineBytes;

// Elements of a block that are combined at once.
constexpr int64_t kStates = 1024;

TileOperand Behind(TileOperand block, int64_t bytes) {
  block.base += bytes;
  return block;
}

bool IsSingle(const ScatterPlan& plan) { return plan.tiles.nest.Elements() == 1; }

// Copies to places whose lines are prefetched: stores to lines that no cache holds would wait one for the other.
template <class Copy>
struct Fetching {
  Copy copy;
  const std::byte* out;
  int64_t bytes;  // that are prefetched of each

  void operator()(int64_t place, int64_t source) const { copy(place, source); }
  // Always inlined: GCC removes calls of a function that only prefetches.
  [[gnu::always_inline]] void Fetch(int64_t place) const {
    for (int64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(out + place + at, 1);
  }
};

template <class Copy>
bool CopyAll(const ScatterRun& run, const std::byte* out, int64_t bytes, const Copy& copy) {
  const ScatterPlan& plan = run.plan;
  if (plan.elements * plan.bytes <= CurrentTuning().second_level_bytes)
    return ForEachPosition(run, 0, plan.positions.count, copy);
  return ForEachPosition(run, 0, plan.positions.count, Fetching<Copy>{copy, out, std::min(bytes, kPrefetchedBytes)});
}

template <size_t kBytes>
bool ReplaceElements(const ScatterRun& run) {
  std::byte* const out = run.out;
  const std::byte* const from = run.source;
  return CopyAll(run, out, kBytes,
                 [=](int64_t place, int64_t source) { std::memcpy(out + place, from + source, kBytes); });
}

// The hardware prefetcher continues from the first lines of a row.
void Prefetch(const std::byte* row) {
  for (int64_t at = 0; at < 4 * kLineBytes; at += kLineBytes) __builtin_prefetch(row + at, 0, 2);
}

// The first of the moves from `at` on that goes to another place than the one before.
const Move* NextPlace(const Move* moves, int64_t at, int64_t n) {
  while (at > 0 && at < n && moves[at].place == moves[at - 1].place) ++at;
  return moves + std::min(at, n);
}

// Combines the part of a tile's row in all blocks that go to one place.
void CombineRow(const CombinedBlocks& blocks, const Move* first, const Move* end, const TileOperand& source,
                const TileOperand& out, int64_t columns, std::byte* states) {
  const Combiner& combiner = *blocks.combiner;
  const bool has_self = blocks.includes_self;
  const int64_t bytes = blocks.tiles->nest.element_bytes[2];
  const int64_t terms = end - first + (has_self ? 1 : 0);
  const TileOperand to = Behind(out, static_cast<int64_t>(first->place));
  const auto from = [&](const Move* move) { return Behind(source, static_cast<int64_t>(move->source)); };
  const bool converts = blocks.combiner != blocks.result_combiner;
  if (terms == 1 && !converts) return CopyBlock(bytes, 1, columns, from(first), to);
  const bool is_dense = source.column_stride == blocks.tiles->nest.element_bytes[1];
  const bool adds = blocks.lanes.add != nullptr && is_dense;
  const ElementRun result = {to.base, to.column_stride, columns};
  if (adds && terms <= kRowsTogether && blocks.factor.IsOne() && combiner.divide == nullptr && !converts &&
      to.column_stride == bytes) {
    const std::byte* rows[kRowsTogether];
    int count = 0;
    if (has_self) rows[count++] = to.base;
    for (const Move* move = first; move != end; ++move) rows[count++] = from(move).base;
    return blocks.lanes.add_few(rows, count, to.base, columns);
  }
  combiner.start(has_self ? result : ElementRun{from(first).base, source.column_stride, columns}, states);
  // Sums of groups in FLOAT are accurate enough for results of 16 bits.
  const bool widens = bytes > blocks.tiles->nest.element_bytes[1];
  const ptrdiff_t most = widens ? kRowsTogether - 1 : kRowsTogether;
  const Move* move = has_self ? first : first + 1;
  while (adds && move != end) {
    const std::byte* rows[kRowsTogether];
    const int count = static_cast<int>(std::min(end - move, most));
    for (int row = 0; row < count; ++row) rows[row] = from(move++).base;
    for (const Move* ahead = move; ahead < std::min(end, move + most); ++ahead) Prefetch(from(ahead).base);
    blocks.lanes.add(rows, count, blocks.factor.real, reinterpret_cast<double*>(states), columns);
  }
  for (; move != end; ++move) combiner.add({from(move).base, source.column_stride, columns}, blocks.factor, states);
  if (combiner.divide != nullptr) combiner.divide(terms, columns, states);
  blocks.result_combiner->store(states, result);
}

// Blocks whose first lines are prefetched.
constexpr int kBlocksAhead = 2;

void CombineTile(const CombinedBlocks& blocks, const Move* first, const Move* end, const Tile& tile,
                 std::byte* states) {
  while (first != end) {
    const Move* next = first + 1;
    while (next != end && next->place == first->place) ++next;
    for (const Move* ahead = next; ahead != end && ahead != next + kBlocksAhead; ++ahead)
      Prefetch(tile.operand[1].base + ahead->source), Prefetch(tile.operand[2].base + ahead->place);
    for (int64_t row = 0; row < tile.rows; ++row) {
      for (int64_t c = 0; c < tile.columns; c += kStates)
        CombineRow(blocks, first, next, BlockAt(tile.operand[1], row, c), BlockAt(tile.operand[2], row, c),
                   std::min(kStates, tile.columns - c), states);
    }
    first = next;
  }
}

}  // namespace

[[gnu::noinline]] bool ReplaceBlocks(const ScatterRun& run) {
  const ScatterPlan& plan = run.plan;
  if (IsSingle(plan)) {
    switch (plan.bytes) {
      case 1:
        return ReplaceElements<1>(run);
      case 2:
        return ReplaceElements<2>(run);
      case 4:
        return ReplaceElements<4>(run);
      case 8:
        return ReplaceElements<8>(run);
      default:
        return ReplaceElements<16>(run);
    }
  }
  std::atomic<bool> good{true};
  RunTiles(run.Task(), 0, [&](const Tile& tile) {
    const TileOperand &from = tile.operand[1], &to = tile.operand[2];
    const int64_t row_bytes = tile.columns * plan.bytes;
    const bool is_dense = tile.rows == 1 && from.column_stride == plan.bytes && to.column_stride == plan.bytes;
    const bool streams = tile.non_temporal && is_dense && row_bytes % kLineBytes == 0;
    const bool all = CopyAll(run, to.base, streams ? 0 : row_bytes, [&](int64_t place, int64_t source) {
      if (streams && reinterpret_cast<uintptr_t>(to.base + place) % kLineBytes == 0)
        return StoreAround(from.base + source, to.base + place, row_bytes);
      CopyBlock(plan.bytes, tile.rows, tile.columns, Behind(from, source), Behind(to, place));
    });
    if (streams) hwy::FlushStream();
    if (!all) good.store(false, std::memory_order_relaxed);
  });
  return good.load(std::memory_order_relaxed);
}

bool CombineBlocks(const ScatterRun& run) {
  const ScatterPlan& plan = run.plan;
  const PoolMemory memory(2 * plan.positions.count * static_cast<int64_t>(sizeof(Move)));
  Move* const unsorted = memory.As<Move>();
  int64_t n = 0;
  const Names& names = plan.positions.names;
  const bool drops = plan.what.dropped >= 0 && plan.what.dropped < names.indices.limit;
  const int64_t dropped = drops ? names.flat.Of(plan.what.dropped) : -1;
  const bool good = ForEachPosition(run, 0, plan.positions.count, [&](int64_t place, int64_t source) {
    if (place != dropped) unsorted[n++] = {static_cast<uint64_t>(place), static_cast<uint64_t>(source)};
  });
  CombineMoves({.combiner = plan.combiner,
                .result_combiner = plan.result_combiner,
                .lanes = plan.lanes,
                .factor = plan.what.factor,
                .includes_self = plan.what.includes_self,
                .tiles = &plan.tiles,
                .source = run.source,
                .out = run.out},
               unsorted, n);
  return good;
}

// Adds rows of floats through a sum for each element of the output.
bool AddRowsInAll(const ScatterRun& run) {
  const ScatterPlan& plan = run.plan;
  const int64_t columns = plan.tiles.nest.shape[0], scale = kWideBytes / plan.bytes;
  const PoolMemory sums(plan.elements * kWideBytes);
  plan.combiner->start({run.out, plan.bytes, plan.elements}, sums.As());
  const bool good = ForEachPosition(run, 0, plan.positions.count, [&](int64_t place, int64_t source) {
    const std::byte* const row = run.source + source;
    plan.lanes.add(&row, 1, plan.what.factor.real, reinterpret_cast<double*>(sums.As() + place * scale), columns);
  });
  plan.combiner->store(sums.As(), {run.out, plan.bytes, plan.elements});
  return good;
}

void CombineMoves(const CombinedBlocks& blocks, Move* unsorted, int64_t n) {
  const TilePlan& tiles = *blocks.tiles;
  const Move* const moves = GroupMoves(unsorted, unsorted + n, n);
  if (tiles.nest.Elements() == 1 && blocks.combiner == blocks.result_combiner) {
    const Chunks chunks{.count = CeilDivide(n, kChunkMoves), .is_serial = tiles.serial};
    RunChunks(chunks, [&](int64_t first, int64_t end, std::byte*) {
      blocks.combiner->gather({.begin = NextPlace(moves, first * kChunkMoves, n),
                               .end = NextPlace(moves, end * kChunkMoves, n),
                               .source = blocks.source,
                               .out = blocks.out,
                               .includes_first = blocks.includes_self,
                               .factor = blocks.factor});
    });
    return;
  }
  TileTask task(tiles);
  task.addresses[0] = task.addresses[1] = const_cast<std::byte*>(blocks.source);
  task.addresses[2] = blocks.out;
  const Tiling& tiling = tiles.tiling;
  const int64_t tile_bytes = tiles.nest.element_bytes[2] * tiling.tile_columns * tiling.tile_rows;
  const int64_t each = std::max<int64_t>(1, kChunkBytes / tile_bytes);
  const int64_t parts = CeilDivide(n, each);
  ForEachChunk({.count = parts * tiling.tiles,
                .is_serial = tiles.serial,
                .scratch_bytes = kStates * blocks.combiner->state_bytes},
               [&](int64_t chunk, std::byte* states) {
                 const Move* const first = NextPlace(moves, chunk % parts * each, n);
                 const Move* const end = NextPlace(moves, (chunk % parts + 1) * each, n);
                 Tile tile;
                 TileWalk(tiles.nest, tiling, chunk / parts).Next(task.addresses, 1, &tile);
                 CombineTile(blocks, first, end, tile, states);
               });
}

RowLanes AddLanes(aclDataType dtype) {
  if (dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16) return CombineLanes(dtype, ActiveTarget());
  return {};
}

}  // namespace portacl::loops::moves
