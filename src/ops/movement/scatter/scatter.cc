// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/moves/scatter.h"

#include <algorithm>

#include "loops/elements/store_scalar.h"
#include "ops/movement/scatter/scatter_spec.h"

namespace portacl::ops::scatter {
namespace {

using loops::moves::Combine;

void PlanScatter(exec::PlanBuilder& plan) {
  const exec::Schema& schema = plan.schema();
  const bool in_place = schema.Find("out") < 0;
  loops::moves::Scattered what{.self = in_place ? loops::moves::kNothing : plan.Input("self"),
                               .index = plan.Input("index"),
                               .out = plan.Output(in_place ? "selfRef" : "out")};
  // The numbers of the attribute are those of Combine.
  const int reduce = schema.Find("reduce");
  what.combine = reduce < 0 ? Combine::kAdd : static_cast<Combine>(plan.Attribute<int64_t>(reduce));
  if (schema.Find("includeSelf") >= 0) what.includes_self = plan.Attribute<bool>("includeSelf");
  if (schema.Find("src") >= 0) {
    what.source = plan.Input("src");
  } else {
    loops::StoreScalar(*plan.Attribute<const aclScalar*>("value"), plan.OperandView(what.out).dtype, what.value);
  }
  const int rank = std::max(plan.Tensor(0).rank, 1);
  const auto dim = plan.Attribute<int64_t>("dim");
  loops::moves::ScatterElements(plan, what, static_cast<int>(dim < 0 ? dim + rank : dim));
}

constexpr exec::PlanFunction PlanScatterValue = PlanScatter;
constexpr exec::PlanFunction PlanScatterAdd = PlanScatter;
constexpr exec::PlanFunction PlanScatterReduce = PlanScatter;

}  // namespace
}  // namespace portacl::ops::scatter

#include "ops/movement/scatter/scatter_functions.inc"
