// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h: elements do not change.
#pragma once

#include "calls/oracle.h"

namespace portacl::ops::weight_format {

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() != "aclnnTransMatmulWeight") return false;
  call.ExactBytes("mmWeightRef") = call.Bytes("mmWeightRef");
  return true;
}

}  // namespace portacl::ops::weight_format
