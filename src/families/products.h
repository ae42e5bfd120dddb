// SPDX-License-Identifier: Apache-2.0
// Common parts of operators that multiply matrices: steps of schemas, shapes, accuracy and plans.
#pragma once

#include "exec/arguments.h"
#include "exec/schema.h"
#include "families/dtypes.h"
#include "families/movement.h"
#include "families/weight_format.h"
#include "loops/products/matmul.h"

namespace portacl::families {

/// The last axis of the first factor has the size of the last but one axis of the second, or of its only axis. The axes
/// before those of the matrices are broadcast.
aclnnStatus CheckFactors(const exec::Arguments& arguments, const exec::Step& step);
/// The shape of the product. If a factor has rank 1, the product lacks an axis, too.
bool ProductShape(const exec::Arguments& arguments, Shape* shape);

/// Plans `out` = the product of the two tensors before it. Operators with beta have plans of their own.
void PlanProduct(exec::PlanBuilder& plan);

/// The position of the first factor in a schema with `beta`, and in others.
constexpr int FirstFactor(const exec::Schema& schema) { return schema.Find("beta") >= 0 ? 1 : 0; }

/// The views of two factors and their product, with the batch axes that the engine requires.
struct ProductViews {
  View a;
  View b;
  View out;
};
ProductViews ViewsOf(const View& a, const View& b, const View& out);
/// The view of an addend that is broadcast to the product, with the axes of the product.
View AddendView(const View& view, const View& a, const View& b, const View& product);

consteval exec::Step FactorsFit(const char* text) { return exec::Custom(text, CheckFactors); }
consteval exec::Step ProductShapeOf(const char* text, const char* out) { return ShapeFrom(text, out, ProductShape); }
consteval exec::Step CubeMathType() { return exec::ValueOneOf("cubeMathType", {0, 1, 2, 3, 4}); }

inline constexpr const char* kOfMagnitudes = "the sum of the magnitudes of what is added";

/// The error bound of sums of products. Blocks of terms are summed in float32, their sums in float64.
consteval exec::Accuracy ProductAccuracy(const char* out) {
  return {exec::Epsilon(out, {ACL_FLOAT}, 36).OfTerm(kOfMagnitudes),
          exec::Ulp(out, {ACL_FLOAT16}, 0.51).OfTerm("2^-2 of the same").NearestBut(0.02),
          exec::Ulp(out, {ACL_BF16}, 0.51).OfTerm("2^-5 of the same").NearestBut(0.02)};
}

}  // namespace portacl::families
