// SPDX-License-Identifier: Apache-2.0
//
// The reference of this room as the fuzzer and the tool call it.
#pragma once

#include "ops/@family@/@room@/@room@_reference.h"
#include "testing/reference.h"

namespace portacl::ops::@room@ {

inline bool FuzzReference(testing::ReferenceCall& call) {
  if (call.api() != "@api@") return false;
  const std::vector<double>& self = call.Values("self");
  call.Values("out").resize(self.size());
  @Room@Reference(self.data(), call.Values("out").data(), self.size());
  call.ulp_limit = 1;
  return true;
}

}  // namespace portacl::ops::@room@
