// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/reduction_schema.h"

namespace portacl::ops::extreme {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kLogical = {ACL_BOOL, ACL_UINT8};
inline constexpr exec::DtypeSet kWithPlaces = kFloats3 | exec::DtypeSet{ACL_INT32, ACL_INT64, ACL_BOOL};

inline constexpr exec::SchemaOf kAmax(Reduce({.about = {.api = "aclnnAmax",
                                                        .library = "opapi_math",
                                                        .formula = "the largest element of self along dim",
                                                        .special = "A NaN is larger than all numbers. A zero is +0.",
                                                        .header = "aclnn_amax.h",
                                                        .products = kMost},
                                              .dtypes = kReal,
                                              .dims = "dim",
                                              .keep = "keepDim",
                                              .needs_elements = true},
                                             kSelf, Axes("dim"), Flag("keepDim"), kOut));

inline constexpr exec::SchemaOf kAmin(Reduce({.about = {.api = "aclnnAmin",
                                                        .library = "opapi_math",
                                                        .formula = "the smallest element of self along dim",
                                                        .special = "A NaN is smaller than all numbers. A zero is +0.",
                                                        .header = "aclnn_amin.h",
                                                        .products = kMost},
                                              .dtypes = kReal,
                                              .dims = "dim",
                                              .keep = "keepDim",
                                              .needs_elements = true},
                                             kSelf, Axes("dim"), Flag("keepDim"), kOut));

inline constexpr exec::SchemaOf kMax(Reduce({.about = {.api = "aclnnMax",
                                                       .library = "opapi_math",
                                                       .formula = "the largest element of self",
                                                       .special = "A NaN is larger than all numbers. A zero is +0.",
                                                       .header = "aclnn_max.h",
                                                       .products = kMost},
                                             .dtypes = kReal,
                                             .needs_elements = true},
                                            kSelf, kOut));

inline constexpr exec::SchemaOf kMin(Reduce({.about = {.api = "aclnnMin",
                                                       .library = "opapi_math",
                                                       .formula = "the smallest element of self",
                                                       .special = "A NaN is smaller than all numbers. A zero is +0.",
                                                       .header = "aclnn_min.h",
                                                       .products = kMost},
                                             .dtypes = kReal,
                                             .needs_elements = true},
                                            kSelf, kOut));

inline constexpr exec::SchemaOf kAll(
    Reduce({.about = {.api = "aclnnAll",
                      .library = "opapi_math",
                      .formula = "1 where all elements of self along dim are true, 0 elsewhere",
                      .special = "All but zeros are true, NaN too. Over nothing it is 1.",
                      .header = "aclnn_all.h",
                      .products = kMost},
            .dtypes = kReal,
            .results = kLogical,
            .dims = "dim",
            .keep = "keepdim"},
           kSelf, Axes("dim"), Flag("keepdim"), kOut));

inline constexpr exec::SchemaOf kAny(
    Reduce({.about = {.api = "aclnnAny",
                      .library = "opapi_math",
                      .formula = "1 where any element of self along dim is true, 0 elsewhere",
                      .special = "All but zeros are true, NaN too. Over nothing it is 0.",
                      .header = "aclnn_any.h",
                      .products = kMost},
            .dtypes = kReal,
            .results = kLogical,
            .dims = "dim",
            .keep = "keepdim"},
           kSelf, Axes("dim"), Flag("keepdim"), kOut));

inline constexpr exec::SchemaOf kArgMax(
    Reduce({.about = {.api = "aclnnArgMax",
                      .library = "opapi_math",
                      .formula = "the place of the largest element of self along dim",
                      .special = "The first of equal ones counts, or the first NaN.",
                      .header = "aclnn_argmax.h",
                      .products = kMost},
            .dtypes = kFloats4 | kIntegers,
            .results = kIndices,
            .dims = "dim",
            .keep = "keepdim",
            .needs_elements = true},
           kSelf, OneAxis("dim"), Flag("keepdim"), kOut));

inline constexpr exec::SchemaOf kArgMin(
    Reduce({.about = {.api = "aclnnArgMin",
                      .library = "opapi_math",
                      .formula = "the place of the smallest element of self along dim",
                      .special = "The first of equal ones counts, or the first NaN.",
                      .header = "aclnn_argmin.h",
                      .products = kMost},
            .dtypes = kFloats4 | kIntegers,
            .results = kIndices,
            .dims = "dim",
            .keep = "keepdim",
            .needs_elements = true},
           kSelf, OneAxis("dim"), Flag("keepdim"), kOut));

inline constexpr exec::SchemaOf kMaxDim(
    Reduce({.about = {.api = "aclnnMaxDim",
                      .library = "opapi_math",
                      .formula = "the largest element of self along dim, and its place",
                      .special = "The first of equal ones counts, or the first NaN. A zero is +0.",
                      .header = "aclnn_max_dim.h",
                      .products = kMost},
            .dtypes = kWithPlaces,
            .dims = "dim",
            .keep = "keepdim",
            .needs_elements = true,
            .has_indices = true},
           kSelf, OneAxis("dim"), Flag("keepdim"), kOut, exec::Out("indices")));

inline constexpr exec::SchemaOf kMinDim(
    Reduce({.about = {.api = "aclnnMinDim",
                      .library = "opapi_math",
                      .formula = "the smallest element of self along dim, and its place",
                      .special = "The first of equal ones counts, or the first NaN. A zero is +0.",
                      .header = "aclnn_min_dim.h",
                      .products = kMost},
            .dtypes = kWithPlaces,
            .dims = "dim",
            .keep = "keepdim",
            .needs_elements = true,
            .has_indices = true},
           kSelf, OneAxis("dim"), Flag("keepdim"), kOut, exec::Out("indices")));

inline constexpr const exec::Schema* kSchemas[] = {&kAmax, &kAmin,   &kMax,    &kMin,    &kAll,
                                                   &kAny,  &kArgMax, &kArgMin, &kMaxDim, &kMinDim};

}  // namespace portacl::ops::extreme
