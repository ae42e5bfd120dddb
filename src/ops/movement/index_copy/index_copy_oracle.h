// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/fill.h"
#include "calls/scatter_oracle.h"
#include "calls/word_calls.h"

namespace portacl::ops::index_copy {

using calls::Dims;

inline bool IsCopy(std::string_view api) { return api == "aclnnIndexCopy" || api == "aclnnInplaceIndexCopy"; }
inline bool IsFill(std::string_view api) {
  return api == "aclnnIndexFillTensor" || api == "aclnnInplaceIndexFillTensor";
}

inline bool IsFillByTensor(std::string_view api) { return api == "aclnnIndexFill" || api == "aclnnInplaceIndexFill"; }
inline bool IsAdd(std::string_view api) { return api == "aclnnIndexAdd" || api == "aclnnIndexAddV2"; }

inline int64_t RowsAlong(const Dims& shape, int64_t dim) {
  return shape.empty() ? 1 : shape[calls::AxisOf(dim, shape.size())];
}

inline void AddRows(calls::OracleCall& call) {
  const Dims& shape = call.Tensor("self").shape;
  const Dims& of_source = call.Tensor("source").shape;
  const aclDataType dtype = call.Tensor("self").dtype;
  const size_t dim = calls::AxisOf(call.Integer("dim"), std::max<size_t>(shape.size(), 1));
  calls::Destinations to(call, "self", "out", calls::Combination::kAdd);
  calls::ForEachIndex(of_source, [&](Dims index) {
    const size_t element = calls::NumberOf(of_source, index) * calls::ElementBytes(dtype);
    if (!shape.empty()) index[dim] = static_cast<int64_t>(call.Values("index")[static_cast<size_t>(index[dim])]);
    to.Put(shape.empty() ? 0 : calls::NumberOf(shape, index), &call.Bytes("source")[element], call.Real("alpha"));
  });
  to.Finish();
}

inline void FillRows(calls::OracleCall& call) {
  const bool in_place = call.api() == "aclnnInplaceIndexFill";
  const std::string_view self = in_place ? "selfRef" : "self", out = in_place ? "selfRef" : "out";
  const Dims& shape = call.Tensor(self).shape;
  const size_t dim = calls::AxisOf(call.Integer("dim"), std::max<size_t>(shape.size(), 1));
  const int64_t rows = RowsAlong(shape, call.Integer("dim"));
  std::vector<bool> named(static_cast<size_t>(rows));
  for (const double index : call.Values("index")) {
    const int64_t row = calls::Wrapped(index, rows);
    if (row >= 0 && row < rows) named[static_cast<size_t>(row)] = true;
  }
  calls::ForEachIndex(shape, [&](const Dims& index) {
    if (named[static_cast<size_t>(index.empty() ? 0 : index[dim])]) return calls::AppendScalar(call, "value", out);
    calls::Append(call, self, index, out);
  });
}

inline bool Oracle(calls::OracleCall& call) {
  if (IsAdd(call.api())) return AddRows(call), true;
  if (IsFillByTensor(call.api())) return FillRows(call), true;
  if (!IsCopy(call.api()) && !IsFill(call.api())) return false;
  const bool is_copy = IsCopy(call.api());
  const bool in_place = call.api().find("Inplace") != std::string_view::npos;
  const std::string_view self = is_copy || in_place ? "selfRef" : "self";
  const std::string_view out = in_place ? "selfRef" : is_copy ? "outRef" : "out";
  const Dims& shape = call.Tensor(self).shape;
  const size_t dim = calls::AxisOf(call.Integer("dim"), std::max<size_t>(shape.size(), 1));
  const int64_t rows = RowsAlong(shape, call.Integer("dim"));
  // The index that names each row last.
  std::vector<int64_t> last(static_cast<size_t>(rows), -1);
  const size_t count = is_copy ? call.Values("index").size() : call.Integers("index").size();
  for (size_t k = 0; k < count; ++k) {
    const int64_t row = is_copy ? static_cast<int64_t>(call.Values("index")[k]) : call.Integers("index")[k];
    last[static_cast<size_t>(row < 0 ? row + rows : row)] = static_cast<int64_t>(k);
  }
  calls::ForEachIndex(shape, [&](Dims index) {
    const int64_t k = last[static_cast<size_t>(index.empty() ? 0 : index[dim])];
    if (k < 0) return calls::Append(call, self, index, out);
    if (!is_copy) return calls::AppendScalar(call, "value", out);
    if (!index.empty()) index[dim] = k;
    calls::Append(call, "source", index, out);
  });
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (!IsCopy(api) && !IsFill(api) && !IsAdd(api) && !IsFillByTensor(api)) return;
  const Dims& self = call.tensor(0).shape;
  const int64_t axes = std::max<int64_t>(std::ssize(self), 1);
  call.argument("dim").integer = random == nullptr ? 0 : random->Between(-axes, axes - 1);
  const int64_t rows = RowsAlong(self, call.argument("dim").integer);
  if (IsFillByTensor(api)) {
    // Each index writes a slice, also one that another has written.
    constexpr int64_t kMostWritten = 1 << 16;
    const int64_t slice = calls::ElementCount(self) / std::max<int64_t>(rows, 1);
    Dims& index = call.tensor("index").shape;
    while (calls::ElementCount(index) * slice > kMostWritten && !index.empty() && std::ranges::max(index) > 1)
      *std::ranges::max_element(index) /= 2;
    if (call.schema().Find("out") >= 0) calls::ComputeShapeOf(call, call.schema().Find("out"));
    return;
  }
  if (IsCopy(api) || IsAdd(api)) {
    Dims& index = call.tensor("index").shape;
    index.assign(1, self.empty() ? 1 : random == nullptr ? rows : rows == 0 ? 0 : random->Between(0, rows + rows / 2));
    calls::ComputeShapeOf(call, call.schema().Find("source"));
    for (const char* const out : {"outRef", "out"}) {
      if (call.schema().Find(out) >= 0) calls::ComputeShapeOf(call, call.schema().Find(out));
    }
    return;
  }
  std::vector<int64_t>& index = call.argument("index").integers;
  index.assign(rows == 0           ? 0
               : random == nullptr ? 1
                                   : static_cast<size_t>(random->Between(0, std::min<int64_t>(rows, 40))),
               0);
  for (int64_t& row : index) row = random == nullptr ? 0 : random->Between(-rows, rows - 1);
  if (call.schema().Find("out") >= 0) calls::ComputeShapeOf(call, call.schema().Find("out"));
}

inline void CompleteContents(calls::Call& call) {
  if (IsAdd(call.schema().api))
    calls::WriteIndices(call, "index", RowsAlong(call.tensor("self").shape, call.argument("dim").integer));
  if (IsFillByTensor(call.schema().api)) {
    const int64_t rows = RowsAlong(call.tensor(0).shape, call.argument("dim").integer);
    // Some name nothing.
    calls::ChangeIndices(call, "index", [=](int64_t, uint64_t bits) { return calls::FromEitherEnd(bits, rows + 2); });
  }
  if (IsCopy(call.schema().api))
    calls::WriteIndices(call, "index", RowsAlong(call.tensor("selfRef").shape, call.argument("dim").integer));
}

}  // namespace portacl::ops::index_copy
