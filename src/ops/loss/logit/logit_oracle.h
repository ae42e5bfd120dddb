// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h.
#pragma once

#include <cmath>

#include "calls/oracle.h"
#include "ops/loss/logit/logit_reference.h"

namespace portacl::ops::logit {

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() == "aclnnLogit") {
    const std::vector<double>& input = call.Values("input");
    call.Values("out").resize(input.size());
    LogitReference(input.data(), call.Real("eps"), call.Values("out").data(), input.size());
    return true;
  }
  if (call.api() != "aclnnLogitGrad") return false;
  const std::vector<double>& x = call.Values("x");
  call.Values("out").resize(x.size());
  LogitGradReference(x.data(), call.Values("dy").data(), call.Real("eps"), call.Values("out").data(), x.size());
  return true;
}

}  // namespace portacl::ops::logit
