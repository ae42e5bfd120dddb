// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_norm.h"
#include "aclnnop/aclnn_prod.h"
#include "aclnnop/aclnn_reduce_nansum.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "families/define.h"
#include "families/reduction.h"
#include "ops/reduction/sum/sum_spec.h"
#include "tensor/scalar.h"

namespace portacl::ops::sum {
namespace {

void PlanSum(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kSum}); }
void PlanNansum(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kSumOfNumbers}); }
void PlanMean(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kSum, .mean = true}); }
void PlanProduct(exec::PlanBuilder& plan) { PlanReduction(plan, {.reduction = Reduction::kProduct}); }

void PlanNorm(exec::PlanBuilder& plan) {
  double p = 0;
  ScalarToDouble(*plan.Attribute<const aclScalar*>(kNorm.Index("pScalar")), &p);
  PlanReduction(plan, NormOf(static_cast<float>(p)));
}

}  // namespace

PORTACL_DEFINE_OPERATOR(aclnnReduceSum, kReduceSum, PlanSum,
                        (const aclTensor* self, const aclIntArray* dims, bool keepDims, aclDataType dtype,
                         aclTensor* out),
                        self, dims, keepDims, dtype, out)
PORTACL_DEFINE_OPERATOR(aclnnReduceNansum, kReduceNansum, PlanNansum,
                        (const aclTensor* self, const aclIntArray* dim, bool keepDim, aclDataType dtype,
                         aclTensor* out),
                        self, dim, keepDim, dtype, out)
PORTACL_DEFINE_OPERATOR(aclnnMean, kMean, PlanMean,
                        (const aclTensor* self, const aclIntArray* dim, bool keepDim, aclDataType dtype,
                         aclTensor* out),
                        self, dim, keepDim, dtype, out)
PORTACL_DEFINE_OPERATOR(aclnnMeanV2, kMeanV2, PlanMean,
                        (const aclTensor* self, const aclIntArray* dim, bool keepDim, bool noopWithEmptyAxes,
                         aclTensor* out),
                        self, dim, keepDim, noopWithEmptyAxes, out)
PORTACL_DEFINE_OPERATOR(aclnnProd, kProd, PlanProduct, (const aclTensor* self, const aclDataType dtype, aclTensor* out),
                        self, dtype, out)
PORTACL_DEFINE_OPERATOR(aclnnProdDim, kProdDim, PlanProduct,
                        (const aclTensor* self, int64_t dim, bool keepDim, const aclDataType dtype, aclTensor* out),
                        self, dim, keepDim, dtype, out)
PORTACL_DEFINE_OPERATOR(aclnnNorm, kNorm, PlanNorm,
                        (const aclTensor* self, const aclScalar* pScalar, const aclIntArray* dim, bool keepdim,
                         aclTensor* out),
                        self, pScalar, dim, keepdim, out)

namespace {
constexpr exec::OperatorEntry kOperators[] = {
    PORTACL_BIND(ReduceSum), PORTACL_BIND(ReduceNansum), PORTACL_BIND(Mean), PORTACL_BIND(MeanV2),
    PORTACL_BIND(Prod),      PORTACL_BIND(ProdDim),      PORTACL_BIND(Norm),
};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::sum
