// SPDX-License-Identifier: Apache-2.0
// Both C functions of an operator, from its schema and the function that plans it:
//
//   PORTACL_DEFINE_OPERATOR(aclnnGelu, kGelu, PlanGelu, (const aclTensor* self, aclTensor* out), self, out)
#pragma once

#include "aclnnop/aclnn_util.h"
#include "exec/plan.h"

#define PORTACL_PARAMETERS(...) __VA_ARGS__

// The definitions repeat the attribute for export: GCC takes a definition inside a namespace for a function other than
// the one in the header. `parameters` are those of phase 1, in brackets and without the last two; their names follow.
#define PORTACL_DEFINE_OPERATOR(api, schema, plan, parameters, ...)                                              \
  extern "C" ACLNN_API aclnnStatus api##GetWorkspaceSize(PORTACL_PARAMETERS parameters, uint64_t* workspaceSize, \
                                                         aclOpExecutor** executor) {                             \
    return portacl::exec::MakePlan(schema, {__VA_ARGS__}, workspaceSize, executor, plan);                        \
  }                                                                                                              \
  extern "C" ACLNN_API aclnnStatus api(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,         \
                                       aclrtStream stream) {                                                     \
    return portacl::exec::RunPlan(schema, workspace, workspaceSize, executor, stream);                           \
  }
