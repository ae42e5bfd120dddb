// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/scatter_schema.h"

namespace portacl::ops::embedding {

using exec::Attribute;
using exec::ValueKind;

/// grad has a row for each element of indices, and out has numWeights of them.
aclnnStatus RowsFit(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr const char* kAtLimit = "infinity, if the norm is maxNorm but for its rounding";

consteval exec::About AboutGradient() {
  exec::About about = {
      .formula = "the sum of the rows of grad whose element of indices is the number of the row",
      .special =
          "Rows that no index names are 0, and so is row paddingIdx; read as INT64, a negative one is none. With "
          "scaleGradByFreq, a sum is divided by the number of its terms. Floating indices are truncated. Rows are "
          "added in float64 in the order of indices, and rounded once. An index that is negative, or not less than "
          "numWeights, is found when the call runs: its row is skipped, and the stream reports 507015.",
      .socs = families::kAllBut310P.Without({SocFamily::kAscend310B})};
  about.accuracy = families::CombinedAccuracy("out", families::kFloats3);
  return about;
}

PORTACL_ROW(EmbeddingDenseBackward, opapi_nn, "aclnn_embedding_dense_backward.h",
            exec::MakeRecipe(AboutGradient(),
                             {exec::In("grad"), exec::In("indices"), Attribute("numWeights", ValueKind::kUInt64),
                              Attribute("paddingIdx", ValueKind::kUInt64),
                              Attribute("scaleGradByFreq", ValueKind::kBool), exec::Const(exec::Out("out"))},
                             {exec::NotNull("workspaceSize", "executor"), exec::NotNull("grad", "indices", "out"),
                              exec::OnSocs(), families::Dtypes({"grad"}, families::kFloats3),
                              families::Dtypes({"indices"}, families::kReal),
                              families::Dtypes({"out"}, families::kFloats3), exec::Rank({"grad"}, 1, kMaxRank),
                              exec::MaxRank("indices"), exec::Rank({"out"}, 2, 2),
                              exec::Custom("grad: a row for each element of indices; out: [numWeights, D]", RowsFit),
                              exec::PlainFormat("grad", "indices", "out")}));

PORTACL_ROW(
    EmbeddingRenorm, opapi_nn, "aclnn_embedding_renorm.h",
    families::Movement(
        {.formula = "the rows of selfRef that indices name, times maxNorm / (norm + 1e-7) where the norm is larger",
         .special = "The norm is the sum of the magnitudes to the power normType, to the power 1 / normType; for 0 "
                    "the number of elements that are not 0, for infinities the largest or smallest magnitude. It "
                    "is computed in float64, and a row that is named several times is scaled once. An index that "
                    "is negative, or not less than the number of rows, is found when the call runs: it is passed "
                    "over, and the stream reports 507015.",
         .accuracy = families::AccuracyOf("selfRef", families::kFloats3, {0.51, 0.51, 0.51, 0.51, kAtLimit}),
         .socs = families::kNot310P},
        families::Dtypes({"selfRef"}, families::kFloats3),
        {exec::InOut("selfRef"), exec::In("indices"), Attribute("maxNorm", ValueKind::kDouble),
         Attribute("normType", ValueKind::kDouble)},
        {exec::EmptySucceeds("selfRef")},
        {.self = "selfRef",
         .out = "selfRef",
         .index = "indices",
         .highest_index_rank = kMaxRank,
         .lowest_rank = 2,
         .highest_rank = 2}));

}  // namespace portacl::ops::embedding
