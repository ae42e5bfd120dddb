// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::triangle {

using calls::Dims;

inline bool IsTriangle(std::string_view api) {
  return api == "aclnnTril" || api == "aclnnTriu" || api == "aclnnInplaceTril" || api == "aclnnInplaceTriu";
}

inline bool Oracle(calls::OracleCall& call) {
  if (!IsTriangle(call.api())) return false;
  const bool in_place = call.api().starts_with("aclnnInplace");
  const std::string_view self = in_place ? "selfRef" : "self";
  const std::string_view out = in_place ? "selfRef" : "out";
  const bool is_lower = call.api().ends_with("Tril");
  calls::ForEachIndex(call.Tensor(self).shape, [&](const Dims& index) {
    const size_t rank = index.size();
    const int64_t beyond =
        rank < 2 ? call.Integer("diagonal") : index[rank - 2] + call.Integer("diagonal") - index[rank - 1];
    if (rank < 2 || (is_lower ? beyond >= 0 : beyond <= 0)) return calls::Append(call, self, index, out);
    call.ExactBytes(out).resize(call.ExactBytes(out).size() + calls::ElementBytes(call.Tensor(out).dtype));
  });
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  if (!IsTriangle(call.schema().api)) return;
  Dims& self = call.tensor(0).shape;
  if (self.size() == 1) self.insert(self.begin(), 3);
  const int64_t most = self.empty() ? 0 : self.back() + 2;
  call.argument("diagonal").integer = random == nullptr ? 0 : random->Between(-most, most);
  if (call.schema().Find("out") >= 0) calls::ComputeShapeOf(call, call.schema().Find("out"));
}

}  // namespace portacl::ops::triangle
