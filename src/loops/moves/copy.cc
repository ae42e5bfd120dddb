// SPDX-License-Identifier: Apache-2.0
//
// A pair of views is one call of the elementwise engine. Several boxes are several plans of it that run as one.
#include "loops/moves/copy.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/dtype.h"
#include "loops/moves/copy_tile.h"
#include "loops/tiles/elementwise.h"
#include "loops/tiles/plan_joiner.h"

namespace portacl::loops::moves {
namespace {

bool TakesRealPart(aclDataType from, aclDataType to) { return IsComplex(from) && !IsComplex(to) && to != ACL_BOOL; }

// The real parts are every second value. The offset stays: it is in elements of the operand.
View RealPart(View view) {
  view.dtype = PartOf(view.dtype);
  for (int axis = 0; axis < view.rank; ++axis) view.strides[axis] = 2 * view.step(axis);
  return view;
}

// Drops axes of size 1, and joins neighbouring axes where strides allow it.
void Simplify(Box* box) {
  int kept = 0;
  for (int i = 0; i < box->rank; ++i) {
    const Box::Axis axis = box->axes[i];
    if (axis.size == 1) continue;
    if (kept > 0) {
      Box::Axis& outer = box->axes[kept - 1];
      if (outer.from == axis.from * axis.size && outer.to == axis.to * axis.size) {
        outer = {outer.size * axis.size, axis.from, axis.to};
        continue;
      }
    }
    box->axes[kept++] = axis;
  }
  box->rank = kept;
}

bool IsEmpty(const Box& box) {
  return std::any_of(box.axes, box.axes + box.rank, [](const Box::Axis& axis) { return axis.size == 0; });
}

// Splits a box that has more axes than a view may have.
void AddSimple(Box box, std::vector<Box>* simple) {
  if (box.rank <= kMaxRank) return simple->push_back(box);
  Box::Axis* const least = std::min_element(box.axes, box.axes + box.rank,
                                            [](const Box::Axis& a, const Box::Axis& b) { return a.size < b.size; });
  const Box::Axis peeled = *least;
  std::copy(least + 1, box.axes + box.rank, least);
  --box.rank;
  for (int64_t i = 0; i < peeled.size; ++i) {
    AddSimple(box, simple);
    box.from_offset += peeled.from;
    box.to_offset += peeled.to;
  }
}

// Both sides of a box as views with up to kMaxRank axes.
struct Sides {
  Sides(const exec::PlanBuilder& builder, const Box& box) {
    to.dtype = from.dtype = builder.OperandView(box.to).dtype;
    if (box.from != Box::kValue) from.dtype = builder.OperandView(box.from).dtype;
    from.rank = to.rank = box.rank;
    from.offset = box.from_offset;
    to.offset = box.to_offset;
    for (int axis = 0; axis < box.rank; ++axis) {
      from.shape[axis] = to.shape[axis] = box.axes[axis].size;
      from.strides[axis] = box.from == Box::kValue ? 0 : box.axes[axis].from;
      to.strides[axis] = box.axes[axis].to;
    }
    from_bytes = static_cast<int64_t>(ElementBytes(from.dtype));
    if (TakesRealPart(from.dtype, to.dtype)) from = RealPart(from);
  }
  View from;
  View to;
  int64_t from_bytes;  // bytes per element of from_offset
};

void RunBox(const exec::RunContext& context, const TilePlan& tiles, int64_t first, int64_t end) {
  const auto& parameters = *reinterpret_cast<const CopyParameters*>(tiles.parameters);
  TileTask task(tiles);
  task.addresses[0] = tiles.operand[0] == Box::kValue ? const_cast<std::byte*>(parameters.value)
                                                      : context.Address(tiles.operand[0]) + tiles.offset[0];
  task.addresses[1] = context.Address(tiles.operand[1]) + tiles.offset[1];
  ForEachTile(task, first, end, nullptr, CopyTile);
}

int32_t RunBoxes(const exec::RunContext& context) {
  RunPlans(context.Parameters<TilePlans>(),
           [&](const TilePlan& tiles, int64_t first, int64_t end) { RunBox(context, tiles, first, end); });
  return 0;
}

void AddBox(const exec::PlanBuilder& builder, const Box& box, PlanJoiner* joined) {
  const Sides sides(builder, box);
  const View* const views[] = {&sides.from, &sides.to};
  const View& whole = builder.OperandView(box.to);
  CopyParameters parameters = CopyParametersOf(sides.from.dtype, whole.dtype);
  std::copy(box.value, box.value + sizeof(box.value), parameters.value);
  TilePlan plan;
  plan.serial = MayOverlapItself(whole);
  plan.operand[0] = box.from;
  plan.operand[1] = box.to;
  plan.nest = MakeLoopNest(sides.to.dims(), views);
  plan.tiling = MakeTiling(plan.nest, CopyNsPerElement(parameters));
  if (box.from != Box::kValue)
    plan.offset[0] = (box.from_offset - builder.OperandView(box.from).offset) * sides.from_bytes;
  plan.offset[1] = (box.to_offset - whole.offset) * plan.nest.element_bytes[1];
  static_assert(sizeof(parameters) <= sizeof(plan.parameters));
  std::memcpy(plan.parameters, &parameters, sizeof(parameters));
  joined->Add(plan, CostNs(plan.nest, CopyNsPerElement(parameters)));
}

// Whether each element of `to` is copied from the same position in `from`.
bool IsWhole(const exec::PlanBuilder& builder, const Box& box) {
  const View& from = builder.OperandView(box.from);
  const View& to = builder.OperandView(box.to);
  const bool moves = std::any_of(box.axes, box.axes + box.rank,
                                 [](const Box::Axis& axis) { return axis.from != axis.to && axis.size != 1; });
  return !moves && from.dtype == to.dtype && box.from_offset - from.offset == box.to_offset - to.offset;
}

}  // namespace

inline namespace v1 {

Box BoxOf(const exec::PlanBuilder& plan, const OperandPart& from, const OperandPart& to) {
  const View& source = from.view ? *from.view : plan.OperandView(from.operand);
  const View& target = to.view ? *to.view : plan.OperandView(to.operand);
  Box box{.from = from.operand, .to = to.operand, .from_offset = source.offset, .to_offset = target.offset};
  for (int axis = 0; axis < target.rank; ++axis) {
    const int own = axis - target.rank + source.rank;
    box.Add(target.shape[axis], own < 0 ? 0 : source.step(own), target.step(axis));
  }
  return box;
}

View PlainView(const exec::PlanBuilder& plan, int operand) {
  View view = plan.OperandView(operand);
  for (int axis = 0; axis < view.rank; ++axis) view.strides[axis] = view.step(axis);
  return view;
}

void Copy(exec::PlanBuilder& plan, int from, int to) {
  View source = plan.OperandView(from);
  const View& target = plan.OperandView(to);
  if (TakesRealPart(source.dtype, target.dtype)) source = RealPart(source);
  const CopyParameters parameters = CopyParametersOf(source.dtype, target.dtype);
  Elementwise(plan, {{from, source}, to},
              {.run = CopyTile, .ns_per_element = CopyNsPerElement(parameters), .any_strides = true}, parameters);
}

void Copy(exec::PlanBuilder& plan, std::span<const Box> boxes) {
  std::vector<Box> simple;
  for (Box box : boxes) {
    if (IsEmpty(box)) continue;
    Simplify(&box);
    AddSimple(box, &simple);
    if (box.from != Box::kValue && !IsWhole(plan, box)) plan.ForbidInPlace(box.from);
  }
  if (simple.empty()) return;
  const Box& first = simple.front();
  const Sides sides(plan, first);
  const bool real_part = sides.from_bytes != static_cast<int64_t>(ElementBytes(sides.from.dtype));
  if (simple.size() > 1 || first.from == Box::kValue || real_part) {
    PlanJoiner joined(simple.size(), 2);
    for (const Box& box : simple) AddBox(plan, box, &joined);
    return joined.Run(plan, RunBoxes);
  }
  const CopyParameters parameters = CopyParametersOf(sides.from.dtype, sides.to.dtype);
  Elementwise(plan, {{first.from, sides.from}, {first.to, sides.to}},
              {.run = CopyTile, .ns_per_element = CopyNsPerElement(parameters), .any_strides = true}, parameters);
}

}  // namespace v1
}  // namespace portacl::loops::moves
