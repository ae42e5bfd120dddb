// SPDX-License-Identifier: Apache-2.0
//
// The plan that phase 1 of every engine leaves for the run, and how the run walks its tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "exec/plan.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/contiguous_adapter.h"
#include "loops/tiles/loop_nest.h"
#include "loops/tiles/operands.h"
#include "loops/tiles/tile.h"
#include "loops/tiles/tiling.h"
#include "tensor/view.h"

namespace portacl::loops {

struct TilePlan {
  LaneCode code;
  bool non_temporal = false;
  bool serial = false;  // elements of an output share bytes: two threads must not write them at once
  int32_t operand[kMaxTileOperands] = {};
  int64_t offset[kMaxTileOperands] = {};  // bytes from element 0 of the operand to that of its part
  int64_t first_chunk = 0;                // of a plan that was joined with others (plan_joiner.h)
  Tiling tiling = {};
  alignas(16) std::byte parameters[kMaxParameterBytes] = {};
  LoopNest nest;

  Chunks ChunksWith(int64_t scratch_bytes) const {
    return {.count = tiling.chunks, .is_serial = serial, .scratch_bytes = scratch_bytes};
  }

  /// The size of the strides of absent operands, which are at the end of the plan.
  size_t UnusedBytes() const { return static_cast<size_t>(kMaxTileOperands - nest.operands) * sizeof(nest.strides[0]); }
};
static_assert(offsetof(TilePlan, nest) + offsetof(LoopNest, strides) + sizeof(LoopNest::strides) + alignof(TilePlan) >
              sizeof(TilePlan));

/// The views of an engine's operands.
class OperandViews {
 public:
  OperandViews(const exec::PlanBuilder& builder, std::span<const OperandPart> operands) {
    for (const OperandPart& part : operands)
      views_[count_++] = part.view ? &*part.view : &builder.OperandView(part.operand);
  }
  std::span<const View* const> span() const { return {views_, count_}; }
  int count() const { return static_cast<int>(count_); }

 private:
  const View* views_[kMaxTileOperands];
  size_t count_ = 0;
};

/// Completes a plan that has its lane code, nest and tiling.
void SetOperands(const exec::PlanBuilder& builder, std::span<const OperandPart> operands, const Parameters& parameters,
                 TilePlan* plan);
inline void SetOperands(const exec::PlanBuilder& builder, std::initializer_list<OperandPart> operands,
                        const Parameters& parameters, TilePlan* plan) {
  SetOperands(builder, std::span<const OperandPart>(operands), parameters, plan);
}

/// Plans a run of `plan`, whose last member is `tiles`. The strides of absent operands are not copied.
template <class P>
void PlanTiles(exec::PlanBuilder& builder, exec::RunFunction run, const P& plan, double ns_per_element) {
  static_assert(offsetof(P, tiles) + sizeof(TilePlan) == sizeof(P));
  builder.RunBytes(run, &plan, sizeof(P) - plan.tiles.UnusedBytes(), CostNs(plan.tiles.nest, ns_per_element));
}

/// The state of a run. Engines derive from it to add more.
struct TileTask {
  TileTask(const TilePlan& of, const exec::RunContext& context) : plan(of) {
    for (int i = 0; i < of.nest.operands; ++i) addresses[i] = context.Address(of.operand[i]) + of.offset[i];
  }
  explicit TileTask(const TilePlan& of) : plan(of) {}  // the caller sets addresses

  /// An output in place of an input is already in the cache when it is stored.
  bool IsInPlace() const {
    const std::span operands(addresses, static_cast<size_t>(plan.nest.operands));
    const auto inputs = operands.first(static_cast<size_t>(plan.code.inputs)),
               outputs = operands.subspan(inputs.size());
    return std::find_first_of(inputs.begin(), inputs.end(), outputs.begin(), outputs.end()) != inputs.end();
  }

  const TilePlan& plan;
  std::byte* addresses[kMaxTileOperands];
};

/// Calls f(tile) for the tiles of the chunks [first, end). Neighbouring tiles may be joined.
template <class F>
void ForEachTile(const TileTask& task, int64_t first, int64_t end, void* scratch, const F& f) {
  const TilePlan& plan = task.plan;
  Tile tile;
  tile.parameters = plan.parameters;
  tile.scratch = scratch;
  tile.is_large = plan.non_temporal;
  tile.non_temporal = plan.non_temporal && !task.IsInPlace();
  first *= plan.tiling.tiles_per_chunk;
  end = std::min(end * plan.tiling.tiles_per_chunk, plan.tiling.tiles);
  TileWalk walk(plan.nest, plan.tiling, first);
  while (first < end) {
    first += walk.Next(task.addresses, end - first, &tile);
    f(tile);
  }
}

/// Calls f(tile) for all tiles, each thread with its own scratch; in one thread if the plan is serial.
template <class F>
void RunTiles(const TileTask& task, int64_t scratch_bytes, const F& f) {
  RunChunks(task.plan.ChunksWith(scratch_bytes),
            [&](int64_t first, int64_t end, std::byte* scratch) { ForEachTile(task, first, end, scratch, f); });
}

}  // namespace portacl::loops
