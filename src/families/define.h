// SPDX-License-Identifier: Apache-2.0
// The C functions of an operator aclnn<name> whose schema is k<name> and whose kernels <kernel>(dtype) finds, by the
// kind of its signature; for files that use the namespace of the room.
#pragma once

#include "exec/bind.h"
#include "exec/define_operator.h"
#include "families/pointwise.h"

#define PORTACL_BIND(name) portacl::exec::Bind<&aclnn##name##GetWorkspaceSize, &aclnn##name>(k##name)

#define PORTACL_POINTWISE(name, kernel, parameters, ...)                                                              \
  static_assert(portacl::families::FitsPointwise(k##name.args, k##name.steps));                                       \
  PORTACL_DEFINE_OPERATOR(                                                                                            \
      aclnn##name, k##name, [](portacl::exec::PlanBuilder& plan) { portacl::families::PlanPointwise(plan, kernel); }, \
      parameters, __VA_ARGS__)

#define PORTACL_UNARY(name, kernel) PORTACL_POINTWISE(name, kernel, (const aclTensor* self, aclTensor* out), self, out)
#define PORTACL_UNARY_CONST_OUT(name, kernel) \
  PORTACL_POINTWISE(name, kernel, (const aclTensor* self, const aclTensor* out), self, out)
#define PORTACL_INPLACE_UNARY(name, kernel) PORTACL_POINTWISE(name, kernel, (aclTensor * selfRef), selfRef)
#define PORTACL_INPLACE_UNARY_CONST(name, kernel) PORTACL_POINTWISE(name, kernel, (const aclTensor* selfRef), selfRef)

#define PORTACL_BINARY(name, kernel) \
  PORTACL_POINTWISE(name, kernel, (const aclTensor* self, const aclTensor* other, aclTensor* out), self, other, out)
#define PORTACL_BINARY_ALPHA(name, kernel)                                                                         \
  PORTACL_POINTWISE(name, kernel,                                                                                  \
                    (const aclTensor* self, const aclTensor* other, const aclScalar* alpha, aclTensor* out), self, \
                    other, alpha, out)
#define PORTACL_INPLACE_BINARY(name, kernel) \
  PORTACL_POINTWISE(name, kernel, (aclTensor * selfRef, const aclTensor* other), selfRef, other)

// Of a tensor and a scalar, whose plan says whether the scalar counts for the dtype.
#define PORTACL_SCALED(name, plan)                                                                                     \
  PORTACL_DEFINE_OPERATOR(aclnn##name, k##name, plan, (const aclTensor* self, const aclScalar* other, aclTensor* out), \
                          self, other, out)
#define PORTACL_SCALED_ALPHA(name, plan)                                                                           \
  PORTACL_DEFINE_OPERATOR(aclnn##name, k##name, plan,                                                              \
                          (const aclTensor* self, const aclScalar* other, const aclScalar* alpha, aclTensor* out), \
                          self, other, alpha, out)
#define PORTACL_INPLACE_SCALED(name, plan) \
  PORTACL_DEFINE_OPERATOR(aclnn##name, k##name, plan, (aclTensor * selfRef, const aclScalar* other), selfRef, other)
