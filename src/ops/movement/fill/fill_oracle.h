// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/fill.h"
#include "calls/indices.h"
#include "calls/reduction_oracle.h"
#include "ops/movement/fill/fill_spec.h"

namespace portacl::ops::fill {

using calls::Dims;

inline bool IsMasked(std::string_view api) {
  return api == "aclnnInplaceMaskedFillScalar" || api == "aclnnInplaceMaskedFillTensor";
}

// The only element of the tensor `value`.
inline void AppendValue(calls::OracleCall& call) {
  const aclDataType from = call.Tensor("value").dtype, to = call.Tensor("selfRef").dtype;
  if (from == to) return calls::Append(call, "value", Dims(call.Tensor("value").shape.size(), 0), "selfRef");
  std::byte element[16] = {};
  calls::StoreElement(to, calls::Converted(calls::LoadElement(from, call.Bytes("value").data()), from, to), element);
  call.ExactBytes("selfRef").insert(call.ExactBytes("selfRef").end(), element, element + calls::ElementBytes(to));
}

inline bool Oracle(calls::OracleCall& call) {
  if (IsMasked(call.api())) {
    const Dims& of_mask = call.Tensor("mask").shape;
    calls::ForEachIndex(call.Tensor("selfRef").shape, [&](const Dims& index) {
      Dims at(index.end() - std::ssize(of_mask), index.end());
      for (size_t axis = 0; axis < at.size(); ++axis) at[axis] = of_mask[axis] == 1 ? 0 : at[axis];
      if (call.Bytes("mask")[calls::NumberOf(of_mask, at)] == std::byte{0})
        return calls::Append(call, "selfRef", index, "selfRef");
      if (call.api() == "aclnnInplaceMaskedFillScalar") return calls::AppendScalar(call, "value", "selfRef");
      AppendValue(call);
    });
    return true;
  }
  if (call.api() == "aclnnForeachZeroInplace") {
    size_t bytes = 0;
    for (const calls::TensorSpec& tensor : call.Tensors("x"))
      bytes += static_cast<size_t>(calls::ElementCount(tensor.shape)) * calls::ElementBytes(tensor.dtype);
    return call.ExactBytes("x").resize(bytes), true;
  }
  const bool fills = call.api() == "aclnnInplaceFillScalar";
  const bool is_one = call.api() == "aclnnInplaceOne";
  if (!fills && !is_one && call.api() != "aclnnInplaceZero") return false;
  const aclDataType dtype = call.Tensor("selfRef").dtype;
  std::byte element[16];
  const double value = fills ? call.Real("value") : is_one ? 1 : 0;
  calls::StoreScalarElement(dtype, value, element, fills ? call.Argument("value").Imaginary() : 0);
  std::vector<std::byte>& out = call.ExactBytes("selfRef");
  for (int64_t i = 0; i < calls::ElementCount(call.Tensor("selfRef").shape); ++i)
    out.insert(out.end(), element, element + calls::ElementBytes(dtype));
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (std::string_view(call.schema().api) != "aclnnInplaceMaskedFillTensor") return;
  call.tensor("value").shape.assign(random != nullptr && random->Chance(0.5) ? 1 : 0, 1);
  aclDataType& self = call.tensor("selfRef").dtype;
  if (!kMaskedDtypes.Holds(self)) self = ACL_FLOAT;  // for a value that BOOL cannot hold
}

}  // namespace portacl::ops::fill
