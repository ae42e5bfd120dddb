// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include "loops/gather.h"

#include <algorithm>
#include <span>

#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_index_select.h"
#include "exec/bind.h"
#include "exec/define_operator.h"
#include "ops/movement/gather/gather_spec.h"

namespace portacl::ops::gather {

namespace {

void PlanGather(exec::PlanBuilder& plan) {
  const int32_t rank = plan.Tensor("self").rank;
  const auto dim = plan.Attribute<int64_t>("dim");
  loops::Gather(plan, plan.Input("self"), static_cast<int>(dim < 0 ? dim + std::max(rank, 1) : dim),
                plan.Input("index"), plan.Output("out"));
}

void PlanEmbedding(exec::PlanBuilder& plan) {
  loops::Gather(plan, plan.Input("weight"), 0, plan.Input("indices"), plan.Output("out"));
}

constexpr exec::OperatorEntry kOperators[] = {
    exec::Bind<&aclnnGatherV2GetWorkspaceSize, &aclnnGatherV2>(kGatherV2),
    exec::Bind<&aclnnIndexSelectGetWorkspaceSize, &aclnnIndexSelect>(kIndexSelect),
    exec::Bind<&aclnnEmbeddingGetWorkspaceSize, &aclnnEmbedding>(kEmbedding),
};

}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::gather

using namespace portacl::ops::gather;  // NOLINT(google-build-using-namespace): what follows is C

PORTACL_DEFINE_OPERATOR(aclnnGatherV2, kGatherV2, PlanGather,
                        (const aclTensor* self, int64_t dim, const aclTensor* index, aclTensor* out), self, dim, index,
                        out)
PORTACL_DEFINE_OPERATOR(aclnnIndexSelect, kIndexSelect, PlanGather,
                        (const aclTensor* self, int64_t dim, const aclTensor* index, aclTensor* out), self, dim, index,
                        out)
PORTACL_DEFINE_OPERATOR(aclnnEmbedding, kEmbedding, PlanEmbedding,
                        (const aclTensor* weight, const aclTensor* indices, const aclTensor* out), weight, indices, out)
