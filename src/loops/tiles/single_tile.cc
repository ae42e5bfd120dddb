// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/single_tile.h"

#include <algorithm>

#include "loops/tiles/scratch.h"

namespace portacl::loops {
namespace {

struct OneTilePlan {
  int64_t scratch_bytes;
  SingleTile tile;
};

int32_t RunOneTile(const exec::RunContext& context) {
  const OneTilePlan& plan = context.Parameters<OneTilePlan>();
  if (plan.scratch_bytes == 0) {
    plan.tile.Run(context, nullptr);
  } else {
    WithScratch(plan.scratch_bytes, [&](std::byte* scratch) { plan.tile.Run(context, scratch); });
  }
  return 0;
}

}  // namespace

SingleTile SingleTile::Of(const TilePlan& whole) {
  const LoopNest& nest = whole.nest;
  SingleTile tile;
  tile.run = whole.code.run;
  tile.rows = whole.tiling.tile_rows;
  tile.columns = whole.tiling.tile_columns;
  tile.operands = nest.operands;
  std::copy(whole.operand, whole.operand + nest.operands, tile.operand);
  std::copy(whole.parameters, whole.parameters + kMaxParameterBytes, tile.parameters);
  for (int i = 0; i < nest.operands; ++i)
    tile.place[i] = {whole.offset[i], nest.rank > 1 ? nest.strides[i][1] : 0, nest.strides[i][0]};
  return tile;
}

void PlanSingleTile(exec::PlanBuilder& builder, const TilePlan& whole, int64_t scratch_bytes, double ns_per_element) {
  const OneTilePlan plan = {scratch_bytes, SingleTile::Of(whole)};
  builder.RunBytes(RunOneTile, &plan, sizeof(plan) - plan.tile.UnusedBytes(), CostNs(whole.nest, ns_per_element));
}

}  // namespace portacl::loops
