// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "loops/resize.h"
#include "ops/movement/upsample/upsample_spec.h"

namespace portacl::ops::upsample {

namespace {

void PlanUpsampleNearest2d(exec::PlanBuilder& plan) {
  loops::ResizeNearest(plan, plan.Input("self"), HeightAxis(plan.Tensor("self").format), plan.Output("out"));
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnUpsampleNearest2dGetWorkspaceSize, &aclnnUpsampleNearest2d>(kUpsampleNearest2d)};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::upsample

using namespace portacl::ops::upsample;  // NOLINT(google-build-using-namespace): what follows is C

PORTACL_DEFINE_OPERATOR(aclnnUpsampleNearest2d, kUpsampleNearest2d, PlanUpsampleNearest2d,
                        (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out), self, outputSize, out)
