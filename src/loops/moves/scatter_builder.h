// SPDX-License-Identifier: Apache-2.0
//
// Builds the plan of a scatter from the axes of its positions and blocks.
#pragma once

#include "loops/elements/conversion.h"
#include "loops/moves/scatter_plan.h"

namespace portacl::loops::moves {

class ScatterBuilder {
 public:
  ScatterBuilder(exec::PlanBuilder& builder, const Scattered& what)
      : builder_(builder),
        index_(builder.OperandView(what.index)),
        whole_(builder.OperandView(what.out)),
        out_(whole_),
        plan_(Names(builder, what.index)) {
    plan_.what = what;
    plan_.dtype = whole_.dtype;
    plan_.bytes = static_cast<int64_t>(ElementBytes(whole_.dtype));
    source_.dtype = whole_.dtype;
    if (what.source != kNothing) source_ = builder.OperandView(what.source);
    if (what.combine != Combine::kReplace && MayOverlapItself(whole_)) Stage();
    const aclDataType dtypes[] = {index_.dtype, source_.dtype, whole_.dtype};
    for (int i = 0; i < 3; ++i) lines_[i].dtype = block_[i].dtype = dtypes[i];
  }

  // Has the run compute the output in other memory.
  void Stage() {
    CountElements(whole_.dims(), &plan_.staged_bytes);
    plan_.staged_bytes *= plan_.bytes;
    ContiguousStrides(whole_.dims(), out_.strides);
    out_.offset = 0;
  }

  const View& index() const { return index_; }
  const View& source() const { return source_; }
  const View& out() const { return out_; }
  Names& names() { return plan_.positions.names; }

  // Axes in row-major order; steps in elements, of a source that is one value 0.
  void AddPosition(int64_t size, int64_t index, int64_t source, int64_t out) {
    Positions& positions = plan_.positions;
    positions.count = Product(positions.count, size);
    positions.index.Add(size, index * static_cast<int64_t>(ElementBytes(index_.dtype)));
    positions.source.Add(size, source * plan_.bytes);
    positions.out.Add(size, out * plan_.bytes);
  }
  // Positions that are other axes of the source than of the index.
  void AddPositions(int index_axes, int source_axes) {
    Positions& positions = plan_.positions;
    positions.index = Places(index_, 0, index_axes);
    positions.source = Places(source_, 0, source_axes);
    positions.count = positions.index.Count();
    if (index_.dtype == ACL_INT32 || index_.dtype == ACL_INT64) return;
    plan_.index_conversion = &ConversionOf(index_.dtype, ACL_INT64);
    MakeIndices();
  }
  // Positions along an axis of the source, of which the index has the lengths of runs.
  void AddRuns(int axis) {
    Positions& positions = plan_.positions;
    plan_.has_runs = true;
    if (index_.dtype == ACL_INT32) plan_.index_conversion = &ConversionOf(ACL_INT32, ACL_INT64);
    positions.index = Places(index_, 0, index_.rank);
    positions.count = source_.shape[axis];
    positions.source.Add(positions.count, StepBytes(source_, axis));
    MakeIndices();
  }
  // If they are one axis of each, and name places along one axis, they are a line.
  void AlongPositions() {
    const Positions& positions = plan_.positions;
    const Places& named = names().flat;
    if (!names().is_flat || positions.index.rank > 1 || positions.source.rank > 1 || named.rank > 1) return;
    if (plan_.index_conversion != nullptr || source_.dtype != whole_.dtype || plan_.what.dropped >= 0) return;
    has_lines_ = true;
    plan_.count_along = positions.count;
    plan_.index_step = positions.index.strides[0];
    plan_.source_step = positions.source.strides[0];
    plan_.named_step = named.strides[0];
  }
  void AddBlock(int64_t size, int64_t source, int64_t out) { Add(block_, size, 0, source, out); }
  // A line along the named axis.
  void AddLine(int64_t size, int64_t index, int64_t source, int64_t out) { Add(lines_, size, index, source, out); }
  void Along(int64_t size, int64_t index, int64_t source, int64_t named) {
    has_lines_ = true;
    plan_.count_along = size;
    plan_.index_step = index * static_cast<int64_t>(ElementBytes(index_.dtype));
    plan_.source_step = source * plan_.bytes;
    plan_.named_step = named * plan_.bytes;
  }

  // The last step.
  void Plan();

 private:
  // The run makes contiguous indices of INT64.
  void MakeIndices() {
    Positions& positions = plan_.positions;
    plan_.unconverted = positions.index;
    positions.index = Places();
    positions.index.Add(positions.count, kWideBytes);
    names().indices.places = positions.index;
    names().indices.is_wide = true;
  }
  static void Add(View (&views)[3], int64_t size, int64_t index, int64_t source, int64_t out) {
    const int64_t steps[] = {index, source, out};
    for (int i = 0; i < 3; ++i) {
      const int axis = views[i].rank++;
      views[i].shape[axis] = size;
      views[i].strides[axis] = size == 1 ? 0 : steps[i];
    }
  }
  void PlanBefore();
  int64_t BlockElements() const;
  // Whether the elements of a block lie closer together than those along the named axis, or few of many destinations
  // are named.
  bool HasWideBlocks() const;
  void PlanBlocks();
  bool AddsNarrowRows() const;
  void PlanLines();
  // Single elements of a contiguous output, unless each line is short.
  void PlanElements();
  // Whether the run writes all of out, which begins with what self has in the same order.
  bool BeginsAtSelf() const;
  void SetTiles(const View (&views)[3]);
  void CutTiles(int64_t tiles_per_chunk);
  const Names& names() const { return plan_.positions.names; }

  exec::PlanBuilder& builder_;
  const View& index_;
  const View& whole_;
  View source_;
  View out_;
  View lines_[3];
  View block_[3];
  bool has_lines_ = false;
  ScatterPlan plan_;
};

}  // namespace portacl::loops::moves
