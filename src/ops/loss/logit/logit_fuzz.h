// SPDX-License-Identifier: Apache-2.0
//
// The reference of this room as the fuzzer and the tool call it.
#pragma once

#include <cmath>

#include "ops/loss/logit/logit_reference.h"
#include "testing/reference.h"

namespace portacl::ops::logit {

inline bool FuzzReference(testing::ReferenceCall& call) {
  if (call.api() == "aclnnLogit") {
    const std::vector<double>& input = call.Values("input");
    call.Values("out").resize(input.size());
    LogitReference(input.data(), call.Real("eps"), call.Values("out").data(), input.size());
    call.ulp_limit = call.Tensor("input").dtype == ACL_FLOAT ? 1.9 : 1;
    return true;
  }
  if (call.api() != "aclnnLogitGrad") return false;
  const std::vector<double>& x = call.Values("x");
  call.Values("out").resize(x.size());
  LogitGradReference(x.data(), call.Values("dy").data(), call.Real("eps"), call.Values("out").data(), x.size());
  call.ulp_limit = call.Tensor("x").dtype == ACL_FLOAT ? 2.1 : 1;  // 2.1 without fused multiply-add
  return true;
}

}  // namespace portacl::ops::logit
