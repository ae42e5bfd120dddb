// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"
#include "families/dtypes.h"

namespace portacl::ops::logit {

using families::kFloats3;
using families::kNarrow;

PORTACL_ROW(Logit, opapi_nn, "aclnn_logit.h",
            exec::MakeRecipe(
                {.formula = "ln(z / (1 - z)) for z = input; for eps >= 0 z is limited to [eps, 1 - eps]",
                 .special = "With v = input_i, e = (float)eps, lo = e and hi = 1 - e, rounded to float:\n"
                            "  e >= 0          z = lo for v < lo; else hi for v > hi; else v\n"
                            "  e < 0 or NaN    z = v\n"
                            "An eps of -1 stands for no limits. z = 0 (also -0) gives -inf, z = 1 inf; below 0 and "
                            "above 1 the result is NaN, and so it is for a NaN in input. From this follows that e = 1 "
                            "gives inf for v < 1 and -inf for the others, and that e > 1 gives NaN. No result but 0 "
                            "lies below the smallest normal number of its dtype. The list of constraints on the "
                            "operator's page (an input outside of [0, 1] gives NaN, 0 and 1 infinities, an eps of 1 "
                            "infinities) describes inputs that are not limited; for e >= 0 its formula counts.",
                 .accuracy = {exec::Ulp("out", {ACL_FLOAT}, 1.9), exec::Ulp("out", kNarrow, 1).NearestBut(0.0003)},
                 .socs = families::kNewer},
                {exec::In("input"), exec::Attribute("eps", exec::ValueKind::kDouble), exec::Const(exec::Out("out"))},
                {exec::NotNull("input", "out"), exec::NotNull("executor", "workspaceSize"), exec::OnSocs(),
                 exec::DtypeOneOf({"input", "out"}, kFloats3), exec::SameDtype("input", "out"),
                 exec::PlainFormat("input", "out"), exec::MaxRank("input", "out"),
                 exec::ShapeIs("out", exec::SameShapeAs("input")), exec::EmptySucceeds("input")}));

PORTACL_ROW(
    LogitGrad, opapi_nn, "aclnn_logit_grad.h",
    exec::MakeRecipe(
        {.formula = "dy / (x * (1 - x)); outside [eps, 1 - eps] 0, for eps < 0 outside [0, 1] NaN",
         .special = "With v = x_i, g = dy_i and e = (float)eps:\n"
                    "  e < 0         out_i = g / (v * (1 - v)) for 0 <= v <= 1, NaN elsewhere\n"
                    "  0 <= e < 1    out_i = g / (v * (1 - v)) for e <= v <= 1 - e, 0 elsewhere (whatever g is)\n"
                    "  e = 1         out_i = g * inf\n"
                    "  1 < e < inf   out_i = NaN\n"
                    "  e = inf       out_i = 0\n"
                    "  e is NaN      out_i = NaN\n"
                    "1 - e is rounded to float; an eps of -1 stands for no limits. At v = 0 (also -0) and v = 1 the "
                    "quotient is g * inf: an infinity with the sign of g, NaN for g = 0. A NaN in x gives NaN for "
                    "every eps. Results below the smallest normal number of their dtype are subnormals. Mind the "
                    "order: x first, then dy. Where the operator's page contradicts itself the more specific sentence "
                    "counts (eps > 1, eps = 1, eps = inf), then the formula.",
         .accuracy = {exec::Ulp("out", {ACL_FLOAT}, 2).WithoutFusion(3),
                      exec::Ulp("out", kNarrow, 1).NearestBut(0.0003)},
         .socs = families::kNewer},
        {exec::In("x"), exec::In("dy"), exec::Attribute("eps", exec::ValueKind::kDouble),
         exec::Const(exec::Out("out"))},
        {exec::NotNull("x", "dy", "out"), exec::NotNull("executor", "workspaceSize"), exec::OnSocs(),
         exec::DtypeOneOf({"x", "dy", "out"}, kFloats3), exec::SameDtype("x", "dy", "out"),
         exec::PlainFormat("x", "dy", "out"), exec::MaxRank("x", "dy", "out"),
         exec::ShapeIs("dy", exec::SameShapeAs("x")), exec::ShapeIs("out", exec::SameShapeAs("x")),
         exec::EmptySucceeds("x")}));

}  // namespace portacl::ops::logit
