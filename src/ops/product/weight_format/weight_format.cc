// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned.
#include <algorithm>
#include <limits>
#include <span>

#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "base/soc.h"
#include "base/status.h"
#include "exec/plan.h"
#include "ops/product/weight_format/weight_format_spec.h"
#include "tensor/argument.h"
#include "tensor/array.h"
#include "tensor/tensor.h"

namespace portacl::ops::weight_format {
namespace {

aclnnStatus CalculateSize(const char* function, const aclIntArray* shape, aclDataType dtype, uint64_t* size) noexcept {
  if (const aclnnStatus status = CheckObject(function, "tensorShape", shape)) return status;
  if (const aclnnStatus status = CheckPointer(function, "weightTensorSize", size)) return status;
  if (!kTransMatmulWeight.socs.Holds(CurrentSoc().family)) {
    return Failf(exec::kRuntimeError, "{}: expected an SoC with the format FRACTAL_NZ, got {}", function,
                 CurrentSoc().family_name);
  }
  const std::span<const int64_t> dims = shape->values();
  if (dims.size() < kLowestRank || dims.size() > kHighestRank) {
    return Failf(exec::kInvalid, "{}: argument 'tensorShape': expected {} to {} sizes, got {}", function, kLowestRank,
                 kHighestRank, dims.size());
  }
  const bool is_narrow = dtype == ACL_FLOAT16 || dtype == ACL_BF16;
  int64_t elements = 1;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] < 1) {
      return Failf(exec::kInvalid, "{}: argument 'tensorShape': expected sizes above 0, got {} along axis {}", function,
                   dims[axis], axis);
    }
    const bool is_last = axis + 1 == dims.size();
    const int64_t block = is_last && !is_narrow ? 32 : axis + 2 >= dims.size() ? 16 : 1;
    int64_t rounded = 0;
    if (__builtin_add_overflow(dims[axis], block - 1, &rounded) ||
        __builtin_mul_overflow(elements, rounded / block * block, &elements)) {
      return Failf(exec::kInvalid, "{}: argument 'tensorShape': expected a product below 2^63, got a larger one",
                   function);
    }
  }
  *size = static_cast<uint64_t>(elements);
  return exec::kSuccess;
}

// Elements are not moved; products read them in place.
void PlanTransMatmulWeight(exec::PlanBuilder&) {}

}  // namespace

// Written by hand: an executor does not refer to the client's objects, so that the format must change in phase 1. It
// changes outside the plan, as a cached plan is not made again.
extern "C" ACLNN_API aclnnStatus aclnnTransMatmulWeightGetWorkspaceSize(aclTensor* mmWeightRef, uint64_t* workspaceSize,
                                                                        aclOpExecutor** executor) {
  const aclnnStatus status =
      exec::MakePlan(kTransMatmulWeight, {mmWeightRef}, workspaceSize, executor, PlanTransMatmulWeight);
  if (status == exec::kSuccess) mmWeightRef->format = ACL_FORMAT_FRACTAL_NZ;
  return status;
}

extern "C" ACLNN_API aclnnStatus aclnnTransMatmulWeight(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor, aclrtStream stream) {
  return exec::RunPlan(kTransMatmulWeight, workspace, workspaceSize, executor, stream);
}

extern "C" ACLNN_API aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape, aclDataType dataType,
                                                                  uint64_t* weightTensorSize) {
  return CalculateSize(kCalculateMatmulWeightSizeV2, tensorShape, dataType, weightTensorSize);
}

extern "C" ACLNN_API aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray* tensorShape,
                                                                uint64_t* weightTensorSize) {
  return CalculateSize(kCalculateMatmulWeightSize, tensorShape, ACL_FLOAT16, weightTensorSize);
}

}  // namespace portacl::ops::weight_format

#include "ops/product/weight_format/weight_format_functions.inc"
