// SPDX-License-Identifier: Apache-2.0
//
// Slices of a list: one copy for each tensor, which moves along an axis of it by what the run reads.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "acl/error_codes/rt_error_codes.h"
#include "base/dtype.h"
#include "base/status.h"
#include "loops/moves/copy_tile.h"
#include "loops/moves/indices.h"
#include "loops/moves/scatter.h"
#include "loops/tiles/tile_plan.h"

namespace portacl::loops::moves {
namespace {

// The copy into one tensor.
struct Slice {
  int64_t positions = 0;  // where it may begin
  int64_t step = 0;       // bytes from one of them to the next
  TilePlan tiles;         // source, out
};

// The slices follow it.
struct alignas(Slice) SlicesPlan {
  const char* api;
  const char* index_name;
  int64_t count;
  int64_t index_step;  // in bytes
  int64_t mask_step;
  int32_t index;
  int32_t mask;
  bool is_wide;

  const Slice* slices() const { return reinterpret_cast<const Slice*>(this + 1); }
};

int32_t RunSlices(const exec::RunContext& context) {
  const auto& plan = context.Parameters<SlicesPlan>();
  int32_t status = 0;
  for (int64_t b = 0; b < plan.count; ++b) {
    if (plan.mask != kNothing && context.Address(plan.mask)[b * plan.mask_step] == std::byte{0}) continue;
    const Slice& slice = plan.slices()[b];
    const int64_t position = ReadIndex(context.Address(plan.index) + b * plan.index_step, plan.is_wide);
    if (position < 0 || position >= slice.positions) {
      if (status == 0)
        status = Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "{}: argument '{}': expected elements from 0 to {}, got {} at {}",
                       plan.api, plan.index_name, slice.positions - 1, position, b);
      continue;
    }
    TileTask task(slice.tiles, context);
    task.addresses[1] += position * slice.step;
    RunTiles(task, 0, CopyTile);
  }
  return status;
}

}  // namespace

inline namespace v1 {

void ScatterSlicesOfEach(exec::PlanBuilder& plan, int index, int source, int mask, int first, int axis) {
  const Indices indices(plan, index, 0);
  const View &of_index = plan.OperandView(index), &updates = plan.OperandView(source);
  SlicesPlan header{.api = indices.api,
                    .index_name = indices.name,
                    .count = updates.shape[0],
                    .index_step = StepBytes(of_index, 0),
                    .mask_step = mask == kNothing ? 0 : StepBytes(plan.OperandView(mask), 0),
                    .index = index,
                    .mask = mask,
                    .is_wide = indices.is_wide};
  View part = updates;  // that of one tensor
  --part.rank;
  for (int i = 0; i < part.rank; ++i) {
    part.shape[i] = updates.shape[i + 1];
    part.strides[i] = updates.step(i + 1);
  }
  const CopyParameters parameters = CopyParametersOf(part.dtype, part.dtype);
  std::vector<std::byte> bytes(sizeof(SlicesPlan) + static_cast<size_t>(header.count) * sizeof(Slice));
  std::memcpy(bytes.data(), &header, sizeof(header));
  int64_t cost_ns = 0;
  for (int64_t b = 0; b < header.count; ++b, part.offset += updates.step(0)) {
    const int out = first + static_cast<int>(b);
    View place = plan.OperandView(out);
    Slice slice{.positions = place.shape[axis] - part.shape[axis] + 1, .step = StepBytes(place, axis), .tiles = {}};
    place.shape[axis] = part.shape[axis];
    const View* const views[] = {&part, &place};
    slice.tiles.code.inputs = 1;
    slice.tiles.nest = MakeLoopNest(place.dims(), views);
    slice.tiles.tiling = MakeTiling(slice.tiles.nest, CopyNsPerElement(parameters));
    SetOperands(plan, {{source, part}, out}, parameters, &slice.tiles);
    cost_ns += CostNs(slice.tiles.nest, CopyNsPerElement(parameters));
    std::memcpy(&bytes[sizeof(SlicesPlan) + static_cast<size_t>(b) * sizeof(Slice)], &slice, sizeof(slice));
  }
  for (const int operand : {index, source, mask}) {
    if (operand != kNothing) plan.ForbidInPlace(operand);
  }
  plan.RunBytes(RunSlices, bytes.data(), bytes.size(), cost_ns);
}

}  // namespace v1
}  // namespace portacl::loops::moves
