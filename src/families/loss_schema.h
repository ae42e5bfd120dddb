// SPDX-License-Identifier: Apache-2.0
// Schemas of losses: a term for each element of the broadcast of self and target, or the mean or sum of all terms; and
// of their gradients, which have a factor gradOutput.
#pragma once

#include "families/pointwise_schema.h"

namespace portacl::families {

struct LossRow {
  exec::About about;
  exec::DtypeSet dtypes = kFloats3;     // of all tensors
  Errors errors;                        // of a term
  Errors of_sum = {1.6, 1.6, 0.51, 0};  // of a mean or sum of terms that are not negative, in epsilon
  bool reduction_first = false;         // `reduction` is checked before the dtypes
  exec::Step condition = kNoStep;       // on dtypes and reduction
};

inline constexpr exec::Arg kReduction = exec::Attribute("reduction", exec::ValueKind::kInt64);
consteval exec::Step ReductionIsKnown() { return exec::ValueOneOf("reduction", {0, 1, 2}); }

consteval exec::Accuracy AccuracyOfLoss(const LossRow& row) {
  exec::Accuracy accuracy;
  const auto add = [&](exec::ErrorBound bound) { accuracy.items[accuracy.count++] = bound; };
  add(exec::Ulp("out", {ACL_FLOAT}, row.errors.single).WithoutFusion(row.errors.unfused).Where("reduction", {0}));
  add(exec::Epsilon("out", {ACL_FLOAT}, row.of_sum.single).Where("reduction", {1, 2}));
  add(exec::Ulp("out", kNarrow, row.errors.narrow));
  if (row.dtypes.Holds(ACL_INT64)) {
    add(exec::Ulp("out", {ACL_INT64}, row.errors.single).CountedIn(ACL_FLOAT).Where("reduction", {0}));
    add(exec::Ulp("out", {ACL_INT64}, 2 * row.of_sum.single).CountedIn(ACL_FLOAT).Where("reduction", {1, 2}));
  }
  return accuracy;
}

// out = f(self, target), its mean or its sum.
consteval auto Loss(const LossRow& row) {
  const exec::Arg args[] = {exec::In("self"), exec::In("target"), kReduction, exec::Out("out")};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "target", "out"),
                              exec::OnSocs(), ReductionIsKnown().If(row.reduction_first), Dtypes({"self"}, row.dtypes),
                              Dtypes({"target"}, row.dtypes), Dtypes({"out"}, row.dtypes),
                              exec::StoresTo({"self", "target"}, "out"), ReductionIsKnown().If(!row.reduction_first),
                              row.condition, exec::PlainFormat("self", "target", "out"),
                              exec::MaxRank("self", "target", "out"),
                              exec::ShapeIs("out", exec::ReducedBroadcastOf("reduction", "self", "target")),
                              // The sum of no terms is 0 and their mean NaN, which must be written.
                              exec::EmptySucceeds("out")};
  exec::About about = row.about;
  about.accuracy = AccuracyOfLoss(row);
  return exec::MakeRecipe(about, args, steps);
}

struct LossGradientRow {
  exec::About about;
  Errors errors;
  const char* out = "out";
  bool one_dtype = false;  // all tensors have the same dtype
};

// out = gradOutput * f(self, target), for a mean divided by a number of elements; all three are broadcast.
consteval auto LossGradient(const LossGradientRow& row) {
  const exec::Arg args[] = {exec::In("gradOutput"), exec::In("self"), exec::In("target"), kReduction,
                            exec::Out(row.out)};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              exec::NotNull("gradOutput", "self", "target", row.out),
                              exec::OnSocs(),
                              Dtypes({"gradOutput"}, kFloats3),
                              Dtypes({"self"}, kFloats3),
                              Dtypes({"target"}, kFloats3),
                              Dtypes({row.out}, kFloats3),
                              exec::SameDtype("gradOutput", "self", "target", row.out).If(row.one_dtype),
                              ReductionIsKnown(),
                              exec::PlainFormat("gradOutput", "self", "target", row.out),
                              exec::MaxRank("gradOutput", "self", "target", row.out),
                              exec::ShapeIs(row.out, exec::BroadcastOf("gradOutput", "self", "target")),
                              exec::EmptySucceeds(row.out)};
  exec::About about = row.about;
  about.accuracy = AccuracyOf(row.out, kFloats3, row.errors);
  return exec::MakeRecipe(about, args, steps);
}

}  // namespace portacl::families
