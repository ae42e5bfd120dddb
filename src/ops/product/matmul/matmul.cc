// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <cstdint>

#include "base/dtype.h"
#include "families/contraction.h"
#include "loops/moves/copy.h"
#include "loops/tiles/elementwise.h"
#include "ops/product/matmul/matmul_spec.h"

namespace portacl::ops::matmul {

namespace {

// The kernel iterates over the factors of integers: the sum is one element.
void PlanDot(exec::PlanBuilder& plan) {
  if (!families::kWhole.Holds(plan.Tensor("self").dtype)) return families::PlanProduct(plan);
  const int factors[] = {plan.Input("self"), plan.Input("tensor")};
  View views[2];
  families::Terms terms{.count = plan.Tensor("self").shape[0], .steps = {}};
  for (int i = 0; i < 2; ++i) {
    views[i] = loops::moves::PlainView(plan, factors[i]);
    terms.steps[i] = views[i].strides[0] * static_cast<int64_t>(ElementBytes(views[i].dtype));
    views[i].rank = 0;
    plan.ForbidInPlace(factors[i]);
  }
  loops::Elementwise(plan, {{factors[0], views[0]}, {factors[1], views[1]}, plan.Output("out")},
                     {.run = families::FindContraction(views[0].dtype),
                      .ns_per_element = 2 + static_cast<double>(terms.count),
                      .any_strides = true},
                     terms);
}

constexpr exec::PlanFunction PlanMm = families::PlanProduct;
constexpr exec::PlanFunction PlanBatchMatMul = families::PlanProduct;
constexpr exec::PlanFunction PlanMatmul = families::PlanProduct;
constexpr exec::PlanFunction PlanMv = families::PlanProduct;

}  // namespace

}  // namespace portacl::ops::matmul

#include "ops/product/matmul/matmul_functions.inc"
