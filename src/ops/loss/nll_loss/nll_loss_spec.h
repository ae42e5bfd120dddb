// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/arguments.h"
#include "families/loss_schema.h"
#include "families/movement.h"
#include "families/reduction_schema.h"

namespace portacl::ops::nll_loss {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

/// The axis of self along which the classes lie.
constexpr int ClassAxis(int rank) { return rank == 1 ? 0 : 1; }

/// The shape of self without its classes; and that of one number per class.
bool LabelShape(const exec::Arguments& arguments, Shape* shape);
bool ClassShape(const exec::Arguments& arguments, Shape* shape);
/// A self without classes has no labels.
aclnnStatus HasClasses(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr exec::Arg kIgnoreIndex = exec::Attribute("ignoreIndex", exec::ValueKind::kInt64);

// Ranks of self: a row of classes or rows of them; or images, which have classes along axis 1.
struct Ranks {
  int low, high;
};
inline constexpr Ranks kRows = {1, 2};
inline constexpr Ranks kImages = {4, 4};

consteval exec::Step LabelDtypes() { return exec::DtypeOneOf({"target"}, {ACL_INT64, ACL_INT32, ACL_UINT8}); }

// Errors of sums are those of the last rounding: their terms are rounded to float32 by definition.
consteval exec::Accuracy AccuracyOfForward() {
  exec::Accuracy accuracy;
  for (const char* const output : {"out", "totalWeightOut"}) {
    for (const exec::ErrorBound& bound : AccuracyOf(output, kFloats3, kSumErrors))
      accuracy.items[accuracy.count++] = bound;
  }
  return accuracy;
}

consteval auto Forward(Ranks ranks) {
  const exec::Arg args[] = {exec::In("self"), exec::In("target"), exec::In("weight"),         kReduction,
                            kIgnoreIndex,     exec::Out("out"),   exec::Out("totalWeightOut")};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              exec::NotNull("self", "target", "weight", "out", "totalWeightOut"),
                              exec::OnSocs(),
                              Dtypes({"self"}, kFloats3),
                              LabelDtypes(),
                              Dtypes({"weight"}, kFloats3),
                              Dtypes({"out"}, kFloats3),
                              Dtypes({"totalWeightOut"}, kFloats3),
                              exec::PlainFormat("self", "target", "weight", "out", "totalWeightOut"),
                              exec::Rank({"self"}, ranks.low, ranks.high),
                              exec::MaxRank("target", "weight", "out", "totalWeightOut"),
                              ShapeFrom("target: shape of self without its classes", "target", LabelShape),
                              ShapeFrom("weight: an element for each class", "weight", ClassShape),
                              exec::Custom("self: classes, where there are labels", HasClasses),
                              ReductionIsKnown(),
                              exec::ShapeIs("out", exec::ReducedBroadcastOf("reduction", "target")),
                              exec::ShapeIs("totalWeightOut", exec::ReducedAlong("target"))};
  return exec::MakeRecipe(
      {.formula =
           "-weight[target] * self[target] of each row of classes, for reduction 1 their weighted mean and for 2 "
           "their sum",
       .special =
           "Labels that equal ignoreIndex have no loss and no weight. Terms are rounded to float32. totalWeightOut is "
           "the sum of the weights of the other labels, by which a mean is divided; without reduction it is 0. Without "
           "labels the mean is NaN. Another label that is no class is found when the call runs: its loss is 0, and the "
           "stream reports 507015.",
       .accuracy = AccuracyOfForward(),
       .socs = kMost},
      args, steps);
}

consteval auto Backward(Ranks ranks, exec::Arg total_weight) {
  const exec::Arg args[] = {exec::In("gradOutput"), exec::In("self"), exec::In("target"),
                            exec::In("weight"),     kReduction,       kIgnoreIndex,
                            total_weight,           exec::Out("out")};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              exec::NotNull("gradOutput", "self", "target", "weight", "totalWeight", "out"),
                              exec::OnSocs(),
                              Dtypes({"gradOutput"}, kFloats3),
                              Dtypes({"self"}, kFloats3),
                              LabelDtypes(),
                              Dtypes({"weight"}, kFloats3),
                              Dtypes({"totalWeight"}, kFloats3),
                              Dtypes({"out"}, kFloats3),
                              exec::PlainFormat("gradOutput", "self", "target", "weight", "totalWeight", "out"),
                              exec::Rank({"self"}, ranks.low, ranks.high),
                              exec::MaxRank("gradOutput", "target", "weight", "totalWeight", "out"),
                              ShapeFrom("target: shape of self without its classes", "target", LabelShape),
                              ShapeFrom("weight: an element for each class", "weight", ClassShape),
                              exec::Custom("self: classes, where there are labels", HasClasses),
                              ReductionIsKnown(),
                              exec::ShapeIs("gradOutput", exec::ReducedBroadcastOf("reduction", "target")),
                              exec::ShapeIs("totalWeight", exec::ReducedAlong("target")),
                              exec::ShapeIs("out", exec::SameShapeAs("self"))};
  return exec::MakeRecipe(
      {.formula =
           "-gradOutput * weight[target] at the label of each row, for reduction 1 divided by totalWeight, and 0 "
           "elsewhere",
       .special = "Rows whose label equals ignoreIndex are 0. So are rows with another label that is no class; it is "
                  "found when the call runs, and the stream reports 507015.",
       .accuracy = AccuracyOf("out", kFloats3, kOneRounding),
       .socs = kNot310P},
      args, steps);
}

PORTACL_ROW(NLLLoss, opapi_nn, "aclnn_nll_loss.h", Forward(kRows));
PORTACL_ROW(NLLLoss2d, opapi_nn, "aclnn_nll_loss2d.h", Forward(kImages));
PORTACL_ROW(NLLLossBackward, opapi_nn, "aclnn_nll_loss_backward.h", Backward(kRows, exec::In("totalWeight")));
PORTACL_ROW(NLLLoss2dBackward, opapi_nn, "aclnn_nll_loss2d_backward.h",
            Backward(kImages, exec::NotConst(exec::In("totalWeight"))));

}  // namespace portacl::ops::nll_loss
