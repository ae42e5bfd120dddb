// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/moves/scatter.h"
#include "loops/reductions/limit_rows.h"
#include "ops/movement/embedding/embedding_spec.h"

namespace portacl::ops::embedding {
namespace {

void PlanEmbeddingDenseBackward(exec::PlanBuilder& plan) {
  const bool is_mean = plan.Attribute<bool>("scaleGradByFreq");
  loops::moves::ScatterFlat(plan,
                            {.index = plan.Input("indices"),
                             .source = plan.Input("grad"),
                             .out = plan.Output("out"),
                             .combine = is_mean ? loops::moves::Combine::kMean : loops::moves::Combine::kAdd,
                             .includes_self = false,
                             .clears = true,
                             .dropped = static_cast<int64_t>(plan.Attribute<uint64_t>("paddingIdx"))},
                            1);
}

void PlanEmbeddingRenorm(exec::PlanBuilder& plan) {
  loops::reductions::LimitRows(plan, plan.Output("selfRef"), plan.Input("indices"), plan.Attribute<double>("maxNorm"),
                               plan.Attribute<double>("normType"));
}

}  // namespace
}  // namespace portacl::ops::embedding

#include "ops/movement/embedding/embedding_functions.inc"
