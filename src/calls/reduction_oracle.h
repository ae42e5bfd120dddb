// SPDX-License-Identifier: Apache-2.0
// Shared by the oracles of reductions: the elements from which a result is computed.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "calls/element.h"
#include "calls/oracle.h"

namespace portacl::calls {

// The axes of `self` that `dims` names; all if it is empty and `none_is_all`.
inline std::vector<bool> ReducedAxes(const Dims& shape, const std::vector<int64_t>& dims, bool none_is_all = true) {
  std::vector<bool> reduced(shape.size(), dims.empty() && none_is_all);
  for (const int64_t dim : dims) {
    if (!shape.empty()) reduced[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(shape.size()) : dim)] = true;
  }
  return reduced;
}

// The axes of the call: those in an integer or an array named dim or dims, or all.
inline std::vector<bool> ReducedAxes(OracleCall& call, const exec::Schema& schema) {
  const Dims& shape = call.Tensor("self").shape;
  for (const char* const name : {"dim", "dims"}) {
    const int index = schema.Find(name);
    if (index < 0) continue;
    if (schema.args[static_cast<size_t>(index)].kind == exec::ValueKind::kInt64)
      return ReducedAxes(shape, {call.Integer(name)});
    if (call.Argument(name).null) continue;
    const bool none = schema.Find("noopWithEmptyAxes") >= 0 && call.Integer("noopWithEmptyAxes") != 0;
    return ReducedAxes(shape, call.Integers(name), !none);
  }
  return ReducedAxes(shape, {});
}

// For each result, in row-major order, the elements of `self` that it is computed from, in row-major order.
inline std::vector<std::vector<size_t>> Groups(const Dims& shape, const std::vector<bool>& reduced) {
  size_t results = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) results *= reduced[axis] ? 1 : static_cast<size_t>(shape[axis]);
  std::vector<std::vector<size_t>> groups(results);
  Dims index(shape.size(), 0);
  const auto elements = static_cast<size_t>(ElementCount(shape));
  for (size_t i = 0; i < elements; ++i) {
    size_t at = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (!reduced[axis]) at = at * static_cast<size_t>(shape[axis]) + static_cast<size_t>(index[axis]);
    }
    groups[at].push_back(i);
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return groups;
}

// Element `i` of a tensor, exactly; for a complex element, this part.
inline long double ElementOf(OracleCall& call, std::string_view name, size_t i, size_t part = 0) {
  const aclDataType dtype = call.Tensor(name).dtype;
  const std::complex<long double> element = LoadComplex(dtype, &call.Bytes(name)[i * ElementBytes(dtype)]);
  return part == 0 ? element.real() : element.imag();
}

// A sum that includes the rounding errors of long double, which exceed the promised error if large terms cancel.
struct ExactSum {
  long double value = 0;
  long double rest = 0;

  void Add(long double x) {
    const long double total = value + x;
    const long double added = total - value;
    rest += (value - (total - added)) + (x - added);
    value = total;
  }
  long double Total() const { return std::isfinite(value) ? value + rest : value; }
};

// Floating or complex dtypes.
inline bool IsFloat(aclDataType dtype) { return FindFloatFormat(PartDtype(dtype)) != nullptr; }

// Number of real parts of an element.
inline size_t PartsOf(aclDataType dtype) { return ElementBytes(dtype) / ElementBytes(PartDtype(dtype)); }

// `value`, or a part, converted to that dtype: floats rounded, or truncated as in StoreElement; integers modulo 2^n.
inline long double Converted(long double value, aclDataType from, aclDataType to) {
  from = PartDtype(from), to = PartDtype(to);
  std::byte element[16] = {};
  if (!IsFloat(from) && !IsFloat(to) && to != ACL_BOOL) {
    const auto bits = value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
    std::memcpy(element, &bits, ElementBytes(to));
  } else {
    StoreElement(to, value, element);
  }
  return LoadElement(to, element);
}

}  // namespace portacl::calls
