// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::factorization {

/// The last two axes of self have one size.
aclnnStatus CheckSquare(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr exec::DtypeSet kShort = {ACL_FLOAT, ACL_FLOAT16};
inline constexpr exec::DtypeSet kDtypes = kShort | exec::DtypeSet{ACL_DOUBLE};

inline constexpr exec::Step kIsSquare = exec::Custom("self: square matrices, its last two axes", CheckSquare);

inline constexpr exec::SchemaOf kInverse(
    {.api = "aclnnInverse",
     .library = "opapi_math",
     .formula = "the inverse of each matrix, which the last two axes of self are",
     .source = "aclnnInverse page of the CANN operator documentation",
     .special = "Of a singular matrix, one with a pivot of 0, infinities and NaN. A NaN makes all of an inverse NaN.",
     .header = "aclnn_inverse.h",
     .accuracy = {exec::Ulp("out", {ACL_DOUBLE}, 4)
                      .OfTerm("n^2 times the largest |self| times the sums of |out| along its row and its column"),
                  exec::Ulp("out", kShort, 0.51).OfTerm("2^-26 of the same")},
     .products = families::kNewer},
    {exec::In("self"), exec::Out("out")},
    {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "out"), exec::OnProducts(),
     exec::DtypeOneOf({"self"}, kDtypes), exec::SameDtype("self", "out"), exec::PlainFormat("self", "out"),
     exec::Rank({"self"}, 2, kMaxRank), exec::MaxRank("out"), kIsSquare,
     exec::ShapeIs("out", exec::SameShapeAs("self")), exec::EmptySucceeds("out")});

inline constexpr const exec::Schema* kSchemas[] = {&kInverse};

}  // namespace portacl::ops::factorization
