// SPDX-License-Identifier: Apache-2.0
#include "loops/one_tile.h"

#include <algorithm>
#include <cstddef>
#include <new>

#include "loops/scratch.h"

namespace portacl::loops {
namespace {

struct OneTilePlan {
  LaneFunction run;
  int64_t scratch_bytes;
  int32_t operands;
  int32_t operand[kMaxTileOperands];
  int64_t rows;
  int64_t columns;
  alignas(16) std::byte parameters[kMaxParameterBytes];
  struct Place {
    int64_t offset;  // bytes from the operand's element 0
    int64_t row_stride;
    int64_t column_stride;
  } place[kMaxTileOperands];  // last, so that a plan copies only the operands there are
};

int32_t RunOneTile(const exec::RunContext& context) {
  const OneTilePlan& plan = context.Parameters<OneTilePlan>();
  // In one page: GCC stores two strides at once, and where that crossed into another page, which depends on the
  // client's stack, reading them took 18 ns of a call of 46 on a Xeon with AVX-512.
  constexpr size_t kTileAlign = 256;
  static_assert(sizeof(Tile) <= kTileAlign);
  alignas(kTileAlign) Tile tile;
  tile.rows = plan.rows;
  tile.columns = plan.columns;
  tile.parameters = plan.parameters;
  tile.non_temporal = false;
  for (int i = 0; i < plan.operands; ++i) {
    const OneTilePlan::Place& place = plan.place[i];
    tile.operand[i] = {context.Address(plan.operand[i]) + place.offset, place.row_stride, place.column_stride};
  }
  if (plan.scratch_bytes == 0) {
    tile.scratch = nullptr;
    plan.run(tile);
    return 0;
  }
  const auto run = [&](void* scratch) {
    tile.scratch = scratch;
    plan.run(tile);
  };
  if (!WithScratch(plan.scratch_bytes, run)) throw std::bad_alloc();
  return 0;
}

}  // namespace

void PlanOneTile(exec::PlanBuilder& builder, const TilePlan& whole, int64_t scratch_bytes, double ns_per_element) {
  const Nest& nest = whole.nest;
  OneTilePlan result;
  result.run = whole.code.run;
  result.scratch_bytes = scratch_bytes;
  result.operands = nest.operands;
  result.rows = whole.cut.tile_rows;
  result.columns = whole.cut.tile_columns;
  std::copy(whole.operand, whole.operand + nest.operands, result.operand);
  std::copy(whole.parameters, whole.parameters + kMaxParameterBytes, result.parameters);
  for (int i = 0; i < nest.operands; ++i)
    result.place[i] = {whole.offset[i], nest.rank > 1 ? nest.strides[i][1] : 0, nest.strides[i][0]};
  const size_t bytes = offsetof(OneTilePlan, place) + static_cast<size_t>(nest.operands) * sizeof(result.place[0]);
  builder.RunBytes(RunOneTile, &result, bytes, CostNs(nest, ns_per_element));
}

}  // namespace portacl::loops
