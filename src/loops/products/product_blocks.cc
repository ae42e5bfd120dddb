// SPDX-License-Identifier: Apache-2.0
//
// Products of bfloat16 by instructions for them. One side at least is packed before all tiles where these share it. A
// tile whose numbers are so small that subnormal ones could be met is multiplied by panels, too, and takes from there
// what the groups of such numbers have in common: so that what a result is depends on its own row and column, and their
// neighbours in the groups, alone.
#include <algorithm>
#include <cstddef>

#include "loops/products/product_task.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::products {
namespace {

constexpr auto kElement = static_cast<int64_t>(sizeof(uint16_t));
constexpr int64_t kPair = 2 * kGroup;  // of groups that are multiplied at once
constexpr int64_t kCopied = 64;        // rows or columns that are copied at a time where neighbours lie elsewhere

int64_t GroupsOf(int64_t count) { return CeilDivide(count, kGroup); }

// Rows or columns.
struct BlockSide {
  const ProductPlan& plan;
  bool is_rows;
  const ProductFactor& factor() const { return is_rows ? plan.rows_of : plan.columns_of; }
  int64_t count() const { return is_rows ? plan.rows : plan.columns; }
  int64_t tile() const { return is_rows ? plan.tile_rows : plan.tile_columns; }
  int64_t packed_batches() const { return is_rows ? plan.packed_rows : plan.packed_columns; }
  const PackedBlocks& packed(const ProductTask& task) const { return is_rows ? task.packed_rows : task.packed_columns; }
  std::byte* base(const ProductPlace& batch) const { return is_rows ? batch.rows : batch.columns; }

  // What is packed before all tiles.
  int64_t Stride() const { return GroupStride(plan.BlocksAlong()); }
  int64_t Part(int64_t batch, int64_t summed) const { return (packed_batches() == 1 ? 0 : batch) * plan.sums + summed; }
  uint16_t* Blocks(const ProductTask& task, int64_t part, int64_t group, int64_t k) const {
    return packed(task).blocks + (part * GroupsOf(count()) + group) * Stride() + k / kBlockDepth * kBlockElements;
  }
  uint16_t* Least(const ProductTask& task, int64_t part, int64_t k, int64_t group) const {
    return packed(task).least + (part * plan.DepthBlocks() + k / plan.packed_depth) * GroupsOf(count()) + group;
  }

  // Whether whole blocks are read where they lie, and looked through when they are multiplied first.
  bool IsReadInPlace() const {
    return is_rows && packed_batches() == 0 && plan.rows % kGroup == 0 && plan.depth % kBlockDepth == 0 &&
           factor().along == kElement && factor().across % kSamePlaces != 0;
  }

  // Whether elements are copied first, as a block takes no neighbours of them.
  bool IsCopied() const { return factor().along != factor().bytes && (is_rows || factor().across != factor().bytes); }
  int64_t CopiedBytes() const { return IsCopied() ? kCopied * plan.packed_depth * kElement : 0; }

  // From `base`, rows or columns [first, first + count) and `depth` elements of each from k on.
  void Pack(std::byte* base, int64_t summed, int64_t first, int64_t size, int64_t k, int64_t depth, BlockTarget target,
            std::byte* dense) const {
    const ProductFactor& of = factor();
    BlockSource source{base + summed * of.summed + first * of.across + k * of.along, of.across, of.along, size, depth};
    const BlockLanes& lanes = *plan.blocks;
    if (!IsCopied()) {
      const auto pack = is_rows                 ? lanes.pack_rows
                        : of.across == of.bytes ? lanes.pack_columns_across
                                                : lanes.pack_columns_along;
      return pack(source, target);
    }
    for (; size > 0; size -= kCopied) {
      const int64_t copied = std::min(size, kCopied);
      auto* const from = const_cast<std::byte*>(source.from);
      CopyBlock(kElement, copied, depth, StridedBlock(from, of.across, of.along),
                StridedBlock(dense, depth * kElement, kElement));
      (is_rows ? lanes.pack_rows : lanes.pack_columns_along)({dense, depth * kElement, kElement, copied, depth},
                                                             target);
      source.from += kCopied * of.across;
      target.blocks += kCopied / kGroup * target.group_stride;
      target.least += kCopied / kGroup;
    }
  }
};

struct BlockScratch : ScratchPlaces {
  explicit BlockScratch(const ProductPlan& plan) {
    const BlockSide rows{plan, true}, columns{plan, false};
    const int64_t blocks_along = CeilDivide(plan.packed_depth, kBlockDepth);
    const auto side = [&](const BlockSide& of, int64_t* blocks, int64_t* least) {
      const int64_t groups = GroupsOf(of.tile());
      *blocks =
          of.packed_batches() > 0 || of.IsReadInPlace() ? 0 : Place(groups * GroupStride(blocks_along) * kElement);
      *least = Place(groups * kElement);
    };
    side(rows, &row_blocks, &least_rows);
    side(columns, &column_blocks, &least_columns);
    const int64_t floats = sizeof(float);
    const int64_t results = std::max(GroupsOf(plan.tile_rows) * kGroup * Stride(plan.tile_columns), 2 * kPair * kPair);
    dense = Place(std::max({rows.CopiedBytes(), columns.CopiedBytes(), plan.tile_columns * floats}));
    tile = Place(results * floats);
    sums = plan.HasOneSpanOfBlocks() ? 0 : Place(results * static_cast<int64_t>(sizeof(double)));
    addend = plan.beta == 0 ? 0 : Place(plan.tile_columns * floats);
  }
  // Floats from one row to the next: an odd number of lines.
  static int64_t Stride(int64_t columns) { return (GroupsOf(columns) | 1) * kGroup; }
  int64_t row_blocks, least_rows, column_blocks, least_columns, dense, tile, sums, addend;
};

// One side of a tile.
struct TileSide {
  BlockSide side;
  int64_t first;
  int64_t count;
  uint16_t* own;    // room for blocks, where they are not packed before
  uint16_t* least;  // of its groups
  const uint16_t* blocks = nullptr;
  int64_t across = kBlockDepth;  // as in BlockProduct
  int64_t along = kBlockElements;
  int64_t group_stride = 0;

  void Take(const ProductTask& task, const ProductPlace& batch, int64_t number, int64_t summed, int64_t k,
            int64_t depth, std::byte* dense) {
    const int64_t groups = GroupsOf(count);
    if (side.packed_batches() > 0) {
      const int64_t part = side.Part(number, summed);
      blocks = side.Blocks(task, part, first / kGroup, k);
      group_stride = side.Stride();
      const uint16_t* const before = side.Least(task, part, k, first / kGroup);
      for (int64_t group = 0; group < groups; ++group) least[group] = std::min(least[group], before[group]);
      return;
    }
    if (side.IsReadInPlace()) {
      const ProductFactor& of = side.factor();
      const std::byte* const from = side.base(batch) + summed * of.summed + first * of.across + k * of.along;
      blocks = reinterpret_cast<const uint16_t*>(from);
      across = of.across / kElement;
      along = kBlockDepth;
      group_stride = kGroup * across;
      return;
    }
    blocks = own;
    group_stride = GroupStride(CeilDivide(depth, kBlockDepth));
    side.Pack(side.base(batch), summed, first, count, k, depth, {own, group_stride, least}, dense);
  }
};

// Of what both sides have taken, the products of up to two groups of either from `row` and `column` on, `depth`
// elements from k on.
BlockProduct PairOfGroups(const TileSide& rows, const TileSide& columns, int64_t row, int64_t column, int64_t k,
                          int64_t depth, float* out, int64_t out_stride, bool adds) {
  const int64_t block = k / kBlockDepth;
  return {.rows = rows.blocks + row / kGroup * rows.group_stride + block * rows.along,
          .columns = columns.blocks + column / kGroup * columns.group_stride + block * kBlockElements,
          .row_across = rows.across,
          .row_along = rows.along,
          .row_stride = rows.group_stride,
          .column_stride = columns.group_stride,
          .row_groups = std::min<int64_t>(2, GroupsOf(rows.count - row)),
          .column_groups = std::min<int64_t>(2, GroupsOf(columns.count - column)),
          .blocks = CeilDivide(depth, kBlockDepth),
          .out = out,
          .out_stride = out_stride,
          .adds = adds,
          .adds_blocks = rows.side.plan.block_span < kBlockSpan,
          .least = rows.side.IsReadInPlace() && column == 0 ? rows.least + row / kGroup : nullptr};
}

// Adds the products of what both sides have taken to a tile, or stores them there. `next`: the rows that come then, as
// many, or null; each pair of groups asks for its part of them.
void MultiplyTile(const BlockLanes& lanes, const TileSide& rows, const TileSide& columns, int64_t depth, bool adds,
                  const SumTile& tile, const std::byte* next) {
  const ProductFactor& of_rows = rows.side.factor();
  const int64_t pairs =
      CeilDivide(rows.count, kPair) * CeilDivide(columns.count, kPair) * CeilDivide(depth, kMultipliedDepth);
  const int64_t run = CeilDivide(rows.count * depth * kElement, pairs);
  int64_t asked = 0;
  for (int64_t k = 0; k < depth; k += kMultipliedDepth) {
    for (int64_t row = 0; row < rows.count; row += kPair) {
      for (int64_t column = 0; column < columns.count; column += kPair) {
        BlockProduct product = PairOfGroups(rows, columns, row, column, k, std::min(kMultipliedDepth, depth - k),
                                            tile.floats + row * tile.stride + column, tile.stride, adds || k > 0);
        if (next != nullptr) {
          product.ahead = next + asked / (depth * kElement) * of_rows.across + asked % (depth * kElement);
          product.ahead_bytes = run;
          asked += run;
        }
        lanes.multiply(product);
      }
    }
  }
}

bool AreAllNormal(const TileSide& rows, const TileSide& columns) {
  // The groups that are all zeros have the largest `least`, and those of the smallest decide for all.
  const uint16_t row = *std::min_element(rows.least, rows.least + GroupsOf(rows.count));
  const uint16_t column = *std::min_element(columns.least, columns.least + GroupsOf(columns.count));
  return HaveNormalProducts(row, column);
}

// Takes from the products by panels those of groups whose numbers are too small. False where there is no memory.
bool MendSmall(const ProductTask& task, int64_t number, const ProductPart& where, const TileSide& rows,
               const TileSide& columns, const SumTile& tile) {
  const ProductPlan& plan = task.plan;
  const PanelScratch places(plan);
  return WithScratch(places.bytes, [&](void* memory) {
    auto* const scratch = static_cast<std::byte*>(memory);
    auto* const floats = reinterpret_cast<float*>(scratch + places.tile);
    auto* const sums = plan.HasOneBlock() ? nullptr : reinterpret_cast<double*>(scratch + places.sums);
    const int64_t stride = plan.TileStride(where.columns);
    MultiplyPanels(task, number, where, {floats, sums, stride}, scratch, places);
    for (int64_t row = 0; row < where.rows; ++row) {
      for (int64_t column = 0; column < where.columns; column += kGroup) {
        if (HaveNormalProducts(rows.least[row / kGroup], columns.least[column / kGroup])) continue;
        const float* const from = floats + row * stride + column;
        std::copy(from, from + std::min(kGroup, where.columns - column), tile.floats + row * tile.stride + column);
      }
    }
  });
}

// Stores products of one depth while they are in the first-level cache. False where some numbers are too small.
bool RunNarrowTile(const ProductTask& task, int64_t number, const ProductPart& where, std::byte* scratch,
                   const BlockScratch& places) {
  const ProductPlan& plan = task.plan;
  const ProductPlace batch(task, number);
  const auto at = [&](int64_t place) { return reinterpret_cast<uint16_t*>(scratch + place); };
  auto* const floats = reinterpret_cast<float*>(scratch + places.tile);
  TileSide columns{{plan, false}, where.column, where.columns, at(places.column_blocks), at(places.least_columns)};
  std::fill(columns.least, columns.least + GroupsOf(columns.count), kNoNumber);
  columns.Take(task, batch, number, 0, 0, plan.depth, scratch + places.dense);
  // One pair's products are stored while the next pair is multiplied.
  struct {
    const float* floats;
    int64_t rows, columns;
    std::byte* to;
  } done = {};
  const auto narrow = [&] {
    plan.blocks->narrow(done.floats, kPair, done.rows, done.columns, done.to, plan.out.row_stride);
  };
  int64_t pairs = 0;
  for (int64_t row = 0; row < where.rows; row += kPair) {
    TileSide rows{
        {plan, true}, where.row + row, std::min(kPair, where.rows - row), at(places.row_blocks), at(places.least_rows)};
    std::fill(rows.least, rows.least + GroupsOf(rows.count), kNoNumber);
    rows.Take(task, batch, number, 0, 0, plan.depth, scratch + places.dense);
    std::byte* to = batch.out + rows.first * plan.out.row_stride + where.column * kElement;
    const std::byte* const following =
        plan.packed_rows > 0 ? nullptr : RowsAfter(plan, batch.rows, where, row + rows.count, 0, plan.depth);
    const int64_t run = kPair * plan.depth * kElement / CeilDivide(where.columns, kPair);
    for (int64_t column = 0; column < where.columns; column += kPair, to += kPair * kElement) {
      float* const next = floats + pairs++ % 2 * kPair * kPair;
      BlockProduct product = PairOfGroups(rows, columns, 0, column, 0, plan.depth, next, kPair, false);
      if (following != nullptr) product.ahead = following + column / kPair * run;
      product.ahead_bytes = run;
      const int64_t count = std::min(kPair, where.columns - column);
      const bool at_once = plan.blocks->multiply_narrows && rows.count % kGroup == 0 && count % kGroup == 0;
      if (at_once) product.narrow = to;
      product.narrow_stride = plan.out.row_stride;
      plan.blocks->multiply(product);
      narrow();
      if (column == 0 && !AreAllNormal(rows, columns)) return false;
      done = {next, at_once ? 0 : rows.count, count, to};
    }
  }
  narrow();
  return true;
}

bool RunBlockTile(const ProductTask& task, int64_t number, const ProductPart& where, std::byte* scratch,
                  const BlockScratch& places) {
  const ProductPlan& plan = task.plan;
  if (plan.NarrowsAtOnce() && RunNarrowTile(task, number, where, scratch, places)) return true;
  const ProductPlace batch(task, number);
  const auto at = [&](int64_t place) { return reinterpret_cast<uint16_t*>(scratch + place); };
  TileSide rows{{plan, true}, where.row, where.rows, at(places.row_blocks), at(places.least_rows)};
  TileSide columns{{plan, false}, where.column, where.columns, at(places.column_blocks), at(places.least_columns)};
  for (const TileSide& side : {rows, columns}) std::fill(side.least, side.least + GroupsOf(side.count), kNoNumber);
  const SumTile tile{.floats = reinterpret_cast<float*>(scratch + places.tile),
                     .sums = plan.HasOneSpanOfBlocks() ? nullptr : reinterpret_cast<double*>(scratch + places.sums),
                     .stride = BlockScratch::Stride(where.columns)};
  const int64_t results = where.rows * tile.stride;
  if (tile.sums != nullptr) std::fill(tile.sums, tile.sums + results, 0.0);
  std::byte* const dense = scratch + places.dense;
  for (int64_t summed = 0; summed < plan.sums; ++summed) {
    for (int64_t k = 0; k < plan.depth; k += plan.packed_depth) {
      const int64_t depth = std::min(plan.packed_depth, plan.depth - k);
      rows.Take(task, batch, number, summed, k, depth, dense);
      columns.Take(task, batch, number, summed, k, depth, dense);
      const int64_t next = k + depth;
      const std::byte* const following =
          plan.packed_rows > 0
              ? nullptr
              : RowsAfter(plan, batch.rows + summed * plan.rows_of.summed, where, where.rows, k, depth);
      MultiplyTile(*plan.blocks, rows, columns, depth, k % plan.block_span != 0, tile, following);
      if (tile.sums == nullptr || (next % plan.block_span != 0 && next != plan.depth)) continue;
      for (int64_t i = 0; i < results; ++i) tile.sums[i] += static_cast<double>(tile.floats[i]);
    }
  }
  if (tile.sums != nullptr) plan.lanes.round(tile.sums, results, tile.floats);
  const bool are_normal = AreAllNormal(rows, columns);
  if (are_normal && plan.narrows_blocks) {
    plan.blocks->narrow(tile.floats, tile.stride, where.rows, where.columns,
                        batch.out + where.row * plan.out.row_stride + where.column * kElement, plan.out.row_stride);
    return true;
  }
  if (!are_normal && !MendSmall(task, number, where, rows, columns, tile)) return false;
  StoreProducts(plan, batch, where.row, where.column, where.rows, where.columns, tile.floats, tile.stride, dense,
                reinterpret_cast<float*>(scratch + places.addend));
  return true;
}

void RunBlockPacking(ProductTask& task, bool is_rows, int64_t first, int64_t end) {
  const ProductPlan& plan = task.plan;
  const BlockSide side{plan, is_rows};
  const int64_t groups = kBlockTile / kGroup, all = GroupsOf(side.count());
  const auto run = [&](void* dense) {
    for (int64_t chunk = first; chunk < end; ++chunk) {
      const int64_t k = chunk % plan.DepthBlocks() * plan.packed_depth, rest = chunk / plan.DepthBlocks();
      const int64_t part = rest / CeilDivide(all, groups), group = rest % CeilDivide(all, groups) * groups;
      uint16_t* const least = side.Least(task, part, k, group);
      std::fill(least, least + std::min(groups, all - group), kNoNumber);
      const ProductPlace batch(task, part / plan.sums);
      const int64_t begin = group * kGroup;
      side.Pack(side.base(batch), part % plan.sums, begin, std::min(groups * kGroup, side.count() - begin), k,
                std::min(plan.packed_depth, plan.depth - k), {side.Blocks(task, part, group, k), side.Stride(), least},
                static_cast<std::byte*>(dense));
    }
  };
  if (!WithScratch(side.CopiedBytes(), run)) task.out_of_memory.store(true, std::memory_order_relaxed);
}

}  // namespace

void RunRowBlockPacking(void* argument, int64_t first, int64_t end) {
  RunBlockPacking(*static_cast<ProductTask*>(argument), true, first, end);
}

void RunColumnBlockPacking(void* argument, int64_t first, int64_t end) {
  RunBlockPacking(*static_cast<ProductTask*>(argument), false, first, end);
}

void RunBlockTiles(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<ProductTask*>(argument);
  const ProductPlan& plan = task.plan;
  const BlockScratch places(plan);
  const auto run = [&](void* scratch) {
    bool has_memory = true;
    plan.blocks->begin();
    for (int64_t chunk = first; chunk < end; ++chunk) {
      const int64_t number = chunk / plan.column_tiles / plan.row_tiles;
      has_memory &= RunBlockTile(task, number, PartOfChunk(plan, chunk), static_cast<std::byte*>(scratch), places);
    }
    plan.blocks->end();
    if (!has_memory) task.out_of_memory.store(true, std::memory_order_relaxed);
  };
  if (!WithScratch(places.bytes, run)) task.out_of_memory.store(true, std::memory_order_relaxed);
}

}  // namespace portacl::loops::products
