// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes and shapes of this room's operators to each other.
#include <algorithm>

#include "ops/movement/gather/gather_spec.h"

namespace portacl::ops::gather {

bool GatherShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(arguments.schema().Find("self"));
  const View& index = arguments.Tensor(arguments.schema().Find("index"));
  const int dim = families::AxisIn(arguments, "dim", self.rank);
  int64_t count = 0;
  shape->rank = 0;
  if (self.rank == 0) return CountElements(index.dims(), &count) && count == 1;
  const int32_t added = std::max(index.rank, 1);
  if (dim < 0 || self.rank - 1 + added > kMaxRank) return false;
  const auto add = [&](int64_t size) { shape->dims[shape->rank++] = size; };
  for (int axis = 0; axis < dim; ++axis) add(self.shape[axis]);
  for (int axis = 0; axis < added; ++axis) add(index.rank == 0 ? 1 : index.shape[axis]);
  for (int axis = dim + 1; axis < self.rank; ++axis) add(self.shape[axis]);
  return CountElements(shape->span(), &count);
}

bool SelectShape(const exec::Arguments& arguments, Shape* shape) {
  return arguments.Tensor(arguments.schema().Find("index")).rank <= 1 && GatherShape(arguments, shape);
}

bool EmbeddingShape(const exec::Arguments& arguments, Shape* shape) {
  const View& weight = arguments.Tensor(arguments.schema().Find("weight"));
  const View& indices = arguments.Tensor(arguments.schema().Find("indices"));
  if (weight.rank != 2 || indices.rank >= kMaxRank) return false;
  families::SetShape(indices.dims(), shape);
  shape->dims[shape->rank++] = weight.shape[1];
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

bool ElementsShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(arguments.schema().Find("self"));
  const View& index = arguments.Tensor(arguments.schema().Find("index"));
  const int dim = families::AxisIn(arguments, "dim", self.rank);
  int64_t count = 0;
  if (dim < 0 || index.rank != self.rank || !CountElements(index.dims(), &count)) return false;
  for (int axis = 0; axis < self.rank; ++axis) {
    if (axis == dim ? self.shape[axis] == 0 && count != 0 : index.shape[axis] > self.shape[axis]) return false;
  }
  families::SetShape(index.dims(), shape);
  return true;
}

bool BatchedShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(arguments.schema().Find("self"));
  const View& index = arguments.Tensor(arguments.schema().Find("index"));
  const int dim = families::AxisIn(arguments, "dim", self.rank);
  int64_t batches = arguments.value(arguments.schema().Find("batchDims")).integer();
  if (batches < 0) batches += index.rank;
  if (dim < 0 || batches < 0 || batches > std::min(index.rank, dim)) return false;
  for (int axis = 0; axis < batches; ++axis) {
    if (index.shape[axis] != self.shape[axis]) return false;
  }
  int64_t count = 0;
  shape->rank = 0;
  if (self.rank == 0) return CountElements(index.dims(), &count) && count == 1;
  const int32_t named = index.rank - static_cast<int32_t>(batches);
  // One index counts as an axis, which the result may lack.
  const bool has_axis = named > 0 || arguments.Tensor(arguments.schema().Find("out")).rank != self.rank - 1;
  if (self.rank - 1 + std::max(named, 1) > kMaxRank) return false;
  const auto add = [&](int64_t size) { shape->dims[shape->rank++] = size; };
  for (int axis = 0; axis < dim; ++axis) add(self.shape[axis]);
  for (int axis = index.rank - named; axis < index.rank; ++axis) add(index.shape[axis]);
  if (named == 0 && has_axis) add(1);
  for (int axis = dim + 1; axis < self.rank; ++axis) add(self.shape[axis]);
  return CountElements(shape->span(), &count);
}

bool NamedShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(arguments.schema().Find("self"));
  const View& indices = arguments.Tensor(arguments.schema().Find("indices"));
  if (self.rank == 0 || indices.rank == 0) return false;
  const int64_t named = indices.shape[indices.rank - 1];
  if (named < 1 || named > self.rank || indices.rank - 1 + self.rank - named > kMaxRank) return false;
  families::SetShape(indices.dims().first(static_cast<size_t>(indices.rank) - 1), shape);
  for (auto axis = static_cast<int>(named); axis < self.rank; ++axis) shape->dims[shape->rank++] = self.shape[axis];
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

bool TakenShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(arguments.schema().Find("self"));
  const View& index = arguments.Tensor(arguments.schema().Find("index"));
  int64_t of_self = 0, count = 0;
  if (!CountElements(self.dims(), &of_self) || !CountElements(index.dims(), &count)) return false;
  families::SetShape(index.dims(), shape);
  return of_self != 0 || count == 0;
}

}  // namespace portacl::ops::gather
