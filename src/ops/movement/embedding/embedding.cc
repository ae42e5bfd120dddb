// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include "loops/moves/scatter.h"
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

}  // namespace
}  // namespace portacl::ops::embedding

#include "ops/movement/embedding/embedding_functions.inc"
