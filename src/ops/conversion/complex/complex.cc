// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.

#include "base/target.h"
#include "loops/tiles/elementwise.h"
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

}  // namespace

}  // namespace portacl::ops::complex

#include "ops/conversion/complex/complex_functions.inc"
