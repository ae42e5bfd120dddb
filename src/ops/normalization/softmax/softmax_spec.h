// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/reduction_schema.h"

namespace portacl::ops::softmax {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

struct AlongRow {
  exec::About about;
  Errors errors;
  bool flushes = false;  // results below the smallest normal number of FLOAT are 0
};

// Shares next to 1 are truncated to 0 or 1; differences of 16-bit elements are often halfway between two of them, where
// the logarithm, however small, decides.
consteval exec::Accuracy AccuracyAlong(const AlongRow& row, exec::DtypeSet results) {
  exec::Accuracy accuracy = AccuracyOf("out", results, row.errors);
  for (int i = 0; i < accuracy.count; ++i) {
    exec::ErrorBound& bound = accuracy.items[i];
    if (row.flushes) bound = bound.OrZeroForSubnormals(bound.dtypes & exec::DtypeSet{ACL_FLOAT, ACL_BF16, ACL_DOUBLE});
    if (!row.flushes || (bound.dtypes & kWhole) == bound.dtypes) bound = bound.NearestBut(row.flushes ? 0.05 : 0.005);
  }
  return accuracy;
}

// Along one axis of self; an empty self succeeds whatever its dtype.
consteval auto Along(const AlongRow& row) {
  const exec::DtypeSet results = kCastable;
  const exec::Arg args[] = {kSelf, OneAxis("dim"), kOut};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              exec::NotNull("self", "out"),
                              exec::OnProducts().If(row.about.products != exec::ProductSet::All()),
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

inline constexpr exec::SchemaOf kSoftmax(
    Along({.about = {.api = "aclnnSoftmax",
                     .formula = "e^(self - m) / sum e^(self - m) along dim, m being the largest element",
                     .special = "NaN or +Inf gives NaN in all its row, and so does -Inf in all of it. Results below "
                                "2^-126, of DOUBLE 2^-1022, may be 0.",
                     .header = "aclnn_softmax.h"},
           .errors = {5, 6, 0.51, 8},
           .flushes = true}));

inline constexpr exec::SchemaOf kLogSoftmax(
    Along({.about = {.api = "aclnnLogSoftmax",
                     .formula = "self - m - ln sum e^(self - m) along dim, m being the largest element",
                     .special = "NaN or +Inf gives NaN in all its row, and so does -Inf in all of it.",
                     .header = "aclnn_logsoftmax.h",
                     .products = kMost},
           .errors = {5, 6, 0.51, 8, "2^-104, of DOUBLE 2^-970, for each element of the row"}}));

inline constexpr const exec::Schema* kSchemas[] = {&kSoftmax, &kLogSoftmax};

}  // namespace portacl::ops::softmax
