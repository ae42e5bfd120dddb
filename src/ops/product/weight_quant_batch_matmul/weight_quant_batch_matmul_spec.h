// SPDX-License-Identifier: Apache-2.0
//
// The schema of aclnnWeightQuantBatchMatmulV2: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/movement.h"
#include "families/weight_format.h"

namespace portacl::ops::weight_quant_batch_matmul {

/// Bias of FLOAT16 with FLOAT16, FLOAT or BFLOAT16 with BFLOAT16.
aclnnStatus CheckBiasDtype(const exec::Arguments& arguments, const exec::Step& step);
/// quantOffsetOptional must be NULL if quantScaleOptional is.
aclnnStatus CheckQuantOffset(const exec::Arguments& arguments, const exec::Step& step);
/// Refuses requests for results of INT8.
aclnnStatus CheckNotQuantised(const exec::Arguments& arguments, const exec::Step& step);
/// 0, or a positive multiple of 32.
aclnnStatus CheckGroupSize(const exec::Arguments& arguments, const exec::Step& step);
/// Two elements of INT4 share a byte; each row or column has whole bytes.
aclnnStatus CheckPairs(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus CheckScaleShape(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus CheckBiasShape(const exec::Arguments& arguments, const exec::Step& step);
bool ScaleShape(const exec::Arguments& arguments, Shape* shape);
bool BiasShape(const exec::Arguments& arguments, Shape* shape);
bool OutputShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr const char* kTerm = "2^-6 of the sum of the terms' magnitudes";

PORTACL_ROW(
    WeightQuantBatchMatmulV2, opapi_nn, "aclnn_weight_quant_batch_matmul_v2.h",
    exec::MakeRecipe(
        {.formula = "x w + biasOptional, with w = (weight + antiquantOffsetOptional) antiquantScale. Scale and offset "
                    "belong to all of weight, to a column of it, or, where antiquantGroupSize is not 0, to as many "
                    "elements of a column",
         .special = "A weight of format FRACTAL_NZ is read as one of ND. Where float32 cannot hold w or a sum, or a "
                    "product of an infinity and 0 or of a NaN occurs, y is infinite or NaN.",
         .accuracy = {exec::Ulp("y", families::kNarrow, 0.51).OfTerm(kTerm).NearestBut(0.01)},
         .socs = families::kNot910},
        {exec::In("x"), exec::In("weight"), exec::In("antiquantScale"), exec::OptionalIn("antiquantOffsetOptional"),
         exec::OptionalIn("quantScaleOptional"), exec::OptionalIn("quantOffsetOptional"),
         exec::OptionalIn("biasOptional"), exec::Attribute("antiquantGroupSize", exec::ValueKind::kInt32),
         exec::Const(exec::Out("y"))},
        {exec::NotNull("workspaceSize", "executor"),
         exec::NotNull("x", "weight", "antiquantScale", "y"),
         exec::OnSocs(),
         families::Dtypes({"x"}, families::kNarrow),
         exec::DtypeOneOf({"weight"}, {ACL_INT8, ACL_INT4}),
         exec::SameDtype("x", "antiquantScale", "antiquantOffsetOptional"),
         exec::DtypeOneOf({"quantScaleOptional"}, {ACL_UINT64, ACL_FLOAT}),
         exec::DtypeOneOf({"quantOffsetOptional"}, {ACL_FLOAT}),
         exec::Custom("biasOptional: FLOAT16 where x is, otherwise FLOAT or BFLOAT16", CheckBiasDtype),
         exec::Custom("quantOffsetOptional: NULL where quantScaleOptional is", CheckQuantOffset),
         exec::Custom("quantScaleOptional: NULL, and y: not INT8, which is not computed yet", CheckNotQuantised)
             .Status(exec::kNoKernel),
         exec::SameDtype("x", "y"),
         exec::PlainFormat("x"),
         families::WeightFormat("weight"),
         exec::PlainFormat("antiquantScale", "antiquantOffsetOptional", "quantScaleOptional", "quantOffsetOptional",
                           "biasOptional", "y"),
         exec::Rank({"x", "weight"}, 2, 2),
         exec::Rank({"antiquantScale", "antiquantOffsetOptional"}, 1, 2),
         exec::MaxRank("quantScaleOptional", "quantOffsetOptional"),
         exec::Rank({"biasOptional"}, 1, 2),
         exec::Rank({"y"}, 2, 2),
         exec::Custom("antiquantGroupSize: 0, or a positive multiple of 32", CheckGroupSize),
         exec::SameSize({exec::Axis("x", 1), exec::Axis("weight", 0)}),
         exec::Custom("weight: of INT4 an even size of an axis with stride 1", CheckPairs),
         exec::Custom(
             "antiquantScale: with antiquantGroupSize g [k / g rounded up, n], without [1], [1,1], [n] or [1,n]",
             CheckScaleShape)
             .Accepts("antiquantScale", ScaleShape),
         exec::ShapeIs("antiquantOffsetOptional", exec::SameShapeAs("antiquantScale")),
         exec::Custom("biasOptional: [n] or [1,n]", CheckBiasShape).Accepts("biasOptional", BiasShape),
         families::ShapeFrom("y: rows of x, columns of weight", "y", OutputShape)}));

}  // namespace portacl::ops::weight_quant_batch_matmul
