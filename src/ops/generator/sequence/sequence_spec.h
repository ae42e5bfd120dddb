// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers. Each element is a function of
// its row-major index.
#pragma once

#include "exec/arguments.h"
#include "families/reduction_schema.h"

namespace portacl::ops::sequence {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

/// step is not 0, and leads from start to end in finitely many steps.
aclnnStatus CheckStep(const exec::Arguments& arguments, const exec::Step& step);
/// out has as many elements as the range has steps.
aclnnStatus CheckCount(const exec::Arguments& arguments, const exec::Step& step);
bool CountShape(const exec::Arguments& arguments, Shape* shape);
/// steps is the number of elements of out.
aclnnStatus CheckSteps(const exec::Arguments& arguments, const exec::Step& step);
bool StepsShape(const exec::Arguments& arguments, Shape* shape);
/// out is an n x m matrix.
aclnnStatus CheckEye(const exec::Arguments& arguments, const exec::Step& step);
bool EyeShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr exec::DtypeSet kNumbers = kFloats4 | kIntegers;

// The step that relates the scalars to each other, so that calls generate them together.
consteval exec::Step StepLeadsToEnd() {
  exec::Step step = exec::Custom("step: not 0, and from start to end", CheckStep);
  step.refs = {"start", "end", "step"};
  return step;
}

consteval auto Progression(const exec::About& row, const char* count, bool has_end) {
  const exec::DtypeSet dtypes = kFloats4 | exec::DtypeSet{ACL_INT32, ACL_INT64};
  const exec::Arg args[] = {exec::Scalar("start"), exec::Scalar("end"), exec::Scalar("step"), kOut};
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              exec::NotNull("start", "end", "step", "out"),
                              exec::OnSocs(),
                              exec::DtypeOneOf({"start", "end", "step"}, kReal),
                              Dtypes({"out"}, dtypes),
                              StepLeadsToEnd(),
                              exec::PlainFormat("out"),
                              exec::MaxRank("out"),
                              exec::NotEmpty("out").If(has_end),
                              exec::Custom(count, CheckCount).Accepts("out", CountShape)};
  exec::About about = row;
  about.special =
      "Elements are counted in DOUBLE, or in FLOAT where that gives another number. For integers start and step are "
      "truncated first.";
  about.socs = kMost;
  about.accuracy = AccuracyOf("out", kFloats4, {0.501, 0.501, 0.51, 0.501});
  about.accuracy.items[about.accuracy.count] = exec::Exact("out");
  about.accuracy.items[about.accuracy.count++].dtypes = dtypes & kIntegers;
  return exec::MakeRecipe(about, args, steps);
}

PORTACL_ROW(Arange, opapi_math, "aclnn_arange.h",
            Progression({.formula = "start + i * step, up to end and without it"},
                        "out: (end - start) / step elements, rounded up", false));

PORTACL_ROW(Range, opapi_math, "aclnn_range.h",
            Progression({.formula = "start + i * step, up to end and with it"},
                        "out: (end - start) / step elements, rounded down, and one more", true));

consteval exec::Accuracy LinspaceAccuracy() { return AccuracyOf("out", kNumbers, {0.501, 0.501, 0.51, 0.501}); }

PORTACL_ROW(
    Linspace, opapi_math, "aclnn_linspace.h",
    exec::MakeRecipe(
        {.formula = "start + i * d in the first half, end - (steps - 1 - i) * d in the second, with d = (end - "
                    "start) / (steps - 1) in the dtype of out (FLOAT for narrower ones, DOUBLE for integers)",
         .special = "One step gives start. For integers start and end are truncated first, and so are the results.",
         .accuracy = LinspaceAccuracy(),
         .socs = kMost},
        {exec::Scalar("start"), exec::Scalar("end"), OneAxis("steps"), kOut},
        {exec::NotNull("workspaceSize", "executor"), exec::NotNull("start", "end", "out"), exec::OnSocs(),
         exec::DtypeOneOf({"start", "end"}, kReal), Dtypes({"out"}, kNumbers), exec::PlainFormat("out"),
         exec::MaxRank("out"), exec::Custom("out: steps elements", CheckSteps).Accepts("out", StepsShape)}));

PORTACL_ROW(
    Eye, opapi_math, "aclnn_eye.h",
    exec::MakeRecipe({.formula = "1 on the diagonal, 0 elsewhere", .accuracy = {exec::Exact("out")}, .socs = kMost},
                     {OneAxis("n"), OneAxis("m"), kOut},
                     {exec::NotNull("workspaceSize", "executor"), exec::NotNull("out"), exec::OnSocs(),
                      Dtypes({"out"}, kReal), exec::PlainFormat("out"), exec::Rank({"out"}, 2, 2),
                      exec::Custom("out: [n, m]", CheckEye).Accepts("out", EyeShape)}));

}  // namespace portacl::ops::sequence
