// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/reduction_schema.h"

namespace portacl::ops::extreme {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kLogical = {ACL_BOOL, ACL_UINT8};
inline constexpr exec::DtypeSet kWithPlaces = kFloats3 | exec::DtypeSet{ACL_INT32, ACL_INT64, ACL_BOOL};

PORTACL_ROW(Amax, opapi_math, "aclnn_amax.h",
            Reduce({.about = {.formula = "the largest element of self along dim",
                              .special = "A NaN is larger than all numbers. A zero is +0.",
                              .socs = kMost},
                    .dtypes = kReal,
                    .dims = "dim",
                    .keep = "keepDim",
                    .needs_elements = true},
                   kSelf, Axes("dim"), Flag("keepDim"), kOut));

PORTACL_ROW(Amin, opapi_math, "aclnn_amin.h",
            Reduce({.about = {.formula = "the smallest element of self along dim",
                              .special = "A NaN is smaller than all numbers. A zero is +0.",
                              .socs = kMost},
                    .dtypes = kReal,
                    .dims = "dim",
                    .keep = "keepDim",
                    .needs_elements = true},
                   kSelf, Axes("dim"), Flag("keepDim"), kOut));

PORTACL_ROW(Max, opapi_math, "aclnn_max.h",
            Reduce({.about = {.formula = "the largest element of self",
                              .special = "A NaN is larger than all numbers. A zero is +0.",
                              .socs = kMost},
                    .dtypes = kReal,
                    .needs_elements = true},
                   kSelf, kOut));

PORTACL_ROW(Min, opapi_math, "aclnn_min.h",
            Reduce({.about = {.formula = "the smallest element of self",
                              .special = "A NaN is smaller than all numbers. A zero is +0.",
                              .socs = kMost},
                    .dtypes = kReal,
                    .needs_elements = true},
                   kSelf, kOut));

PORTACL_ROW(All, opapi_math, "aclnn_all.h",
            Reduce({.about = {.formula = "1 where all elements of self along dim are true, 0 elsewhere",
                              .special = "All but zeros are true, NaN too. Over no elements it is 1.",
                              .socs = kMost},
                    .dtypes = kReal,
                    .results = kLogical,
                    .dims = "dim",
                    .keep = "keepdim"},
                   kSelf, Axes("dim"), Flag("keepdim"), kOut));

PORTACL_ROW(Any, opapi_math, "aclnn_any.h",
            Reduce({.about = {.formula = "1 where any element of self along dim is true, 0 elsewhere",
                              .special = "All but zeros are true, NaN too. Over no elements it is 0.",
                              .socs = kMost},
                    .dtypes = kReal,
                    .results = kLogical,
                    .dims = "dim",
                    .keep = "keepdim"},
                   kSelf, Axes("dim"), Flag("keepdim"), kOut));

PORTACL_ROW(
    ArgMax, opapi_math, "aclnn_argmax.h",
    Reduce(
        {.about = {.formula = "the index of the largest element of self along dim",
                   .special = "Among equal elements the first one wins; a NaN, the first one, wins over all numbers.",
                   .socs = kMost},
         .dtypes = kFloats4 | kIntegers,
         .results = kIndices,
         .dims = "dim",
         .keep = "keepdim",
         .needs_elements = true},
        kSelf, OneAxis("dim"), Flag("keepdim"), kOut));

PORTACL_ROW(
    ArgMin, opapi_math, "aclnn_argmin.h",
    Reduce(
        {.about = {.formula = "the index of the smallest element of self along dim",
                   .special = "Among equal elements the first one wins; a NaN, the first one, wins over all numbers.",
                   .socs = kMost},
         .dtypes = kFloats4 | kIntegers,
         .results = kIndices,
         .dims = "dim",
         .keep = "keepdim",
         .needs_elements = true},
        kSelf, OneAxis("dim"), Flag("keepdim"), kOut));

PORTACL_ROW(
    MaxDim, opapi_math, "aclnn_max_dim.h",
    Reduce(
        {.about =
             {.formula = "the largest element of self along dim, and its index",
              .special =
                  "Among equal elements the first one wins; a NaN, the first one, wins over all numbers. A zero is +0.",
              .socs = kMost},
         .dtypes = kWithPlaces,
         .dims = "dim",
         .keep = "keepdim",
         .needs_elements = true,
         .has_indices = true},
        kSelf, OneAxis("dim"), Flag("keepdim"), kOut, exec::Out("indices")));

PORTACL_ROW(
    MinDim, opapi_math, "aclnn_min_dim.h",
    Reduce(
        {.about =
             {.formula = "the smallest element of self along dim, and its index",
              .special =
                  "Among equal elements the first one wins; a NaN, the first one, wins over all numbers. A zero is +0.",
              .socs = kMost},
         .dtypes = kWithPlaces,
         .dims = "dim",
         .keep = "keepdim",
         .needs_elements = true,
         .has_indices = true},
        kSelf, OneAxis("dim"), Flag("keepdim"), kOut, exec::Out("indices")));

}  // namespace portacl::ops::extreme
