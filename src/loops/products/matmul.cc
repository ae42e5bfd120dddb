// SPDX-License-Identifier: Apache-2.0
#include "loops/products/matmul.h"

#include <algorithm>
#include <utility>

#include "base/bfloat16_unit.h"
#include "base/dtype.h"
#include "base/target.h"
#include "base/tuning.h"
#include "loops/products/product_plan.h"

namespace portacl::loops::products {
namespace {

const View& ViewOfPart(const exec::PlanBuilder& builder, const OperandPart& part) {
  return part.view ? *part.view : builder.OperandView(part.operand);
}

ProductFactor MakeFactor(const exec::PlanBuilder& builder, const OperandPart& part, bool is_second, bool sums_first) {
  const View& view = ViewOfPart(builder, part);
  const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  const int last = view.rank - 1;
  ProductFactor factor{.operand = part.operand,
                       .offset = (view.offset - builder.OperandView(part.operand).offset) * bytes,
                       .bytes = bytes,
                       .stride = view.step(is_second ? last : last - 1) * bytes,
                       .k_stride = view.step(is_second ? last - 1 : last) * bytes,
                       .summed = sums_first ? view.step(0) * bytes : 0,
                       .conversion = &ConversionOf(view.dtype, ACL_FLOAT)};
  if (view.shape[is_second ? last - 1 : last] == 1) factor.k_stride = bytes;
  for (int axis = sums_first ? 1 : 0; axis < last - 1; ++axis)
    factor.batch[axis - (sums_first ? 1 : 0)] = view.step(axis) * bytes;
  return factor;
}

ProductResult MakeResult(const exec::PlanBuilder& builder, const OperandPart& part, bool is_addend, bool sums_first) {
  const View& view = ViewOfPart(builder, part);
  const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  const int last = view.rank - 1;
  ProductResult result{
      .operand = part.operand,
      .offset = (view.offset - builder.OperandView(part.operand).offset) * bytes,
      .bytes = bytes,
      .row_stride = view.step(last - 1) * bytes,
      .column_stride = view.step(last) * bytes,
      .conversion = is_addend ? &ConversionOf(view.dtype, ACL_FLOAT) : &ConversionOf(ACL_FLOAT, view.dtype)};
  for (int axis = sums_first ? 1 : 0; axis < last - 1; ++axis)
    result.batch[axis - (sums_first ? 1 : 0)] = view.step(axis) * bytes;
  return result;
}

// The cost of one batch in addition to the multiplication: packing columns, packing or transposing rows for each tile
// of columns, and storing results. The unit is the time to pack one contiguous element.
double PackingCost(const ProductPlan& plan) {
  const Tuning& tuning = CurrentTuning();
  const auto rows = static_cast<double>(plan.rows), columns = static_cast<double>(plan.columns);
  const double depth = static_cast<double>(plan.depth) * static_cast<double>(plan.sums);
  const ProductFactor &of_rows = plan.rows_of, &of_columns = plan.columns_of;
  const double column = plan.ReadsPanels()                      ? tuning.pack_while_multiplying_cost
                        : of_columns.stride == of_columns.bytes ? 1
                                                                : tuning.pack_transposed_cost;
  double row = of_rows.k_stride == of_rows.bytes || plan.ReadsNeighbours() ? 0
               : of_rows.stride == of_rows.bytes                           ? 1
                                                                           : tuning.pack_transposed_cost;
  row *= static_cast<double>(CeilDivide(plan.columns, plan.ReadsPanels() ? kWideTileColumns : kTileColumns));
  return columns * depth * column + rows * depth * row +
         rows * columns * (plan.out.column_stride == plan.out.bytes ? 1 : tuning.store_transposed_cost);
}

void ExchangeResults(ProductPlan* plan) {
  for (ProductResult* const result : {&plan->out, &plan->addend}) std::swap(result->row_stride, result->column_stride);
}

void ExchangeSides(ProductPlan* plan) {
  std::swap(plan->rows_of, plan->columns_of);
  std::swap(plan->rows, plan->columns);
  ExchangeResults(plan);
}

DotPlan MakeDots(const DotLanes& lanes, const PairDots* pairs, int64_t batches, ProductPlan* plan) {
  plan->tile_rows = std::max<int64_t>(1, kDotElements / std::max<int64_t>(plan->depth, 1));
  if (plan->tile_rows > 8) plan->tile_rows = plan->tile_rows / 8 * 8;
  const bool is_across = plan->rows_of.stride == plan->rows_of.bytes && plan->rows_of.k_stride != plan->rows_of.bytes;
  if (is_across) plan->tile_rows = std::max<int64_t>(plan->tile_rows, AcrossRows(*plan));
  plan->tile_rows = std::min(plan->tile_rows, plan->rows);
  plan->row_tiles = CeilDivide(plan->rows, plan->tile_rows);
  plan->chunks = plan->row_tiles * batches;
  const bool is_transposed = plan->columns == 1 || plan->out.row_stride == plan->out.bytes;
  if (is_transposed) ExchangeResults(plan);
  return {lanes, is_transposed, pairs};
}

PanelPlan MakePanels(int64_t block, int64_t batches, ProductPlan* plan) {
  PanelPlan panels{.block = block,
                   .panel = plan->columns <= plan->lanes.narrow_panel ? plan->lanes.narrow_panel : plan->lanes.panel};
  plan->tile_rows = kTileRows;
  const auto chunks = [&] {
    return CeilDivide(plan->rows, plan->tile_rows) * CeilDivide(plan->columns, plan->tile_columns) * batches;
  };
  const auto is_large = [&] {
    const double results = static_cast<double>(std::min(plan->tile_rows, plan->rows) * plan->tile_columns);
    return chunks() < kChunksWanted && results * static_cast<double>(plan->depth) > kTileProducts;
  };
  // If rows are copied, or few, each should be read once only, so tiles are wide.
  const bool copies_rows = !plan->ReadsRows() && !plan->ReadsNeighbours();
  plan->tile_columns = plan->ReadsPanels()                     ? kWideTileColumns
                       : copies_rows || plan->rows <= kFewRows ? kWidestTileColumns
                                                               : kTileColumns;
  plan->tile_columns = std::min(plan->columns, plan->tile_columns);
  // If panels are read in place, each should be read once only, so tiles are narrow.
  if (plan->ReadsPanels() && (plan->ReadsNeighbours() || plan->ReadsRows())) {
    while (plan->tile_columns > kNarrowTileColumns && is_large())
      plan->tile_columns = panels.Padded(plan->tile_columns / 2);
  }
  const int64_t fitting = kPackedElements / panels.Padded(plan->tile_columns) / kSpan * kSpan;
  panels.packed_depth = std::clamp<int64_t>(plan->depth, 1, std::min(fitting, kPackedDepth));
  while (plan->tile_rows > kFewestTileRows && is_large()) plan->tile_rows /= 2;
  // Makes all tiles equally high, except the last.
  plan->tile_rows = CeilDivide(plan->rows, CeilDivide(plan->rows, plan->tile_rows));
  plan->tile_rows = std::min(plan->rows, CeilDivide(plan->tile_rows, plan->lanes.rows) * plan->lanes.rows);
  plan->row_tiles = CeilDivide(plan->rows, plan->tile_rows);
  plan->column_tiles = CeilDivide(plan->columns, plan->tile_columns);
  plan->chunks = chunks();
  const auto& strides = plan->columns_of.batch;
  const bool is_shared = std::all_of(strides, strides + plan->batch_rank, [](int64_t stride) { return stride == 0; });
  const int64_t packed_batches = is_shared ? 1 : batches;
  const double packed_bytes = static_cast<double>(packed_batches * plan->column_tiles * plan->sums) *
                              static_cast<double>(plan->PackedFloats(panels)) * sizeof(float);
  // Panels that are read in place are packed once for each tile of rows.
  const double packings = static_cast<double>(plan->row_tiles * batches) / static_cast<double>(packed_batches);
  const bool packs_once = packings * (plan->ReadsPanels() ? CurrentTuning().pack_while_multiplying_cost : 1) > 1 &&
                          packed_bytes <= kMostPackedBytes;
  panels.packed_batches = packs_once ? packed_batches : 0;
  return panels;
}

// The same cost for blocks, which other instructions pack.
double Bfloat16PackingCost(const ProductPlan& plan) {
  constexpr double kCopied = 12, kTransposed = 3, kInterleaved = 2, kResult = 4, kTransposedResult = 20;
  const double depth = static_cast<double>(plan.depth) * static_cast<double>(plan.sums);
  const auto rows = static_cast<double>(plan.rows), columns = static_cast<double>(plan.columns);
  const ProductFactor &of_rows = plan.rows_of, &of_columns = plan.columns_of;
  const double column = of_columns.stride == of_columns.bytes     ? kInterleaved
                        : of_columns.k_stride == of_columns.bytes ? kTransposed
                                                                  : kCopied;
  return rows * depth * (of_rows.k_stride == of_rows.bytes ? 1 : kCopied) + columns * depth * column +
         rows * columns * (plan.out.column_stride == plan.out.bytes ? kResult : kTransposedResult);
}

// Cuts the larger side into tiles, and the smaller side too where it is large. A side that several tiles share is
// packed before them, if memory suffices for both sides.
void CutBlocks(int64_t batches, BlockPlan* blocks, ProductPlan* plan) {
  const bool keeps_rows = plan->rows < plan->columns;
  const int64_t kept = keeps_rows ? plan->rows : plan->columns, cut = keeps_rows ? plan->columns : plan->rows;
  const auto in_groups = [](int64_t count) { return CeilDivide(count, 2 * kGroup) * 2 * kGroup; };
  const int64_t kept_tile = in_groups(CeilDivide(kept, CeilDivide(kept, kMostKept)));
  const ProductFactor& streamed = keeps_rows ? plan->columns_of : plan->rows_of;
  const bool runs_along = streamed.k_stride == streamed.bytes;
  const bool is_kept_near = kept_tile * plan->depth * static_cast<int64_t>(sizeof(uint16_t)) <= kKeptBytes;
  int64_t tile = kBlockTile;
  if (is_kept_near)
    tile = std::clamp<int64_t>(kBlockResults / kept_tile, kNarrowBlockTile,
                               runs_along ? kNarrowBlockTile : kWideBlockTile);
  if (plan->NarrowsAtOnce(*blocks)) tile = kWideBlockTile;
  tile = in_groups(std::min(cut, tile));
  const auto chunks = [&] { return CeilDivide(cut, tile) * CeilDivide(kept, kept_tile) * batches; };
  const double products_of_one = static_cast<double>(kept_tile) * static_cast<double>(plan->depth);
  while (tile > 2 * kGroup && chunks() < kChunksWanted &&
         static_cast<double>(tile) * products_of_one > kBlockTileProducts)
    tile = in_groups(tile / 2);
  plan->tile_rows = std::min(plan->rows, keeps_rows ? kept_tile : tile);
  plan->tile_columns = std::min(plan->columns, keeps_rows ? tile : kept_tile);
  plan->row_tiles = CeilDivide(plan->rows, plan->tile_rows);
  plan->column_tiles = CeilDivide(plan->columns, plan->tile_columns);
  plan->chunks = chunks();
  int64_t& packed_depth = blocks->panels.packed_depth;
  packed_depth = kMultipliedDepth / 2;
  while (2 * packed_depth <= blocks->span &&
         2 * packed_depth * tile * static_cast<int64_t>(sizeof(uint16_t)) <= kPackedBytes)
    packed_depth *= 2;
  packed_depth = plan->NarrowsAtOnce(*blocks) ? plan->depth : std::min(packed_depth, plan->depth);
  blocks->panels.packed_batches = 0;
  const auto packed = [&](const ProductFactor& factor, int64_t tiles_of_other) {
    const bool is_shared =
        std::all_of(factor.batch, factor.batch + plan->batch_rank, [](int64_t stride) { return stride == 0; });
    return tiles_of_other > 1 || (is_shared && batches > 1) ? is_shared ? 1 : batches : 0;
  };
  blocks->packed_rows = packed(plan->rows_of, plan->column_tiles);
  blocks->packed_columns = packed(plan->columns_of, plan->row_tiles);
  const auto bytes = [&](int64_t packed_batches, int64_t count) {
    return static_cast<double>(packed_batches * plan->sums) * static_cast<double>(in_groups(count)) *
           static_cast<double>(plan->BlocksAlong() * kBlockDepth) * sizeof(uint16_t);
  };
  int64_t* const larger = keeps_rows ? &blocks->packed_columns : &blocks->packed_rows;
  int64_t* const smaller = keeps_rows ? &blocks->packed_rows : &blocks->packed_columns;
  if (bytes(*larger, cut) + bytes(*smaller, kept) > kMostPackedBytes) *larger = 0;
  if (bytes(*smaller, kept) > kMostPackedBytes) *smaller = 0;
}

double CostOf(const ProductPlan& plan, double batches) {
  const double results = static_cast<double>(plan.rows) * static_cast<double>(plan.columns) * batches;
  const double products = results * static_cast<double>(plan.depth) * static_cast<double>(plan.sums);
  if (const auto* const blocks = std::get_if<BlockPlan>(&plan.way)) {
    const double packed = static_cast<double>(plan.rows + plan.columns) * static_cast<double>(plan.depth) *
                          static_cast<double>(plan.sums) * batches;
    const double product_ns =
        blocks->lanes->has_tiles ? CurrentTuning().tile_product_ns : CurrentTuning().bfloat16_product_ns;
    return 400 + 0.1 * results + 0.06 * packed + products * product_ns;
  }
  // Dot products read each row once, from memory or from a cache.
  const double ns_of_read = std::holds_alternative<DotPlan>(plan.way)
                                ? 0.03 * static_cast<double>(plan.rows_of.bytes) / static_cast<double>(plan.columns)
                                : 0;
  const double product_ns =
      plan.lanes.has_long_registers ? CurrentTuning().product_ns : CurrentTuning().short_register_product_ns;
  return 100 + 0.17 * results + products * std::max(product_ns, ns_of_read);
}

}  // namespace

inline namespace v1 {

void MatMul(exec::PlanBuilder& builder, const MatMulOperands& operands) {
  const View& a = ViewOfPart(builder, operands.a);
  const View& b = ViewOfPart(builder, operands.b);
  const int rank = a.rank, first = operands.sums_first ? 1 : 0;
  ProductPlan plan;
  plan.rows_of = MakeFactor(builder, operands.a, false, operands.sums_first);
  plan.columns_of = MakeFactor(builder, operands.b, true, operands.sums_first);
  plan.out = MakeResult(builder, operands.out, false, operands.sums_first);
  plan.alpha = operands.alpha;
  plan.beta = operands.addend ? operands.beta : 0;
  plan.rows = a.shape[rank - 2];
  plan.columns = b.shape[rank - 1];
  plan.depth = a.shape[rank - 1];
  plan.sums = operands.sums_first ? a.shape[0] : 1;
  plan.batch_rank = rank - 2 - first;
  plan.is_scaled = plan.alpha != 1 || plan.beta != 0;
  if (plan.beta != 0) {
    plan.addend = MakeResult(builder, *operands.addend, true, operands.sums_first);
  } else if (operands.addend) {
    builder.Ignores(operands.addend->operand);
  }
  plan.is_serial = MayOverlapItself(builder.OperandView(operands.out.operand));
  int64_t batches = 1;
  for (int axis = 0; axis < plan.batch_rank; ++axis)
    batches *= plan.batch_shape[axis] = std::max(a.shape[axis + first], b.shape[axis + first]);
  if (plan.rows == 0 || plan.columns == 0 || batches == 0) return;
  // Dot products sum in another order than panels and blocks, so the choice depends on the shape alone. Which side is
  // packed does not change results.
  const bool exchange_for_dots = plan.rows < plan.columns;
  const bool is_bfloat16 = a.dtype == ACL_BF16 && b.dtype == ACL_BF16 && plan.depth > 0;
  const BlockLanes* const block_lanes = is_bfloat16 ? BlockLanesOf(ActiveBfloat16Unit()) : nullptr;
  const int64_t most_dot_columns = block_lanes != nullptr ? block_lanes->most_dot_columns : kMostDotColumns;
  const bool is_dot = !operands.by_blocks && plan.sums == 1 && std::min(plan.rows, plan.columns) <= most_dot_columns;
  if (is_dot) {
    if (exchange_for_dots) ExchangeSides(&plan);
  } else {
    const auto cost_of = block_lanes != nullptr ? Bfloat16PackingCost : PackingCost;
    const double cost = cost_of(plan);
    ExchangeSides(&plan);
    if (cost_of(plan) >= cost) ExchangeSides(&plan);
  }
  const auto dtype_of = [&](const ProductFactor& factor) {
    return (factor.operand == operands.a.operand ? a : b).dtype;
  };
  plan.lanes = ProductLanesOf(dtype_of(plan.columns_of), ActiveTarget());
  for (const OperandPart* const part : {&operands.a, &operands.b}) builder.ForbidInPlace(part->operand);
  if (is_dot) {
    const DotLanes lanes = DotLanesOf(dtype_of(plan.rows_of), ActiveTarget());
    const bool has_pairs = is_bfloat16 && lanes.lanes == kPairLanes;
    plan.way = MakeDots(lanes, has_pairs ? PairDotsOf(ActiveBfloat16Unit()) : nullptr, batches, &plan);
  } else {
    const aclDataType result = ViewOfPart(builder, operands.out).dtype;
    const int64_t block = result == ACL_FLOAT ? std::min(BlockOf(plan.depth), kFloatBlock) : BlockOf(plan.depth);
    const PanelPlan panels = MakePanels(block, batches, &plan);
    plan.way = panels;
    if (block_lanes != nullptr) {
      BlockPlan blocks{.lanes = block_lanes,
                       .panels = panels,
                       .span = result == ACL_FLOAT ? kFloatBlockSpan : kBlockSpan,
                       .narrows = result == ACL_BF16 && !plan.is_scaled && plan.out.column_stride == plan.out.bytes};
      CutBlocks(batches, &blocks, &plan);
      plan.way = blocks;
    }
  }
  const double ns = CostOf(plan, static_cast<double>(batches));
  plan.is_serial |= ns < kOneThreadNs;
  builder.Run(RunProduct, plan, static_cast<int64_t>(std::min(1e18, ns)));
}

}  // namespace v1
}  // namespace portacl::loops::products
