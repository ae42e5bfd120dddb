// SPDX-License-Identifier: Apache-2.0
#include "loops/products.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "base/dtype.h"
#include "base/target.h"
#include "loops/conversion.h"
#include "loops/cut.h"
#include "loops/pack.h"
#include "loops/plan.h"
#include "loops/product_lanes.h"
#include "loops/scratch.h"
#include "runtime/parallel/parallel.h"
#include "tensor/view.h"

namespace portacl::loops {
namespace {

// One side, the rows, is taken by its elements along k as they lie, the other, the columns, is packed. Where the second
// factor is the rows, the product is that of the transposes.

// A tile's columns, and its rows before they are halved.
constexpr int64_t kTileColumns = 128;
constexpr int64_t kTileColumnsOfFewRows = 512;
constexpr int64_t kFewRows = 64;
constexpr int64_t kTileRows = 560;

// Sums of so many k are added in float64. A tile packs several such parts of its columns at a time, as many as fit a
// second-level cache, so that long runs of memory are read.
constexpr int64_t kSpan = 256;
constexpr int64_t kPackedElements = 1 << 17;
constexpr int64_t kPackedDepth = 1024;
constexpr int64_t kTurnedDepth = 64;  // of columns that are turned: they stay in the first-level cache
constexpr int64_t kFewestTileRows = 28;
constexpr int64_t kTileProducts = 1 << 23;
constexpr int64_t kChunksWanted = 16;

// Elements of the rows for a chunk of dot products, and rows whose results are kept before they are stored.
constexpr int64_t kDotElements = 1 << 17;
constexpr int64_t kDotRows = 64;

// Work that is not worth another thread.
constexpr double kOneThreadNs = 25'000;

struct Factor {
  int operand = 0;
  int64_t offset = 0;  // bytes from the operand's element 0 to that of its part
  int64_t bytes = 0;   // of an element
  int64_t across = 0;  // bytes from one row, or one column, to the next
  int64_t along = 0;   // bytes from one k to the next
  int64_t summed = 0;
  int64_t batch[kMaxRank] = {};
  const Conversion* conversion = nullptr;  // to float32
  bool IsFloat() const { return conversion->steps == 0; }
};

struct Result {
  int operand = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  int64_t batch[kMaxRank] = {};
  const Conversion* conversion = nullptr;  // from float32; of the addend to it
};

struct ProductPlan {
  ProductLanes lanes = {};
  Factor rows_of;
  Factor columns_of;
  Result out;
  Result addend;
  float alpha = 1;
  float beta = 0;
  bool is_scaled = false;
  bool is_serial = false;
  bool is_dot = false;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  int64_t sums = 1;   // products of matrices that make one result
  int64_t block = 1;  // of k, see BlockOf
  int64_t panel = 0;
  int64_t packed_depth = 1;
  int64_t tile_rows = 1;
  int64_t tile_columns = 1;
  int64_t row_tiles = 1;
  int64_t column_tiles = 1;
  int64_t chunks = 1;
  int batch_rank = 0;
  int64_t batch_shape[kMaxRank] = {};

  // Rows of float32 that nothing is done to.
  bool HasPlainResult() const {
    return !is_scaled && out.conversion->steps == 0 && out.column_stride == static_cast<int64_t>(sizeof(float));
  }
  int64_t PaddedColumns() const { return CeilDivide(tile_columns, panel) * panel; }
  bool HasOneBlock() const { return sums == 1 && depth <= kSpan && depth != 0; }
};

// The error of float32 sums grows with the square root of the terms: those of blocks are added, so many of these sums
// in float32, too, the rest in float64. It is largest where a single block is all; so shorter ones for short sums.
int64_t BlockOf(int64_t depth) { return depth <= 128 ? 32 : depth < 1024 ? 64 : 128; }

// Where the parts of a thread's scratch begin.
struct Scratch {
  explicit Scratch(const ProductPlan& plan) {
    const int64_t columns = plan.PaddedColumns(), floats = sizeof(float);
    const int64_t rows = plan.lanes.rows, depth = plan.packed_depth;
    panels = Place(depth * columns * floats);
    row_block = Place(rows * depth * floats);
    dense = Place(std::max({rows * depth, depth * plan.panel, columns}) * floats);
    tile = Place(plan.tile_rows * columns * floats);
    sums = plan.HasOneBlock() ? 0 : Place(plan.tile_rows * columns * static_cast<int64_t>(sizeof(double)));
    addend = plan.beta == 0 ? 0 : Place(columns * floats);
  }
  int64_t Place(int64_t size) {
    const int64_t at = bytes;
    bytes += CeilDivide(size, kLineBytes) * kLineBytes;
    return at;
  }
  int64_t bytes = 0;
  int64_t panels, row_block, dense, tile, sums, addend;
};

struct ProductTask {
  const ProductPlan& plan;
  std::byte* rows;
  std::byte* columns;
  std::byte* out;
  std::byte* addend;
  std::atomic<bool> out_of_memory{false};
};

// The operands of one product of the batch.
struct Batch {
  Batch(const ProductTask& task, int64_t number)
      : rows(task.rows), columns(task.columns), out(task.out), addend(task.addend) {
    const ProductPlan& plan = task.plan;
    for (int axis = plan.batch_rank; axis-- > 0; number /= plan.batch_shape[axis]) {
      const int64_t at = number % plan.batch_shape[axis];
      rows += at * plan.rows_of.batch[axis];
      columns += at * plan.columns_of.batch[axis];
      out += at * plan.out.batch[axis];
      if (addend != nullptr) addend += at * plan.addend.batch[axis];
    }
  }
  std::byte* rows;
  std::byte* columns;
  std::byte* out;
  std::byte* addend;
};

TileOperand Strided(std::byte* base, int64_t row_stride, int64_t column_stride) {
  return {base, row_stride, column_stride};
}

// `count` elements along k of `rows` rows from `from` on, as float32; where they are, if they need no copy.
const float* RowsAsFloats(const Factor& factor, std::byte* from, int64_t rows, int64_t count, std::byte* dense,
                          std::byte* to, int64_t* stride) {
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  const bool runs_on = factor.along == factor.bytes || count == 1;
  if (factor.IsFloat() && runs_on && factor.across % kFloat == 0) {
    *stride = factor.across / kFloat;
    return reinterpret_cast<const float*>(from);
  }
  *stride = count;
  if (factor.IsFloat()) {
    CopyBlock(kFloat, rows, count, Strided(from, factor.across, factor.along), Strided(to, count * kFloat, kFloat));
  } else if (runs_on) {
    for (int64_t row = 0; row < rows; ++row)
      factor.conversion->step[0](from + row * factor.across, to + row * count * kFloat, count);
  } else {
    CopyBlock(factor.bytes, rows, count, Strided(from, factor.across, factor.along),
              Strided(dense, count * factor.bytes, factor.bytes));
    factor.conversion->step[0](dense, to, rows * count);
  }
  return reinterpret_cast<const float*>(to);
}

// Panels of columns, `depth` elements of each.
void PackPanels(const ProductPlan& plan, std::byte* from, int64_t depth, int64_t columns, std::byte* dense, float* to) {
  const Factor& factor = plan.columns_of;
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  if (factor.across == factor.bytes || columns == 1)
    return plan.lanes.pack(from, factor.along, depth, columns, plan.panel, to);
  for (; columns > 0; columns -= plan.panel, from += plan.panel * factor.across) {
    const int64_t count = std::min(columns, plan.panel);
    if (factor.IsFloat() && count < plan.panel) std::fill(to, to + depth * plan.panel, 0.0F);
    for (int64_t k = 0; k < depth; k += kTurnedDepth, to += kTurnedDepth * plan.panel) {
      const int64_t turned = std::min(kTurnedDepth, depth - k);
      const TileOperand source = Strided(from + k * factor.along, factor.along, factor.across);
      if (factor.IsFloat()) {
        CopyBlock(kFloat, turned, count, source,
                  Strided(reinterpret_cast<std::byte*>(to), plan.panel * kFloat, kFloat));
      } else {
        CopyBlock(factor.bytes, turned, count, source, Strided(dense, count * factor.bytes, factor.bytes));
        plan.lanes.pack(dense, count * factor.bytes, turned, count, plan.panel, to);
      }
    }
    to -= CeilDivide(depth, kTurnedDepth) * kTurnedDepth * plan.panel - depth * plan.panel;
  }
}

// Scales, adds what is to be added, rounds and stores `rows` x `columns` floats.
void StoreTile(const ProductPlan& plan, const Batch& batch, int64_t row, int64_t column, int64_t rows, int64_t columns,
               float* tile, int64_t stride, std::byte* dense, float* addends) {
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  const Result& out = plan.out;
  std::byte* const to = batch.out + row * out.row_stride + column * out.column_stride;
  if (plan.is_scaled) {
    for (int64_t i = 0; i < rows; ++i) {
      float* const floats = tile + i * stride;
      if (plan.beta == 0) {
        for (int64_t j = 0; j < columns; ++j) floats[j] *= plan.alpha;
        continue;
      }
      const Result& addend = plan.addend;
      std::byte* const from = batch.addend + (row + i) * addend.row_stride + column * addend.column_stride;
      const bool is_float = addend.conversion->steps == 0;
      auto* const as_floats = reinterpret_cast<std::byte*>(addends);
      CopyBlock(addend.bytes, 1, columns, Strided(from, 0, addend.column_stride),
                Strided(is_float ? as_floats : dense, 0, addend.bytes));
      if (!is_float) addend.conversion->step[0](dense, as_floats, columns);
      for (int64_t j = 0; j < columns; ++j) {
        floats[j] = static_cast<float>(static_cast<double>(plan.alpha) * static_cast<double>(floats[j]) +
                                       static_cast<double>(plan.beta) * static_cast<double>(addends[j]));
      }
    }
  }
  auto* const from = reinterpret_cast<std::byte*>(tile);
  if (out.conversion->steps == 0) {
    return CopyBlock(kFloat, rows, columns, Strided(from, stride * kFloat, kFloat),
                     Strided(to, out.row_stride, out.column_stride));
  }
  // In their own place, as the narrow results of a row are no longer than it.
  for (int64_t i = 0; i < rows; ++i) {
    std::byte* const floats = from + i * stride * kFloat;
    out.conversion->step[0](floats, dense, columns);
    std::memcpy(floats, dense, static_cast<size_t>(columns * out.bytes));
  }
  CopyBlock(out.bytes, rows, columns, Strided(from, stride * kFloat, out.bytes),
            Strided(to, out.row_stride, out.column_stride));
}

// The results of rows x columns from (row, column) on.
void RunTile(const ProductPlan& plan, const Batch& batch, int64_t row, int64_t column, std::byte* scratch,
             const Scratch& places) {
  const int64_t rows = std::min(plan.tile_rows, plan.rows - row);
  const int64_t columns = std::min(plan.tile_columns, plan.columns - column);
  const int64_t panels = CeilDivide(columns, plan.panel), stride = panels * plan.panel;
  const Factor &of_rows = plan.rows_of, &of_columns = plan.columns_of;
  auto* const panel = reinterpret_cast<float*>(scratch + places.panels);
  auto* const tile = reinterpret_cast<float*>(scratch + places.tile);
  auto* const sums = plan.HasOneBlock() ? nullptr : reinterpret_cast<double*>(scratch + places.sums);
  std::byte* const dense = scratch + places.dense;
  if (sums != nullptr) std::fill(sums, sums + rows * stride, 0.0);
  PanelTile part{.rows = nullptr,
                 .row_stride = 0,
                 .row_count = 0,
                 .panel = nullptr,
                 .depth = 0,
                 .block = plan.block,
                 .out = nullptr,
                 .sums = nullptr,
                 .out_stride = stride};
  const auto multiply = plan.panel == plan.lanes.panel ? plan.lanes.multiply : plan.lanes.multiply_narrow;
  for (int64_t summed = 0; summed < plan.sums; ++summed) {
    for (int64_t k = 0; k < plan.depth; k += plan.packed_depth) {
      const int64_t depth = std::min(plan.packed_depth, plan.depth - k);
      PackPanels(plan, batch.columns + summed * of_columns.summed + k * of_columns.along + column * of_columns.across,
                 depth, columns, dense, panel);
      for (int64_t i = 0; i < rows; i += plan.lanes.rows) {
        part.row_count = std::min(plan.lanes.rows, rows - i);
        std::byte* const from = batch.rows + summed * of_rows.summed + k * of_rows.along + (row + i) * of_rows.across;
        const float* const elements =
            RowsAsFloats(of_rows, from, part.row_count, depth, dense, scratch + places.row_block, &part.row_stride);
        for (int64_t j = 0; j < panels; ++j) {
          part.out = tile + i * stride + j * plan.panel;
          part.sums = sums == nullptr ? nullptr : sums + i * stride + j * plan.panel;
          for (int64_t done = 0; done < depth; done += kSpan) {
            part.depth = std::min(kSpan, depth - done);
            part.rows = elements + done;
            part.panel = panel + (j * depth + done) * plan.panel;
            multiply(part);
          }
        }
      }
    }
  }
  const bool is_stored = sums != nullptr && plan.HasPlainResult();
  for (int64_t i = 0; sums != nullptr && i < rows; ++i) {
    auto* const results =
        reinterpret_cast<float*>(batch.out + (row + i) * plan.out.row_stride + column * plan.out.column_stride);
    plan.lanes.round(sums + i * stride, columns, is_stored ? results : tile + i * stride);
  }
  if (is_stored) return;
  StoreTile(plan, batch, row, column, rows, columns, tile, stride, dense,
            reinterpret_cast<float*>(scratch + places.addend));
}

// Chunks [first, end) of tiles.
void RunTiles(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<ProductTask*>(argument);
  const ProductPlan& plan = task.plan;
  const Scratch places(plan);
  const auto run = [&](void* scratch) {
    for (int64_t chunk = first; chunk < end; ++chunk) {
      const int64_t column_tile = chunk % plan.column_tiles, rest = chunk / plan.column_tiles;
      const Batch batch(task, rest / plan.row_tiles);
      RunTile(plan, batch, rest % plan.row_tiles * plan.tile_rows, column_tile * plan.tile_columns,
              static_cast<std::byte*>(scratch), places);
    }
  };
  if (!WithScratch(places.bytes, run)) task.out_of_memory.store(true, std::memory_order_relaxed);
}

int64_t PaddedDepth(const ProductPlan& plan) {
  return CeilDivide(plan.depth, plan.lanes.column_padding) * plan.lanes.column_padding;
}

// The columns of one product as `dot` takes them. `floats`, `dense`: room for one of them each.
void PackColumns(const ProductPlan& plan, const Batch& batch, float* to, std::byte* floats, std::byte* dense) {
  for (int64_t i = 0; i < plan.columns; ++i) {
    int64_t stride = 0;
    const float* const column = RowsAsFloats(plan.columns_of, batch.columns + i * plan.columns_of.across, 1, plan.depth,
                                             dense, floats, &stride);
    plan.lanes.pack_column(column, plan.depth, to + i * PaddedDepth(plan));
  }
}

struct DotScratch {
  explicit DotScratch(const ProductPlan& plan) {
    const auto place = [&](int64_t size) {
      const int64_t at = bytes;
      bytes += CeilDivide(size, kLineBytes) * kLineBytes;
      return at;
    };
    constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
    const bool copies_columns = !plan.columns_of.IsFloat() || plan.columns_of.along != kFloat;
    const bool is_along = plan.rows_of.along == plan.rows_of.bytes;
    is_across = !is_along && plan.rows_of.across == plan.rows_of.bytes;
    const bool copies_rows = !is_along && !is_across;
    rows_at_once = std::min(plan.rows, copies_rows ? kCopiedRows : is_across ? AcrossRows(plan) : kDotRows);
    columns = place(plan.columns * PaddedDepth(plan) * kFloat);
    floats = place(copies_columns ? plan.depth * kFloat : 0);
    dense = place(std::max(copies_columns ? plan.depth * kFloat : 0, plan.columns * kFloat));
    row_block = place(copies_rows ? rows_at_once * plan.depth * plan.rows_of.bytes : 0);
    out = place(rows_at_once * plan.columns * kFloat);
    addend = place(plan.columns * kFloat);
    across = place(is_across ? plan.lanes.AcrossFloats(rows_at_once, plan.columns) * kFloat : 0);
  }
  static constexpr int64_t kCopiedRows = 16;
  // Their sums, for each lane, stay in the first-level cache.
  static int64_t AcrossRows(const ProductPlan& plan) { return (plan.columns == 1 ? 2048 : plan.columns == 2 ? 1024 : 512) / plan.rows_of.bytes; }
  bool is_across;
  int64_t rows_at_once;
  int64_t bytes = 0;
  int64_t columns, floats, dense, row_block, out, addend, across;
};

// Chunks [first, end) of rows, for few columns.
void RunDots(void* argument, int64_t first, int64_t end) {
  auto& task = *static_cast<ProductTask*>(argument);
  const ProductPlan& plan = task.plan;
  const DotScratch places(plan);
  const auto run = [&](void* memory) {
    auto* const scratch = static_cast<std::byte*>(memory);
    auto* const columns = reinterpret_cast<float*>(scratch + places.columns);
    auto* const out = reinterpret_cast<float*>(scratch + places.out);
    int64_t packed = -1;  // of which product the columns are
    for (int64_t chunk = first; chunk < end; ++chunk) {
      const int64_t number = chunk / plan.row_tiles;
      const Batch batch(task, number);
      if (number != packed) PackColumns(plan, batch, columns, scratch + places.floats, scratch + places.dense);
      packed = number;
      int64_t row = chunk % plan.row_tiles * plan.tile_rows;
      const int64_t end_row = std::min(row + plan.tile_rows, plan.rows);
      for (; row < end_row; row += places.rows_at_once) {
        const int64_t rows = std::min(places.rows_at_once, end_row - row);
        const Factor& factor = plan.rows_of;
        DotTile tile{.rows = batch.rows + row * factor.across,
                     .row_stride = factor.across,
                     .row_count = rows,
                     .columns = columns,
                     .column_count = plan.columns,
                     .depth = plan.depth,
                     .out = out,
                     .scratch = reinterpret_cast<float*>(scratch + places.across)};
        if (places.is_across) {
          tile.row_stride = factor.along;
        } else if (factor.along != factor.bytes) {
          std::byte* const copied = scratch + places.row_block;
          CopyBlock(factor.bytes, rows, plan.depth,
                    Strided(batch.rows + row * factor.across, factor.across, factor.along),
                    Strided(copied, plan.depth * factor.bytes, factor.bytes));
          tile.rows = copied;
          tile.row_stride = plan.depth * factor.bytes;
        }
        places.is_across ? plan.lanes.dot_across(tile) : plan.lanes.dot(tile);
        StoreTile(plan, batch, row, 0, rows, plan.columns, out, plan.columns, scratch + places.dense,
                  reinterpret_cast<float*>(scratch + places.addend));
      }
    }
  };
  if (!WithScratch(places.bytes, run)) task.out_of_memory.store(true, std::memory_order_relaxed);
}

int32_t RunProduct(const exec::RunContext& context) {
  const auto& plan = context.Parameters<ProductPlan>();
  const auto address = [&](const auto& operand) {
    std::byte* const base = context.Address(operand.operand);
    return base == nullptr ? nullptr : base + operand.offset;
  };
  ProductTask task{.plan = plan,
                   .rows = address(plan.rows_of),
                   .columns = address(plan.columns_of),
                   .out = address(plan.out),
                   .addend = plan.beta == 0 ? nullptr : address(plan.addend)};
  const auto run = plan.is_dot ? RunDots : RunTiles;
  if (plan.chunks == 1 || plan.is_serial) {
    run(&task, 0, plan.chunks);
  } else {
    parallel::ForRuns(plan.chunks, run, &task);
  }
  if (task.out_of_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
  return 0;
}

const View& ViewOf(const exec::PlanBuilder& builder, const OperandPart& part) {
  return part.view ? *part.view : builder.OperandView(part.operand);
}

Factor MakeFactor(const exec::PlanBuilder& builder, const OperandPart& part, bool is_second, bool sums_first) {
  const View& view = ViewOf(builder, part);
  const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  const int last = view.rank - 1;
  Factor factor{.operand = part.operand,
                .offset = (view.offset - builder.OperandView(part.operand).offset) * bytes,
                .bytes = bytes,
                .across = view.step(is_second ? last : last - 1) * bytes,
                .along = view.step(is_second ? last - 1 : last) * bytes,
                .summed = sums_first ? view.step(0) * bytes : 0,
                .conversion = &ConversionOf(view.dtype, ACL_FLOAT)};
  if (view.shape[is_second ? last - 1 : last] == 1) factor.along = bytes;
  for (int axis = sums_first ? 1 : 0; axis < last - 1; ++axis)
    factor.batch[axis - (sums_first ? 1 : 0)] = view.step(axis) * bytes;
  return factor;
}

Result MakeResult(const exec::PlanBuilder& builder, const OperandPart& part, bool is_addend, bool sums_first) {
  const View& view = ViewOf(builder, part);
  const auto bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  const int last = view.rank - 1;
  Result result{.operand = part.operand,
                .offset = (view.offset - builder.OperandView(part.operand).offset) * bytes,
                .bytes = bytes,
                .row_stride = view.step(last - 1) * bytes,
                .column_stride = view.step(last) * bytes,
                .conversion = is_addend ? &ConversionOf(view.dtype, ACL_FLOAT) : &ConversionOf(ACL_FLOAT, view.dtype)};
  for (int axis = sums_first ? 1 : 0; axis < last - 1; ++axis)
    result.batch[axis - (sums_first ? 1 : 0)] = view.step(axis) * bytes;
  return result;
}

// How many of the two factors must be turned when `columns` is packed and `rows` is taken as it lies.
int TurnsOf(const Factor& rows, const Factor& columns) {
  return (rows.along == rows.bytes ? 0 : 1) + (columns.across == columns.bytes ? 0 : 1);
}

void ExchangeSides(ProductPlan* plan) {
  std::swap(plan->rows_of, plan->columns_of);
  std::swap(plan->rows, plan->columns);
  for (Result* const result : {&plan->out, &plan->addend}) std::swap(result->row_stride, result->column_stride);
}

void CutDots(ProductPlan* plan, int64_t batches) {
  plan->tile_rows = std::max<int64_t>(1, kDotElements / std::max<int64_t>(plan->depth, 1));
  if (plan->tile_rows > 8) plan->tile_rows = plan->tile_rows / 8 * 8;
  const bool is_across = plan->rows_of.across == plan->rows_of.bytes && plan->rows_of.along != plan->rows_of.bytes;
  if (is_across) plan->tile_rows = std::max<int64_t>(plan->tile_rows, DotScratch::AcrossRows(*plan));
  plan->tile_rows = std::min(plan->tile_rows, plan->rows);
  plan->row_tiles = CeilDivide(plan->rows, plan->tile_rows);
  plan->chunks = plan->row_tiles * batches;
}

void CutTiles(ProductPlan* plan, int64_t batches) {
  plan->block = BlockOf(plan->depth);
  plan->panel = plan->columns <= plan->lanes.narrow_panel ? plan->lanes.narrow_panel : plan->lanes.panel;
  plan->tile_columns = std::min(plan->columns, plan->rows <= kFewRows ? kTileColumnsOfFewRows : kTileColumns);
  const int64_t fitting = kPackedElements / plan->PaddedColumns() / kSpan * kSpan;
  plan->packed_depth = std::clamp<int64_t>(plan->depth, 1, std::min(fitting, kPackedDepth));
  plan->column_tiles = CeilDivide(plan->columns, plan->tile_columns);
  plan->tile_rows = kTileRows;
  const auto chunks = [&] { return CeilDivide(plan->rows, plan->tile_rows) * plan->column_tiles * batches; };
  const double products_of_row = static_cast<double>(plan->tile_columns) * static_cast<double>(plan->depth);
  while (plan->tile_rows > kFewestTileRows && chunks() < kChunksWanted &&
         static_cast<double>(std::min(plan->tile_rows, plan->rows)) * products_of_row > kTileProducts)
    plan->tile_rows /= 2;
  // Of one height, but for the last.
  plan->tile_rows = CeilDivide(plan->rows, CeilDivide(plan->rows, plan->tile_rows));
  plan->tile_rows = std::min(plan->rows, CeilDivide(plan->tile_rows, plan->lanes.rows) * plan->lanes.rows);
  plan->row_tiles = CeilDivide(plan->rows, plan->tile_rows);
  plan->chunks = chunks();
}

double CostOf(const ProductPlan& plan, double batches) {
  const double results = static_cast<double>(plan.rows) * static_cast<double>(plan.columns) * batches;
  const double products = results * static_cast<double>(plan.depth) * static_cast<double>(plan.sums);
  // Of dot products the rows are read once from memory.
  const double ns_of_read =
      plan.is_dot ? 0.1 * static_cast<double>(plan.rows_of.bytes) / static_cast<double>(plan.columns) : 0;
  return 100 + 0.5 * results + products * std::max(0.02, ns_of_read);
}

}  // namespace

inline namespace v1 {

void Products(exec::PlanBuilder& builder, const Product& product) {
  const View& a = ViewOf(builder, product.a);
  const View& b = ViewOf(builder, product.b);
  const int rank = a.rank, first = product.sums_first ? 1 : 0;
  ProductPlan plan;
  plan.rows_of = MakeFactor(builder, product.a, false, product.sums_first);
  plan.columns_of = MakeFactor(builder, product.b, true, product.sums_first);
  plan.out = MakeResult(builder, product.out, false, product.sums_first);
  plan.alpha = product.alpha;
  plan.beta = product.addend ? product.beta : 0;
  plan.rows = a.shape[rank - 2];
  plan.columns = b.shape[rank - 1];
  plan.depth = a.shape[rank - 1];
  plan.sums = product.sums_first ? a.shape[0] : 1;
  plan.batch_rank = rank - 2 - first;
  plan.is_scaled = plan.alpha != 1 || plan.beta != 0;
  if (plan.beta != 0) plan.addend = MakeResult(builder, *product.addend, true, product.sums_first);
  plan.is_serial = MayOverlapItself(builder.OperandView(product.out.operand));
  int64_t batches = 1;
  for (int axis = 0; axis < plan.batch_rank; ++axis)
    batches *= plan.batch_shape[axis] = std::max(a.shape[axis + first], b.shape[axis + first]);
  if (plan.rows == 0 || plan.columns == 0 || batches == 0) return;
  // Which way is taken follows from the shape, as the two add in another order; which side is packed does not matter.
  const bool exchange_for_dots = plan.rows < plan.columns;
  plan.is_dot = plan.sums == 1 && std::min(plan.rows, plan.columns) <= kMostDotColumns;
  if (plan.is_dot) {
    if (exchange_for_dots) ExchangeSides(&plan);
  } else {
    const int turns = TurnsOf(plan.rows_of, plan.columns_of), exchanged = TurnsOf(plan.columns_of, plan.rows_of);
    if (exchanged < turns || (exchanged == turns && plan.rows < plan.columns)) ExchangeSides(&plan);
  }
  const auto dtype_of = [&](const Factor& factor) { return (factor.operand == product.a.operand ? a : b).dtype; };
  plan.lanes = ProductLanesOf(dtype_of(plan.rows_of), dtype_of(plan.columns_of), ActiveTarget());
  for (const OperandPart* const part : {&product.a, &product.b}) builder.ReadsLate(part->operand);
  plan.is_dot ? CutDots(&plan, batches) : CutTiles(&plan, batches);
  const double ns = CostOf(plan, static_cast<double>(batches));
  plan.is_serial |= ns < kOneThreadNs;
  builder.Run(RunProduct, plan, static_cast<int64_t>(std::min(1e18, ns)));
}

}  // namespace v1
}  // namespace portacl::loops
