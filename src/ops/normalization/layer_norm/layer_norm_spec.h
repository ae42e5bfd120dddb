// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"
#include "families/norm.h"

namespace portacl::ops::layer_norm {

using exec::Attribute;
using exec::ValueKind;

/// The two parameters have the same dtype: that of input, or FLOAT.
aclnnStatus CheckParameterDtypes(const exec::Arguments& arguments, const exec::Step& step);
/// normalizedShape matches the last axes of input, at least one.
aclnnStatus CheckNormalizedShape(const exec::Arguments& arguments, const exec::Step& step);
/// implMode 2 is for FLOAT16 only.
aclnnStatus CheckImplMode(const exec::Arguments& arguments, const exec::Step& step);
bool NormalizedShape(const exec::Arguments& arguments, Shape* shape);
bool StatisticsShape(const exec::Arguments& arguments, Shape* shape);

inline constexpr const char* kTerm =
    "|biasOptional| and |weightOptional| max(1, |(input - mean) rstd|, 2^-22 |mean| rstd); 2^-4 of it in 16 bits";

template <class... More>
consteval auto LayerNormRecipe(exec::About about, More... more) {
  constexpr bool kHasMode = sizeof...(More) != 0;
  const exec::Arg args[] = {exec::In("input"),
                            Attribute("normalizedShape", ValueKind::kIntArray),
                            exec::OptionalIn("weightOptional"),
                            exec::OptionalIn("biasOptional"),
                            Attribute("eps", ValueKind::kDouble),
                            exec::Out("out"),
                            exec::OptionalOut("meanOutOptional"),
                            exec::OptionalOut("rstdOutOptional"),
                            more...};
  const char* const mode = kHasMode ? "implMode" : "eps";
  const exec::Step steps[] = {
      exec::NotNull("workspaceSize", "executor"),
      exec::NotNull("input", "normalizedShape", "out"),
      exec::OnSocs(),
      families::Dtypes({"input"}, families::kFloats3),
      families::Dtypes({"weightOptional", "biasOptional"}, families::kFloats3),
      exec::Custom("weightOptional, biasOptional: one dtype, that of input or FLOAT", CheckParameterDtypes),
      exec::SameDtype("input", "out"),
      families::Dtypes({"meanOutOptional", "rstdOutOptional"}, families::kFloats3),
      exec::PlainFormat("input", "weightOptional", "biasOptional", "out", "meanOutOptional", "rstdOutOptional"),
      exec::ValueOneOf(mode, {0, 1, 2}).If(kHasMode),
      exec::Custom("implMode 2: all tensors FLOAT16", CheckImplMode).If(kHasMode),
      exec::Rank({"input"}, 1, kMaxRank),
      exec::MaxRank("weightOptional", "biasOptional", "out", "meanOutOptional", "rstdOutOptional"),
      exec::Custom("normalizedShape: the last axes of input", CheckNormalizedShape),
      families::ShapeFrom("weightOptional: normalizedShape", "weightOptional", NormalizedShape),
      families::ShapeFrom("biasOptional: normalizedShape", "biasOptional", NormalizedShape),
      exec::ShapeIs("out", exec::SameShapeAs("input")),
      families::ShapeFrom("meanOutOptional: shape of input with 1 for the axes of normalizedShape", "meanOutOptional",
                          StatisticsShape),
      families::ShapeFrom("rstdOutOptional: shape of input with 1 for the axes of normalizedShape", "rstdOutOptional",
                          StatisticsShape)};
  about.formula =
      "out = (input - mean) * rstd * weightOptional + biasOptional, mean over the axes of normalizedShape, rstd = 1 / "
      "sqrt(mean of (input - mean)^2 + eps)";
  about.source = "aclnnLayerNorm&aclnnLayerNormWithImplMode page of the CANN operator documentation";
  about.special =
      "Missing weights are 1, missing biases 0. A row with a NaN or an infinite element is NaN. Mean and rstd of an "
      "empty row are NaN.";
  about.accuracy = {exec::Ulp("out", {ACL_FLOAT}, 4).OfTerm(kTerm),
                    exec::Ulp("out", families::kNarrow, 0.51).OfTerm(kTerm),
                    exec::Ulp("meanOutOptional", families::kFloats3, 0.51).OfTerm("2^-20 of the row's largest |input|"),
                    exec::Ulp("rstdOutOptional", families::kFloats3, 0.51)
                        .OfTerm("anything where eps takes away most of the variance")};
  about.socs = families::kAllBut310P;
  return exec::MakeRecipe(about, args, steps);
}

PORTACL_ROW(LayerNorm, opapi_nn, "aclnn_layer_norm.h", LayerNormRecipe({}));
PORTACL_ROW(LayerNormWithImplMode, opapi_nn, "aclnn_layer_norm.h",
            LayerNormRecipe({}, Attribute("implMode", ValueKind::kInt32)));

inline constexpr const char* kGradientTerm =
    "|rstd| times the row's largest |d| or |h| mean |d h|, d = gradOut weightOptional; 2^-4 of it in 16 bits";
inline constexpr const char* kWeightTerm = "the sum over rows of |gradOut h|; 2^-4 of it in 16 bits";

PORTACL_ROW(
    LayerNormBackward, opapi_nn, "aclnn_layer_norm_backward.h",
    exec::MakeRecipe(
        {.formula =
             "with h = (input - mean) * rstd and d = gradOut * weightOptional: gradInputOut = rstd * (d - mean(d) - h "
             "* mean(d * h)); gradWeightOut and gradBiasOut, the sums over rows of gradOut * h and of gradOut",
         .special = "Missing weights are 1. Outputs that outputMask does not select are not written.",
         .accuracy =
             {exec::Ulp("gradInputOut", {ACL_FLOAT}, 4).OfTerm(kGradientTerm),
              exec::Ulp("gradInputOut", families::kNarrow, 0.51).OfTerm(kGradientTerm),
              exec::Ulp("gradWeightOut", {ACL_FLOAT}, 4).OfTerm(kWeightTerm),
              exec::Ulp("gradWeightOut", families::kNarrow, 0.51).OfTerm(kWeightTerm).NearestBut(0.003),
              exec::Ulp("gradBiasOut", families::kFloats3, 0.51).OfTerm("2^-20 of the sum over rows of |gradOut|")},
         .socs = families::kAllBut310P},
        {exec::In("gradOut"), exec::In("input"), Attribute("normalizedShape", ValueKind::kIntArray), exec::In("mean"),
         exec::In("rstd"), exec::OptionalIn("weightOptional"), exec::OptionalIn("biasOptional"),
         Attribute("outputMask", ValueKind::kBoolArray), exec::OptionalOut("gradInputOut"),
         exec::OptionalOut("gradWeightOut"), exec::OptionalOut("gradBiasOut")},
        {exec::NotNull("workspaceSize", "executor"),
         exec::NotNull("gradOut", "input", "normalizedShape", "mean", "rstd", "outputMask"),
         families::MaskHasThree(),
         families::SelectedAreGiven(),
         exec::OnSocs(),
         families::Dtypes({"gradOut"}, families::kFloats3),
         exec::SameDtype("gradOut", "input", "gradInputOut"),
         families::Dtypes({"mean", "rstd"}, families::kFloats3),
         families::Dtypes({"weightOptional", "biasOptional"}, families::kFloats3),
         exec::Custom("weightOptional, biasOptional: one dtype, that of input or FLOAT", CheckParameterDtypes),
         families::Dtypes({"gradWeightOut", "gradBiasOut"}, families::kFloats3),
         exec::PlainFormat("gradOut", "input", "mean", "rstd", "weightOptional", "biasOptional", "gradInputOut",
                           "gradWeightOut", "gradBiasOut"),
         exec::Rank({"input"}, 1, kMaxRank),
         exec::MaxRank("gradOut", "mean", "rstd", "weightOptional", "biasOptional", "gradInputOut", "gradWeightOut",
                       "gradBiasOut"),
         exec::Custom("normalizedShape: the last axes of input", CheckNormalizedShape),
         exec::ShapeIs("gradOut", exec::SameShapeAs("input")),
         families::ShapeFrom("mean: shape of input with 1 for the axes of normalizedShape", "mean", StatisticsShape),
         families::ShapeFrom("rstd: shape of input with 1 for the axes of normalizedShape", "rstd", StatisticsShape),
         families::ShapeFrom("weightOptional: normalizedShape", "weightOptional", NormalizedShape),
         families::ShapeFrom("biasOptional: normalizedShape", "biasOptional", NormalizedShape),
         exec::ShapeIs("gradInputOut", exec::SameShapeAs("input")),
         families::ShapeFrom("gradWeightOut: normalizedShape", "gradWeightOut", NormalizedShape),
         families::ShapeFrom("gradBiasOut: normalizedShape", "gradBiasOut", NormalizedShape)}));

}  // namespace portacl::ops::layer_norm
