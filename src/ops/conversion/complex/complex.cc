// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_complex.h"
#include "base/target.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "loops/elementwise.h"
#include "ops/conversion/complex/complex_lanes.h"
#include "ops/conversion/complex/complex_spec.h"

namespace portacl::ops::complex {
namespace {

void PlanComplex(exec::PlanBuilder& plan) {
  const int real = plan.Operand(kComplex.Index("real"));
  const int imag = plan.Operand(kComplex.Index("imag"));
  const int out = plan.Operand(kComplex.Index("out"));
  const loops::LaneFunction run = JoinLanes(plan.OperandView(real).dtype, ActiveTarget());
  loops::Elementwise(plan, {real, imag, out}, {.run = run, .ns_per_element = 0.1});
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnComplexGetWorkspaceSize, &aclnnComplex>(kComplex),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::complex

using namespace portacl::ops::complex;  // NOLINT(google-build-using-namespace): what follows is C

PORTACL_DEFINE_OPERATOR(aclnnComplex, kComplex, PlanComplex,
                        (const aclTensor* real, const aclTensor* imag, aclTensor* out), real, imag, out)
