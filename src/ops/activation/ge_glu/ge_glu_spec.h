// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::ge_glu {

using exec::Attribute;
using exec::ValueKind;
using families::kFloats3;
using families::kNarrow;

// The error bounds of results that are products with `other`, the half that is not activated.
inline constexpr const char* kOtherTerm = "2^-126 of the other half";
inline constexpr const char* kSlopeTerm = "|gradOutput * other|, and 2^-126 of each";

// Properties that both forward operators share.
consteval exec::About Forward(exec::About row) {
  row.source = "aclnnGeGlu page of the CANN operator documentation";
  row.special = "gelu(-inf) is 0, gelu(NaN) is NaN; out is computed from the float32 gelu.";
  row.accuracy = {exec::Ulp("out", {ACL_FLOAT}, 3).WithoutFusion(3.5).OfTerm(kOtherTerm),
                  exec::Ulp("out", kNarrow, 0.51).OfTerm(kOtherTerm),
                  exec::Ulp("outGelu", {ACL_FLOAT}, 2).WithoutFusion(3), exec::Ulp("outGelu", kNarrow, 0.51)};
  row.socs = families::kNot910;
  return row;
}

consteval exec::About Backward(exec::About row) {
  row.source = "aclnnGeGluBackward page of the CANN operator documentation";
  row.accuracy = {exec::Ulp("gradInput", {ACL_FLOAT}, 5).InPart("the activated half").OfTerm(kSlopeTerm),
                  exec::Ulp("gradInput", {ACL_FLOAT}, 0.51).InPart("the other half"),
                  exec::Ulp("gradInput", kNarrow, 0.51).InPart("the activated half").OfTerm(kSlopeTerm),
                  exec::Ulp("gradInput", kNarrow, 0.51).InPart("the other half")};
  row.socs = families::kNot910;
  return row;
}

inline constexpr exec::Step kForwardSteps[] = {exec::NotNull("workspaceSize", "executor"),
                                               exec::NotNull("self", "out", "outGelu"),
                                               exec::OnSocs(),
                                               families::Dtypes({"self"}, kFloats3),
                                               exec::SameDtype("self", "out", "outGelu"),
                                               exec::PlainFormat("self", "out", "outGelu"),
                                               exec::Rank({"self", "out", "outGelu"}, 1, kMaxRank),
                                               exec::DimInRange("dim", "self"),
                                               exec::ValueOneOf("approximate", {0, 1}),
                                               exec::DivisibleAlong("self", "dim", 2),
                                               exec::ShapeIs("out", exec::HalfAlong("self", "dim")),
                                               exec::ShapeIs("outGelu", exec::HalfAlong("self", "dim")),
                                               exec::EmptySucceeds("self")};

inline constexpr exec::Step kBackwardSteps[] = {exec::NotNull("workspaceSize", "executor"),
                                                exec::NotNull("gradOutput", "self", "gelu", "gradInput"),
                                                exec::OnSocs(),
                                                families::Dtypes({"gradOutput"}, kFloats3),
                                                exec::SameDtype("gradOutput", "self", "gelu", "gradInput"),
                                                exec::PlainFormat("gradOutput", "self", "gelu", "gradInput"),
                                                exec::Rank({"gradOutput", "self", "gelu", "gradInput"}, 1, kMaxRank),
                                                exec::DimInRange("dim", "self"),
                                                exec::ValueOneOf("approximate", {0, 1}),
                                                exec::DivisibleAlong("self", "dim", 2),
                                                exec::ShapeIs("gradOutput", exec::HalfAlong("self", "dim")),
                                                exec::ShapeIs("gelu", exec::HalfAlong("self", "dim")),
                                                exec::ShapeIs("gradInput", exec::SameShapeAs("self")),
                                                exec::EmptySucceeds("self")};

inline constexpr exec::Arg kDim = Attribute("dim", ValueKind::kInt64);
inline constexpr exec::Arg kApproximate = Attribute("approximate", ValueKind::kInt64);
inline constexpr exec::Arg kActivateLeft = Attribute("activateLeft", ValueKind::kBool);

PORTACL_ROW(
    GeGlu, opapi_nn, "aclnn_geglu.h",
    exec::MakeRecipe(
        Forward(
            {.formula =
                 "out = A * gelu(B), outGelu = gelu(B) for the halves A and B of self along dim; gelu(x) = x P(x) for "
                 "the normal distribution P, with approximate 1 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2"}),
        {exec::In("self"), kDim, kApproximate, exec::Out("out"), exec::Out("outGelu")}, kForwardSteps));
PORTACL_ROW(
    GeGluV3, opapi_nn, "aclnn_geglu.h",
    exec::MakeRecipe(Forward({.formula = "out = gelu(A) * B, outGelu = gelu(A) with activateLeft, else A * gelu(B) and "
                                         "gelu(B), for the halves A and B of self along dim; gelu as for aclnnGeGlu"}),
                     {exec::In("self"), kDim, kApproximate, kActivateLeft, exec::Out("out"), exec::Out("outGelu")},
                     kForwardSteps));

PORTACL_ROW(
    GeGluBackward, opapi_nn, "aclnn_geglu_backward.h",
    exec::MakeRecipe(
        Backward({.formula = "for the halves A and B of self along dim, the first half of gradInput is gradOutput * "
                             "gelu, the second gradOutput * A * gelu'(B); gelu as for aclnnGeGlu"}),
        {exec::In("gradOutput"), exec::In("self"), exec::In("gelu"), kDim, kApproximate, exec::Out("gradInput")},
        kBackwardSteps));
PORTACL_ROW(
    GeGluV3Backward, opapi_nn, "aclnn_geglu_backward.h",
    exec::MakeRecipe(Backward({.formula = "as aclnnGeGluBackward; with activateLeft the first half of gradInput is "
                                          "gradOutput * B * gelu'(A), the second gradOutput * gelu"}),
                     {exec::In("gradOutput"), exec::In("self"), exec::In("gelu"), kDim, kApproximate, kActivateLeft,
                      exec::Out("gradInput")},
                     kBackwardSteps));

}  // namespace portacl::ops::ge_glu
