// SPDX-License-Identifier: Apache-2.0
#include "loops/reductions/sum_all.h"

#include <algorithm>
#include <span>

#include "loops/elements/conversion.h"
#include "loops/tiles/single_tile.h"
#include "loops/tiles/tile_plan.h"
#include "tensor/view.h"

namespace portacl::loops::reductions {
namespace {

// Each chunk leaves one partial sum on the stack of the run, so no workspace is needed. More chunks would keep no
// machine busier.
constexpr int64_t kMostChunks = 1024;

// What lane code adds to.
union Total {
  double real = 0;
  uint64_t whole;
};

struct SumResult {
  double divisor = 1;
  const Conversion* conversion;  // from DOUBLE or INT64
  int operand = 0;
  bool whole = false;
  bool is_truth = false;
};

struct SumPlan {
  SumResult result;
  TilePlan tiles;
};

struct OneTileSumPlan {
  SumResult result;
  SingleTile tile;
};

void Store(const SumResult& result, Total total, const exec::RunContext& context) {
  if (result.is_truth) {
    *context.Address(result.operand) = std::byte{total.real == 0};
    return;
  }
  if (!result.whole) total.real /= result.divisor;
  Convert(*result.conversion, reinterpret_cast<const std::byte*>(&total), context.Address(result.operand), 1);
}

int32_t RunSum(const exec::RunContext& context) {
  const SumPlan& plan = context.Parameters<SumPlan>();
  const int64_t chunks = plan.tiles.tiling.chunks;
  // No larger than needed: the thread is the client's, and its stack may be small.
  auto* const partial = static_cast<Total*>(__builtin_alloca(static_cast<size_t>(chunks) * sizeof(Total)));
  const TileTask task(plan.tiles, context);
  ForEachChunk({.count = chunks, .differ = true}, [&](int64_t chunk, std::byte*) {
    Total part;
    ForEachTile(task, chunk, chunk + 1, &part,
                [&](const Tile& tile) { RunTile(task.plan.code, task.plan.nest, tile); });
    partial[chunk] = part;
  });
  Total total;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    if (plan.result.whole)
      total.whole += partial[chunk].whole;
    else
      total.real += partial[chunk].real;
  }
  Store(plan.result, total, context);
  return 0;
}

int32_t RunSumOfOneTile(const exec::RunContext& context) {
  const OneTileSumPlan& plan = context.Parameters<OneTileSumPlan>();
  Total total;
  plan.tile.Run(context, &total);
  Store(plan.result, total, context);
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
  const aclDataType to = builder.OperandView(result).dtype;
  SumPlan plan{.result = {.conversion = &ConversionOf(kernel.whole ? ACL_INT64 : ACL_DOUBLE, to),
                          .operand = result,
                          .whole = kernel.whole,
                          .is_truth = to == ACL_BOOL},
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
