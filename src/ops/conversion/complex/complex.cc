// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_complex.h"
#include "base/target.h"
#include "exec/bind.h"
#include "exec/plan.h"
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

extern "C" {

aclnnStatus aclnnComplexGetWorkspaceSize(const aclTensor* real, const aclTensor* imag, aclTensor* out,
                                         uint64_t* workspaceSize, aclOpExecutor** executor) {
  using namespace portacl;
  return exec::MakePlan(ops::complex::kComplex, {real, imag, out}, workspaceSize, executor, ops::complex::PlanComplex);
}

aclnnStatus aclnnComplex(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
  using namespace portacl;
  return exec::RunPlan(ops::complex::kComplex, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
