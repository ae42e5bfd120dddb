// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes, dtypes and shapes of this room's operators to each other.
#include <fmt/format.h>

#include <algorithm>

#include "exec/shape_text.h"
#include "ops/movement/scatter_nd/scatter_nd_spec.h"

namespace portacl::ops::scatter_nd {
namespace {

// Whether updates has the first `index_axes` axes of indices, and then those of self from `named` on.
bool HasShape(const View& updates, const View& indices, int index_axes, const View& self, int64_t named) {
  if (named < 0 || named > self.rank || updates.rank != index_axes + self.rank - named) return false;
  const auto first = updates.dims().first(static_cast<size_t>(index_axes));
  return std::ranges::equal(first, indices.dims().first(first.size())) &&
         std::ranges::equal(updates.dims().subspan(first.size()), self.dims().subspan(static_cast<size_t>(named)));
}

bool NamesParts(const View& self, const View& indices, const View& updates) {
  if (indices.rank == 0) return false;
  const int64_t named = indices.shape[indices.rank - 1];
  return named > 0 && HasShape(updates, indices, indices.rank - 1, self, named);
}

aclnnStatus RefuseUpdates(const exec::Arguments& arguments, const exec::Step& step) {
  const int updates = arguments.schema().Find("updates");
  return arguments.Refuse(step, updates, "the shape of what indices name",
                          exec::ShapeText(arguments.Tensor(updates).dims()));
}

}  // namespace

bool NamesRows(const View& self, const View& indices, const View& updates) {
  return HasShape(updates, indices, indices.rank, self, 1);
}

aclnnStatus UpdatesFit(const exec::Arguments& arguments, const exec::Step& step) {
  const bool fits = NamesParts(arguments.Tensor(0), arguments.Tensor(1), arguments.Tensor(2));
  return fits ? exec::kSuccess : RefuseUpdates(arguments, step);
}

aclnnStatus RowsOrUpdatesFit(const exec::Arguments& arguments, const exec::Step& step) {
  const View &self = arguments.Tensor(0), &indices = arguments.Tensor(1), &updates = arguments.Tensor(2);
  const bool fits = NamesRows(self, indices, updates) || NamesParts(self, indices, updates);
  return fits ? exec::kSuccess : RefuseUpdates(arguments, step);
}

aclnnStatus SlicesFit(const exec::Arguments& arguments, const exec::Step& step) {
  const View &data = arguments.Tensor(0), &indices = arguments.Tensor(1), &updates = arguments.Tensor(2);
  const int axis = families::AxisIn(arguments, "axis", data.rank);
  if (axis < 1)
    return arguments.Refuse(step, 3, "an axis of 'data' but the first",
                            fmt::format("{}", arguments.value(3).integer()));
  if (updates.rank != data.rank)
    return arguments.Refuse(step, 2, fmt::format("rank {}", data.rank), exec::ShapeText(updates.dims()));
  const int64_t parts = updates.shape[0];
  const bool has_parts = indices.rank == 0   ? parts == 1
                         : indices.rank == 1 ? parts == indices.shape[0]
                                             : parts == indices.shape[0] && indices.shape[1] == 2;
  if (!has_parts)
    return arguments.Refuse(step, 1, fmt::format("[{}] or [{},2]", parts, parts), exec::ShapeText(indices.dims()));
  for (int i = 0; i < data.rank; ++i) {
    const bool fits = i == axis ? updates.shape[i] <= data.shape[i]
                      : i == 0  ? indices.rank == 2 || updates.shape[i] <= data.shape[i]
                                : updates.shape[i] == data.shape[i];
    if (!fits)
      return arguments.Refuse(step, 2, fmt::format("a shape that fits into {}", exec::ShapeText(data.dims())),
                              exec::ShapeText(updates.dims()));
  }
  return exec::kSuccess;
}

aclnnStatus UpdatesOnly(const exec::Arguments& arguments, const exec::Step& step) {
  constexpr int kReduce = kScatterList.Index("reduceOptional");
  if (arguments.IsNull(kReduce)) return exec::kSuccess;
  const std::string_view reduce = arguments.value(kReduce).As<const char*>();
  if (reduce == "update") return exec::kSuccess;
  return arguments.Refuse(step, kReduce, "NULL or update", reduce);
}

aclnnStatus SlicesOfListFit(const exec::Arguments& arguments, const exec::Step& step) {
  constexpr int kList = kScatterList.Index("varRef"), kUpdates = kScatterList.Index("updates"),
                kAxis = kScatterList.Index("axis"), kMask = kScatterList.Index("maskOptional");
  const int count = arguments.Count(kList);
  const View& updates = arguments.Tensor(kUpdates);
  const int axis = families::AxisIn(arguments, "axis", arguments.Tensor(kList).rank);
  if (axis < 0)
    return arguments.Refuse(step, kAxis, "an axis of the tensors of 'varRef'",
                            fmt::format("{}", arguments.value(kAxis).integer()));
  for (const int arg : {kUpdates, kScatterList.Index("indice"), kMask}) {
    if (arguments.IsNull(arg) || arguments.Tensor(arg).shape[0] == count) continue;
    return arguments.Refuse(step, arg, fmt::format("{} along axis 0 (tensors of 'varRef')", count),
                            exec::ShapeText(arguments.Tensor(arg).dims()));
  }
  for (int b = 0; b < count; ++b) {
    const View& tensor = arguments.Tensor(kList, b);
    bool fits = tensor.rank == updates.rank - 1;
    for (int i = 0; fits && i < tensor.rank; ++i)
      fits = i == axis ? tensor.shape[i] >= updates.shape[i + 1] : tensor.shape[i] == updates.shape[i + 1];
    if (!fits)
      return arguments.Refuse(
          step, kList,
          fmt::format("a shape that holds {} without its first axis ('updates')", exec::ShapeText(updates.dims())),
          exec::ShapeText(tensor.dims()), b);
  }
  return exec::kSuccess;
}

aclnnStatus ElementsFit(const exec::Arguments& arguments, const exec::Step& step) {
  int64_t of_self = 0, of_index = 0, of_source = 0;
  CountElements(arguments.Tensor(0).dims(), &of_self);
  CountElements(arguments.Tensor(1).dims(), &of_index);
  CountElements(arguments.Tensor(2).dims(), &of_source);
  if (of_index != of_source)
    return arguments.Refuse(step, 2, fmt::format("{} elements (as 'index')", of_index), fmt::format("{}", of_source));
  if (of_self == 0 && of_index != 0)
    return arguments.Refuse(step, 1, "no element, as 'selfRef' has none", fmt::format("{}", of_index));
  return exec::kSuccess;
}

aclnnStatus CanAccumulate(const exec::Arguments& arguments, const exec::Step& step) {
  constexpr int kAccumulate = 3;
  if (arguments.value(kAccumulate).integer() == 0 || !families::kComplex.Holds(arguments.Tensor(0).dtype))
    return exec::kSuccess;
  return arguments.Refuse(step, kAccumulate, "false for complex elements", "true");
}

}  // namespace portacl::ops::scatter_nd
