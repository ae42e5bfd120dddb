// SPDX-License-Identifier: Apache-2.0
//
// The run of the engine of normalisations, see normalize.h.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/bfloat16.h"
#include "base/float16.h"
#include "loops/reductions/norm_plan.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/copy_block.h"

namespace portacl::loops::reductions {
namespace {

// Returns NaN without a payload: it is passed on to results, and their rounding to BFLOAT16 relies on that.
float LoadAsFloat(aclDataType dtype, const std::byte* from) {
  if (dtype == ACL_FLOAT) {
    float value;
    std::memcpy(&value, from, sizeof(value));
    return std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value;
  }
  uint16_t bits;
  std::memcpy(&bits, from, sizeof(bits));
  const float value = dtype == ACL_FLOAT16 ? Float16ToFloat(bits) : Bfloat16ToFloat(bits);
  return std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value;
}

void StoreRounded(aclDataType dtype, double value, std::byte* to) {
  if (dtype == ACL_FLOAT) {
    const auto single = static_cast<float>(value);
    std::memcpy(to, &single, sizeof(single));
    return;
  }
  const uint16_t bits = dtype == ACL_FLOAT16 ? DoubleToFloat16(value) : DoubleToBfloat16(value);
  std::memcpy(to, &bits, sizeof(bits));
}

// The state of a run.
struct NormTask {
  const NormPlan& plan;
  const exec::RunContext& context;
  double* partials = nullptr;
};

// Moves `count` rows of an operand that is not dense from their place to scratch, or back.
void MoveRows(const NormPlan& plan, const PlannedRows& rows, int64_t count, const TileOperand& place,
              const TileOperand& scratch, bool gathers) {
  const auto move = [&](int64_t lines, int64_t columns, const TileOperand& at, const TileOperand& dense) {
    gathers ? CopyBlock(rows.bytes, lines, columns, at, dense) : CopyBlock(rows.bytes, lines, columns, dense, at);
  };
  const int rank = rows.by_segment ? 1 : plan.inner_rank;
  if (rank == 1) {
    const int64_t columns = rows.by_segment ? plan.segments : plan.columns;
    return move(count, columns, {place.base, place.row_stride, rows.inner[0]}, scratch);
  }
  const int64_t lines = plan.inner_shape[rank - 2];
  const int64_t columns = plan.inner_shape[rank - 1];
  for (int64_t row = 0; row < count; ++row) {
    std::byte* to = scratch.base + row * scratch.row_stride;
    const int64_t blocks = plan.columns / (lines * columns);
    for (int64_t block = 0; block < blocks; ++block) {
      int64_t offset = row * place.row_stride;
      for (int64_t axis = rank - 3, number = block; axis >= 0; number /= plan.inner_shape[axis--])
        offset += number % plan.inner_shape[axis] * rows.inner[axis];
      move(lines, columns, {place.base + offset, rows.inner[rank - 2], rows.inner[rank - 1]},
           {to, columns * rows.bytes, rows.bytes});
      to += lines * columns * rows.bytes;
    }
  }
}

// Runs a chunk of rows, tile by tile.
class ChunkOfRows {
 public:
  ChunkOfRows(const NormTask& task, int64_t chunk, std::byte* scratch)
      : task_(task), plan_(task.plan), scratch_(scratch) {
    row_ = chunk * plan_.chunk_rows;
    end_ = std::min(row_ + plan_.chunk_rows, plan_.rows);
    for (int64_t axis = plan_.outer_rank - 1, number = row_; axis >= 0; number /= plan_.outer_shape[axis--])
      index_[axis] = number % plan_.outer_shape[axis];
    sums_ = task.partials == nullptr ? nullptr : task.partials + chunk * plan_.sum_count;
    if (sums_ != nullptr) std::fill_n(sums_, plan_.sum_count, 0.0);
  }

  void Run() {
    const int last = plan_.outer_rank - 1;
    while (row_ < end_) {
      const int64_t in_axis = last < 0 ? 1 : plan_.outer_shape[last] - index_[last];
      const int64_t rows = std::min({plan_.tile_rows, end_ - row_, in_axis});
      RunTile(rows);
      row_ += rows;
      if (last < 0) continue;
      index_[last] += rows;
      for (int axis = last; axis > 0 && index_[axis] == plan_.outer_shape[axis]; --axis) {
        index_[axis] = 0;
        ++index_[axis - 1];
      }
    }
  }

 private:
  int64_t OffsetOf(const int64_t* strides) const {
    int64_t offset = 0;
    for (int axis = 0; axis < plan_.outer_rank; ++axis) offset += index_[axis] * strides[axis];
    return offset;
  }
  int64_t RowStride(const int64_t* strides) const { return plan_.outer_rank == 0 ? 0 : strides[plan_.outer_rank - 1]; }

  void RunTile(int64_t rows) {
    Tile tile{.rows = rows,
              .columns = plan_.columns,
              .operand = {},
              .parameters = plan_.parameters,
              .scratch = scratch_,
              .non_temporal = plan_.non_temporal};
    TileOperand places[kMostNormRows] = {};
    float statistics[kMostStatistics][kNormTileRows];
    for (int i = 0; i < plan_.row_count; ++i) tile.operand[i] = places[i] = PlaceOf(plan_.operand[i]);
    for (int i = 0; i < plan_.row_count; ++i) GatherRows(plan_.operand[i], rows, places[i], &tile.operand[i]);
    int next = plan_.row_count;
    for (int i = 0; i < kMostStatistics; ++i) {
      tile.operand[next++] = {reinterpret_cast<std::byte*>(statistics[i]), sizeof(float), sizeof(float)};
      if (plan_.reads_statistics) LoadStatistics(plan_.statistics[i], rows, statistics[i]);
    }
    for (int i = 0; sums_ != nullptr && i < kMostNormSums; ++i) {
      const PlannedSums& sums = plan_.sums[i];
      if (sums.to.operand == kNoOperand) {
        ++next;
        continue;
      }
      auto* const base = reinterpret_cast<std::byte*>(sums_ + sums.first);
      tile.operand[next++] = {base + OffsetOf(sums.outer), RowStride(sums.outer), sizeof(double)};
    }
    plan_.run(tile);
    for (int i = 0; i < plan_.row_count; ++i) {
      const PlannedRows& operand = plan_.operand[i];
      if (operand.is_written && !operand.is_dense) MoveRows(plan_, operand, rows, places[i], tile.operand[i], false);
    }
    for (int i = 0; i < kMostStatistics; ++i) {
      if (!plan_.reads_statistics) StoreStatistics(plan_.statistics[i], rows, statistics[i]);
    }
  }

  TileOperand PlaceOf(const PlannedRows& rows) const {
    if (rows.operand == kNoOperand || plan_.columns == 0) return {nullptr, 0, rows.bytes};
    return {task_.context.Address(rows.operand) + OffsetOf(rows.outer), RowStride(rows.outer), rows.bytes};
  }

  void GatherRows(const PlannedRows& rows, int64_t count, const TileOperand& place, TileOperand* operand) const {
    if (rows.is_dense || place.base == nullptr) return;
    // A row that repeats is gathered once.
    const bool repeats = place.row_stride == 0 && !rows.is_written;
    *operand = {scratch_ + rows.scratch, repeats ? 0 : rows.row_bytes, rows.bytes};
    if (!rows.is_written)
      MoveRows(plan_, rows, repeats ? 1 : count, place, {operand->base, rows.row_bytes, rows.bytes}, true);
  }

  void LoadStatistics(const Numbered& from, int64_t rows, float* to) const {
    std::fill_n(to, rows, 0.0F);
    if (from.operand == kNoOperand) return;
    const std::byte* const base = task_.context.Address(from.operand);
    for (int64_t i = 0; i < rows; ++i) to[i] = LoadAsFloat(from.dtype, base + from.OffsetOf(row_ + i));
  }
  void StoreStatistics(const Numbered& to, int64_t rows, const float* from) const {
    if (to.operand == kNoOperand) return;
    std::byte* const base = task_.context.Address(to.operand);
    for (int64_t i = 0; i < rows; ++i) StoreRounded(to.dtype, double{from[i]}, base + to.OffsetOf(row_ + i));
  }

  const NormTask& task_;
  const NormPlan& plan_;
  std::byte* const scratch_;
  double* sums_;
  int64_t row_;
  int64_t end_;
  int64_t index_[kMostNormAxes] = {};
};

// Adds the sums of the chunks in order, and stores them.
void StoreSums(const NormTask& task) {
  const NormPlan& plan = task.plan;
  for (const PlannedSums& sums : plan.sums) {
    if (sums.to.operand == kNoOperand || sums.count == 0) continue;
    std::byte* const base = task.context.Address(sums.to.operand);
    for (int64_t i = 0; i < sums.count; ++i) {
      double sum = 0;
      for (int64_t chunk = 0; chunk < plan.chunks; ++chunk)
        sum += task.partials[chunk * plan.sum_count + sums.first + i];
      StoreRounded(sums.to.dtype, sum, base + sums.to.OffsetOf(i));
    }
  }
}

// Statistics may overlap each other: then one thread writes them, so that the final bytes do not depend on their
// number.
bool StatisticsOverlap(const exec::RunContext& context, const NormPlan& plan) {
  const Numbered& first = plan.statistics[0];
  const Numbered& second = plan.statistics[1];
  if (plan.reads_statistics || first.operand == kNoOperand || second.operand == kNoOperand) return false;
  const std::byte* const a = context.Address(first.operand);
  const std::byte* const b = context.Address(second.operand);
  return a < b + second.Extent() && b < a + first.Extent();
}

}  // namespace

int32_t RunNormalize(const exec::RunContext& context) {
  const NormPlan& plan = context.Parameters<NormPlan>();
  const int64_t sums = plan.chunks * plan.sum_count;
  const PoolMemory partials(sums * static_cast<int64_t>(sizeof(double)));
  const NormTask task{plan, context, partials.As<double>()};
  ForEachChunk({.count = plan.chunks,
                .is_serial = plan.is_serial || StatisticsOverlap(context, plan),
                .scratch_bytes = plan.scratch_bytes},
               [&](int64_t chunk, std::byte* scratch) { ChunkOfRows(task, chunk, scratch).Run(); });
  StoreSums(task);
  return 0;
}

}  // namespace portacl::loops::reductions
