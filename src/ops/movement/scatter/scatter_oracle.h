// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "calls/fill.h"
#include "calls/scatter_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::scatter {

using calls::Combination;
using calls::Dims;

inline bool IsScatter(std::string_view api) {
  for (const std::string_view prefix : {"aclnnInplace", "aclnn"}) {
    if (!api.starts_with(prefix)) continue;
    const std::string_view name = api.substr(prefix.size());
    return name == "Scatter" || name == "ScatterValue" || name == "ScatterAdd" || name == "ScatterReduce";
  }
  return false;
}

inline size_t DimOf(int64_t dim, const Dims& shape) { return calls::AxisOf(dim, std::max<size_t>(shape.size(), 1)); }

inline bool Oracle(calls::OracleCall& call) {
  if (!IsScatter(call.api())) return false;
  const bool in_place = call.schema().Find("out") < 0;
  const std::string_view self = in_place ? "selfRef" : "self";
  const Dims& shape = call.Tensor(self).shape;
  const bool has_source = call.schema().Find("src") >= 0;
  const aclDataType dtype = call.Tensor(self).dtype;
  const size_t dim = DimOf(call.Integer("dim"), shape);
  const auto combination =
      call.schema().Find("reduce") < 0 ? Combination::kAdd : static_cast<Combination>(call.Integer("reduce"));
  const bool includes = call.schema().Find("includeSelf") < 0 || call.Integer("includeSelf") != 0;
  calls::Destinations to(call, self, in_place ? self : "out", combination, includes);
  std::byte value[16] = {};
  if (!has_source) calls::StoreScalarElement(dtype, call.Real("value"), value, call.Argument("value").Imaginary());
  calls::ForEachIndex(call.Tensor("index").shape, [&](const Dims& index) {
    Dims destination = index;
    if (!shape.empty())
      destination[dim] = static_cast<int64_t>(call.Values("index")[calls::NumberOf(call.Tensor("index").shape, index)]);
    const size_t source =
        has_source ? calls::NumberOf(call.Tensor("src").shape, index) * calls::ElementBytes(dtype) : 0;
    to.Put(calls::NumberOf(shape, destination), has_source ? &call.Bytes("src")[source] : value);
  });
  to.Finish();
  return true;
}

// Complex elements are only replaced, and BOOL has no mean.
inline void LimitReduce(calls::Call& call) {
  if (call.schema().Find("reduce") < 0) return;
  constexpr int64_t kMean = 5;
  const aclDataType dtype = call.tensor(0).dtype;
  int64_t& reduce = call.argument("reduce").integer;
  if (calls::PartDtype(dtype) != dtype) reduce = 0;
  if (dtype == ACL_BOOL && reduce == kMean) reduce = 1;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const exec::Schema& schema = call.schema();
  if (!IsScatter(schema.api)) return;
  const calls::TensorSpec& self = call.tensor(0);
  const int64_t axes = std::max<int64_t>(std::ssize(self.shape), 1);
  call.argument("dim").integer = random == nullptr ? 0 : random->Between(-axes, axes - 1);
  const size_t dim = DimOf(call.argument("dim").integer, self.shape);
  Dims& index = call.tensor("index").shape;
  index = self.shape;
  for (size_t axis = 0; axis < index.size() && random != nullptr; ++axis) {
    if (index[axis] == 0) continue;
    if (axis == dim) index[axis] = random->Between(1, 2 * index[axis]);
    if (axis != dim && random->Chance(0.3)) index[axis] = random->Between(1, index[axis]);
  }
  if (schema.Find("src") >= 0) {
    Dims& source = call.tensor("src").shape;
    source = index;
    for (int64_t& size : source) size += random != nullptr && random->Chance(0.2) ? 1 : 0;
  }
  if (schema.Find("out") >= 0) call.tensor("out").shape = self.shape;
  LimitReduce(call);
}

inline void CompleteContents(calls::Call& call) {
  if (!IsScatter(call.schema().api)) return;
  LimitReduce(call);  // dtypes may have changed
  const Dims& self = call.tensor(0).shape;
  calls::WriteIndices(call, "index", self.empty() ? 1 : self[DimOf(call.argument("dim").integer, self)]);
}

}  // namespace portacl::ops::scatter
