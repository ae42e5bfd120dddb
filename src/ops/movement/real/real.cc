// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_real.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "loops/copy.h"
#include "ops/movement/real/real_spec.h"

namespace portacl::ops::real {
namespace {

void PlanReal(exec::PlanBuilder& plan) { loops::Copy(plan, plan.Input("self"), plan.Output("out")); }

constexpr exec::OperatorEntry kOperators[] = {exec::Bind<&aclnnRealGetWorkspaceSize, &aclnnReal>(kReal)};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

PORTACL_DEFINE_OPERATOR(aclnnReal, kReal, PlanReal, (const aclTensor* self, aclTensor* out), self, out)

}  // namespace portacl::ops::real
