// SPDX-License-Identifier: Apache-2.0
//
// The schema of aclnnTransMatmulWeight: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::weight_format {

inline constexpr int kLowestRank = 2;
inline constexpr int kHighestRank = 6;

PORTACL_FUNCTION(CalculateMatmulWeightSize, opapi_math);
PORTACL_FUNCTION(CalculateMatmulWeightSizeV2, opapi_math);
inline constexpr const char* kSizeFunctions =
    R"(/// Elements, not bytes, that a device would need for a matrix in the format FRACTAL_NZ: the last axis but one is
/// rounded up to a multiple of 16, the last one, too, or, where elements have 8 or 32 bits, to one of 32.
///
/// tensorShape       in   2..6 sizes, each above 0.
/// dataType          in   FLOAT16 and BFLOAT16: multiples of 16; any other: 32.
/// weightTensorSize  out  the number. Here elements stay where they are, so that their own number is enough.
///
/// Returns 0; 161001 (tensorShape or weightTensorSize is null, tested in this order); 161002 (not 2..6 sizes, one below
/// 1, or a number beyond 2^63); 361001 (PORTACL_SOC names Ascend910 or Ascend310B). On failure nothing is written.
/// Callable from any thread. Source: aclnnCalculateMatmulWeightSizeV2 page of the CANN operator documentation.
ACLNN_API aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape, aclDataType dataType,
                                                       uint64_t* weightTensorSize);

/// The same for FLOAT16.
ACLNN_API aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray* tensorShape, uint64_t* weightTensorSize);

)";

PORTACL_ROW(
    TransMatmulWeight, opapi_math, "aclnn_trans_matmul_weight.h",
    exec::MakeRecipe(
        {.formula = "mmWeightRef = itself in the format FRACTAL_NZ (29); its elements stay where they are",
         .source = "aclnnTransMatmulWeight page of the CANN operator documentation; FLOAT is accepted beyond it",
         .special = "Matrix products read a tensor of that format by its shape and strides, as one of format ND, and "
                    "so do copies. This phase changes the format, when all else has succeeded, so that the tensor may "
                    "be destroyed between the phases; shape, strides, offset and the dims of its storage stay. Phase 2 "
                    "is a task that has nothing to do: it touches neither the tensor nor its elements.",
         .functions = kSizeFunctions,
         .by_hand = true,
         .accuracy = {exec::Exact("mmWeightRef")},
         .socs = families::kNot910},
        {exec::InOut("mmWeightRef")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("mmWeightRef"), exec::OnSocs(),
         families::Dtypes({"mmWeightRef"}, families::kFloats3 | exec::DtypeSet{ACL_INT8}),
         exec::FormatOneOf({"mmWeightRef"}, {ACL_FORMAT_ND}), exec::Rank({"mmWeightRef"}, kLowestRank, kHighestRank),
         exec::EmptySucceeds("mmWeightRef")}));

}  // namespace portacl::ops::weight_format
