// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/arguments.h"
#include "families/reduction_schema.h"

namespace portacl::ops::random {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

/// from, to and their difference are representable in the dtype, and from <= to.
aclnnStatus CheckBounds(const exec::Arguments& arguments, const exec::Step& step);
/// prob is a probability.
aclnnStatus CheckProbability(const exec::Arguments& arguments, const exec::Step& step);

inline constexpr const char* kStream =
    "u depends only on seed, offset and the index of the element in row-major order: Philox4x32-10 with seed as its "
    "key and offset as the upper half of its counter, four words of 32 bits for each value of the lower half. Calls "
    "with different offsets have no words in common. FLOAT, FLOAT16, BFLOAT16 and types of up to 16 bits "
    "take the first 24 bits of a word each, others 53 bits of two. The numbers are not those of an NPU.";

// The step, together with the attributes that it relates to each other, so that calls generate them together.
consteval exec::Step Settles(exec::Step step, exec::Refs attributes) {
  step.refs = attributes;
  return step;
}

// `list`: the written tensor, called `out`, and the attributes.
template <class... Args>
consteval auto Random(const exec::About& row, const char* out, exec::DtypeSet dtypes, const exec::Accuracy& accuracy,
                      const exec::Step& scalars, const exec::Step& attributes, Args... list) {
  const exec::Arg args[] = {list...};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              PointersNotNull({list...}),
                              exec::OnSocs(),
                              Dtypes({out}, dtypes),
                              scalars,
                              exec::PlainFormat(out),
                              exec::MaxRank(out),
                              attributes,
                              exec::EmptySucceeds(out)};
  exec::About about = row;
  about.special = kStream;
  about.accuracy = accuracy;
  return exec::MakeRecipe(about, args, steps);
}

inline constexpr exec::Arg kWritten = exec::OnlyWritten(exec::Const(exec::InOut("selfRef")));
consteval exec::Arg Word(const char* name) { return exec::Attribute(name, exec::ValueKind::kUInt64); }
consteval exec::Arg Real(const char* name) { return exec::Attribute(name, exec::ValueKind::kFloat); }

PORTACL_ROW(InplaceUniform, opapi_math, "aclnn_uniform.h",
            Random({.formula = "from + u * (to - from) for uniform u in [0, 1), in float64; the largest number below "
                               "to where that is rounded to it; rounded down in integers",
                    .socs = kMost},
                   "selfRef", kFloats4 | kIntegers, {exec::Exact("selfRef")}, kNoStep,
                   Settles(exec::Custom("from: at most to, and both and to - from numbers of the dtype", CheckBounds),
                           {"from", "to"}),
                   kWritten, exec::Attribute("from", exec::ValueKind::kDouble),
                   exec::Attribute("to", exec::ValueKind::kDouble), Word("seed"), Word("offset")));

inline constexpr const char* kNormalFormula =
    "mean + std * z for normal z of two u each: sqrt(-2 ln(1 - u1)) times cos(2 pi u2) at even indices, times sin(2 pi "
    "u2) at odd ones";

consteval exec::Accuracy NormalAccuracy(const char* out) {
  constexpr const char* kTerm = "2^-16 of mean and of std * sqrt(-2 ln(1 - u1))";
  return {exec::Ulp(out, kFloats3, 0.51).OfTerm(kTerm),
          exec::Ulp(out, {ACL_DOUBLE}, 8).OfTerm("mean and std * sqrt(-2 ln(1 - u1))")};
}

PORTACL_ROW(InplaceNormal, opapi_math, "aclnn_normal.h",
            Random({.formula = kNormalFormula, .socs = kNot310P}, "selfRef", kFloats4, NormalAccuracy("selfRef"),
                   kNoStep, exec::ValueAtLeast("std", 0), kWritten, Real("mean"), Real("std"), OneAxis("seed"),
                   OneAxis("offset")));

PORTACL_ROW(NormalFloatFloat, opapi_math, "aclnn_normal_out.h",
            Random({.formula = kNormalFormula, .socs = kNewer}, "out", kFloats4, NormalAccuracy("out"), kNoStep,
                   exec::ValueAtLeast("std", 0), Real("mean"), Real("std"), OneAxis("seed"), OneAxis("offset"), kOut));

PORTACL_ROW(InplaceBernoulli, opapi_math, "aclnn_bernoulli.h",
            Random({.formula = "1 where u < prob for uniform u in [0, 1), 0 elsewhere", .socs = kMost}, "selfRef",
                   kReal, {exec::Exact("selfRef")}, exec::DtypeOneOf({"prob"}, kReal),
                   Settles(exec::Custom("prob: from 0 to 1", CheckProbability), {"prob"}), kWritten,
                   exec::Scalar("prob"), OneAxis("seed"), OneAxis("offset")));

PORTACL_ROW(
    BernoulliTensor, opapi_math, "aclnn_bernoulli.h",
    exec::MakeRecipe({.formula = "1 where u < prob for uniform u in [0, 1), 0 elsewhere",
                      .special = "Only the shape of self matters. prob is data: nothing is refused for it, where it is "
                                 "NaN the result is 0. u is that of aclnnInplaceBernoulli with the dtype of out.",
                      .accuracy = {exec::Exact("out")},
                      .socs = kMost},
                     {exec::In("self"), exec::In("prob"), OneAxis("seed"), OneAxis("offset"), kOut},
                     {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "prob", "out"), exec::OnSocs(),
                      Dtypes({"self"}, kReal), Dtypes({"prob"}, kReal), Dtypes({"out"}, kReal),
                      exec::PlainFormat("self", "prob", "out"), exec::MaxRank("self", "prob", "out"),
                      exec::ShapeIs("prob", exec::BroadcastsTo("self")),
                      exec::ShapeIs("out", exec::SameShapeAs("self")), exec::EmptySucceeds("out")}));

}  // namespace portacl::ops::random
