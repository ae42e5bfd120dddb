// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/arguments.h"
#include "families/reduction_schema.h"

namespace portacl::ops::variance {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

/// The output has the shape of a reduction along dim; over all axes, where dim names none, any shape with one element.
aclnnStatus CheckReducedShape(const exec::Arguments& arguments, const exec::Step& step);
bool ReducedShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr const char* kDivisor =
    "The sum of squares is divided by the number of elements less the correction, at least 0. Of no elements the "
    "result "
    "is NaN. Divided by 0, it is NaN if all elements are equal and infinite otherwise.";

struct VarianceRow {
  const char* formula;
  const char* out = "out";
  const char* mean = nullptr;  // the second output; null: there is none
  exec::SocSet socs = kMost;
  bool any_shape_of_one = false;  // over all axes, where dim names none
};

consteval exec::Step AnyShapeOfOne(const char* out) {
  return exec::Custom("outputs: shape of self along dim; where dim names no axis, any shape with one element",
                      CheckReducedShape)
      .Accepts(out, ReducedShape);
}

template <class... Args>
consteval auto Variance(const VarianceRow& row, Args... list) {
  const exec::Arg args[] = {list...};
  const bool has_mean = row.mean != nullptr;
  const char* const mean = has_mean ? row.mean : row.out;
  const exec::ShapeRule shape = exec::ReducedAlong("self", "dim", "keepdim");
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({list...}),
                              exec::OnSocs(),
                              Dtypes({"self"}, kFloats3),
                              exec::SameDtype("self", row.out),
                              exec::SameDtype("self", mean).If(has_mean),
                              exec::PlainFormat("self", row.out),
                              exec::PlainFormat(mean).If(has_mean),
                              exec::MaxRank("self", row.out),
                              exec::MaxRank(mean).If(has_mean),
                              exec::AxesInRange("dim", "self"),
                              exec::ShapeIs(row.out, shape).If(!row.any_shape_of_one),
                              AnyShapeOfOne(row.out).If(row.any_shape_of_one),
                              exec::ShapeIs(mean, shape).If(has_mean && !row.any_shape_of_one),
                              AnyShapeOfOne(mean).If(has_mean && row.any_shape_of_one),
                              exec::EmptySucceeds(row.out)};
  exec::About about{.formula = row.formula, .special = kDivisor, .socs = row.socs};
  about.accuracy = AccuracyOf(row.out, kFloats3, {0.51, 0.51, 0.51, 0.51});
  if (has_mean) {
    const exec::Accuracy of_mean = AccuracyOf(row.mean, kFloats3, kSumErrors);
    for (int i = 0; i < of_mean.count; ++i) about.accuracy.items[about.accuracy.count++] = of_mean.items[i];
  }
  return exec::MakeRecipe(about, args, steps);
}

inline constexpr exec::Arg kDim = exec::OptionalAttribute("dim", exec::ValueKind::kIntArray);
inline constexpr exec::Arg kCorrection = exec::Attribute("correction", exec::ValueKind::kInt64);

PORTACL_ROW(Var, opapi_math, "aclnn_var.h",
            Variance({.formula = "the variance of self along dim, with the correction 1 if unbiased, else 0",
                      .socs = kNot310P},
                     kSelf, kDim, Flag("unbiased"), Flag("keepdim"), kOut));

PORTACL_ROW(VarCorrection, opapi_math, "aclnn_var.h",
            Variance({.formula = "the variance of self along dim"}, kSelf, kDim, kCorrection, Flag("keepdim"), kOut));

PORTACL_ROW(Std, opapi_math, "aclnn_std.h",
            Variance({.formula = "the standard deviation of self along dim", .any_shape_of_one = true}, kSelf, kDim,
                     kCorrection, Flag("keepdim"), kOut));

PORTACL_ROW(StdMeanCorrection, opapi_math, "aclnn_std_mean_correction.h",
            Variance({.formula = "the standard deviation and the mean of self along dim",
                      .out = "stdOut",
                      .mean = "meanOut",
                      .socs = kNot310P,
                      .any_shape_of_one = true},
                     kSelf, kDim, kCorrection, Flag("keepdim"), exec::Out("stdOut"), exec::Out("meanOut")));

PORTACL_ROW(VarMean, opapi_math, "aclnn_var_mean.h",
            Variance({.formula = "the variance and the mean of self along dim",
                      .out = "varOut",
                      .mean = "meanOut",
                      .socs = kNot310P},
                     kSelf, kDim, kCorrection, Flag("keepdim"), exec::Out("varOut"), exec::Out("meanOut")));

}  // namespace portacl::ops::variance
