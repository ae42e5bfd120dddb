// SPDX-License-Identifier: Apache-2.0
#include "loops/reductions/reduce_axes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "base/dtype.h"
#include "base/tuning.h"
#include "loops/elements/conversion.h"
#include "loops/reductions/reduce_axes_plan.h"
#include "loops/reductions/reduce_each.h"
#include "loops/tiles/loop_nest.h"
#include "loops/tiles/tiling.h"
#include "tensor/view.h"

namespace portacl::loops::reductions {
namespace {

// Elements in a piece of a long axis, and the most pieces of a call: more would keep no machine busier.
constexpr int64_t kPieceElements = 1 << 14;
constexpr int64_t kMostPieces = 64;

// `view` with the shape of `self`, and stride 0 along the reduced axes.
View AlongSelf(const View& self, const View& view, uint32_t axes) {
  View result = view;
  result.rank = self.rank;
  int next = 0;
  for (int axis = 0; axis < self.rank; ++axis) {
    const bool is_reduced = (axes >> axis & 1) != 0;
    result.shape[axis] = self.shape[axis];
    result.strides[axis] = is_reduced ? 0 : view.strides[view.rank == self.rank ? axis : next];
    next += !is_reduced;
  }
  return result;
}

// A view with one byte per state, so that its strides tell the kept axes from the reduced ones.
View MarksOf(const View& self, uint32_t axes) {
  View marks;
  marks.dtype = ACL_INT8;
  marks.rank = self.rank;
  int64_t step = 1;
  for (int axis = self.rank - 1; axis >= 0; --axis) {
    const bool is_reduced = (axes >> axis & 1) != 0;
    marks.shape[axis] = self.shape[axis];
    marks.strides[axis] = is_reduced ? 0 : step;
    if (!is_reduced) step *= self.shape[axis];
  }
  return marks;
}

ReduceAxis AxisAt(const LoopNest& nest, int at, int outputs) {
  ReduceAxis axis{nest.shape[at], nest.strides[1 + outputs][at], {}};
  for (int i = 0; i < outputs; ++i) axis.out[i] = nest.strides[1 + i][at];
  return axis;
}

void SetAxes(const LoopNest& nest, ReducePlan* plan) {
  bool has_kept = false;
  bool has_reduced = false;
  for (int at = 0; at < nest.rank; ++at) {
    const ReduceAxis axis = AxisAt(nest, at, plan->outputs);
    if (nest.strides[0][at] != 0) {
      (has_kept ? plan->other_kept[plan->kept_axes++] : plan->kept) = axis;
      has_kept = true;
    } else {
      plan->by_rows |= at == 0;
      (has_reduced ? plan->other_reduced[plan->reduced_axes++] : plan->reduced) = axis;
      has_reduced = true;
    }
  }
}

void SetSizes(bool is_empty, ReducePlan* plan) {
  plan->count = is_empty ? 0 : plan->reduced.size;
  for (int a = 0; a < plan->reduced_axes; ++a) plan->count *= plan->other_reduced[a].size;
  const int64_t widest = std::max({int64_t{8}, plan->reducer.plane_bytes[0], plan->out_bytes[0], plan->out_bytes[1]});
  const int64_t states = kReduceBufferBytes / widest;
  const int64_t rows = std::clamp<int64_t>(kPieceElements / std::max<int64_t>(plan->count, 1), 1, states);
  plan->block = std::min(plan->kept.size, plan->by_rows ? rows : states);
  plan->blocks_of_axis = CeilDivide(plan->kept.size, plan->block);
  plan->blocks = plan->blocks_of_axis;
  for (int a = 0; a < plan->kept_axes; ++a) plan->blocks *= plan->other_kept[a].size;
  const int64_t elements = plan->block * std::max<int64_t>(plan->count, 1);
  if (is_empty) {
    plan->slabs_of_axis = 1;
    plan->kept.in = 0;  // there may be no memory to step through
    for (int a = 0; a < plan->kept_axes; ++a) plan->other_kept[a].in = 0;
  } else {
    plan->slab = plan->by_rows ? kPieceElements : std::max<int64_t>(64, kPieceElements / plan->block);
    plan->slabs_of_axis = CeilDivide(plan->reduced.size, plan->slab);
    plan->slabs = plan->slabs_of_axis;
    for (int a = 0; a < plan->reduced_axes; ++a) plan->slabs *= plan->other_reduced[a].size;
    const int64_t most = std::min(CeilDivide(kMostPieces, plan->blocks), elements / kPieceElements);
    plan->pieces = std::clamp<int64_t>(plan->slabs, 1, std::max<int64_t>(most, 1));
  }
  plan->slabs_per_piece = CeilDivide(plan->slabs, plan->pieces);
  if (plan->slabs > 0) plan->pieces = CeilDivide(plan->slabs, plan->slabs_per_piece);
  plan->items_per_chunk = std::max<int64_t>(1, kPieceElements / std::max<int64_t>(1, elements / plan->pieces));
}

const Conversion* Between(aclDataType from, aclDataType to) {
  const Conversion& conversion = ConversionOf(from, to);
  return conversion.steps == 0 ? nullptr : &conversion;
}

// Fills the plan of a call; false if there is nothing to do.
bool MakeReducePlan(const exec::PlanBuilder& builder, int self, std::span<const int> outputs, uint32_t axes,
                    const Reducer& reducer, const Parameters& parameters, ReducePlan* made, int64_t* cost_ns) {
  ReducePlan& plan = *made;
  plan.reducer = reducer;
  plan.self = self;
  View in = builder.OperandView(self);
  plan.in_bytes = static_cast<int64_t>(ElementBytes(in.dtype));
  const aclDataType cast = reducer.cast == ACL_DT_UNDEFINED ? in.dtype : reducer.cast;
  plan.cast = Between(in.dtype, cast);
  plan.convert = Between(cast, reducer.dtype);
  for (const aclDataType dtype : {in.dtype, cast, reducer.dtype})
    plan.buffer_elements =
        std::min(plan.buffer_elements, kReduceBufferBytes / static_cast<int64_t>(ElementBytes(dtype)));
  bool is_empty = false;
  for (int axis = 0; axis < in.rank; ++axis) is_empty |= (axes >> axis & 1) != 0 && in.shape[axis] == 0;
  // The other reduced axes become 1: beside an axis of size 0, their product may be too large to multiply.
  for (int axis = 0; is_empty && axis < in.rank; ++axis) {
    if ((axes >> axis & 1) != 0) in.shape[axis] = 1;
  }
  View views[2 + kMaxPlanes] = {MarksOf(in, axes)};
  const View* pointers[2 + kMaxPlanes] = {&views[0]};
  size_t used = 1;
  for (const int output : outputs) {
    const View& out = builder.OperandView(output);
    const int i = plan.outputs++;
    plan.output[i] = output;
    plan.out_bytes[i] = static_cast<int64_t>(ElementBytes(out.dtype));
    plan.store[i] = Between(reducer.result_dtype[reducer.first_result + i], out.dtype);
    plan.serial |= MayOverlapItself(out);
    views[used] = AlongSelf(in, out, axes);
    pointers[used] = &views[used];
    ++used;
  }
  views[used] = in, pointers[used] = &views[used], ++used;
  const LoopNest nest = MakeLoopNest(in.dims(), {pointers, used});
  if (nest.Elements() == 0) return false;
  SetAxes(nest, made);
  SetSizes(is_empty, made);
  parameters.CopyTo(plan.parameters);
  const Tuning& tuning = CurrentTuning();
  if (nest.Elements() > tuning.second_level_bytes / plan.in_bytes)
    plan.prefetch_bytes = tuning.reduction_prefetch_bytes;
  // Only the input counts as memory traffic: results are few, and the marks are not in memory.
  *cost_ns = CostNs(nest.Elements(), nest.element_bytes[used - 1], reducer.ns_per_element);
  return true;
}

// Header of several plans, which follow it.
struct alignas(ReducePlan) ReducePlans {
  int64_t count;
  int32_t operands;

  const ReducePlan& At(int64_t i) const { return reinterpret_cast<const ReducePlan*>(this + 1)[i]; }
};

int32_t RunReduceEach(const exec::RunContext& context) {
  const auto& plans = context.Parameters<ReducePlans>();
  std::vector<std::byte*> addresses;
  for (int i = 0; i < plans.operands; ++i) addresses.push_back(context.Address(i));
  for (int64_t i = 0; i < plans.count; ++i) RunReduceAxes(exec::RunContext(&plans.At(i), addresses.data(), nullptr));
  return 0;
}

}  // namespace

inline namespace v1 {

void ReduceAxes(exec::PlanBuilder& builder, int self, std::initializer_list<int> outputs, uint32_t axes,
                const Reducer& reducer, const Parameters& parameters) {
  ReducePlan plan;
  int64_t cost_ns = 0;
  if (MakeReducePlan(builder, self, outputs, axes, reducer, parameters, &plan, &cost_ns))
    builder.Run(RunReduceAxes, plan, cost_ns);
}

void ReduceEach(exec::PlanBuilder& builder, std::span<const int> operands, const Reducer& reducer,
                const Parameters& parameters) {
  std::vector<std::byte> bytes(sizeof(ReducePlans));
  ReducePlans plans = {.count = 0, .operands = builder.OperandCount()};
  int64_t cost_ns = 0;
  for (; !operands.empty(); operands = operands.subspan(2)) {
    ReducePlan plan;
    int64_t own_cost_ns = 0;
    const int32_t rank = builder.OperandView(operands[0]).rank;
    if (!MakeReducePlan(builder, operands[0], operands.subspan(1, 1), (uint32_t{1} << rank) - 1, reducer, parameters,
                        &plan, &own_cost_ns))
      continue;
    const auto* const own = reinterpret_cast<const std::byte*>(&plan);
    bytes.insert(bytes.end(), own, own + sizeof(plan));
    ++plans.count;
    cost_ns += own_cost_ns;
  }
  std::memcpy(bytes.data(), &plans, sizeof(plans));
  builder.RunBytes(RunReduceEach, bytes.data(), bytes.size(), cost_ns);
}

}  // namespace v1
}  // namespace portacl::loops::reductions
