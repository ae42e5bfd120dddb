// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <string>
#include <string_view>

#include "exec/arguments.h"
#include "families/gradient_schema.h"
#include "tensor/scalar.h"

namespace portacl::ops::activation_backward {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr Errors kGradient = {6.5, 8, 0.53, 4, "gradOutput"};
inline constexpr Errors kProducts = {3, 3, 0.52, 3, "gradOutput"};
inline constexpr Errors kComplexProducts =
    Errors{3, 3, 0.52, 3, "gradOutput; of complex numbers that and the result's modulus"}.OfComplex(3, 6);

// If the saved tensor is a result, a negative factor would make its argument ambiguous.
inline aclnnStatus RefuseNegative(const exec::Arguments& arguments, const exec::Step& step) {
  const int factor = arguments.schema().Find(step.refs[0].name), flag = arguments.schema().Find(step.refs[1].name);
  double value = 0;
  if (!arguments.value(flag).integer() || !ScalarToDouble(*arguments.value(factor).As<const aclScalar*>(), &value))
    return exec::kSuccess;
  if (!(value < 0)) return exec::kSuccess;
  return arguments.Refuse(step, factor, "a number >= 0 where the tensor is a result", "a negative one");
}
consteval exec::Step NotNegative(const char* factor, const char* flag) {
  exec::Step step = exec::Custom("a negative factor needs the argument itself", RefuseNegative);
  step.refs = {factor, flag};
  return step;
}
inline constexpr exec::Step kNoNegativeAlpha = NotNegative("alpha", "isResult");
inline constexpr exec::Step kNoNegativeSlope = NotNegative("negativeSlope", "selfIsResult");

PORTACL_ROW(GeluBackward, opapi_nn, "aclnn_gelu_backward.h",
            Gradient({.about = {.formula = "gradOutput * the derivative of aclnnGelu at self",
                                .special = "Infinities give 0 and gradOutput.",
                                .socs = kMost},
                      .dtypes = kFloats3,
                      .errors = kGradient,
                      .out = "gradInput"},
                     Saved::kBroadcast, kNoStep, exec::In("gradOutput"), exec::In("self"),
                     exec::Const(exec::Out("gradInput"))));

inline aclnnStatus CheckApproximate(const exec::Arguments& arguments, const exec::Step& step) {
  const int approximate = arguments.schema().Find("approximate");
  const std::string_view form = arguments.value(approximate).As<const char*>();
  if (form == "none" || form == "tanh") return exec::kSuccess;
  return arguments.Refuse(step, approximate, "none or tanh", std::string(form));
}

PORTACL_ROW(GeluBackwardV2, opapi_nn, "aclnn_gelu_backward_v2.h",
            Gradient({.about = {.formula = "gradOutput * (P(self) + self * P'(self)) for the normal distribution P if "
                                           "approximate is none; that of aclnnGeluBackward if it is tanh",
                                .special = "Infinities give 0 and gradOutput.",
                                .socs = kMost},
                      .dtypes = kFloats3,
                      .errors = kGradient,
                      .out = "gradInput"},
                     Saved::kBroadcast, exec::Custom("approximate: none or tanh", CheckApproximate),
                     exec::In("gradOutput"), exec::In("self"),
                     exec::NotConst(exec::Attribute("approximate", exec::ValueKind::kString)), exec::Out("gradInput")));

PORTACL_ROW(SiluBackward, opapi_nn, "aclnn_silu_backward.h",
            Gradient({.about = {.formula = "gradOutput * s * (1 + self * (1 - s)) for s = 1 / (1 + e^-self)",
                                .special = "-inf gives 0.",
                                .socs = kMost},
                      .dtypes = kFloats3,
                      .errors = kGradient,
                      .out = "gradInput"},
                     Saved::kAlike, kNoStep, exec::In("gradOutput"), exec::In("self"), exec::Out("gradInput")));

PORTACL_ROW(SigmoidBackward, opapi_nn, "aclnn_sigmoid_backward.h",
            Gradient({.about = {.formula = "gradOutput * output * (1 - output)", .socs = kMost},
                      .dtypes = kFloats4 | kComplex,
                      .errors = kComplexProducts,
                      .saved = "output",
                      .out = "gradInput"},
                     Saved::kBroadcast, kNoStep, exec::In("gradOutput"), exec::In("output"), exec::Out("gradInput")));

PORTACL_ROW(TanhBackward, opapi_nn, "aclnn_tanh_backward.h",
            Gradient({.about = {.formula = "gradOutput * (1 - output^2)", .socs = kMost},
                      .dtypes = kFloats4,
                      .errors = kProducts,
                      .saved = "output",
                      .out = "gradInput"},
                     Saved::kBroadcast, kNoStep, exec::In("gradOutput"), exec::In("output"), exec::Out("gradInput")));

PORTACL_ROW(EluBackward, opapi_nn, "aclnn_elu_backward.h",
            Gradient({.about = {.formula = "gradOutput times the derivative of aclnnElu at selfOrResult, its argument "
                                           "or, if isResult, its result",
                                .socs = kMost},
                      .dtypes = kFloats4,
                      .errors = kProducts,
                      .saved = "selfOrResult",
                      .out = "gradInput"},
                     Saved::kSameShape, kNoNegativeAlpha, exec::In("gradOutput"), exec::Scalar("alpha"),
                     exec::Scalar("scale"), exec::Scalar("inputScale"),
                     exec::Attribute("isResult", exec::ValueKind::kBool), exec::In("selfOrResult"),
                     exec::Out("gradInput")));

PORTACL_ROW(LeakyReluBackward, opapi_nn, "aclnn_leaky_relu_backward.h",
            Gradient({.about = {.formula = "gradOutput where self > 0, else gradOutput * negativeSlope", .socs = kMost},
                      .dtypes = kFloats4,
                      .errors = kOneRounding},
                     Saved::kSameShape, kNoNegativeSlope, exec::In("gradOutput"), exec::In("self"),
                     exec::Scalar("negativeSlope"), exec::Attribute("selfIsResult", exec::ValueKind::kBool),
                     exec::Out("out")));

PORTACL_ROW(HardsigmoidBackward, opapi_nn, "aclnn_hardsigmoid_backward.h",
            Gradient({.about = {.formula = "gradOutput / 6 where -3 < self < 3, else 0", .socs = kMost},
                      .dtypes = kFloats3,
                      .errors = kOneRounding},
                     Saved::kSameShape, kNoStep, exec::In("gradOutput"), exec::In("self"), exec::Out("out")));

PORTACL_ROW(
    HardswishBackward, opapi_nn, "aclnn_hardswish_backward.h",
    Gradient({.about = {.formula = "gradOutput * (self / 3 + 1 / 2) where -3 <= self <= 3, 0 below, gradOutput above",
                        .socs = kMost},
              .dtypes = kFloats3,
              .errors = kProducts},
             Saved::kSameShape, kNoStep, exec::In("gradOutput"), exec::In("self"), exec::Out("out")));

PORTACL_ROW(
    HardswishBackwardV2, opapi_nn, "aclnn_hardswish_backward_v2.h",
    Gradient({.about = {.formula = "gradOutput * (self / 3 + 1 / 2) where -3 < self < 3, 0 below, gradOutput above",
                        .socs = kMost},
              .dtypes = kFloats3,
              .errors = kProducts},
             Saved::kSameShape, kNoStep, exec::In("gradOutput"), exec::In("self"), exec::Out("out")));

PORTACL_ROW(ThresholdBackward, opapi_nn, "aclnn_threshold_backward.h",
            Gradient({.about = {.formula = "gradOutput where self > threshold, else 0", .socs = kMost},
                      .dtypes = kFloats3 | exec::DtypeSet{ACL_INT8, ACL_UINT8, ACL_INT32},
                      .errors = kExact},
                     Saved::kSameShape, kNoStep, exec::In("gradOutput"), exec::In("self"), exec::Scalar("threshold"),
                     exec::Out("out")));

PORTACL_ROW(
    SoftplusBackward, opapi_nn, "aclnn_softplus_backward.h",
    Gradient({.about = {.formula = "gradOutput where beta * self > threshold, else gradOutput / (1 + e^(-beta * self))",
                        .socs = kMost},
              .dtypes = kFloats4,
              .errors = kProducts,
              .out = "gradInput"},
             Saved::kSameShape, kNoStep, exec::In("gradOutput"), exec::In("self"), exec::Scalar("beta"),
             exec::Scalar("threshold"), exec::Out("gradInput")));

}  // namespace portacl::ops::activation_backward
