// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/elementwise.h"

#include <algorithm>
#include <bit>

#include "loops/tiles/elementwise_calls.h"
#include "loops/tiles/plan_joiner.h"
#include "loops/tiles/single_tile.h"

namespace portacl::loops {
namespace {

struct ElementwisePlan {
  TilePlan tiles;
};

// Numbers that the run reads first.
struct NumbersPlan {
  void (*prepare)(const void* parameters, const std::byte* const* numbers, void* prepared);
  int32_t number[kMaxNumbers];
  int32_t numbers;
  TilePlan tiles;
};

int32_t RunElementwise(const exec::RunContext& context) {
  const TileTask task(context.Parameters<ElementwisePlan>().tiles, context);
  RunTiles(task, 0, [&](const Tile& tile) { RunTile(task.plan.code, task.plan.nest, tile); });
  return 0;
}

int32_t RunElementwiseOfNumbers(const exec::RunContext& context) {
  const auto& plan = context.Parameters<NumbersPlan>();
  const TileTask task(plan.tiles, context);
  const std::byte* numbers[kMaxNumbers];
  for (int32_t i = 0; i < plan.numbers; ++i) numbers[i] = context.Address(plan.number[i]);
  alignas(16) std::byte prepared[kMaxParameterBytes];
  plan.prepare(plan.tiles.parameters, numbers, prepared);
  RunTiles(task, 0, [&](Tile tile) {
    tile.parameters = prepared;
    RunTile(plan.tiles.code, plan.tiles.nest, tile);
  });
  return 0;
}

constexpr double kPrefetchWorthNs = 0.2;

// Sets everything but the operands of a plan. A plan without elements has no tiling.
void StartPlan(std::span<const View* const> views, const CallsKernel& kernel, TilePlan* tiles) {
  tiles->code = {.run = kernel.run,
                 .inputs = static_cast<int>(views.size()) - kernel.outputs,
                 .repeated = kernel.repeated | kernel.as_is,
                 .updated = kernel.updated,
                 .any_strides = kernel.any_strides,
                 .prefetches = kernel.ns_per_element > kPrefetchWorthNs,
                 .checked = std::countr_zero(kernel.as_is),
                 .check = kernel.check};
  tiles->nest = MakeLoopNest(views.back()->dims(), views);
  if (tiles->nest.Elements() == 0) return;
  if (kernel.dtype != ACL_DT_UNDEFINED) {
    const bool is_other = kernel.result_dtype != ACL_DT_UNDEFINED;
    SetConversions(views, kernel.dtype, is_other ? kernel.result_dtype : kernel.dtype, &tiles->code, kernel.as_is);
  }
  tiles->tiling = MakeTiling(tiles->nest, kernel.ns_per_element);
}

int32_t RunElementwiseCalls(const exec::RunContext& context) {
  const auto& plans = context.Parameters<TilePlans>();
  const TilePlan& any = plans.At(0);
  if (any.code.check != nullptr) {
    if (const int32_t error = any.code.check(context.Address(any.operand[any.code.checked]))) return error;
  }
  RunPlans(plans, [&](const TilePlan& tiles, int64_t first, int64_t end) {
    const TileTask task(tiles, context);
    ForEachTile(task, first, end, nullptr, [&](const Tile& tile) { RunTile(tiles.code, tiles.nest, tile); });
  });
  return 0;
}

}  // namespace

inline namespace v1 {

void Elementwise(exec::PlanBuilder& builder, std::span<const OperandPart> operands, const ElementwiseKernel& kernel,
                 const Parameters& parameters) {
  const OperandViews views(builder, operands);
  ElementwisePlan plan;
  TilePlan& tiles = plan.tiles;
  StartPlan(views.span(), {kernel}, &tiles);
  if (tiles.nest.Elements() == 0) return;
  SetOperands(builder, operands, parameters, &tiles);
  if (tiles.tiling.tiles == 1 && !tiles.non_temporal &&
      RowsAreDense(tiles.nest, tiles.code, tiles.tiling.tile_rows, tiles.tiling.tile_columns)) {
    PlanSingleTile(builder, tiles, 0, kernel.ns_per_element);
  } else {
    PlanTiles(builder, RunElementwise, plan, kernel.ns_per_element);
  }
}

void ElementwiseCalls(exec::PlanBuilder& builder, std::span<const int> operands, int each,
                      const ElementwiseKernel& kernel, const Parameters& parameters) {
  ElementwiseCalls(builder, operands, each, CallsKernel{kernel}, std::span(&parameters, 1));
}

void ElementwiseCalls(exec::PlanBuilder& builder, std::span<const int> operands, int each, const CallsKernel& kernel,
                      std::span<const Parameters> parameters) {
  const auto count = static_cast<size_t>(each);
  const size_t calls = operands.size() / count;
  PlanJoiner joined(calls, each);
  bool has_elements = false;
  for (size_t call = 0; call < calls; ++call, operands = operands.subspan(count)) {
    const View* views[kMaxTileOperands];
    View single[kMaxTileOperands];
    for (size_t i = 0; i < count; ++i) {
      views[i] = &builder.OperandView(operands[i]);
      if ((kernel.as_is >> i & 1) == 0) continue;
      single[i].dtype = views[i]->dtype;
      views[i] = &single[i];
    }
    TilePlan tiles;
    StartPlan({views, count}, kernel, &tiles);
    if (tiles.nest.Elements() == 0) continue;
    has_elements = true;
    std::copy_n(operands.begin(), count, tiles.operand);
    for (size_t i = static_cast<size_t>(tiles.code.inputs); i < count; ++i)
      tiles.serial |= tiles.tiling.chunks > 1 && MayOverlapItself(*views[i]);
    parameters[parameters.size() == 1 ? 0 : call].CopyTo(tiles.parameters);
    joined.Add(tiles, CostNs(tiles.nest, kernel.ns_per_element));
  }
  if (has_elements) joined.Run(builder, RunElementwiseCalls);
}

void ElementwiseOfNumbers(exec::PlanBuilder& builder, std::span<const OperandPart> operands,
                          std::span<const int> numbers, const NumbersKernel& kernel, const Parameters& parameters) {
  const OperandViews views(builder, operands);
  NumbersPlan plan{
      .prepare = kernel.prepare, .number = {}, .numbers = static_cast<int32_t>(numbers.size()), .tiles = {}};
  std::ranges::copy(numbers, plan.number);
  StartPlan(views.span(), kernel, &plan.tiles);
  if (plan.tiles.nest.Elements() == 0) return;
  SetOperands(builder, operands, parameters, &plan.tiles);
  PlanTiles(builder, RunElementwiseOfNumbers, plan, kernel.ns_per_element);
}

}  // namespace v1
}  // namespace portacl::loops
