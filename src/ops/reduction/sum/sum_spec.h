// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <limits>

#include "exec/arguments.h"
#include "families/list_schema.h"
#include "families/reduction_schema.h"
#include "families/scatter_schema.h"

namespace portacl::ops::sum {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kNumbers = kFloats4 | kIntegers;

PORTACL_ROW(ReduceSum, opapi_math, "aclnn_reduce_sum.h",
            Reduce({.about = {.formula = "the sum of self along dims, each element converted to dtype first",
                              .special = "Integers wrap modulo 2^n; for BOOL it is OR. An empty sum is 0.",
                              .socs = kMost},
                    .dtypes = kReal | kComplex,
                    .results = kReal | kComplex,
                    .computed_in = kReal | kComplex,
                    .errors = kGroupedSumErrors,
                    .dims = "dims",
                    .keep = "keepDims"},
                   kSelf, Axes("dims"), Flag("keepDims"), kDtype, kOut));

PORTACL_ROW(
    ReduceNansum, opapi_math, "aclnn_reduce_nansum.h",
    Reduce({.about = {.formula =
                          "the sum of the elements of self along dim that are no NaN, each converted to dtype first",
                      .special = "Integers wrap modulo 2^n. An empty sum is 0.",
                      .socs = kMost},
            .dtypes = kNumbers,
            .results = kNumbers,
            .computed_in = kNumbers,
            .errors = kGroupedSumErrors,
            .dims = "dim",
            .keep = "keepDim"},
           kSelf, Axes("dim"), Flag("keepDim"), kDtype, kOut));

PORTACL_ROW(
    Mean, opapi_math, "aclnn_mean.h",
    Reduce({.about = {.formula = "the mean of self along dim, each element converted to dtype first",
                      .special = "Sums of integers wrap modulo 2^n, their mean is truncated. An empty mean is NaN.",
                      .socs = kMost},
            .dtypes = kNumbers | kComplex,
            .results = kNumbers | kComplex,
            .computed_in = kNumbers | kComplex,
            .out_is_dtype = false,
            .errors = kGroupedSumErrors,
            .dims = "dim",
            .keep = "keepDim"},
           kSelf, Axes("dim"), Flag("keepDim"), kDtype, kOut));

PORTACL_ROW(MeanV2, opapi_math, "aclnn_mean.h",
            Reduce({.about = {.formula = "the mean of self along dim",
                              .special = "With noopWithEmptyAxes an empty dim copies. An empty mean is NaN.",
                              .socs = kMost},
                    .dtypes = kNumbers | kComplex,
                    .errors = kGroupedSumErrors,
                    .dims = "dim",
                    .keep = "keepDim",
                    .none = "noopWithEmptyAxes"},
                   kSelf, Axes("dim"), Flag("keepDim"), Flag("noopWithEmptyAxes"), kOut));

inline constexpr Errors kProductErrors =
    Errors{0.51, 0.51, 0.51, 64,
           "2^-16 of the result, for complex ones of its modulus, for DOUBLE and COMPLEX128 times the number of "
           "factors / 64; any where a part over- or underflows"}
        .OfComplex(0.51, 64);

PORTACL_ROW(Prod, opapi_math, "aclnn_prod.h",
            Reduce({.about = {.formula = "the product of all elements of self, each converted to dtype first",
                              .special = "Integers wrap modulo 2^n; for BOOL it is AND. An empty product is 1.",
                              .socs = kMost},
                    .dtypes = kReal | kComplex,
                    .results = kReal | kComplex,
                    .computed_in = kReal | kComplex,
                    .errors = kProductErrors},
                   kSelf, kDtype, kOut));

PORTACL_ROW(ProdDim, opapi_math, "aclnn_prod.h",
            Reduce({.about = {.formula = "the product of self along dim, each element converted to dtype first",
                              .special = "Integers wrap modulo 2^n; for BOOL it is AND. An empty product is 1.",
                              .socs = kMost},
                    .dtypes = kReal | kComplex,
                    .results = kReal | kComplex,
                    .computed_in = kReal | kComplex,
                    .errors = kProductErrors,
                    .dims = "dim",
                    .keep = "keepDim"},
                   kSelf, OneAxis("dim"), Flag("keepDim"), kDtype, kOut));

PORTACL_ROW(
    Norm, opapi_nn, "aclnn_norm.h",
    Reduce({.about = {.formula = "the p-th root of the sum of |self|^p along dim; p = 0: the number of elements that "
                                 "are not 0, NaN included; p = inf or -inf: the largest or the smallest |self|",
                      .special = "The norm of no elements is 0, infinite for p = -inf."},
            .dtypes = kFloats3,
            .results = kFloats3,
            .errors = {0.51, 0.51, 0.51, 0.51, "any where a power over- or underflows"},
            .dims = "dim",
            .keep = "keepdim"},
           kSelf, exec::Scalar("pScalar"), Axes("dim"), Flag("keepdim"), kOut));

/// ord is a number, and over no elements neither negative nor infinite.
aclnnStatus CheckOrder(const exec::Arguments& arguments, const exec::Step& step);
consteval exec::Step OrderIsDefined() {
  exec::Step step = exec::Custom("ord: a number; over no elements neither negative nor infinite", CheckOrder);
  step.refs = {"ord"};
  return step;
}

PORTACL_ROW(
    LinalgVectorNorm, opapi_nn, "aclnn_linalg_vector_norm.h",
    Reduce({.about = {.formula = "the ord-th root of the sum of |self|^ord along dims, each element converted to "
                                 "dtype first; ord = 0: the number of elements that are not 0, NaN included; ord "
                                 "= inf or -inf: the largest or the smallest |self|",
                      .special = "The norm of no elements is 0.",
                      .socs = kAllBut310P},
            .dtypes = kFloats3,
            .results = kFloats3,
            .computed_in = kFloats3,
            .errors = {0.51, 0.51, 0.51, 0.51, "any where a power over- or underflows"},
            .dims = "dims",
            .keep = "keepDims",
            .rule = OrderIsDefined()},
           kSelf, exec::Scalar("ord"), exec::OptionalAttribute("dims", exec::ValueKind::kIntArray), Flag("keepDims"),
           kDtype, kOut));

// An empty tensor has no smallest and no largest element.
aclnnStatus CheckOrderOfEmpty(const exec::Arguments& arguments, const exec::Step& step);
PORTACL_ROW(ForeachNorm, opapi_nn, "aclnn_foreach_norm.h",
            Foreach({.formula = "the norm of order scalar of each tensor of x",
                     .special = "As that of aclnnNorm; that of no elements is 0.",
                     .errors = {0.51, 0.51, 0.51, 0.51, "any where a power over- or underflows"},
                     .results = kFloats3,
                     .one_element = true,
                     .rule = exec::Custom("scalar: finite and not negative for empty tensors", CheckOrderOfEmpty)},
                    false, exec::InList("x"), exec::Scalar("scalar"), kConstOuts));

inline constexpr exec::DtypeSet kListed = kFloats4 | exec::DtypeSet{ACL_INT8, ACL_INT32, ACL_INT64, ACL_UINT8};
PORTACL_ROW(Sum, opapi_math, "aclnn_sum.h",
            exec::MakeRecipe(
                {.formula = "the sum of the tensors, element by element",
                 .special = "The tensors are broadcast. Integers wrap modulo 2^n. The list has one tensor or more.",
                 .accuracy = CombinedAccuracy("out", kListed),
                 .socs = kMost},
                {exec::InList("tensors"), exec::Out("out")},
                {exec::NotNull("workspaceSize", "executor"), exec::NotNull("tensors", "out"), exec::OnSocs(),
                 exec::SizeInRange({exec::Length("tensors")}, 1, std::numeric_limits<int64_t>::max()),
                 Dtypes({"tensors"}, kListed), exec::SameDtype("tensors", "out"), exec::PlainFormat("tensors", "out"),
                 exec::MaxRank("tensors", "out"), exec::ShapeIs("out", exec::BroadcastOf("tensors"))}));

}  // namespace portacl::ops::sum
