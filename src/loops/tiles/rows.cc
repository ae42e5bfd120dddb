// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/rows.h"

#include <algorithm>
#include <span>
#include <utility>

#include "loops/tiles/copy_block.h"
#include "loops/tiles/single_tile.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops {
namespace {

// Tiles of short rows have a multiple of this number of rows.
constexpr int64_t kRowStep = 16;

// Bytes of rows with non-contiguous columns that are copied at a time. They stay in the second-level cache until lane
// code reads them, and until its results are copied back.
constexpr int64_t kCopyBytes = 128 << 10;

int64_t RoundUpTo(int64_t value, int64_t step) { return CeilDivide(value, step) * step; }

struct RowPlan {
  int64_t kernel_scratch = 0;  // in bytes; followed by copies, then by elements before their conversion
  int64_t scratch_bytes = 0;
  uint32_t repeated = 0;
  bool copies = false;  // some operand is copied
  bool copied[kMaxTileOperands] = {};
  TilePlan tiles;

  const Conversion* ConversionOf(int i) const { return tiles.code.converts ? tiles.code.convert[i] : nullptr; }
  bool IsRepeated(int i) const { return tiles.nest.strides[i][0] == 0 && (repeated >> i & 1) != 0; }
  int64_t ColumnsOf(int i, int64_t columns) const { return IsRepeated(i) ? 1 : columns; }
  // The size of an element for the lane code.
  int64_t LaneBytes(int i) const {
    const Conversion* const conversion = ConversionOf(i);
    if (conversion == nullptr) return tiles.nest.element_bytes[i];
    return conversion->bytes[i < tiles.code.inputs ? conversion->steps : 0];
  }
  // Rows of a copy are aligned to cache lines, unless they are shorter than one.
  int64_t CopiedRowBytes(int i) const {
    const int64_t bytes = ColumnsOf(i, tiles.tiling.tile_columns) * LaneBytes(i);
    return bytes <= kLineBytes ? bytes : RoundUpTo(bytes, kLineBytes);
  }
  int64_t CopyBytes(int i) const { return RoundUpTo(tiles.tiling.tile_rows * CopiedRowBytes(i), kLineBytes); }
  int64_t AllCopyBytes() const {
    int64_t bytes = 0;
    for (int i = 0; i < tiles.nest.operands; ++i) bytes += copied[i] ? CopyBytes(i) : 0;
    return bytes;
  }
  // The scratch for an operand that must be both gathered and converted.
  int64_t RawBytes() const {
    int64_t bytes = 0;
    for (int i = 0; i < tiles.nest.operands; ++i) {
      if (ConversionOf(i) != nullptr && tiles.nest.strides[i][0] != tiles.nest.element_bytes[i])
        bytes = std::max(bytes, tiles.tiling.tile_rows * tiles.tiling.tile_columns * tiles.nest.element_bytes[i]);
    }
    return bytes;
  }
};

// Copies an operand to `dense`, or back from it.
class Copier {
 public:
  Copier(const RowPlan& plan, int i, int64_t rows, int64_t columns, std::byte* raw)
      : conversion_(plan.ConversionOf(i)),
        bytes_(plan.tiles.nest.element_bytes[i]),
        rows_(rows),
        columns_(plan.ColumnsOf(i, columns)),
        raw_{raw, columns_ * bytes_, bytes_} {}

  void Load(const TileOperand& operand, const TileOperand& dense) const {
    if (conversion_ == nullptr) return CopyBlock(bytes_, rows_, columns_, operand, dense);
    if (!IsGathered(operand)) return ConvertRows(operand, dense);
    CopyBlock(bytes_, rows_, columns_, operand, raw_);
    ConvertRows(raw_, dense);
  }
  void Store(const TileOperand& dense, const TileOperand& operand) const {
    if (conversion_ == nullptr) return CopyBlock(bytes_, rows_, columns_, dense, operand);
    if (!IsGathered(operand)) return ConvertRows(dense, operand);
    ConvertRows(dense, raw_);
    CopyBlock(bytes_, rows_, columns_, raw_, operand);
  }

 private:
  bool IsGathered(const TileOperand& operand) const { return operand.column_stride != bytes_; }
  void ConvertRows(const TileOperand& from, const TileOperand& to) const {
    for (int64_t row = 0; row < rows_; ++row)
      Convert(*conversion_, from.base + row * from.row_stride, to.base + row * to.row_stride, columns_);
  }

  const Conversion* conversion_;
  int64_t bytes_;
  int64_t rows_;
  int64_t columns_;
  TileOperand raw_;
};

// Runs a tile, with copies of operands that are of another dtype, or whose columns are not contiguous.
void RunRowTile(const RowPlan& plan, const Tile& tile) {
  const TilePlan& tiles = plan.tiles;
  // A tile of two rows of 512 elements takes 120 ns, and copying the Tile would take another 15.
  if (!plan.copies) return tiles.code.run(tile);
  Tile dense = tile;
  std::byte* copy = static_cast<std::byte*>(tile.scratch) + plan.kernel_scratch;
  std::byte* const raw = copy + plan.AllCopyBytes();
  const auto copier = [&](int i) { return Copier(plan, i, tile.rows, tile.columns, raw); };
  for (int i = 0; i < tiles.nest.operands; ++i) {
    if (!plan.copied[i]) continue;
    dense.operand[i] = {copy, plan.CopiedRowBytes(i), plan.IsRepeated(i) ? 0 : plan.LaneBytes(i)};
    copy += plan.CopyBytes(i);
    if (i >= tiles.code.inputs) {
      dense.non_temporal = dense.is_large = false;
    } else {
      copier(i).Load(tile.operand[i], dense.operand[i]);
    }
  }
  tiles.code.run(dense);
  for (int i = tiles.code.inputs; i < tiles.nest.operands; ++i) {
    if (plan.copied[i]) copier(i).Store(dense.operand[i], tile.operand[i]);
  }
}

// Splits a tile into parts: the walk joins neighbours where tiles have one row.
void RunParts(const RowPlan& plan, const Tile& tile) {
  const int64_t most = plan.tiles.tiling.tile_columns;
  if (tile.columns <= most) return RunRowTile(plan, tile);
  for (int64_t column = 0; column < tile.columns; column += most) {
    Tile part = tile;
    part.columns = std::min(most, tile.columns - column);
    for (int i = 0; i < plan.tiles.nest.operands; ++i) part.operand[i] = BlockAt(tile.operand[i], 0, column);
    RunRowTile(plan, part);
  }
}

int32_t RunRows(const exec::RunContext& context) {
  const RowPlan& plan = context.Parameters<RowPlan>();
  RunTiles(TileTask(plan.tiles, context), plan.scratch_bytes, [&](const Tile& tile) { RunParts(plan, tile); });
  return 0;
}

int64_t RowCount(const LoopNest& nest) { return nest.rank > 1 ? nest.shape[1] : 1; }

// If the tile's rows are few, makes the longest outer axis the axis of rows: a tile has an overhead of 10 ns, and two
// rows of 512 elements take 120. Operands too large for the second-level cache keep their order. So do tiles with more
// rows: the rows could come to be pages apart, where a load is mistaken for one from the address of a recent store (4
// KiB aliasing), and eight rows of 128 elements took 10 % longer.
void MoveLongestAxisInward(LoopNest* nest) {
  constexpr int64_t kFewRows = 4;
  constexpr int64_t kMostBytes = 512 << 10;
  int longest = 1;
  for (int axis = 2; axis < nest->rank; ++axis) longest = nest->shape[axis] > nest->shape[longest] ? axis : longest;
  if (longest == 1 || nest->shape[1] >= kFewRows) return;
  if (nest->Elements() * nest->element_bytes[nest->operands - 1] > kMostBytes) return;
  std::swap(nest->shape[1], nest->shape[longest]);
  for (int i = 0; i < nest->operands; ++i) std::swap(nest->strides[i][1], nest->strides[i][longest]);
}

// The number of rows of a tile, at most `most`: all that a chunk may have, or as many as are copied at a time.
int64_t TileRows(const RowPlan& plan, int64_t most) {
  const LoopNest& nest = plan.tiles.nest;
  int64_t bytes = 0;
  int64_t line_rows = 1;  // rows that share a cache line of a transposed operand, which is then used completely
  for (int i = 0; i < nest.operands; ++i) {
    if (!plan.copied[i]) continue;
    bytes += plan.CopiedRowBytes(i);
    if (nest.rank > 1 && nest.strides[i][1] != 0 && nest.strides[i][1] < nest.strides[i][0])
      line_rows = std::max(line_rows, kLineBytes / nest.element_bytes[i]);
  }
  int64_t rows = bytes == 0 ? most : std::min(most, std::max(line_rows, kCopyBytes / bytes));
  if (rows > kRowStep) rows = rows / kRowStep * kRowStep;
  return std::clamp<int64_t>(rows, 1, RowCount(nest));
}

void CountTiles(const LoopNest& nest, int64_t chunk_elements, Tiling* tiling) {
  tiling->column_tiles = CeilDivide(nest.shape[0], tiling->tile_columns);
  tiling->row_tiles = CeilDivide(RowCount(nest), tiling->tile_rows);
  tiling->tiles = tiling->column_tiles * tiling->row_tiles;
  for (int axis = 2; axis < nest.rank; ++axis) tiling->tiles *= nest.shape[axis];
  tiling->tiles_per_chunk = std::max<int64_t>(1, chunk_elements / tiling->tile_columns / tiling->tile_rows);
  tiling->chunks = CeilDivide(tiling->tiles, tiling->tiles_per_chunk);
}

void CutRows(int64_t chunk_elements, int64_t step, RowPlan* plan) {
  Tiling& tiling = plan->tiles.tiling;
  tiling.tile_columns = plan->tiles.nest.shape[0];
  const int64_t rows = chunk_elements / tiling.tile_columns / step * step;
  tiling.tile_rows = TileRows(*plan, std::max(step, rows));
  CountTiles(plan->tiles.nest, chunk_elements, &tiling);
}

void CutColumns(int64_t chunk_elements, int64_t columns, RowPlan* plan) {
  const LoopNest& nest = plan->tiles.nest;
  Tiling& tiling = plan->tiles.tiling;
  tiling.tile_columns = std::min(nest.shape[0], columns);
  tiling.tile_rows = nest.shape[1];
  CountTiles(nest, chunk_elements, &tiling);
}

// Completes a plan that has its nest. `columns` is the width of a tile, or 0 for whole rows.
void Plan(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands, std::span<const View* const> views,
          const RowKernel& kernel, int64_t columns, const Parameters& parameters, RowPlan* plan) {
  const LoopNest& nest = plan->tiles.nest;
  if (nest.Elements() == 0) return;
  plan->kernel_scratch = RoundUpTo(kernel.scratch_bytes, kLineBytes);
  plan->repeated = kernel.repeated;
  LaneCode& code = plan->tiles.code;
  code.run = kernel.run;
  code.inputs = nest.operands - kernel.outputs;
  if (kernel.dtype != ACL_DT_UNDEFINED)
    SetConversions(views, kernel.dtype, kernel.result_dtype == ACL_DT_UNDEFINED ? kernel.dtype : kernel.result_dtype,
                   &code);
  for (int i = 0; i < nest.operands; ++i) {
    const bool is_dense = nest.strides[i][0] == nest.element_bytes[i] || plan->IsRepeated(i);
    plan->copied[i] = !is_dense || plan->ConversionOf(i) != nullptr;
    plan->copies |= plan->copied[i];
  }
  const int64_t chunk_elements = ChunkElements(nest, kernel.ns_per_element);
  columns == 0 ? CutRows(chunk_elements, kernel.rows, plan) : CutColumns(chunk_elements, columns, plan);
  plan->scratch_bytes = plan->kernel_scratch + plan->AllCopyBytes() + plan->RawBytes();
  SetOperands(builder, operands, parameters, &plan->tiles);
  if (plan->tiles.tiling.tiles == 1 && !plan->copies && !plan->tiles.non_temporal) {
    PlanSingleTile(builder, plan->tiles, plan->scratch_bytes, kernel.ns_per_element);
  } else {
    PlanTiles(builder, RunRows, *plan, kernel.ns_per_element);
  }
}

}  // namespace

inline namespace v1 {

void Rows(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands, const RowKernel& kernel,
          const Parameters& parameters) {
  const OperandViews views(builder, operands);
  RowPlan plan;
  plan.tiles.nest = MakeRowNest(views.span().back()->dims(), views.span());
  MoveLongestAxisInward(&plan.tiles.nest);
  Plan(builder, operands, views.span(), kernel, 0, parameters, &plan);
}

void Columns(exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands, int axis, const RowKernel& kernel,
             const Parameters& parameters) {
  const OperandViews views(builder, operands);
  RowPlan plan;
  plan.tiles.nest = MakeColumnNest(views.span().back()->dims(), views.span(), axis);
  Plan(builder, operands, views.span(), kernel, kernel.columns, parameters, &plan);
}

}  // namespace v1
}  // namespace portacl::loops
