// SPDX-License-Identifier: Apache-2.0
//
// A scatter is described by positions and a block: see scatter_plan.h.
#include "loops/moves/scatter.h"

#include <algorithm>

#include "loops/moves/scatter_builder.h"

namespace portacl::loops::moves {
namespace {

// The step along an axis; a value that stands for a source has none.
int64_t SourceStep(const Scattered& what, const View& source, int axis) {
  return what.source == kNothing ? 0 : source.step(axis);
}

void ScatterPositions(exec::PlanBuilder& plan, const Scattered& what, int named_axes, bool is_flat) {
  ScatterBuilder scatter(plan, what);
  const View &index = scatter.index(), &source = scatter.source(), &out = scatter.out();
  scatter.names().is_flat = is_flat;
  if (!is_flat) scatter.names().component_bytes = StepBytes(index, index.rank - 1);
  for (int axis = 0; axis < named_axes; ++axis) scatter.names().Add(out.shape[axis], StepBytes(out, axis));
  const int block_axes = out.rank - named_axes, first = source.rank - block_axes;
  const int index_axes = is_flat ? index.rank : index.rank - 1;
  scatter.AddPositions(index_axes, first);
  scatter.AlongPositions();
  for (int axis = 0; axis < block_axes; ++axis) {
    scatter.AddBlock(out.shape[named_axes + axis], source.step(first + axis), out.step(named_axes + axis));
    scatter.AddLine(out.shape[named_axes + axis], 0, source.step(first + axis), out.step(named_axes + axis));
  }
  scatter.Plan();
}

}  // namespace

inline namespace v1 {

void ScatterElements(exec::PlanBuilder& plan, const Scattered& what, int dim) {
  ScatterBuilder scatter(plan, what);
  const View &index = scatter.index(), &source = scatter.source(), &out = scatter.out();
  scatter.names().Add(out.rank == 0 ? 1 : out.shape[dim], out.rank == 0 ? 0 : StepBytes(out, dim));
  if (out.rank == 0) scatter.Along(1, 0, 0, 0);
  for (int axis = 0; axis < index.rank; ++axis) {
    const int64_t size = index.shape[axis], step = index.step(axis);
    const int64_t from = SourceStep(what, source, axis), to = out.step(axis);
    if (axis == dim) {
      scatter.Along(size, step, from, to);
      scatter.AddPosition(size, step, from, 0);
      continue;
    }
    scatter.AddLine(size, step, from, to);
    if (step == 0 && size > 1) {
      scatter.AddBlock(size, from, to);
    } else {
      scatter.AddPosition(size, step, from, to);
    }
  }
  scatter.Plan();
}

void ScatterRows(exec::PlanBuilder& plan, const Scattered& what, int dim) {
  ScatterBuilder scatter(plan, what);
  const View &index = scatter.index(), &source = scatter.source(), &out = scatter.out();
  const int64_t limit = out.rank == 0 ? 1 : out.shape[dim];
  scatter.names().Add(limit, out.rank == 0 ? 0 : StepBytes(out, dim));
  const int64_t from = out.rank == 0 ? 0 : SourceStep(what, source, dim);
  const Places places(index, 0, index.rank);
  const int64_t count = places.Count();
  if (places.rank <= 1) {
    const int64_t step = places.rank == 0 ? 0 : places.strides[0] / static_cast<int64_t>(ElementBytes(index.dtype));
    scatter.Along(count, step, from, out.rank == 0 ? 0 : out.step(dim));
    scatter.AddPosition(count, step, from, 0);
  } else {
    int64_t left = count;
    for (int axis = 0; axis < index.rank; ++axis) {
      left /= std::max<int64_t>(index.shape[axis], 1);
      scatter.AddPosition(index.shape[axis], index.step(axis), from * left, 0);
    }
  }
  for (int axis = 0; axis < out.rank; ++axis) {
    if (axis == dim) continue;
    scatter.AddLine(out.shape[axis], 0, SourceStep(what, source, axis), out.step(axis));
    scatter.AddBlock(out.shape[axis], SourceStep(what, source, axis), out.step(axis));
  }
  scatter.Plan();
}

void ScatterNamed(exec::PlanBuilder& plan, const Scattered& what, int components) {
  ScatterPositions(plan, what, components, false);
}

void ScatterFlat(exec::PlanBuilder& plan, const Scattered& what, int axes) { ScatterPositions(plan, what, axes, true); }

void ScatterSlices(exec::PlanBuilder& plan, const Scattered& what, int axis) {
  ScatterBuilder scatter(plan, what);
  const View &index = scatter.index(), &source = scatter.source(), &out = scatter.out();
  const int64_t offsets = out.shape[axis] - source.shape[axis] + 1;
  const bool has_batches = index.rank == 2;
  if (has_batches) {
    scatter.names().is_flat = false;
    scatter.names().component_bytes = StepBytes(index, 1);
    scatter.names().Add(out.shape[0], StepBytes(out, 0));
  }
  scatter.names().Add(offsets, StepBytes(out, axis));
  scatter.AddPosition(source.shape[0], index.rank == 0 ? 0 : index.step(0), source.step(0),
                      has_batches ? 0 : out.step(0));
  for (int i = 1; i < out.rank; ++i) scatter.AddBlock(source.shape[i], source.step(i), out.step(i));
  scatter.Plan();
}

void ScatterRuns(exec::PlanBuilder& plan, const Scattered& what, int axis) {
  ScatterBuilder scatter(plan, what);
  const View &source = scatter.source(), &out = scatter.out();
  if (!IsContiguous(out)) scatter.Stage();
  int64_t others = 1, elements = 0;
  CountElements(out.dims(), &elements);
  if (elements == 0) return;
  for (int i = 0; i < source.rank; ++i) others *= i == axis ? 1 : source.shape[i];
  View result = source;  // the shape of source with a row for each run
  result.shape[axis] = elements / others;
  ContiguousStrides(result.dims(), result.strides);
  scatter.names().Add(result.shape[axis], StepBytes(result, axis));
  scatter.AddRuns(axis);
  for (int i = 0; i < source.rank; ++i) {
    if (i != axis) scatter.AddBlock(source.shape[i], source.step(i), result.step(i));
  }
  scatter.Plan();
}

}  // namespace v1
}  // namespace portacl::loops::moves
