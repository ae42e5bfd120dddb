// SPDX-License-Identifier: Apache-2.0
// For the unit tests of this layer: aclnnToy computes out = x + dy, element by element over one dimension, without the
// loops layer.
#pragma once

#include <cstdint>

#include "acl/acl.h"
#include "exec/plan.h"

namespace portacl::exec {

inline constexpr SchemaOf kToy({.api = "aclnnToy"}, {In("x"), In("dy"), Out("out")},
                               {NotNull("x", "dy", "out"), NotNull("executor"), NotNull("workspaceSize"),
                                DtypeOneOf({"x", "dy", "out"}, {ACL_FLOAT}), SameDtype("x", "dy", "out"),
                                PlainFormat("x", "dy", "out"), MaxRank("x", "dy", "out"),
                                ShapeIs("dy", SameShapeAs("x")), ShapeIs("out", SameShapeAs("x")), EmptySucceeds("x")});

struct ToyParameters {
  int64_t count;
  int64_t strides[3];  // strides in bytes, of x, dy and out
};

inline int32_t RunToy(const RunContext& run) {
  const auto& parameters = run.Parameters<ToyParameters>();
  for (int64_t i = 0; i < parameters.count; ++i) {
    const float x = *reinterpret_cast<const float*>(run.Address(0) + i * parameters.strides[0]);
    const float dy = *reinterpret_cast<const float*>(run.Address(1) + i * parameters.strides[1]);
    *reinterpret_cast<float*>(run.Address(2) + i * parameters.strides[2]) = x + dy;
  }
  return 0;
}

inline void PlanToy(PlanBuilder& plan) {
  ToyParameters parameters{1, {}};
  for (int operand = 0; operand < 3; ++operand) {
    const View& view = plan.OperandView(operand);
    if (view.rank == 0) continue;
    parameters.count = view.shape[0];
    parameters.strides[operand] = view.strides[0] * static_cast<int64_t>(sizeof(float));
  }
  plan.Run(RunToy, parameters, parameters.count);
}

inline aclnnStatus aclnnToyGetWorkspaceSize(const aclTensor* x, const aclTensor* dy, const aclTensor* out,
                                            uint64_t* workspaceSize, aclOpExecutor** executor) {
  return MakePlan(kToy, {x, dy, out}, workspaceSize, executor, PlanToy);
}

inline aclnnStatus aclnnToy(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
  return RunPlan(kToy, workspace, workspaceSize, executor, stream);
}

}  // namespace portacl::exec
