// SPDX-License-Identifier: Apache-2.0
#include "loops/reductions/sum_all.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/bfloat16.h"
#include "base/float16.h"
#include "loops/tiles/single_tile.h"
#include "loops/tiles/tile_plan.h"
#include "tensor/view.h"

namespace portacl::loops::reductions {
namespace {

// Each chunk leaves one partial sum on the stack of the run, so no workspace is needed. More chunks would keep no
// machine busier.
constexpr int64_t kMostChunks = 1024;

struct SumResult {
  double divisor = 1;
  aclDataType dtype = ACL_FLOAT;
  int operand = 0;
};

struct SumPlan {
  SumResult result;
  TilePlan tiles;
};

struct OneTileSumPlan {
  SumResult result;
  SingleTile tile;
};

void Store(const SumResult& result, double sum, const exec::RunContext& context) {
  const double value = sum / result.divisor;
  const aclDataType dtype = result.dtype;
  std::byte* const to = context.Address(result.operand);
  if (dtype == ACL_DOUBLE) {
    std::memcpy(to, &value, sizeof(value));
  } else if (dtype == ACL_FLOAT) {
    const auto single = static_cast<float>(value);
    std::memcpy(to, &single, sizeof(single));
  } else {
    const uint16_t narrow = dtype == ACL_FLOAT16 ? DoubleToFloat16(value) : DoubleToBfloat16(value);
    std::memcpy(to, &narrow, sizeof(narrow));
  }
}

int32_t RunSum(const exec::RunContext& context) {
  const SumPlan& plan = context.Parameters<SumPlan>();
  const int64_t chunks = plan.tiles.tiling.chunks;
  // No larger than needed: the thread is the client's, and its stack may be small.
  auto* const partial = static_cast<double*>(__builtin_alloca(static_cast<size_t>(chunks) * sizeof(double)));
  const TileTask task(plan.tiles, context);
  ForEachChunk({.count = chunks, .differ = true}, [&](int64_t chunk, std::byte*) {
    double part = 0;
    ForEachTile(task, chunk, chunk + 1, &part,
                [&](const Tile& tile) { RunTile(task.plan.code, task.plan.nest, tile); });
    partial[chunk] = part;
  });
  double sum = 0;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) sum += partial[chunk];
  Store(plan.result, sum, context);
  return 0;
}

int32_t RunSumOfOneTile(const exec::RunContext& context) {
  const OneTileSumPlan& plan = context.Parameters<OneTileSumPlan>();
  double sum = 0;
  plan.tile.Run(context, &sum);
  Store(plan.result, sum, context);
  return 0;
}

Shape BroadcastOf(std::span<const View* const> views) {
  Shape shape;
  for (const View* view : views) BroadcastWith(&shape, view->dims());
  return shape;
}

}  // namespace

inline namespace v1 {

void Sum(exec::PlanBuilder& builder, std::initializer_list<OperandPart> inputs, int result, const SumKernel& kernel,
         const Parameters& parameters) {
  const OperandViews views(builder, inputs);
  SumPlan plan{.result = {.dtype = builder.OperandView(result).dtype, .operand = result},
               .tiles = {.code = {.run = kernel.run, .inputs = views.count(), .repeated = kernel.repeated},
                         .nest = MakeLoopNest(BroadcastOf(views.span()).span(), views.span())}};
  TilePlan& tiles = plan.tiles;
  if (kernel.dtype != ACL_DT_UNDEFINED) SetConversions(views.span(), kernel.dtype, kernel.dtype, &tiles.code);
  const int64_t elements = tiles.nest.Elements();
  if (kernel.mean) plan.result.divisor = static_cast<double>(elements);
  if (elements != 0) {
    tiles.tiling = MakeTiling(tiles.nest, kernel.ns_per_element);
    tiles.tiling.tiles_per_chunk *= CeilDivide(tiles.tiling.chunks, kMostChunks);
    tiles.tiling.chunks = CeilDivide(tiles.tiling.tiles, tiles.tiling.tiles_per_chunk);
  }
  SetOperands(builder, inputs, parameters, &tiles);
  if (elements != 0 && tiles.tiling.tiles == 1 &&
      RowsAreDense(tiles.nest, tiles.code, tiles.tiling.tile_rows, tiles.tiling.tile_columns)) {
    const OneTileSumPlan one = {plan.result, SingleTile::Of(tiles)};
    builder.RunBytes(RunSumOfOneTile, &one, sizeof(one) - one.tile.UnusedBytes(),
                     CostNs(tiles.nest, kernel.ns_per_element));
    return;
  }
  PlanTiles(builder, RunSum, plan, kernel.ns_per_element);
}

}  // namespace v1
}  // namespace portacl::loops::reductions
