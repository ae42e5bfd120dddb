// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "calls/element.h"
#include "calls/oracle.h"
#include "ops/movement/real/real_spec.h"

namespace portacl::ops::real {

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != kReal.api) return false;
  const size_t whole = calls::ElementBytes(call.Tensor("self").dtype);
  const size_t part = calls::ElementBytes(call.Tensor("out").dtype);
  const std::vector<std::byte>& self = call.Bytes("self");
  for (size_t i = 0; i < self.size(); i += whole) {
    const std::byte* const first = self.data() + i;  // the real part comes first
    call.ExactBytes("out").insert(call.ExactBytes("out").end(), first, first + part);
  }
  return true;
}

inline void CompleteCall(calls::Call& call, calls::Random*, int64_t) {
  if (std::string_view(call.schema().api) == kReal.api)
    call.tensor("out").dtype = calls::PartDtype(call.tensor("self").dtype);
}

}  // namespace portacl::ops::real
