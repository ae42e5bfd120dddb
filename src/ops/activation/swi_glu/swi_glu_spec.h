// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <fmt/format.h>

#include "base/dtype.h"
#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::swi_glu {

using families::kFloats3;
using families::kNarrow;

// Requirements of Ascend310P that the words of a schema cannot express.

/// The forward operator of Ascend310P does not accept empty tensors.
inline aclnnStatus NotEmptyOn310P(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.soc().family != SocFamily::kAscend310P) return exec::kSuccess;
  const int x = arguments.schema().Find("x");
  for (const int64_t size : arguments.Tensor(x).dims()) {
    if (size == 0) return arguments.Refuse(step, x, "a tensor with elements on Ascend310P", "an empty one");
  }
  return exec::kSuccess;
}

/// Ascend310P copies each half in one piece per index of the axes before `dim`, and the pieces start at multiples of 64
/// bytes.
inline aclnnStatus HalvesAlignedOn310P(const exec::Arguments& arguments, const exec::Step& step) {
  if (arguments.soc().family != SocFamily::kAscend310P) return exec::kSuccess;
  constexpr int64_t kAlignment = 64;
  const int x = arguments.schema().Find("x");
  const View& view = arguments.Tensor(x);
  const int64_t dim = arguments.value(arguments.schema().Find("dim")).integer();
  int64_t bytes = static_cast<int64_t>(ElementBytes(view.dtype));
  for (int64_t axis = dim < 0 ? dim + view.rank : dim; axis < view.rank; ++axis) bytes *= view.shape[axis];
  bytes /= 2;
  if (bytes % kAlignment == 0) return exec::kSuccess;
  return arguments.Refuse(step, x, "halves of a multiple of 64 bytes from axis dim on (Ascend310P)",
                          fmt::format("{} bytes", bytes));
}

PORTACL_ROW(SwiGlu, opapi_nn, "aclnn_swi_glu.h",
            exec::MakeRecipe(
                {.formula = "A * sigmoid(A) * B, where A and B are the halves of x along dim",
                 .special = "sigmoid(a) = 1 / (1 + exp(-a)); A is the first half. A = inf gives inf * B, A = -inf and "
                            "NaN give NaN. As in float64, sigmoid(a) is 0 below a = -709.78. Results below the "
                            "smallest normal number of their dtype are subnormals, or 0 with their sign where "
                            "sigmoid(A) is below 2^-126. CANN's default of dim is -1. On Ascend310P x has elements, "
                            "and the bytes of one half, counted from axis dim on, are a multiple of 64.",
                 .accuracy = {exec::Ulp("out", {ACL_FLOAT}, 4).OrZeroForSubnormals({ACL_FLOAT}),
                              exec::Ulp("out", kNarrow, 1).OrZeroForSubnormals({ACL_BF16})},
                 .socs = families::kNot910},
                {exec::In("x"), exec::Attribute("dim", exec::ValueKind::kInt64), exec::Const(exec::Out("out"))},
                {exec::NotNull("x", "out"), exec::NotNull("executor", "workspaceSize"), exec::OnSocs(),
                 families::Dtypes({"x", "out"}, kFloats3), exec::SameDtype("x", "out"), exec::PlainFormat("x", "out"),
                 exec::Rank({"x"}, 1, kMaxRank), exec::DimInRange("dim", "x"), exec::DivisibleAlong("x", "dim", 2),
                 exec::MaxRank("out"), exec::ShapeIs("out", exec::HalfAlong("x", "dim")),
                 exec::Custom("not empty on Ascend310P", NotEmptyOn310P), exec::EmptySucceeds("x"),
                 exec::Custom("halves aligned on Ascend310P", HalvesAlignedOn310P).Status(exec::kNoPlan)}));

PORTACL_ROW(
    SwiGluGrad, opapi_nn, "aclnn_swi_glu_grad.h",
    exec::MakeRecipe(
        {.formula =
             "yGrad * B * q * (1 + A * (1 - q)), then yGrad * A * q; A, B: halves of x along dim, q = sigmoid(A)",
         .special = "A is the first half, sigmoid(a) = 1 / (1 + exp(-a)). The two halves of out along dim are\n"
                    "  outA = yGrad * B * q * (1 + A * (1 - q))\n"
                    "  outB = yGrad * A * q\n"
                    "NaN and -inf in A give NaN in both halves, inf gives NaN in outA and inf * yGrad in outB. B does "
                    "not affect outB. As in float64, q is 0 below A = -709.78. Results below the smallest normal "
                    "number of their dtype are subnormals, or 0 with their sign where q is below 2^-126. Mind the "
                    "order: yGrad first, then x. CANN's default of dim is -1. On Ascend310P the bytes of one half, "
                    "counted from axis dim on, are a multiple of 64. Up to about release 8.2 the operator's page "
                    "printed q * (1 - q * A) in place of q * (1 + A * (1 - q)), which is not the derivative.",
         .accuracy = {exec::Ulp("out", {ACL_FLOAT}, 7)
                          .InPart("outA")
                          .OfTerm("|yGrad * B * q|")
                          .OrZeroForSubnormals({ACL_FLOAT}),
                      exec::Ulp("out", {ACL_FLOAT}, 4).InPart("outB").OrZeroForSubnormals({ACL_FLOAT}),
                      exec::Ulp("out", kNarrow, 1).OrZeroForSubnormals({ACL_BF16})},
         .socs = families::kNot910},
        {exec::In("yGrad"), exec::In("x"), exec::Attribute("dim", exec::ValueKind::kInt64),
         exec::Const(exec::Out("out"))},
        {exec::NotNull("yGrad", "x", "out"), exec::NotNull("executor", "workspaceSize"), exec::OnSocs(),
         families::Dtypes({"yGrad", "x", "out"}, kFloats3), exec::SameDtype("yGrad", "x", "out"),
         exec::PlainFormat("yGrad", "x", "out"), exec::Rank({"x"}, 1, kMaxRank), exec::DimInRange("dim", "x"),
         exec::DivisibleAlong("x", "dim", 2), exec::MaxRank("yGrad", "out"),
         exec::ShapeIs("yGrad", exec::HalfAlong("x", "dim")), exec::ShapeIs("out", exec::SameShapeAs("x")),
         exec::NotEmpty("x"),
         exec::Custom("halves aligned on Ascend310P", HalvesAlignedOn310P).Status(exec::kNoPlan)}));

}  // namespace portacl::ops::swi_glu
