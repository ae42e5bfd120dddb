// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/reduction_schema.h"

namespace portacl::ops::sum {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kNumbers = kFloats4 | kIntegers;

inline constexpr exec::SchemaOf kReduceSum(
    Reduce({.about = {.api = "aclnnReduceSum",
                      .library = "opapi_math",
                      .formula = "the sum of self along dims, each element converted to dtype first",
                      .special = "Integers count modulo 2^n; of BOOL it is or. Over nothing the sum is 0.",
                      .header = "aclnn_reduce_sum.h",
                      .products = kMost},
            .dtypes = kReal | kComplex,
            .results = kReal | kComplex,
            .computed_in = kReal | kComplex,
            .errors = kGroupedSumErrors,
            .dims = "dims",
            .keep = "keepDims"},
           kSelf, Axes("dims"), Flag("keepDims"), kDtype, kOut));

inline constexpr exec::SchemaOf kReduceNansum(Reduce(
    {.about = {.api = "aclnnReduceNansum",
               .library = "opapi_math",
               .formula = "the sum of the elements of self along dim that are no NaN, each converted to dtype first",
               .special = "Integers count modulo 2^n. Over nothing the sum is 0.",
               .header = "aclnn_reduce_nansum.h",
               .products = kMost},
     .dtypes = kNumbers,
     .results = kNumbers,
     .computed_in = kNumbers,
     .errors = kGroupedSumErrors,
     .dims = "dim",
     .keep = "keepDim"},
    kSelf, Axes("dim"), Flag("keepDim"), kDtype, kOut));

inline constexpr exec::SchemaOf kMean(
    Reduce({.about = {.api = "aclnnMean",
                      .library = "opapi_math",
                      .formula = "the mean of self along dim, each element converted to dtype first",
                      .special = "Integers count modulo 2^n, their mean is truncated. Over nothing the mean is NaN.",
                      .header = "aclnn_mean.h",
                      .products = kMost},
            .dtypes = kNumbers | kComplex,
            .results = kNumbers | kComplex,
            .computed_in = kNumbers | kComplex,
            .out_is_dtype = false,
            .errors = kGroupedSumErrors,
            .dims = "dim",
            .keep = "keepDim"},
           kSelf, Axes("dim"), Flag("keepDim"), kDtype, kOut));

inline constexpr exec::SchemaOf kMeanV2(
    Reduce({.about = {.api = "aclnnMeanV2",
                      .library = "opapi_math",
                      .formula = "the mean of self along dim",
                      .special = "With noopWithEmptyAxes an empty dim copies. Over nothing the mean is NaN.",
                      .header = "aclnn_mean.h",
                      .products = kMost},
            .dtypes = kNumbers | kComplex,
            .errors = kGroupedSumErrors,
            .dims = "dim",
            .keep = "keepDim",
            .none = "noopWithEmptyAxes"},
           kSelf, Axes("dim"), Flag("keepDim"), Flag("noopWithEmptyAxes"), kOut));

inline constexpr Errors kProductErrors =
    Errors{0.51, 0.51, 0.51, 64,
           "2^-16 of the result, of complex ones their modulus, of DOUBLE and COMPLEX128 that times the number of "
           "factors / 64; any where a part over- or underflows"}
        .OfComplex(0.51, 64);

inline constexpr exec::SchemaOf kProd(
    Reduce({.about = {.api = "aclnnProd",
                      .library = "opapi_math",
                      .formula = "the product of all elements of self, each converted to dtype first",
                      .special = "Integers count modulo 2^n; of BOOL it is and. Over nothing the product is 1.",
                      .header = "aclnn_prod.h",
                      .products = kMost},
            .dtypes = kReal | kComplex,
            .results = kReal | kComplex,
            .computed_in = kReal | kComplex,
            .errors = kProductErrors},
           kSelf, kDtype, kOut));

inline constexpr exec::SchemaOf kProdDim(
    Reduce({.about = {.api = "aclnnProdDim",
                      .library = "opapi_math",
                      .formula = "the product of self along dim, each element converted to dtype first",
                      .special = "Integers count modulo 2^n; of BOOL it is and. Over nothing the product is 1.",
                      .header = "aclnn_prod.h",
                      .products = kMost},
            .dtypes = kReal | kComplex,
            .results = kReal | kComplex,
            .computed_in = kReal | kComplex,
            .errors = kProductErrors,
            .dims = "dim",
            .keep = "keepDim"},
           kSelf, OneAxis("dim"), Flag("keepDim"), kDtype, kOut));

inline constexpr exec::SchemaOf kNorm(Reduce(
    {.about = {.api = "aclnnNorm",
               .formula =
                   "the p-th root of the sum of |self|^p along dim; p = 0: elements that are not 0, NaN included, "
                   "p = inf or -inf: the largest or the smallest |self|",
               .special = "Over nothing the norm is 0, infinite for p = -inf.",
               .header = "aclnn_norm.h"},
     .dtypes = kFloats3,
     .results = kFloats3,
     .errors = {0.51, 0.51, 0.51, 0.51, "any where a power over- or underflows"},
     .dims = "dim",
     .keep = "keepdim"},
    kSelf, exec::Scalar("pScalar"), Axes("dim"), Flag("keepdim"), kOut));

inline constexpr const exec::Schema* kSchemas[] = {&kReduceSum, &kReduceNansum, &kMean, &kMeanV2,
                                                   &kProd,      &kProdDim,      &kNorm};

}  // namespace portacl::ops::sum
