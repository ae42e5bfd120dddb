// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/arguments.h"
#include "families/movement.h"
#include "families/reduction_schema.h"

namespace portacl::ops::sort {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kSorted = kFloats3 | kIntegers;
inline constexpr const char* kSpecial =
    "Equal elements keep their order, in descending order too; -0 equals +0; NaN is larger than all numbers.";

/// The axis has no more elements than an index can count.
aclnnStatus CheckLength(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr exec::Step kAxisIsCounted = exec::Custom("self: at most 2^31 - 1 elements along dim", CheckLength);

PORTACL_ROW(Argsort, opapi_math, "aclnn_argsort.h",
            exec::MakeRecipe({.formula = "the indices of the elements of self along dim, in sorted order",
                              .special = kSpecial,
                              .accuracy = {exec::Exact("out")},
                              .socs = kMost},
                             {kSelf, OneAxis("dim"), Flag("descending"), kOut},
                             {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "out"), exec::OnSocs(),
                              Dtypes({"self"}, kSorted), exec::DtypeOneOf({"out"}, {ACL_INT64}),
                              exec::PlainFormat("self", "out"), exec::MaxRank("self", "out"),
                              exec::AxesInRange("dim", "self"), exec::ShapeIs("out", exec::SameShapeAs("self")),
                              kAxisIsCounted, exec::EmptySucceeds("self")}));

PORTACL_ROW(Sort, opapi_math, "aclnn_sort.h",
            exec::MakeRecipe(
                {.formula = "the elements of self along dim, sorted; indicesOut = their indices",
                 .special = kSpecial,
                 .accuracy = {exec::Exact("valuesOut"), exec::Exact("indicesOut")},
                 .socs = kMost},
                {kSelf, Flag("stable"), OneAxis("dim"), Flag("descending"), exec::Out("valuesOut"),
                 exec::Out("indicesOut")},
                {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "valuesOut", "indicesOut"),
                 exec::OnSocs(), Dtypes({"self"}, kSorted | kBool), Dtypes({"valuesOut"}, kReal),
                 exec::DtypeOneOf({"indicesOut"}, {ACL_INT64}), exec::StoresTo({"self"}, "valuesOut"),
                 exec::PlainFormat("self", "valuesOut", "indicesOut"), exec::MaxRank("self", "valuesOut", "indicesOut"),
                 exec::AxesInRange("dim", "self"), exec::ShapeIs("valuesOut", exec::SameShapeAs("self")),
                 exec::ShapeIs("indicesOut", exec::SameShapeAs("self")), kAxisIsCounted, exec::EmptySucceeds("self")}));

/// 0 <= k <= the number of elements along dim; for one element, 1 <= k.
aclnnStatus CheckK(const exec::Arguments& arguments, const exec::Step& step);
/// The shape of self with k elements along dim.
bool TopkShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr exec::DtypeSet kSelected = kFloats4 | kIntegers | kWideUnsigned;

PORTACL_ROW(Topk, opapi_nn, "aclnn_topk.h",
            exec::MakeRecipe(
                {.formula = "the k largest elements of self along dim, or the k smallest, in order; indicesOut = their "
                            "indices",
                 .special = "Of equal elements the first ones are taken, in their order; -0 equals +0; NaN is larger "
                            "than all numbers. The results are in order without sorted, too.",
                 .accuracy = {exec::Exact("valuesOut"), exec::Exact("indicesOut")},
                 .socs = kMost},
                {kSelf, exec::Attribute("k", exec::ValueKind::kInt64), OneAxis("dim"), Flag("largest"), Flag("sorted"),
                 exec::Out("valuesOut"), exec::Out("indicesOut")},
                {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "valuesOut", "indicesOut"),
                 exec::OnSocs(), Dtypes({"self"}, kSelected), exec::SameDtype("self", "valuesOut"),
                 exec::DtypeOneOf({"indicesOut"}, {ACL_INT64}), exec::PlainFormat("self", "valuesOut", "indicesOut"),
                 exec::MaxRank("self", "valuesOut", "indicesOut"), exec::AxesInRange("dim", "self"),
                 exec::Custom("k: at least 0 and at most the number of elements along dim", CheckK),
                 ShapeFrom("valuesOut: shape of self with k elements along dim", "valuesOut", TopkShape),
                 ShapeFrom("indicesOut: the same shape", "indicesOut", TopkShape), kAxisIsCounted,
                 exec::EmptySucceeds("valuesOut")}));

/// self is not empty, unless NaN can be its median.
aclnnStatus CheckElements(const exec::Arguments& arguments, const exec::Step& step);

struct PickRow {
  const char* formula;
  const char* dim = nullptr;  // null: of all elements, without their index
  const char* keep = nullptr;
  exec::Step rule = kNoStep;
  exec::SocSet socs = kMost;
};

// One element of each row.
template <class... Args>
consteval auto Pick(const PickRow& row, Args... list) {
  const exec::Arg args[] = {list...};
  const bool has_dim = row.dim != nullptr;
  const char* const dim = has_dim ? row.dim : "self";
  const char* const indices = has_dim ? "indicesOut" : "valuesOut";
  const exec::ShapeRule shape = exec::ReducedAlong("self", RefTo(row.dim), RefTo(row.keep));
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({list...}),
                              exec::OnSocs(),
                              Dtypes({"self"}, kSelected),
                              exec::SameDtype("self", "valuesOut"),
                              exec::DtypeOneOf({indices}, {ACL_INT64}).If(has_dim),
                              exec::PlainFormat("self", "valuesOut"),
                              exec::PlainFormat(indices).If(has_dim),
                              exec::MaxRank("self", "valuesOut"),
                              exec::MaxRank(indices).If(has_dim),
                              exec::AxesInRange(dim, "self").If(has_dim),
                              exec::NotEmptyAlong("self", RefTo(row.dim)).If(has_dim),
                              row.rule,
                              exec::ShapeIs("valuesOut", shape),
                              exec::ShapeIs(indices, shape).If(has_dim),
                              kAxisIsCounted,
                              exec::EmptySucceeds("valuesOut").If(has_dim)};
  exec::About about{
      .formula = row.formula,
      .special = "Of equal elements the first one comes first; -0 equals +0; NaN is larger than all numbers.",
      .socs = row.socs};
  about.accuracy = {exec::Exact("valuesOut")};
  if (has_dim) about.accuracy = {exec::Exact("valuesOut"), exec::Exact("indicesOut")};
  return exec::MakeRecipe(about, args, steps);
}

inline constexpr exec::Arg kValuesOut = exec::Out("valuesOut");
inline constexpr exec::Arg kIndicesOut = exec::Out("indicesOut");

PORTACL_ROW(Kthvalue, opapi_nn, "aclnn_kthvalue.h",
            Pick({.formula = "the k-th smallest element of self along dim; indicesOut = its index",
                  .dim = "dim",
                  .keep = "keepdim",
                  .rule = exec::Custom("k: from 1 to the number of elements along dim", CheckK)},
                 kSelf, exec::Attribute("k", exec::ValueKind::kInt64), OneAxis("dim"), Flag("keepdim"), kValuesOut,
                 kIndicesOut));

inline constexpr exec::Step kHasMedian =
    exec::Custom("self: not empty, unless it is floating: then its median is NaN", CheckElements);

PORTACL_ROW(
    Median, opapi_nn, "aclnn_median.h",
    Pick({.formula = "the element of self at place (n - 1) / 2, rounded down, in ascending order; NaN if there is "
                     "one, or no element",
          .rule = kHasMedian},
         kSelf, kValuesOut));

PORTACL_ROW(MedianDim, opapi_nn, "aclnn_median.h",
            Pick({.formula = "the element of self at place (n - 1) / 2, rounded down, in ascending order along dim, or "
                             "the first NaN; indicesOut = its index",
                  .dim = "dim",
                  .keep = "keepDim"},
                 kSelf, OneAxis("dim"), Flag("keepDim"), kValuesOut, kIndicesOut));

PORTACL_ROW(NanMedian, opapi_nn, "aclnn_median.h",
            Pick({.formula = "the median of the elements of self that are no NaN; NaN if there is none",
                  .rule = kHasMedian,
                  .socs = kNot310P},
                 kSelf, kValuesOut));

PORTACL_ROW(
    NanMedianDim, opapi_nn, "aclnn_median.h",
    Pick({.formula = "the median along dim of the elements of self that are no NaN, or the first NaN if there is "
                     "none; indicesOut = its index",
          .dim = "dim",
          .keep = "keepDim",
          .socs = kNot310P},
         kSelf, OneAxis("dim"), Flag("keepDim"), kValuesOut, kIndicesOut));

/// p and k have an element for each row of logits, whose elements an index can count.
aclnnStatus CheckRows(const exec::Arguments& arguments, const exec::Step& step);

PORTACL_ROW(
    ApplyTopKTopP, opapi_nn, "aclnn_apply_top_k_top_p.h",
    exec::MakeRecipe(
        {.formula = "logits, with -inf for the elements of each row that k and then p leave out",
         .special =
             "k leaves out what is smaller than the k-th largest element of the row, if 0 < k and there are more "
             "than k. p leaves out the smallest elements whose probabilities, those of a softmax over what k "
             "left, add up to no more than 1 - p, but for the last of the largest; if p <= 0, all but that one. "
             "NaN is larger than all numbers; a row with NaN or inf has no probabilities, and p > 0 leaves out "
             "nothing; nor does p = NaN. Without p and k, the result is logits.",
         .accuracy = {exec::Ulp("out", kFloats3, 0)
                          .OfTerm("any of logits and -inf where the sum of the probabilities is within 2^-18 of 1 - p, "
                                  "relative to both")},
         .socs = kNewer},
        {exec::In("logits"), exec::OptionalIn("p"), exec::OptionalIn("k"), exec::Out("out")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("logits", "out"), exec::OnSocs(),
         Dtypes({"logits"}, kFloats3), exec::SameDtype("logits", "p"), exec::DtypeOneOf({"k"}, {ACL_INT32}),
         exec::SameDtype("logits", "out"), exec::PlainFormat("logits", "p", "k", "out"), exec::Rank({"logits"}, 2, 2),
         exec::Rank({"p"}, 1, 1), exec::Rank({"k"}, 1, 1), exec::MaxRank("out"),
         exec::ShapeIs("out", exec::SameShapeAs("logits")),
         exec::Custom("p, k: an element for each row of logits, whose length is at most 2^31 - 1", CheckRows),
         exec::EmptySucceeds("logits")}));

}  // namespace portacl::ops::sort
