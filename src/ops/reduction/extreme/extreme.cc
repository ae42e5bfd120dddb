// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_any.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_max.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_min.h"
#include "aclnnop/aclnn_min_dim.h"
#include "families/define.h"
#include "families/reduction.h"
#include "ops/reduction/extreme/extreme_spec.h"

namespace portacl::ops::extreme {
namespace {

template <Reduction kReduction, bool kPlaces = false>
void Plan(exec::PlanBuilder& plan) {
  PlanReduction(plan, {.reduction = kReduction, .places = kPlaces});
}

}  // namespace

PORTACL_DEFINE_OPERATOR(aclnnAmax, kAmax, Plan<Reduction::kMaximum>,
                        (const aclTensor* self, const aclIntArray* dim, bool keepDim, aclTensor* out), self, dim,
                        keepDim, out)
PORTACL_DEFINE_OPERATOR(aclnnAmin, kAmin, Plan<Reduction::kMinimum>,
                        (const aclTensor* self, const aclIntArray* dim, bool keepDim, aclTensor* out), self, dim,
                        keepDim, out)
PORTACL_DEFINE_OPERATOR(aclnnMax, kMax, Plan<Reduction::kMaximum>, (const aclTensor* self, aclTensor* out), self, out)
PORTACL_DEFINE_OPERATOR(aclnnMin, kMin, Plan<Reduction::kMinimum>, (const aclTensor* self, aclTensor* out), self, out)
PORTACL_DEFINE_OPERATOR(aclnnAll, kAll, Plan<Reduction::kAllTrue>,
                        (const aclTensor* self, const aclIntArray* dim, bool keepdim, aclTensor* out), self, dim,
                        keepdim, out)
PORTACL_DEFINE_OPERATOR(aclnnAny, kAny, Plan<Reduction::kAnyTrue>,
                        (const aclTensor* self, const aclIntArray* dim, bool keepdim, aclTensor* out), self, dim,
                        keepdim, out)
PORTACL_DEFINE_OPERATOR(aclnnArgMax, kArgMax, (Plan<Reduction::kFirstMaximum, true>),
                        (const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out), self, dim, keepdim, out)
PORTACL_DEFINE_OPERATOR(aclnnArgMin, kArgMin, (Plan<Reduction::kFirstMinimum, true>),
                        (const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out), self, dim, keepdim, out)
PORTACL_DEFINE_OPERATOR(aclnnMaxDim, kMaxDim, Plan<Reduction::kFirstMaximum>,
                        (const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out, aclTensor* indices), self,
                        dim, keepdim, out, indices)
PORTACL_DEFINE_OPERATOR(aclnnMinDim, kMinDim, Plan<Reduction::kFirstMinimum>,
                        (const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out, aclTensor* indices), self,
                        dim, keepdim, out, indices)

namespace {
constexpr exec::OperatorEntry kOperators[] = {
    PORTACL_BIND(Amax), PORTACL_BIND(Amin),   PORTACL_BIND(Max),    PORTACL_BIND(Min),    PORTACL_BIND(All),
    PORTACL_BIND(Any),  PORTACL_BIND(ArgMax), PORTACL_BIND(ArgMin), PORTACL_BIND(MaxDim), PORTACL_BIND(MinDim),
};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::extreme
