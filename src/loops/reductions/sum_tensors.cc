// SPDX-License-Identifier: Apache-2.0
//
// The sums of a tile stay in the cache while the tensors are added to it one after the other.
#include "loops/reductions/sum_tensors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/dtype.h"
#include "base/target.h"
#include "loops/elements/conversion.h"
#include "loops/moves/combine.h"
#include "loops/moves/combine_lanes.h"
#include "loops/moves/indices.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/copy_block.h"
#include "loops/tiles/scratch.h"
#include "loops/tiles/tiling.h"

namespace portacl::loops::reductions {
namespace {

using moves::kRowsTogether;

constexpr int64_t kTileElements = 1024;

// The strides of each tensor and of out follow it. Axis 0 is the innermost.
struct alignas(int64_t) SumTensorsPlan {
  int32_t first = 0;
  int32_t count = 0;
  int32_t out = 0;
  int32_t rank = 0;  // at least 2
  int64_t shape[kMaxRank] = {};
  int64_t bytes = 0;  // per element
  int64_t columns = 0;
  int64_t rows = 0;  // of a tile
  int64_t tiles = 0;
  bool is_serial = false;
  moves::RowLanes lanes = {};                 // of floats with up to 32 bits
  const Conversion* round = nullptr;          // from their sums in float64
  const moves::Combiner* combiner = nullptr;  // of the others
  ScratchPart<std::byte> sums = {};
  ScratchPart<std::byte> copies = {};  // of tiles that are not contiguous
  ScratchPart<std::byte> result = {};
  int64_t scratch_bytes = 0;

  const int64_t* StridesOf(int32_t operand) const {
    return reinterpret_cast<const int64_t*>(this + 1) + operand * kMaxRank;
  }
};

struct SumTile {
  int64_t rows, columns;
  int64_t at[kMaxRank];  // of its first element

  int64_t elements() const { return rows * columns; }
};

SumTile TileAt(const SumTensorsPlan& plan, int64_t number) {
  SumTile tile{};
  const int64_t size[] = {plan.columns, plan.rows};
  for (int axis = 0; axis < plan.rank; ++axis) {
    const int64_t step = axis < 2 ? size[axis] : 1;
    const int64_t steps = CeilDivide(plan.shape[axis], step);
    tile.at[axis] = number % steps * step;
    number /= steps;
  }
  tile.columns = std::min(plan.columns, plan.shape[0] - tile.at[0]);
  tile.rows = std::min(plan.rows, plan.shape[1] - tile.at[1]);
  return tile;
}

// Operand i of a tile: a tensor, or out after the last.
TileOperand OperandAt(const SumTensorsPlan& plan, const exec::RunContext& context, const SumTile& tile, int32_t i) {
  const int64_t* const strides = plan.StridesOf(i);
  std::byte* base = context.Address(i == plan.count ? plan.out : plan.first + i);
  for (int axis = 0; axis < plan.rank; ++axis) base += tile.at[axis] * strides[axis];
  return {base, strides[1], strides[0]};
}

bool IsDense(const TileOperand& operand, const SumTile& tile, int64_t bytes) {
  return operand.column_stride == bytes && (tile.rows == 1 || operand.row_stride == tile.columns * bytes);
}

void SumFloats(const SumTensorsPlan& plan, const exec::RunContext& context, const SumTile& tile, std::byte* scratch) {
  const int64_t n = tile.elements(), bytes = plan.bytes;
  const TileOperand out = OperandAt(plan, context, tile, plan.count);
  const bool is_dense = IsDense(out, tile, bytes);
  std::byte* const result = is_dense ? out.base : plan.result.In(scratch);
  auto* const sums = reinterpret_cast<double*>(plan.sums.In(scratch));
  const bool are_few = plan.count <= kRowsTogether;
  if (!are_few) std::fill_n(sums, n, 0.0);
  for (int32_t i = 0; i < plan.count; i += kRowsTogether) {
    const int32_t count = std::min<int32_t>(kRowsTogether, plan.count - i);
    const std::byte* rows[kRowsTogether];
    for (int32_t k = 0; k < count; ++k) {
      const TileOperand tensor = OperandAt(plan, context, tile, i + k);
      rows[k] = tensor.base;
      if (IsDense(tensor, tile, bytes)) continue;
      std::byte* const copy = plan.copies.In(scratch) + k * kTileElements * bytes;
      CopyBlock(bytes, tile.rows, tile.columns, tensor, {copy, tile.columns * bytes, bytes});
      rows[k] = copy;
    }
    if (are_few) {
      plan.lanes.add_few(rows, count, result, n);
    } else {
      plan.lanes.add(rows, count, 1, sums, n);
    }
  }
  if (!are_few) Convert(*plan.round, reinterpret_cast<const std::byte*>(sums), result, n);
  if (!is_dense) CopyBlock(bytes, tile.rows, tile.columns, {result, tile.columns * bytes, bytes}, out);
}

void SumOthers(const SumTensorsPlan& plan, const exec::RunContext& context, const SumTile& tile, std::byte* scratch) {
  const moves::Combiner& combiner = *plan.combiner;
  for (int32_t i = 0; i <= plan.count; ++i) {
    const TileOperand operand = OperandAt(plan, context, tile, i);
    for (int64_t row = 0; row < tile.rows; ++row) {
      std::byte* const states = plan.sums.In(scratch) + row * tile.columns * combiner.state_bytes;
      const moves::ElementRun run{operand.base + row * operand.row_stride, operand.column_stride, tile.columns};
      if (i == plan.count) {
        combiner.store(states, run);
      } else if (i == 0) {
        combiner.start(run, states);
      } else {
        combiner.add(run, {}, states);
      }
    }
  }
}

constexpr int64_t kTilesOfChunk = 16;

int32_t RunSumTensors(const exec::RunContext& context) {
  const auto& plan = context.Parameters<SumTensorsPlan>();
  RunChunks({.count = CeilDivide(plan.tiles, kTilesOfChunk),
             .is_serial = plan.is_serial,
             .scratch_bytes = plan.scratch_bytes},
            [&](int64_t first, int64_t end, std::byte* scratch) {
              for (int64_t i = first * kTilesOfChunk; i < std::min(end * kTilesOfChunk, plan.tiles); ++i) {
                const SumTile tile = TileAt(plan, i);
                plan.combiner == nullptr ? SumFloats(plan, context, tile, scratch)
                                         : SumOthers(plan, context, tile, scratch);
              }
            });
  return 0;
}

// The axes of all operands, innermost first, joined where all of them allow it.
class JointAxes {
 public:
  explicit JointAxes(size_t operands) : strides_(operands) {}

  // The strides of the operands along another axis, in bytes.
  void Add(int64_t size, const std::vector<int64_t>& strides) {
    if (size == 1) return;
    bool joins = rank_ > 0;
    for (size_t i = 0; joins && i < strides.size(); ++i)
      joins = strides[i] == strides_[i].of_axis[rank_ - 1] * shape_[rank_ - 1];
    if (joins) return static_cast<void>(shape_[rank_ - 1] *= size);
    shape_[rank_] = size;
    for (size_t i = 0; i < strides.size(); ++i) strides_[i].of_axis[rank_] = strides[i];
    ++rank_;
  }
  // Adds axes of one element up to this rank.
  void Fill(int rank) {
    for (; rank_ < rank; ++rank_) shape_[rank_] = 1;
  }

  int rank() const { return rank_; }
  int64_t size(int axis) const { return shape_[axis]; }
  const int64_t* strides(size_t operand) const { return strides_[operand].of_axis; }

 private:
  struct Strides {
    int64_t of_axis[kMaxRank] = {};
  };
  int rank_ = 0;
  int64_t shape_[kMaxRank] = {};
  std::vector<Strides> strides_;
};

}  // namespace

inline namespace v1 {

void SumTensors(exec::PlanBuilder& builder, int first, int count, int out) {
  const View& result = builder.OperandView(out);
  int64_t elements = 0;
  CountElements(result.dims(), &elements);
  if (elements == 0) return;
  const auto tensors = static_cast<size_t>(count);
  JointAxes axes(tensors + 1);
  std::vector<int64_t> strides(tensors + 1);
  for (int axis = result.rank; axis-- > 0;) {
    for (size_t i = 0; i < tensors; ++i) {
      const View& tensor = builder.OperandView(first + static_cast<int>(i));
      const int own = axis - result.rank + tensor.rank;
      strides[i] = own < 0 || tensor.shape[own] == 1 ? 0 : moves::StepBytes(tensor, own);
    }
    strides[tensors] = moves::StepBytes(result, axis);
    axes.Add(result.shape[axis], strides);
  }
  axes.Fill(2);
  SumTensorsPlan plan{.first = first, .count = count, .out = out, .rank = axes.rank()};
  for (int axis = 0; axis < plan.rank; ++axis) plan.shape[axis] = axes.size(axis);
  plan.bytes = static_cast<int64_t>(ElementBytes(result.dtype));
  plan.columns = std::min(plan.shape[0], kTileElements);
  plan.rows = std::min(plan.shape[1], kTileElements / plan.columns);
  plan.tiles = CeilDivide(plan.shape[0], plan.columns) * CeilDivide(plan.shape[1], plan.rows);
  for (int axis = 2; axis < plan.rank; ++axis) plan.tiles *= plan.shape[axis];
  ScratchLayout layout;
  if (result.dtype == ACL_FLOAT || result.dtype == ACL_FLOAT16 || result.dtype == ACL_BF16) {
    plan.lanes = moves::CombineLanes(result.dtype, ActiveTarget());
    plan.round = &ConversionOf(ACL_DOUBLE, result.dtype);
    plan.sums = layout.Add<std::byte>(count > kRowsTogether ? kTileElements * static_cast<int64_t>(sizeof(double)) : 0);
    plan.copies = layout.Add<std::byte>(kRowsTogether * kTileElements * plan.bytes);
    plan.result = layout.Add<std::byte>(kTileElements * plan.bytes);
  } else {
    plan.combiner = &moves::CombinerOf(result.dtype, moves::Combine::kAdd);
    plan.sums = layout.Add<std::byte>(kTileElements * plan.combiner->state_bytes);
  }
  plan.scratch_bytes = layout.bytes();
  constexpr int64_t kOneThreadBytes = 256 << 10;
  plan.is_serial = elements <= kOneThreadBytes / ((count + 1) * plan.bytes) || MustBeSerial(builder, out);
  constexpr size_t kStridesBytes = sizeof(int64_t) * kMaxRank;
  std::vector<std::byte> bytes(sizeof(plan) + (tensors + 1) * kStridesBytes);
  std::memcpy(bytes.data(), &plan, sizeof(plan));
  for (size_t i = 0; i <= tensors; ++i)
    std::memcpy(&bytes[sizeof(plan) + i * kStridesBytes], axes.strides(i), kStridesBytes);
  const double ns_per_element = (plan.combiner == nullptr ? 0.2 : 1.0) * count;
  builder.RunBytes(RunSumTensors, bytes.data(), bytes.size(),
                   CostNs(elements, (count + 1) * plan.bytes, ns_per_element));
}

}  // namespace v1
}  // namespace portacl::loops::reductions
