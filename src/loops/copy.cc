// SPDX-License-Identifier: Apache-2.0
//
// One pair of views is a call of the elementwise engine. Several boxes are plans of it one after the other, whose
// chunks are counted through.
#include "loops/copy.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/dtype.h"
#include "loops/copy_tile.h"
#include "loops/elementwise.h"
#include "loops/non_temporal.h"
#include "loops/plan.h"
#include "runtime/parallel/parallel.h"

namespace portacl::loops {
namespace {

// Boxes that together have no more bytes are copied by one thread.
constexpr int64_t kOneThreadBytes = 256 << 10;

bool TakesRealPart(aclDataType from, aclDataType to) { return IsComplex(from) && !IsComplex(to) && to != ACL_BOOL; }

// Real parts are every second number. The offset stays: it counts from element 0 of the operand.
View RealPart(View view) {
  view.dtype = PartOf(view.dtype);
  for (int axis = 0; axis < view.rank; ++axis) view.strides[axis] = 2 * view.step(axis);
  return view;
}

// Leaves out axes of one element and joins those that run on from one to the next.
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

// A box with more axes than a view may have becomes several.
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
  int64_t from_bytes;  // that the offset counts in
};

// The plans of boxes follow this, each without the strides of operands that it does not have.
struct BoxesPlan {
  int64_t boxes;
  int64_t chunks;
  int64_t plan_bytes;
  bool serial;
};
constexpr size_t kHeaderBytes = (sizeof(BoxesPlan) + alignof(TilePlan) - 1) / alignof(TilePlan) * alignof(TilePlan);

struct BoxesTask {
  const BoxesPlan& plan;
  const exec::RunContext& context;

  const TilePlan& Tiles(int64_t box) const {
    const auto* begin = reinterpret_cast<const std::byte*>(&plan) + kHeaderBytes;
    return *reinterpret_cast<const TilePlan*>(begin + box * plan.plan_bytes);
  }
  const CopyParameters& Parameters(int64_t box) const {
    return *reinterpret_cast<const CopyParameters*>(Tiles(box).parameters);
  }
  int64_t FirstChunk(int64_t box) const { return box == plan.boxes ? plan.chunks : Parameters(box).first_chunk; }
  // The last box whose first chunk is not behind this one.
  int64_t BoxOfChunk(int64_t chunk) const {
    int64_t low = 0, high = plan.boxes;
    while (high - low > 1) {
      const int64_t middle = (low + high) / 2;
      (FirstChunk(middle) <= chunk ? low : high) = middle;
    }
    return low;
  }
};

void RunBoxChunks(void* argument, int64_t first, int64_t end) {
  const BoxesTask& boxes = *static_cast<const BoxesTask*>(argument);
  for (int64_t box = boxes.BoxOfChunk(first); first < end; ++box) {
    const TilePlan& tiles = boxes.Tiles(box);
    const int64_t begin = boxes.FirstChunk(box);
    const int64_t last = std::min(end, boxes.FirstChunk(box + 1));
    const CopyParameters& parameters = boxes.Parameters(box);
    TileTask task(tiles);
    task.addresses[0] = parameters.from == Box::kValue ? const_cast<std::byte*>(parameters.value)
                                                       : boxes.context.Address(parameters.from) + tiles.offset[0];
    task.addresses[1] = boxes.context.Address(parameters.to) + tiles.offset[1];
    ForEachTile(task, first - begin, last - begin, nullptr, CopyTile);
    first = last;
  }
}

int32_t RunBoxes(const exec::RunContext& context) {
  BoxesTask task{context.Parameters<BoxesPlan>(), context};
  if (task.plan.serial || task.plan.chunks == 1) {
    RunBoxChunks(&task, 0, task.plan.chunks);
  } else {
    parallel::ForRuns(task.plan.chunks, RunBoxChunks, &task);
  }
  return 0;
}

// Of one box; returns the bytes that it moves.
int64_t PlanBox(const exec::PlanBuilder& builder, const Box& box, CopyParameters parameters, int64_t* cost_ns,
                TilePlan* plan) {
  const Sides sides(builder, box);
  const View* const views[] = {&sides.from, &sides.to};
  plan->nest = MakeNest(sides.to.dims(), views);
  plan->cut = MakeCut(plan->nest, CopyNsPerElement(parameters));
  parameters.from = box.from;
  parameters.to = box.to;
  if (box.from != Box::kValue)
    plan->offset[0] = (box.from_offset - builder.OperandView(box.from).offset) * sides.from_bytes;
  plan->offset[1] = (box.to_offset - builder.OperandView(box.to).offset) * plan->nest.element_bytes[1];
  std::copy(box.value, box.value + sizeof(box.value), parameters.value);
  static_assert(sizeof(parameters) <= sizeof(plan->parameters));
  std::memcpy(plan->parameters, &parameters, sizeof(parameters));
  *cost_ns += CostNs(plan->nest, CopyNsPerElement(parameters));
  return BytesPerElement(plan->nest) * plan->nest.Elements();
}

void PlanBoxes(exec::PlanBuilder& builder, std::span<const Box> boxes) {
  TilePlan tiles;
  tiles.nest.operands = 2;
  const size_t plan_bytes = sizeof(TilePlan) - tiles.UnusedBytes() / alignof(TilePlan) * alignof(TilePlan);
  std::vector<std::byte> bytes(kHeaderBytes + boxes.size() * plan_bytes);
  BoxesPlan plan{
      .boxes = std::ssize(boxes), .chunks = 0, .plan_bytes = static_cast<int64_t>(plan_bytes), .serial = false};
  int64_t moved = 0, cost_ns = 0;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const Box& box = boxes[i];
    const View& whole = builder.OperandView(box.to);
    const aclDataType from = box.from == Box::kValue ? whole.dtype : builder.OperandView(box.from).dtype;
    const bool real_part = TakesRealPart(from, whole.dtype);
    CopyParameters parameters = CopyParametersOf(real_part ? PartOf(from) : from, whole.dtype);
    parameters.first_chunk = plan.chunks;
    tiles = {};
    moved += PlanBox(builder, box, parameters, &cost_ns, &tiles);
    plan.chunks += tiles.cut.chunks;
    plan.serial |= MayOverlapItself(whole);
    std::memcpy(&bytes[kHeaderBytes + i * plan_bytes], &tiles, plan_bytes);
  }
  plan.serial |= moved <= kOneThreadBytes;
  for (size_t i = 0; i < boxes.size() && moved > NonTemporalBytes(); ++i)
    reinterpret_cast<TilePlan*>(&bytes[kHeaderBytes + i * plan_bytes])->non_temporal = true;
  std::memcpy(bytes.data(), &plan, sizeof(plan));
  builder.RunBytes(RunBoxes, bytes.data(), bytes.size(), cost_ns);
}

// Whether every element of the operand `to` is the one of `from` at the same place.
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
    if (box.from != Box::kValue && !IsWhole(plan, box)) plan.ReadsLate(box.from);
  }
  if (simple.empty()) return;
  const Box& first = simple.front();
  const Sides sides(plan, first);
  const bool real_part = sides.from_bytes != static_cast<int64_t>(ElementBytes(sides.from.dtype));
  if (simple.size() > 1 || first.from == Box::kValue || real_part) return PlanBoxes(plan, simple);
  const CopyParameters parameters = CopyParametersOf(sides.from.dtype, sides.to.dtype);
  Elementwise(plan, {{first.from, sides.from}, {first.to, sides.to}},
              {.run = CopyTile, .ns_per_element = CopyNsPerElement(parameters), .any_strides = true}, parameters);
}

}  // namespace v1
}  // namespace portacl::loops
