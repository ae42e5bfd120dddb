// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/moves/advanced_index.h"

#include "ops/indexing/advanced_index/advanced_index_spec.h"

namespace portacl::ops::advanced_index {
namespace {

void PlanIndex(exec::PlanBuilder& plan) {
  loops::moves::Index(plan, plan.Operand(kIndex.Index("self")), kIndex.Index("indices"),
                      plan.Operand(kIndex.Index("out")));
}

void PlanIndexPutImpl(exec::PlanBuilder& plan) {
  loops::moves::IndexPut(plan, plan.Operand(kIndexPutImpl.Index("selfRef")), kIndexPutImpl.Index("indices"),
                         plan.Operand(kIndexPutImpl.Index("values")), plan.Attribute<bool>("accumulate"));
}

}  // namespace
}  // namespace portacl::ops::advanced_index

#include "ops/indexing/advanced_index/advanced_index_functions.inc"
