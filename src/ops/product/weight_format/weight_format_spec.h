// SPDX-License-Identifier: Apache-2.0
//
// What aclnnTransMatmulWeight accepts: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::weight_format {

inline constexpr int kLowestRank = 2;
inline constexpr int kHighestRank = 6;

inline constexpr exec::SchemaOf kTransMatmulWeight(
    {.api = "aclnnTransMatmulWeight",
     .library = "opapi_math",
     .formula = "mmWeightRef gets the format FRACTAL_NZ; its elements stay where they are",
     .source = "aclnnTransMatmulWeight page of the CANN operator documentation; FLOAT is accepted beyond it",
     .accuracy = {exec::Exact("mmWeightRef")},
     .products = families::kNot910},
    {exec::InOut("mmWeightRef")},
    {exec::NotNull("workspaceSize", "executor"), exec::NotNull("mmWeightRef"), exec::OnProducts(),
     families::Dtypes({"mmWeightRef"}, families::kFloats3 | exec::DtypeSet{ACL_INT8}),
     exec::FormatOneOf({"mmWeightRef"}, {ACL_FORMAT_ND}), exec::Rank({"mmWeightRef"}, kLowestRank, kHighestRank),
     exec::EmptySucceeds("mmWeightRef")});

// Functions of one phase; the name of its library is read from here.
inline constexpr const char* kSizeOfWeight = "aclnnCalculateMatmulWeightSize";
inline constexpr const char* kSizeOfWeightV2 = "aclnnCalculateMatmulWeightSizeV2";

}  // namespace portacl::ops::weight_format
