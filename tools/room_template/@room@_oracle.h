// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include "ops/@family@/@room@/@room@_reference.h"
#include "calls/oracle.h"

namespace portacl::ops::@room@ {

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "@api@") return false;
  const std::vector<double>& self = call.Values("self");
  call.Values("out").resize(self.size());
  @Room@Reference(self.data(), call.Values("out").data(), self.size());
  return true;
}

}  // namespace portacl::ops::@room@
