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

}  // namespace portacl::ops::gather
