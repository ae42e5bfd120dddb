// SPDX-License-Identifier: Apache-2.0
//
// The schema of the operator of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/movement.h"

namespace portacl::ops::im2col {

using exec::Attribute;
using exec::ValueKind;

/// The window along one axis of the image.
struct Window {
  int64_t size;  // size of the image
  int64_t kernel;
  int64_t dilation;
  int64_t padding;
  int64_t stride;

  /// The number of window positions; 0 or less if the window does not fit.
  constexpr int64_t Places() const {
    const int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
  }
};

/// Two values each; kernelSize, dilation and stride positive, padding not negative; the image is not empty.
aclnnStatus WindowFits(const exec::Arguments& arguments, const exec::Step& step);
bool ColumnsShape(const exec::Arguments& arguments, Shape* shape);

PORTACL_ROW(Im2col, opapi_math, "aclnn_im2col.h",
            families::Movement(
                {.formula = "column l of out holds the elements of self under the window at position l, ordered by "
                            "channel and position in the window",
                 .special = "Elements beyond the image are 0.",
                 .socs = families::kNewer},
                families::Dtypes({"self"}, families::kFloats3),
                {exec::In("self"), Attribute("kernelSize", ValueKind::kIntArray),
                 Attribute("dilation", ValueKind::kIntArray), Attribute("padding", ValueKind::kIntArray),
                 Attribute("stride", ValueKind::kIntArray), exec::Const(exec::Out("out"))},
                {exec::Custom("kernelSize, dilation, padding, stride: two numbers each, of windows that fit",
                              WindowFits),
                 families::ShapeFrom("out: [N, C * kernel, positions], without N for an image", "out", ColumnsShape)},
                {.lowest_rank = 2, .highest_rank = 4}));

}  // namespace portacl::ops::im2col
