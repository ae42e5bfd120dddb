// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/pointwise_schema.h"

namespace portacl::ops::activation {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr exec::DtypeSet kRectified = kFloats3 | exec::DtypeSet{ACL_INT8, ACL_UINT8, ACL_INT32, ACL_INT64};
inline constexpr exec::DtypeSet kHardsigmoidDtypes = kFloats3 | exec::DtypeSet{ACL_INT32};
// Scalars are factors of what is rounded.
inline constexpr Errors kActivation = {3, 4, 0.51, 3};
inline constexpr Errors kProduct = {2, 2.6, 0.51, 2};  // products of functions

inline constexpr UnaryRow kReluRow = {.about = {.api = "aclnnRelu",
                                                .formula = "self where self > 0, else 0",
                                                .special = "NaN gives NaN.",
                                                .header = "aclnn_relu.h",
                                                .products = kNot310P},
                                      .dtypes = kRectified,
                                      .odd_const = true};
inline constexpr exec::SchemaOf kRelu(Unary(kReluRow));
inline constexpr exec::SchemaOf kInplaceRelu(InplaceUnary(kReluRow.Inplace("aclnnInplaceRelu", kRectified)));

inline constexpr UnaryRow kLeakyReluRow = {.about = {.api = "aclnnLeakyRelu",
                                                     .formula = "self where self > 0, else negativeSlope * self",
                                                     .header = "aclnn_leaky_relu.h",
                                                     .products = kNot310P},
                                           .dtypes = kFloats3,
                                           .results = kCastable,
                                           .errors = kOneRounding,
                                           .without_bfloat16 = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}};
inline constexpr exec::SchemaOf kLeakyRelu(Unary(kLeakyReluRow, exec::Scalar("negativeSlope")));
inline constexpr exec::SchemaOf kInplaceLeakyRelu(InplaceUnary(kLeakyReluRow.Inplace("aclnnInplaceLeakyRelu", kFloats4),
                                                               exec::Scalar("negativeSlope")));

inline constexpr UnaryRow kEluRow = {
    .about = {.api = "aclnnElu",
              .formula = "scale * self where self > 0, else alpha * scale * (e^(inputScale * self) - 1)",
              .special = "NaN gives NaN.",
              .header = "aclnn_elu.h",
              .products = kMost},
    .dtypes = kFloats4,
    .results = kCastable,
    .errors = kActivation};
inline constexpr exec::SchemaOf kElu(Unary(kEluRow, exec::Scalar("alpha"), exec::Scalar("scale"),
                                           exec::Scalar("inputScale")));
inline constexpr exec::SchemaOf kInplaceElu(InplaceUnary(kEluRow.Inplace("aclnnInplaceElu", kFloats4),
                                                         exec::Scalar("alpha"), exec::Scalar("scale"),
                                                         exec::Scalar("inputScale")));

inline constexpr UnaryRow kHardsigmoidRow = {.about = {.api = "aclnnHardsigmoid",
                                                       .formula = "self / 6 + 1 / 2, limited to [0, 1]",
                                                       .special = "NaN gives NaN; of INT32 the fraction is cut off.",
                                                       .header = "aclnn_hardsigmoid.h",
                                                       .products = kNot310P},
                                             .dtypes = kHardsigmoidDtypes,
                                             .errors = {1, 1.5, 0.51, 1}};
inline constexpr exec::SchemaOf kHardsigmoid(Unary(kHardsigmoidRow));
inline constexpr exec::SchemaOf kInplaceHardsigmoid(
    InplaceUnary(kHardsigmoidRow.Inplace("aclnnInplaceHardsigmoid", kHardsigmoidDtypes, "self", true)));

inline constexpr UnaryRow kHardswishRow = {
    .about = {.api = "aclnnHardswish",
              .formula = "0 where self <= -3, self where self >= 3, else self * (self + 3) / 6",
              .special = "-inf gives 0, NaN gives NaN.",
              .header = "aclnn_hardswish.h",
              .products = kNot310P},
    .dtypes = kFloats3,
    .results = kCastable,
    .errors = {2, 2, 0.51, 2},
    .odd_const = true};
inline constexpr exec::SchemaOf kHardswish(Unary(kHardswishRow));
inline constexpr exec::SchemaOf kInplaceHardswish(InplaceUnary(kHardswishRow.Inplace("aclnnInplaceHardswish", kFloats3,
                                                                                     "self", true)));

inline constexpr UnaryRow kSigmoidRow = {
    .about = {.api = "aclnnSigmoid", .formula = "1 / (1 + e^-self)", .header = "aclnn_sigmoid.h", .products = kMost},
    .dtypes = kFloats3,
    .results = kFloats3,
    .errors = kTranscendental.OfComplex(2, 6)};
inline constexpr exec::SchemaOf kSigmoid(Unary(kSigmoidRow));
inline constexpr exec::SchemaOf kInplaceSigmoid(InplaceUnary(kSigmoidRow.Inplace("aclnnInplaceSigmoid",
                                                                                 kFloats4 | kComplex)));

inline constexpr exec::SchemaOf kSilu(Unary({.about = {.api = "aclnnSilu",
                                                       .formula = "self / (1 + e^-self)",
                                                       .special = "-inf gives 0.",
                                                       .header = "aclnn_silu.h",
                                                       .products = kMost},
                                             .dtypes = kFloats3,
                                             .errors = kProduct}));

inline constexpr UnaryRow kTanhRow = {.about = {.api = "aclnnTanh",
                                                .formula = "the hyperbolic tangent of self",
                                                .header = "aclnn_tanh.h",
                                                .products = kNot310P},
                                      .dtypes = kFloats3 | kIntegers | kBool,
                                      .results = kFloats3,
                                      .errors = kTranscendental};
inline constexpr exec::SchemaOf kTanh(Unary(kTanhRow));
inline constexpr exec::SchemaOf kInplaceTanh(InplaceUnary(kTanhRow.Inplace("aclnnInplaceTanh", kFloats3)));

inline constexpr exec::SchemaOf kSoftplus(
    Unary({.about = {.api = "aclnnSoftplus",
                     .formula = "self where beta * self > threshold, else ln(1 + e^(beta * self)) / beta",
                     .special = "beta = 0 gives self / 0.",
                     .header = "aclnn_softplus.h",
                     .products = kNot950},
           .dtypes = kFloats3,
           .results = kCastable,
           .errors = {2, 2, 0.51, 3}},
          exec::Scalar("beta"), exec::Scalar("threshold")));

inline constexpr exec::SchemaOf kGelu(
    Unary({.about = {.api = "aclnnGelu",
                     .formula = "self * (1 + tanh(sqrt(2 / pi) * (self + 0.044715 * self^3))) / 2",
                     .special = "-inf gives -0.",
                     .header = "aclnn_gelu.h",
                     .products = kMost},
           .dtypes = kFloats3,
           .errors = kProduct}));

inline constexpr exec::SchemaOf kGeluV2(
    Unary({.about = {.api = "aclnnGeluV2",
                     .formula = "x * erfc(-x / sqrt 2) / 2 for approximate = 0; the formula of aclnnGelu for 1",
                     .special = "-inf gives -0.",
                     .header = "aclnn_gelu_v2.h",
                     .products = kMost},
           .dtypes = kFloats3,
           .errors = kProduct,
           .self = "x",
           .out = "y",
           .attribute = exec::ValueOneOf("approximate", {0, 1})},
          exec::Attribute("approximate", exec::ValueKind::kInt64)));

inline constexpr const exec::Schema* kSchemas[] = {&kRelu,        &kInplaceRelu,
                                                   &kLeakyRelu,   &kInplaceLeakyRelu,
                                                   &kElu,         &kInplaceElu,
                                                   &kHardsigmoid, &kInplaceHardsigmoid,
                                                   &kHardswish,   &kInplaceHardswish,
                                                   &kSigmoid,     &kInplaceSigmoid,
                                                   &kSilu,        &kTanh,
                                                   &kInplaceTanh, &kSoftplus,
                                                   &kGelu,        &kGeluV2};

}  // namespace portacl::ops::activation
