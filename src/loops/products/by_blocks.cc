// SPDX-License-Identifier: Apache-2.0
//
// Products of bfloat16 by dedicated instructions. At least one side is packed before all tiles, if several tiles share
// it. A tile with magnitudes so small that subnormal values may occur is also multiplied by panels; the results of the
// groups with such magnitudes are taken from there. So a result depends only on its own row and column, and on their
// neighbours in the groups.
#include <algorithm>
#include <cstddef>

#include "loops/products/product_task.h"
#include "loops/tiles/chunks.h"

namespace portacl::loops::products {
namespace {

constexpr auto kElement = static_cast<int64_t>(sizeof(uint16_t));
constexpr int64_t kPair = 2 * kGroup;  // rows or columns of the two groups that are multiplied together
constexpr int64_t kCopied = 64;        // rows or columns that are copied at a time if their elements are not contiguous

int64_t GroupsOf(int64_t count) { return CeilDivide(count, kGroup); }

// One side, packed before all tiles.
struct PackedBlocks {
  uint16_t* blocks = nullptr;          // [batch][summed][group][block along k]
  uint16_t* min_magnitudes = nullptr;  // [batch][summed][part of k][group], see BlockTarget
};

// One side of the product: the rows or the columns.
struct BlockSide {
  const ProductPlan& plan;
  const BlockPlan& way;
  bool is_rows;
  PackedBlocks packed = {};
  const ProductFactor& factor() const { return is_rows ? plan.rows_of : plan.columns_of; }
  int64_t count() const { return is_rows ? plan.rows : plan.columns; }
  int64_t tile() const { return is_rows ? plan.tile_rows : plan.tile_columns; }
  int64_t packed_batches() const { return is_rows ? way.packed_rows : way.packed_columns; }
  int64_t packed_depth() const { return way.panels.packed_depth; }
  int64_t parts() const { return plan.DepthParts(packed_depth()); }
  std::byte* base(const ProductPlace& batch) const { return is_rows ? batch.rows : batch.columns; }

  int64_t Stride() const { return GroupStride(plan.BlocksAlong()); }
  int64_t PackedGroups() const { return packed_batches() * plan.sums * GroupsOf(count()); }
  int64_t Part(int64_t batch, int64_t summed) const { return (packed_batches() == 1 ? 0 : batch) * plan.sums + summed; }
  uint16_t* Blocks(int64_t part, int64_t group, int64_t k) const {
    return packed.blocks + (part * GroupsOf(count()) + group) * Stride() + k / kBlockDepth * kBlockElements;
  }
  uint16_t* MinMagnitudes(int64_t part, int64_t k, int64_t group) const {
    return packed.min_magnitudes + (part * parts() + k / packed_depth()) * GroupsOf(count()) + group;
  }

  // Whether whole blocks are read in place; their minima are computed when they are first multiplied.
  bool IsReadInPlace() const {
    return is_rows && packed_batches() == 0 && plan.rows % kGroup == 0 && plan.depth % kBlockDepth == 0 &&
           factor().k_stride == kElement && factor().stride % kSamePlaces != 0;
  }

  // Whether elements are copied first, because packing needs them contiguous in one direction.
  bool IsCopied() const {
    return factor().k_stride != factor().bytes && (is_rows || factor().stride != factor().bytes);
  }
  int64_t CopiedBytes() const { return IsCopied() ? kCopied * packed_depth() * kElement : 0; }

  // Packs the rows or columns [first, first + size) at `base`, `depth` elements of each, starting at k.
  void Pack(std::byte* base, int64_t summed, int64_t first, int64_t size, int64_t k, int64_t depth, BlockTarget target,
            std::byte* dense) const {
    const ProductFactor& of = factor();
    BlockSource source{base + summed * of.summed + first * of.stride + k * of.k_stride, of.stride, of.k_stride, size,
                       depth};
    const BlockLanes& lanes = *way.lanes;
    if (!IsCopied()) {
      const auto pack = is_rows                 ? lanes.pack_rows
                        : of.stride == of.bytes ? lanes.pack_columns_across
                                                : lanes.pack_columns_along;
      return pack(source, target);
    }
    for (; size > 0; size -= kCopied) {
      const int64_t copied = std::min(size, kCopied);
      auto* const from = const_cast<std::byte*>(source.from);
      CopyBlock(kElement, copied, depth, StridedBlock(from, of.stride, of.k_stride),
                StridedBlock(dense, depth * kElement, kElement));
      (is_rows ? lanes.pack_rows : lanes.pack_columns_along)({dense, depth * kElement, kElement, copied, depth},
                                                             target);
      source.from += kCopied * of.stride;
      target.blocks += kCopied / kGroup * target.group_stride;
      target.min_magnitudes += kCopied / kGroup;
    }
  }
};

struct BlockScratch {
  BlockScratch(const BlockSide& rows, const BlockSide& columns) {
    const ProductPlan& plan = rows.plan;
    const auto side = [&](const BlockSide& of, ScratchPart<uint16_t>* blocks, ScratchPart<uint16_t>* min_magnitudes) {
      const int64_t groups = GroupsOf(of.tile()), blocks_along = CeilDivide(of.packed_depth(), kBlockDepth);
      const bool packs = of.packed_batches() == 0 && !of.IsReadInPlace();
      *blocks = layout.Add<uint16_t>(packs ? groups * GroupStride(blocks_along) : 0);
      *min_magnitudes = layout.Add<uint16_t>(groups);
    };
    side(rows, &row_blocks, &row_magnitudes);
    side(columns, &column_blocks, &column_magnitudes);
    const int64_t floats = sizeof(float);
    const int64_t results = std::max(GroupsOf(plan.tile_rows) * kGroup * Stride(plan.tile_columns), 2 * kPair * kPair);
    dense = layout.Add<std::byte>(std::max({rows.CopiedBytes(), columns.CopiedBytes(), plan.tile_columns * floats}));
    tile = layout.Add<float>(results);
    sums = layout.Add<double>(plan.HasOneSpan(rows.way) ? 0 : results);
    addend = layout.Add<float>(plan.beta == 0 ? 0 : plan.tile_columns);
  }
  // Floats from one row to the next: an odd number of cache lines.
  static int64_t Stride(int64_t columns) { return (GroupsOf(columns) | 1) * kGroup; }
  ScratchLayout layout;
  ScratchPart<uint16_t> row_blocks, row_magnitudes, column_blocks, column_magnitudes;
  ScratchPart<std::byte> dense;
  ScratchPart<float> tile, addend;
  ScratchPart<double> sums;
};

// One side of a tile.
struct TileSide {
  const BlockSide& side;
  int64_t first;
  int64_t count;
  uint16_t* own;             // room for blocks that are not packed before
  uint16_t* min_magnitudes;  // of its groups; see BlockTarget
  const uint16_t* blocks = nullptr;
  int64_t stride = kBlockDepth;  // as in BlockProduct
  int64_t block_stride = kBlockElements;
  int64_t group_stride = 0;

  void Take(const ProductPlace& batch, int64_t number, int64_t summed, int64_t k, int64_t depth, std::byte* dense) {
    const int64_t groups = GroupsOf(count);
    if (side.packed_batches() > 0) {
      const int64_t part = side.Part(number, summed);
      blocks = side.Blocks(part, first / kGroup, k);
      group_stride = side.Stride();
      const uint16_t* const before = side.MinMagnitudes(part, k, first / kGroup);
      for (int64_t group = 0; group < groups; ++group)
        min_magnitudes[group] = std::min(min_magnitudes[group], before[group]);
      return;
    }
    if (side.IsReadInPlace()) {
      const ProductFactor& of = side.factor();
      const std::byte* const from = side.base(batch) + summed * of.summed + first * of.stride + k * of.k_stride;
      blocks = reinterpret_cast<const uint16_t*>(from);
      stride = of.stride / kElement;
      block_stride = kBlockDepth;
      group_stride = kGroup * stride;
      return;
    }
    blocks = own;
    group_stride = GroupStride(CeilDivide(depth, kBlockDepth));
    side.Pack(side.base(batch), summed, first, count, k, depth, {own, group_stride, min_magnitudes}, dense);
  }
};

// Describes the product of up to two groups of each side, starting at `row` and `column`, over `depth` elements from k
// on.
BlockProduct PairOfGroups(const TileSide& rows, const TileSide& columns, int64_t row, int64_t column, int64_t k,
                          int64_t depth, float* out, int64_t out_stride, bool adds) {
  const int64_t block = k / kBlockDepth;
  return {.rows = rows.blocks + row / kGroup * rows.group_stride + block * rows.block_stride,
          .columns = columns.blocks + column / kGroup * columns.group_stride + block * kBlockElements,
          .row_stride = rows.stride,
          .row_block_stride = rows.block_stride,
          .row_group_stride = rows.group_stride,
          .column_group_stride = columns.group_stride,
          .row_groups = std::min<int64_t>(2, GroupsOf(rows.count - row)),
          .column_groups = std::min<int64_t>(2, GroupsOf(columns.count - column)),
          .blocks = CeilDivide(depth, kBlockDepth),
          .out = out,
          .out_stride = out_stride,
          .adds = adds,
          .adds_blocks = rows.side.way.span < kBlockSpan,
          .min_magnitudes = rows.side.IsReadInPlace() && column == 0 ? rows.min_magnitudes + row / kGroup : nullptr};
}

// Multiplies the current parts of both sides, and adds the products to a tile or stores them there. `next` has the rows
// that follow, as many again, or is null; each pair of groups prefetches a part of them.
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
          product.ahead = next + asked / (depth * kElement) * of_rows.stride + asked % (depth * kElement);
          product.ahead_bytes = run;
          asked += run;
        }
        lanes.multiply(product);
      }
    }
  }
}

bool AreAllNormal(const TileSide& rows, const TileSide& columns) {
  // Groups of zeros have the largest values here; the smallest values decide for all groups.
  const uint16_t row = *std::min_element(rows.min_magnitudes, rows.min_magnitudes + GroupsOf(rows.count));
  const uint16_t column = *std::min_element(columns.min_magnitudes, columns.min_magnitudes + GroupsOf(columns.count));
  return HaveNormalProducts(row, column);
}

// The state that the tiles of a product share.
struct BlockTask {
  const ProductTask& task;
  const BlockPlan& way;
  BlockSide rows, columns;
  BlockScratch places = {rows, columns};
};

// Recomputes the results of pairs of groups with possible subnormal values by panels; see the top of this file.
void RecomputeSubnormalGroups(const BlockTask& of, int64_t number, const ProductPart& where, const TileSide& rows,
                              const TileSide& columns, const SumTile& tile) {
  const ProductPlan& plan = of.task.plan;
  const PanelScratch places(plan, of.way.panels);
  WithScratch(places.layout.bytes(), [&](std::byte* scratch) {
    float* const floats = places.tile.In(scratch);
    double* const sums = plan.HasOneBlock() ? nullptr : places.sums.In(scratch);
    const int64_t stride = of.way.panels.TileStride(where.columns);
    MultiplyPanels(of.task, of.way.panels, nullptr, number, where, {floats, sums, stride}, scratch, places);
    for (int64_t row = 0; row < where.rows; ++row) {
      for (int64_t column = 0; column < where.columns; column += kGroup) {
        if (HaveNormalProducts(rows.min_magnitudes[row / kGroup], columns.min_magnitudes[column / kGroup])) continue;
        const float* const from = floats + row * stride + column;
        std::copy(from, from + std::min(kGroup, where.columns - column), tile.floats + row * tile.stride + column);
      }
    }
  });
}

// Stores products with a single part of k while they are in the first-level cache. Returns false where some magnitudes
// are too small.
bool RunNarrowTile(const BlockTask& of, int64_t number, const ProductPart& where, std::byte* scratch) {
  const ProductPlan& plan = of.task.plan;
  const BlockLanes& lanes = *of.way.lanes;
  const BlockScratch& places = of.places;
  const ProductPlace batch(of.task, number);
  float* const floats = places.tile.In(scratch);
  TileSide columns{of.columns, where.column, where.columns, places.column_blocks.In(scratch),
                   places.column_magnitudes.In(scratch)};
  std::fill(columns.min_magnitudes, columns.min_magnitudes + GroupsOf(columns.count), kAllZero);
  columns.Take(batch, number, 0, 0, plan.depth, places.dense.In(scratch));
  // The products of one pair are stored while the next pair is multiplied.
  struct {
    const float* floats;
    int64_t rows, columns;
    std::byte* to;
  } done = {};
  const auto narrow = [&] { lanes.narrow(done.floats, kPair, done.rows, done.columns, done.to, plan.out.row_stride); };
  int64_t pairs = 0;
  for (int64_t row = 0; row < where.rows; row += kPair) {
    TileSide rows{of.rows, where.row + row, std::min(kPair, where.rows - row), places.row_blocks.In(scratch),
                  places.row_magnitudes.In(scratch)};
    std::fill(rows.min_magnitudes, rows.min_magnitudes + GroupsOf(rows.count), kAllZero);
    rows.Take(batch, number, 0, 0, plan.depth, places.dense.In(scratch));
    std::byte* to = batch.out + rows.first * plan.out.row_stride + where.column * kElement;
    const std::byte* const following =
        of.way.packed_rows > 0 ? nullptr : RowsAfter(plan, batch.rows, where, row + rows.count, 0, plan.depth);
    const int64_t run = kPair * plan.depth * kElement / CeilDivide(where.columns, kPair);
    for (int64_t column = 0; column < where.columns; column += kPair, to += kPair * kElement) {
      float* const next = floats + pairs++ % 2 * kPair * kPair;
      BlockProduct product = PairOfGroups(rows, columns, 0, column, 0, plan.depth, next, kPair, false);
      if (following != nullptr) product.ahead = following + column / kPair * run;
      product.ahead_bytes = run;
      const int64_t count = std::min(kPair, where.columns - column);
      const bool at_once = lanes.multiply_narrows && rows.count % kGroup == 0 && count % kGroup == 0;
      if (at_once) product.narrow = to;
      product.narrow_stride = plan.out.row_stride;
      lanes.multiply(product);
      narrow();
      if (column == 0 && !AreAllNormal(rows, columns)) return false;
      done = {next, at_once ? 0 : rows.count, count, to};
    }
  }
  narrow();
  return true;
}

void RunBlockTile(const BlockTask& of, int64_t number, const ProductPart& where, std::byte* scratch) {
  const ProductPlan& plan = of.task.plan;
  const BlockPlan& way = of.way;
  const BlockScratch& places = of.places;
  if (plan.NarrowsAtOnce(way) && RunNarrowTile(of, number, where, scratch)) return;
  const ProductPlace batch(of.task, number);
  TileSide rows{of.rows, where.row, where.rows, places.row_blocks.In(scratch), places.row_magnitudes.In(scratch)};
  TileSide columns{of.columns, where.column, where.columns, places.column_blocks.In(scratch),
                   places.column_magnitudes.In(scratch)};
  for (const TileSide* const side : {&rows, &columns})
    std::fill(side->min_magnitudes, side->min_magnitudes + GroupsOf(side->count), kAllZero);
  const SumTile tile{.floats = places.tile.In(scratch),
                     .sums = plan.HasOneSpan(way) ? nullptr : places.sums.In(scratch),
                     .stride = BlockScratch::Stride(where.columns)};
  const int64_t results = where.rows * tile.stride;
  if (tile.sums != nullptr) std::fill(tile.sums, tile.sums + results, 0.0);
  std::byte* const dense = places.dense.In(scratch);
  for (int64_t summed = 0; summed < plan.sums; ++summed) {
    for (int64_t k = 0; k < plan.depth; k += way.panels.packed_depth) {
      const int64_t depth = std::min(way.panels.packed_depth, plan.depth - k);
      rows.Take(batch, number, summed, k, depth, dense);
      columns.Take(batch, number, summed, k, depth, dense);
      const int64_t next = k + depth;
      const std::byte* const following =
          way.packed_rows > 0 ? nullptr
                              : RowsAfter(plan, batch.rows + summed * plan.rows_of.summed, where, where.rows, k, depth);
      MultiplyTile(*way.lanes, rows, columns, depth, k % way.span != 0, tile, following);
      if (tile.sums == nullptr || (next % way.span != 0 && next != plan.depth)) continue;
      for (int64_t i = 0; i < results; ++i) tile.sums[i] += static_cast<double>(tile.floats[i]);
    }
  }
  if (tile.sums != nullptr) plan.lanes.round(tile.sums, results, tile.floats);
  const bool are_normal = AreAllNormal(rows, columns);
  if (are_normal && way.narrows) {
    way.lanes->narrow(tile.floats, tile.stride, where.rows, where.columns,
                      batch.out + where.row * plan.out.row_stride + where.column * kElement, plan.out.row_stride);
    return;
  }
  if (!are_normal) RecomputeSubnormalGroups(of, number, where, rows, columns, tile);
  StoreProducts(plan, batch, where.row, where.column, where.rows, where.columns, tile.floats, tile.stride, dense,
                places.addend.In(scratch));
}

// Packs a side before all tiles.
void PackSide(const ProductTask& task, const BlockSide& side) {
  const ProductPlan& plan = task.plan;
  const int64_t groups = kBlockTile / kGroup, all = GroupsOf(side.count());
  const int64_t chunks = side.packed_batches() * plan.sums * CeilDivide(all, groups) * side.parts();
  ForEachChunk(plan.ChunksOf(chunks, side.CopiedBytes()), [&](int64_t chunk, std::byte* dense) {
    const int64_t k = chunk % side.parts() * side.packed_depth(), rest = chunk / side.parts();
    const int64_t part = rest / CeilDivide(all, groups), group = rest % CeilDivide(all, groups) * groups;
    uint16_t* const min_magnitudes = side.MinMagnitudes(part, k, group);
    std::fill(min_magnitudes, min_magnitudes + std::min(groups, all - group), kAllZero);
    const ProductPlace batch(task, part / plan.sums);
    const int64_t begin = group * kGroup;
    side.Pack(side.base(batch), part % plan.sums, begin, std::min(groups * kGroup, side.count() - begin), k,
              std::min(side.packed_depth(), plan.depth - k),
              {side.Blocks(part, group, k), side.Stride(), min_magnitudes}, dense);
  });
}

}  // namespace

void RunProducts(const ProductTask& task, const BlockPlan& way) {
  const ProductPlan& plan = task.plan;
  BlockTask of{.task = task, .way = way, .rows = {plan, way, true}, .columns = {plan, way, false}};
  ScratchLayout layout;
  const auto blocks = [&](const BlockSide& side) { return layout.Add<uint16_t>(side.PackedGroups() * side.Stride()); };
  const auto magnitudes = [&](const BlockSide& side) {
    return layout.Add<uint16_t>(side.PackedGroups() * side.parts());
  };
  const ScratchPart<uint16_t> parts[] = {blocks(of.rows), magnitudes(of.rows), blocks(of.columns),
                                         magnitudes(of.columns)};
  const PoolMemory packed(layout.bytes());
  of.rows.packed = {parts[0].In(packed.As()), parts[1].In(packed.As())};
  of.columns.packed = {parts[2].In(packed.As()), parts[3].In(packed.As())};
  for (const BlockSide* const side : {&of.rows, &of.columns}) {
    if (side->packed_batches() > 0) PackSide(task, *side);
  }
  RunChunks(plan.ChunksOf(plan.chunks, of.places.layout.bytes()), [&](int64_t first, int64_t end, std::byte* scratch) {
    const BlockSession session(*way.lanes);
    for (int64_t chunk = first; chunk < end; ++chunk) {
      const int64_t number = chunk / plan.column_tiles / plan.row_tiles;
      RunBlockTile(of, number, PartOfChunk(plan, chunk), scratch);
    }
  });
}

}  // namespace portacl::loops::products
