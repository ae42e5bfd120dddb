// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <algorithm>
#include <cstdint>
#include <span>

#include "aclnnop/aclnn_argsort.h"
#include "aclnnop/aclnn_sort.h"
#include "exec/shape_rule.h"
#include "families/define.h"
#include "loops/sort.h"
#include "ops/reduction/sort/sort_spec.h"

namespace portacl::ops::sort {
namespace {

void PlanSort(exec::PlanBuilder& plan, int values, int indices) {
  const int self = plan.Input("self");
  const int axis = exec::AxisOf(plan.Attribute<int64_t>("dim"), std::max(plan.OperandView(self).rank, 1));
  loops::Sort(plan, self, axis, plan.Attribute<bool>("descending"), values, indices);
}

void PlanPlaces(exec::PlanBuilder& plan) { PlanSort(plan, loops::kNoValues, plan.Output("out")); }
void PlanBoth(exec::PlanBuilder& plan) { PlanSort(plan, plan.Output("valuesOut"), plan.Output("indicesOut")); }

}  // namespace

PORTACL_DEFINE_OPERATOR(aclnnArgsort, kArgsort, PlanPlaces,
                        (const aclTensor* self, int64_t dim, bool descending, aclTensor* out), self, dim, descending,
                        out)
PORTACL_DEFINE_OPERATOR(aclnnSort, kSort, PlanBoth,
                        (const aclTensor* self, bool stable, int64_t dim, bool descending, aclTensor* valuesOut,
                         aclTensor* indicesOut),
                        self, stable, dim, descending, valuesOut, indicesOut)

namespace {
constexpr exec::OperatorEntry kOperators[] = {PORTACL_BIND(Argsort), PORTACL_BIND(Sort)};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::sort
