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

bool GatherShape(const exec::Arguments& arguments, Shape* shape) {
  const View& self = arguments.Tensor(arguments.schema().Find("self"));
  const View& index = arguments.Tensor(arguments.schema().Find("index"));
  const int dim = families::AxisIn(arguments, "dim", self.rank);
  int64_t count = 0;
  shape->rank = 0;
  if (self.rank == 0) return CountElements(index.dims(), &count) && count == 1;
  const int32_t added = std::max(index.rank, 1);
  if (dim < 0 || self.rank - 1 + added > kMaxRank) return false;
  const auto add = [&](int64_t size) { shape->dims[shape->rank++] = size; };
  for (int axis = 0; axis < dim; ++axis) add(self.shape[axis]);
  for (int axis = 0; axis < added; ++axis) add(index.rank == 0 ? 1 : index.shape[axis]);
  for (int axis = dim + 1; axis < self.rank; ++axis) add(self.shape[axis]);
  return CountElements(shape->span(), &count);
}

bool SelectShape(const exec::Arguments& arguments, Shape* shape) {
  return arguments.Tensor(arguments.schema().Find("index")).rank <= 1 && GatherShape(arguments, shape);
}

bool EmbeddingShape(const exec::Arguments& arguments, Shape* shape) {
  const View& weight = arguments.Tensor(arguments.schema().Find("weight"));
  const View& indices = arguments.Tensor(arguments.schema().Find("indices"));
  if (weight.rank != 2 || indices.rank >= kMaxRank) return false;
  families::SetShape(indices.dims(), shape);
  shape->dims[shape->rank++] = weight.shape[1];
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

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
