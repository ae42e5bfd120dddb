// SPDX-License-Identifier: Apache-2.0
// What operators that multiply matrices share: steps of their schemas, shapes, accuracy and plans.
#pragma once

#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/dtypes.h"
#include "families/movement.h"
#include "families/weight_format.h"
#include "loops/products/matmul.h"

namespace portacl::families {

/// The last axis of the first factor has the size of the last but one of the second, or of its only one; the axes before
/// those of the matrices broadcast.
aclnnStatus CheckFactors(const exec::Arguments& arguments, const exec::Step& step);
/// The shape of the product. An axis that a factor of rank 1 lacks, the product lacks, too.
bool ProductShape(const exec::Arguments& arguments, Shape* shape);

/// Plans `out` = the product of the two factors: the two tensors before it, but for beta's operators.
void PlanProduct(exec::PlanBuilder& plan);

/// Where a schema with `beta` has its factors, and the others.
constexpr int FirstFactor(const exec::Schema& schema) { return schema.Find("beta") >= 0 ? 1 : 0; }

/// The views of two factors and their product with the axes of a batch that the engine wants.
struct ProductViews {
  View a;
  View b;
  View out;
};
ProductViews ViewsOf(const View& a, const View& b, const View& out);
/// `view`, which broadcasts to the product, with its axes.
View AddendView(const View& view, const View& a, const View& b, const View& product);

consteval exec::Step FactorsFit(const char* text) { return exec::Custom(text, CheckFactors); }
consteval exec::Step ProductShapeOf(const char* text, const char* out) { return ShapeFrom(text, out, ProductShape); }
consteval exec::Step CubeMathType() { return exec::ValueOneOf("cubeMathType", {0, 1, 2, 3, 4}); }

inline constexpr const char* kOfMagnitudes = "the sum of the magnitudes of what is added";

/// The error of sums of products, whatever their terms are. Blocks of float32 sums are added in float64.
consteval exec::Accuracy ProductAccuracy(const char* out) {
  return {exec::Epsilon(out, {ACL_FLOAT}, 36).OfTerm(kOfMagnitudes),
          exec::Ulp(out, {ACL_FLOAT16}, 0.51).OfTerm("2^-2 of the same").NearestBut(0.02),
          exec::Ulp(out, {ACL_BF16}, 0.51).OfTerm("2^-5 of the same").NearestBut(0.02)};
}

}  // namespace portacl::families
