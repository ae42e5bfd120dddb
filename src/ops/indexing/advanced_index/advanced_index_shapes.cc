// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate the indices of this room's operators to the tensors that they index.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/dtype.h"
#include "loops/moves/index_entries.h"
#include "ops/indexing/advanced_index/advanced_index_spec.h"

namespace portacl::ops::advanced_index {
namespace {

using loops::moves::IndexEntries;
using loops::moves::IndexProblem;

bool IsEmpty(const View& view) { return std::ranges::find(view.dims(), 0) != view.dims().end(); }

bool ReadEntries(const exec::Arguments& arguments, IndexEntries* entries, IndexProblem* problem) {
  const int indices = arguments.schema().Find("indices");
  return entries->Read(
      arguments.Tensor(0), arguments.Count(indices), [&](int i) -> const View& { return arguments.Tensor(indices, i); },
      problem);
}

bool HasEmptyIndex(const exec::Arguments& arguments) {
  const int indices = arguments.schema().Find("indices");
  for (int i = 0; i < arguments.Count(indices); ++i) {
    if (IsEmpty(arguments.Tensor(indices, i))) return true;
  }
  return false;
}

}  // namespace

aclnnStatus IndicesHaveDtypes(const exec::Arguments& arguments, const exec::Step& step) {
  constexpr exec::DtypeSet kIndices = {ACL_INT32, ACL_INT64, ACL_BOOL};
  const int indices = arguments.schema().Find("indices");
  for (int i = 0; i < arguments.Count(indices); ++i) {
    const View& view = arguments.Tensor(indices, i);
    if (IsEmpty(view) || kIndices.Holds(view.dtype)) continue;
    return arguments.Refuse(step, indices, "INT32, INT64 or BOOL", view.dtype, i);
  }
  return exec::kSuccess;
}

aclnnStatus IndicesFit(const exec::Arguments& arguments, const exec::Step& step) {
  IndexEntries entries;
  IndexProblem problem;
  if (ReadEntries(arguments, &entries, &problem)) return exec::kSuccess;
  const int indices = arguments.schema().Find("indices");
  const View& self = arguments.Tensor(0);
  const View& entry = arguments.Tensor(indices, problem.element);
  return arguments.Refuse(step, indices, problem.expected,
                          fmt::format("[{}] for [{}]", fmt::join(entry.dims(), ","), fmt::join(self.dims(), ",")),
                          problem.element);
}

bool ResultShape(const exec::Arguments& arguments, Shape* shape) {
  IndexEntries entries;
  IndexProblem problem;
  if (!ReadEntries(arguments, &entries, &problem)) return false;
  *shape = entries.Result(arguments.Tensor(0));
  const View& out = arguments.Tensor(arguments.schema().Find("out"));
  if (entries.UnknownAxis() >= 0 && out.rank == shape->rank)
    shape->dims[entries.UnknownAxis()] = out.shape[entries.UnknownAxis()];
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

aclnnStatus ValuesBroadcast(const exec::Arguments& arguments, const exec::Step& step) {
  IndexEntries entries;
  IndexProblem problem;
  const int values = arguments.schema().Find("values");
  const View& view = arguments.Tensor(values);
  if (!ReadEntries(arguments, &entries, &problem)) return exec::kSuccess;  // refused by an earlier step
  const Shape shape = entries.Result(arguments.Tensor(0));
  if (entries.items().empty() || loops::moves::BroadcastsTo(view, shape, entries.UnknownAxis())) return exec::kSuccess;
  return arguments.Refuse(step, values, fmt::format("a shape that broadcasts to [{}]", fmt::join(shape.span(), ",")),
                          fmt::format("[{}]", fmt::join(view.dims(), ",")));
}

aclnnStatus CanAccumulate(const exec::Arguments& arguments, const exec::Step& step) {
  const int accumulate = arguments.schema().Find("accumulate");
  if (arguments.Tensor(0).dtype != ACL_COMPLEX64 || arguments.value(accumulate).integer() == 0) return exec::kSuccess;
  return arguments.Refuse(step, 0, "no complex dtype where accumulate is true", ACL_COMPLEX64);
}

aclnnStatus OutHasResultShape(const exec::Arguments& arguments, const exec::Step& step) {
  IndexEntries entries;
  IndexProblem problem;
  const View& out = arguments.Tensor(step.target.index);
  if (IsEmpty(out) && HasEmptyIndex(arguments)) return exec::kSuccess;
  const bool is_number = out.rank == 0 || (out.rank == 1 && out.shape[0] == 1);
  if (is_number && ReadEntries(arguments, &entries, &problem) && !entries.items().empty()) {
    const Shape shape = entries.Result(arguments.Tensor(0));
    if (shape.rank == 0 || (shape.rank == 1 && shape.dims[0] == 1)) return exec::kSuccess;
  }
  return families::CheckShape(arguments, step);
}

}  // namespace portacl::ops::advanced_index
