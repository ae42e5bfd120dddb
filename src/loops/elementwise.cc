// SPDX-License-Identifier: Apache-2.0
#include "loops/elementwise.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "loops/cut.h"
#include "loops/dense.h"
#include "loops/nest.h"
#include "loops/past_cache.h"
#include "runtime/parallel/parallel.h"
#include "tensor/view.h"

namespace portacl::loops {
namespace {

// What phase 1 leaves for the run, copied into the executor up to the last operand in use.
struct ElementwisePlan {
  LaneCode code;
  bool past_cache = false;
  bool serial = false;  // elements of an output share bytes: two threads must not write them at once
  uint8_t operand[kMaxTileOperands] = {};
  int64_t offset[kMaxTileOperands] = {};  // bytes from the operand's element 0 to that of the view
  Cut cut = {};
  alignas(16) std::byte parameters[kMaxParameterBytes] = {};
  Nest nest;

  size_t UsedBytes() const {
    return static_cast<size_t>(reinterpret_cast<const std::byte*>(&nest.strides[nest.operands]) -
                               reinterpret_cast<const std::byte*>(this));
  }
};

struct Task {
  const ElementwisePlan& plan;
  std::byte* addresses[kMaxTileOperands];
};

void RunChunks(void* argument, int64_t first_chunk, int64_t end_chunk) {
  const Task& task = *static_cast<const Task*>(argument);
  const ElementwisePlan& plan = task.plan;
  Tile tile;
  tile.parameters = plan.parameters;
  tile.scratch = nullptr;
  tile.past_cache = plan.past_cache;
  const int64_t first = first_chunk * plan.cut.tiles_per_chunk;
  const int64_t end = std::min(end_chunk * plan.cut.tiles_per_chunk, plan.cut.tiles);
  TileWalk walk(plan.nest, plan.cut, first);
  for (int64_t i = first; i < end;) {
    i += walk.Next(task.addresses, end - i, &tile);
    RunTile(plan.code, plan.nest, tile);
  }
}

int32_t RunElementwise(const exec::RunContext& context) {
  const ElementwisePlan& plan = context.Parameters<ElementwisePlan>();
  Task task{plan, {}};
  for (int i = 0; i < plan.nest.operands; ++i) task.addresses[i] = context.Address(plan.operand[i]) + plan.offset[i];
  if (plan.cut.chunks == 1 || plan.serial) {
    RunChunks(&task, 0, plan.cut.chunks);
  } else {
    parallel::ForRuns(plan.cut.chunks, RunChunks, &task);
  }
  return 0;
}

// The plan of a call that is a single tile without gaps in its rows, as most small calls are: nothing is left to walk.
struct OneTilePlan {
  LaneFunction run;
  int32_t operands;
  uint8_t operand[kMaxTileOperands];
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
  Tile tile;
  tile.rows = plan.rows;
  tile.columns = plan.columns;
  tile.parameters = plan.parameters;
  tile.scratch = nullptr;
  tile.past_cache = false;
  for (int i = 0; i < plan.operands; ++i) {
    const OneTilePlan::Place& place = plan.place[i];
    tile.operand[i] = {context.Address(plan.operand[i]) + place.offset, place.row_stride, place.column_stride};
  }
  plan.run(tile);
  return 0;
}

void PlanOneTile(exec::PlanBuilder& plan, const ElementwisePlan& whole, int64_t cost_ns) {
  const Nest& nest = whole.nest;
  OneTilePlan result;
  result.run = whole.code.run;
  result.operands = nest.operands;
  result.rows = whole.cut.tile_rows;
  result.columns = whole.cut.tile_columns;
  std::copy(whole.operand, whole.operand + nest.operands, result.operand);
  std::copy(whole.parameters, whole.parameters + kMaxParameterBytes, result.parameters);
  for (int i = 0; i < nest.operands; ++i)
    result.place[i] = {whole.offset[i], nest.rank > 1 ? nest.strides[i][1] : 0, nest.strides[i][0]};
  const auto* end = reinterpret_cast<const std::byte*>(&result.place[nest.operands]);
  plan.RunBytes(RunOneTile, &result, static_cast<size_t>(end - reinterpret_cast<const std::byte*>(&result)), cost_ns);
}

LaneCode LaneCodeOf(const ElementwiseKernel& kernel, std::span<const View* const> views) {
  LaneCode code;
  code.run = kernel.run;
  code.inputs = static_cast<int>(views.size()) - kernel.outputs;
  code.repeated = kernel.repeated;
  code.any_strides = kernel.any_strides;
  if (kernel.in_float) SetConversions(views, &code);
  return code;
}

struct Part {
  int operand;
  const View* view;
};

void PlanParts(exec::PlanBuilder& plan, std::span<const Part> parts, const ElementwiseKernel& kernel,
               const void* parameters, size_t parameter_bytes) {
  const View* views[kMaxTileOperands];
  const size_t count = parts.size();
  for (size_t i = 0; i < count; ++i) views[i] = parts[i].view;
  ElementwisePlan result{.code = LaneCodeOf(kernel, {views, count}),
                         .nest = MakeNest(views[count - 1]->dims(), {views, count})};
  const Nest& nest = result.nest;
  const int64_t elements = nest.Elements();
  if (elements == 0) return;
  result.cut = MakeCut(nest, kernel.ns_per_element);
  result.past_cache = elements > PastCacheBytes() / BytesPerElement(nest);
  for (size_t i = 0; i < count; ++i) {
    const View& whole = plan.OperandView(parts[i].operand);
    result.operand[i] = static_cast<uint8_t>(parts[i].operand);
    result.offset[i] = (views[i]->offset - whole.offset) * nest.element_bytes[i];
    // Of the whole operand: two parts of it may share bytes though neither overlaps itself.
    const bool is_output = i >= static_cast<size_t>(result.code.inputs);
    result.serial |= is_output && result.cut.chunks > 1 && MayOverlapItself(whole);
  }
  if (parameter_bytes != 0) std::memcpy(result.parameters, parameters, parameter_bytes);
  const int64_t cost_ns = CostNs(nest, kernel.ns_per_element);
  if (result.cut.tiles == 1 && !result.past_cache &&
      RowsAreDense(nest, result.code, result.cut.tile_rows, result.cut.tile_columns)) {
    PlanOneTile(plan, result, cost_ns);
  } else {
    plan.RunBytes(RunElementwise, &result, result.UsedBytes(), cost_ns);
  }
}

}  // namespace

inline namespace v1 {

void Elementwise(exec::PlanBuilder& plan, std::initializer_list<int> operands, const ElementwiseKernel& kernel,
                 const void* parameters, size_t parameter_bytes) {
  Part parts[kMaxTileOperands];
  size_t count = 0;
  for (const int operand : operands) parts[count++] = {operand, &plan.OperandView(operand)};
  PlanParts(plan, {parts, count}, kernel, parameters, parameter_bytes);
}

void Elementwise(exec::PlanBuilder& plan, std::initializer_list<OperandPart> operands, const ElementwiseKernel& kernel,
                 const void* parameters, size_t parameter_bytes) {
  Part parts[kMaxTileOperands];
  size_t count = 0;
  for (const OperandPart& part : operands) parts[count++] = {part.operand, &part.view};
  PlanParts(plan, {parts, count}, kernel, parameters, parameter_bytes);
}

}  // namespace v1
}  // namespace portacl::loops
