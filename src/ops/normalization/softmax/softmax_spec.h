// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/arguments.h"
#include "families/movement.h"
#include "families/reduction_schema.h"

namespace portacl::ops::softmax {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

struct AlongRow {
  exec::About about;
  Errors errors;
  bool flushes = false;  // results below the smallest normal number of FLOAT are 0
};

// Shares next to 1 are truncated to 0 or 1. Differences of 16-bit elements are often halfway between two values, where
// even a tiny logarithm decides the rounding.
consteval exec::Accuracy AccuracyAlong(const AlongRow& row, exec::DtypeSet results) {
  exec::Accuracy accuracy = AccuracyOf("out", results, row.errors);
  for (int i = 0; i < accuracy.count; ++i) {
    exec::ErrorBound& bound = accuracy.items[i];
    if (row.flushes) bound = bound.OrZeroForSubnormals(bound.dtypes & exec::DtypeSet{ACL_FLOAT, ACL_BF16, ACL_DOUBLE});
    if (!row.flushes || (bound.dtypes & kWhole) == bound.dtypes) bound = bound.NearestBut(row.flushes ? 0.05 : 0.005);
  }
  return accuracy;
}

// A function along one axis of self; an empty self succeeds whatever its dtype.
consteval auto Along(const AlongRow& row) {
  const exec::DtypeSet results = kCastable;
  const exec::Arg args[] = {kSelf, OneAxis("dim"), kOut};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              exec::NotNull("self", "out"),
                              exec::OnSocs().If(row.about.socs != exec::SocSet::All()),
                              exec::MaxRank("self"),
                              exec::EmptySucceeds("self"),
                              Dtypes({"self"}, kFloats4),
                              Dtypes({"out"}, results),
                              ComputedDtypes({"out"}, results),
                              exec::StoresTo({"self"}, "out"),
                              exec::AxesInRange("dim", "self"),
                              exec::PlainFormat("self", "out"),
                              exec::MaxRank("out"),
                              exec::ShapeIs("out", exec::SameShapeAs("self"))};
  exec::About about = row.about;
  about.accuracy = AccuracyAlong(row, results & kComputed);
  return exec::MakeRecipe(about, args, steps);
}

PORTACL_ROW(Softmax, opapi_nn, "aclnn_softmax.h",
            Along({.about = {.formula = "e^(self - m) / sum e^(self - m) along dim, m being the largest element",
                             .special = "A NaN or +Inf makes its whole row NaN, and so does a row of -Inf only. "
                                        "Results below 2^-126, for DOUBLE 2^-1022, may be 0."},
                   .errors = {5, 6, 0.51, 8},
                   .flushes = true}));

PORTACL_ROW(LogSoftmax, opapi_nn, "aclnn_logsoftmax.h",
            Along({.about = {.formula = "self - m - ln sum e^(self - m) along dim, m being the largest element",
                             .special = "A NaN or +Inf makes its whole row NaN, and so does a row of -Inf only.",
                             .socs = kMost},
                   .errors = {5, 6, 0.51, 8, "2^-104, for DOUBLE 2^-970, for each element of the row"}}));

// Takes gradOutput and the result of the forward operator, all of the same dtype and shape.
consteval auto GradientAlong(const AlongRow& row) {
  const exec::Arg args[] = {exec::In("gradOutput"), exec::In("output"), OneAxis("dim"), kOut};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              exec::NotNull("gradOutput", "output", "out"),
                              exec::OnSocs(),
                              Dtypes({"gradOutput", "output", "out"}, kFloats3),
                              exec::SameDtype("gradOutput", "output", "out"),
                              exec::PlainFormat("gradOutput", "output", "out"),
                              exec::MaxRank("gradOutput", "output", "out"),
                              exec::AxesInRange("dim", "gradOutput"),
                              exec::ShapeIs("output", exec::SameShapeAs("gradOutput")),
                              exec::ShapeIs("out", exec::SameShapeAs("gradOutput")),
                              exec::EmptySucceeds("out")};
  exec::About about = row.about;
  about.accuracy = AccuracyOf("out", kFloats3, row.errors);
  return exec::MakeRecipe(about, args, steps);
}

PORTACL_ROW(SoftmaxBackward, opapi_nn, "aclnn_softmax_backward.h",
            GradientAlong({.about = {.formula = "output * (gradOutput - sum(gradOutput * output)), sum along dim",
                                     .socs = kMost},
                           .errors = {4, 5, 0.51, 0, "|output| * (|gradOutput| + sum |gradOutput * output|)"}}));

PORTACL_ROW(
    LogSoftmaxBackward, opapi_nn, "aclnn_logsoftmax_backward.h",
    GradientAlong({.about = {.formula = "gradOutput - e^output * sum(gradOutput), sum along dim", .socs = kMost},
                   .errors = {4, 5, 0.51, 0,
                              "|gradOutput| + e^output * sum |gradOutput|, the factor being 2^-126 at least"}}));

inline bool LossShape(const exec::Arguments& arguments, Shape* shape) {
  SetShape(arguments.Tensor(0).dims().first(1), shape);
  return true;
}

// Terms of the loss may cancel; if a share is small, the sign of its difference to a label depends on it.
consteval exec::Accuracy CrossEntropyAccuracy() {
  exec::Accuracy accuracy;
  for (const exec::Accuracy& of_output : {AccuracyOf("loss", kFloats3, {4, 5, 0.51, 0, "sum |labels * log p|"}),
                                          AccuracyOf("backprop", kFloats3, {4, 5, 0.51, 0, "p"})}) {
    for (const exec::ErrorBound& bound : of_output) accuracy.items[accuracy.count++] = bound.NearestBut(0.02);
  }
  return accuracy;
}

PORTACL_ROW(
    SoftmaxCrossEntropyWithLogits, opapi_nn, "aclnn_softmax_cross_entropy_with_logits.h",
    exec::MakeRecipe(
        {.formula = "loss = -sum(labels * log p), backprop = p - labels, p being the softmax of each row of features",
         .special = "A label of 0 where log p is -inf gives NaN in loss. backprop is the same for labels that do not "
                    "add up to 1.",
         .accuracy = CrossEntropyAccuracy(),
         .socs = kMost},
        {exec::In("features"), exec::NotConst(exec::In("labels")), exec::Out("loss"), exec::Out("backprop")},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("features", "labels", "loss", "backprop"),
         exec::OnSocs(), Dtypes({"features"}, kFloats3), Dtypes({"labels"}, kFloats3),
         exec::SameDtype("features", "loss", "backprop"), exec::PlainFormat("features", "labels", "loss", "backprop"),
         exec::Rank({"features", "labels"}, 2, 2), exec::MaxRank("loss"), exec::Rank({"backprop"}, 2, 2),
         exec::EmptySucceeds("features"), exec::ShapeIs("labels", exec::BroadcastsTo("features")),
         ShapeFrom("loss: an element for each row of features", "loss", LossShape),
         exec::ShapeIs("backprop", exec::SameShapeAs("features"))}));

}  // namespace portacl::ops::softmax
