// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room.
#include <span>

#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_dot.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mv.h"
#include "families/define.h"
#include "ops/product/matmul/matmul_spec.h"

namespace portacl::ops::matmul {

#define PORTACL_PRODUCT(name, second)                                                                                  \
  PORTACL_DEFINE_OPERATOR(aclnn##name, k##name, families::PlanProduct,                                                 \
                          (const aclTensor* self, const aclTensor* second, aclTensor* out, int8_t cubeMathType), self, \
                          second, out, cubeMathType)

PORTACL_PRODUCT(Mm, mat2)
PORTACL_PRODUCT(BatchMatMul, mat2)
PORTACL_PRODUCT(Matmul, mat2)
PORTACL_PRODUCT(Mv, vec)
PORTACL_DEFINE_OPERATOR(aclnnDot, kDot, families::PlanProduct,
                        (const aclTensor* self, const aclTensor* tensor, aclTensor* out), self, tensor, out)

namespace {
constexpr exec::OperatorEntry kOperators[] = {PORTACL_BIND(Mm), PORTACL_BIND(BatchMatMul), PORTACL_BIND(Matmul),
                                              PORTACL_BIND(Mv), PORTACL_BIND(Dot)};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::matmul
