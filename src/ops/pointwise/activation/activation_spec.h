// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/list_schema.h"
#include "families/pointwise_schema.h"

namespace portacl::ops::activation {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kRectified = kFloats3 | exec::DtypeSet{ACL_INT8, ACL_UINT8, ACL_INT32, ACL_INT64};
inline constexpr exec::DtypeSet kHardsigmoidDtypes = kFloats3 | exec::DtypeSet{ACL_INT32};
// Scalars are multiplied with rounded values.
inline constexpr Errors kActivation = {3, 4, 0.51, 3};
inline constexpr Errors kProduct = {2, 2.6, 0.51, 2};  // products of functions

inline constexpr UnaryRow kReluRow = {
    .about = {.formula = "self where self > 0, else 0", .special = "NaN gives NaN.", .socs = kNot310P},
    .dtypes = kRectified,
    .odd_const = true};
PORTACL_ROW(Relu, opapi_nn, "aclnn_relu.h", Unary(kReluRow));
PORTACL_ROW(InplaceRelu, opapi_nn, "aclnn_relu.h", InplaceUnary(kReluRow.Inplace(kRectified)));

inline constexpr UnaryRow kLeakyReluRow = {
    .about = {.formula = "self where self > 0, else negativeSlope * self", .socs = kNot310P},
    .dtypes = kFloats3,
    .results = kCastable,
    .errors = kOneRounding,
    .without_bfloat16 = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}};
PORTACL_ROW(LeakyRelu, opapi_nn, "aclnn_leaky_relu.h", Unary(kLeakyReluRow, exec::Scalar("negativeSlope")));
PORTACL_ROW(InplaceLeakyRelu, opapi_nn, "aclnn_leaky_relu.h",
            InplaceUnary(kLeakyReluRow.Inplace(kFloats4), exec::Scalar("negativeSlope")));

inline constexpr UnaryRow kEluRow = {
    .about = {.formula = "scale * self where self > 0, else alpha * scale * (e^(inputScale * self) - 1)",
              .special = "NaN gives NaN.",
              .socs = kMost},
    .dtypes = kFloats4,
    .results = kCastable,
    .errors = kActivation};
PORTACL_ROW(Elu, opapi_nn, "aclnn_elu.h",
            Unary(kEluRow, exec::Scalar("alpha"), exec::Scalar("scale"), exec::Scalar("inputScale")));
PORTACL_ROW(InplaceElu, opapi_nn, "aclnn_elu.h",
            InplaceUnary(kEluRow.Inplace(kFloats4), exec::Scalar("alpha"), exec::Scalar("scale"),
                         exec::Scalar("inputScale")));

inline constexpr UnaryRow kHardsigmoidRow = {.about = {.formula = "self / 6 + 1 / 2, limited to [0, 1]",
                                                       .special = "NaN gives NaN; INT32 results are truncated.",
                                                       .socs = kNot310P},
                                             .dtypes = kHardsigmoidDtypes,
                                             .errors = {1, 1.5, 0.51, 1}};
PORTACL_ROW(Hardsigmoid, opapi_nn, "aclnn_hardsigmoid.h", Unary(kHardsigmoidRow));
PORTACL_ROW(InplaceHardsigmoid, opapi_nn, "aclnn_hardsigmoid.h",
            InplaceUnary(kHardsigmoidRow.Inplace(kHardsigmoidDtypes, "self", true)));

inline constexpr UnaryRow kHardswishRow = {
    .about = {.formula = "0 where self <= -3, self where self >= 3, else self * (self + 3) / 6",
              .special = "-inf gives 0, NaN gives NaN.",
              .socs = kNot310P},
    .dtypes = kFloats3,
    .results = kCastable,
    .errors = {2, 2, 0.51, 2},
    .odd_const = true};
PORTACL_ROW(Hardswish, opapi_nn, "aclnn_hardswish.h", Unary(kHardswishRow));
PORTACL_ROW(InplaceHardswish, opapi_nn, "aclnn_hardswish.h",
            InplaceUnary(kHardswishRow.Inplace(kFloats3, "self", true)));

inline constexpr UnaryRow kSigmoidRow = {.about = {.formula = "1 / (1 + e^-self)", .socs = kMost},
                                         .dtypes = kFloats3,
                                         .results = kFloats3,
                                         .errors = kTranscendental.OfComplex(2, 6)};
PORTACL_ROW(Sigmoid, opapi_nn, "aclnn_sigmoid.h", Unary(kSigmoidRow));
PORTACL_ROW(InplaceSigmoid, opapi_nn, "aclnn_sigmoid.h", InplaceUnary(kSigmoidRow.Inplace(kFloats4 | kComplex)));

PORTACL_ROW(Silu, opapi_nn, "aclnn_silu.h",
            Unary({.about = {.formula = "self / (1 + e^-self)", .special = "-inf gives 0.", .socs = kMost},
                   .dtypes = kFloats3,
                   .errors = kProduct}));

inline constexpr UnaryRow kTanhRow = {.about = {.formula = "the hyperbolic tangent of self", .socs = kNot310P},
                                      .dtypes = kFloats3 | kIntegers | kBool,
                                      .results = kFloats3,
                                      .errors = kTranscendental};
PORTACL_ROW(Tanh, opapi_nn, "aclnn_tanh.h", Unary(kTanhRow));
PORTACL_ROW(InplaceTanh, opapi_nn, "aclnn_tanh.h", InplaceUnary(kTanhRow.Inplace(kFloats3)));

PORTACL_ROW(Softplus, opapi_nn, "aclnn_softplus.h",
            Unary({.about = {.formula = "self where beta * self > threshold, else ln(1 + e^(beta * self)) / beta",
                             .special = "beta = 0 gives self / 0.",
                             .socs = kNot950},
                   .dtypes = kFloats3,
                   .results = kCastable,
                   .errors = {2, 2, 0.51, 3}},
                  exec::Scalar("beta"), exec::Scalar("threshold")));

PORTACL_ROW(Gelu, opapi_nn, "aclnn_gelu.h",
            Unary({.about = {.formula = "self * (1 + tanh(sqrt(2 / pi) * (self + 0.044715 * self^3))) / 2",
                             .special = "-inf gives -0.",
                             .socs = kMost},
                   .dtypes = kFloats3,
                   .errors = kProduct}));

PORTACL_ROW(GeluV2, opapi_nn, "aclnn_gelu_v2.h",
            Unary({.about = {.formula = "x * erfc(-x / sqrt 2) / 2 for approximate = 0; the formula of aclnnGelu for 1",
                             .special = "-inf gives -0.",
                             .socs = kMost},
                   .dtypes = kFloats3,
                   .errors = kProduct,
                   .self = "x",
                   .out = "y",
                   .attribute = exec::ValueOneOf("approximate", {0, 1})},
                  exec::Attribute("approximate", exec::ValueKind::kInt64)));

PORTACL_ROW(ForeachSigmoid, opapi_nn, "aclnn_foreach_sigmoid.h",
            ForeachUnary({.formula = "1 / (1 + e^-x)", .errors = kTranscendental}));
PORTACL_ROW(ForeachTanh, opapi_nn, "aclnn_foreach_tanh.h",
            ForeachUnary({.formula = "the hyperbolic tangent of x", .errors = kTranscendental}));

}  // namespace portacl::ops::activation
