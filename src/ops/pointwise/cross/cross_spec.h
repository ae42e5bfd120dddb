// SPDX-License-Identifier: Apache-2.0
//
// The schema of aclnnLinalgCross: data, read by checks, tools, tests and fuzzers.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "exec/arguments.h"
#include "exec/shape_rule.h"
#include "families/binary_schema.h"

namespace portacl::ops::cross {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

// The axis of the broadcast that dim names, as an axis of one of its operands; negative if the operand lacks it.
inline int AxisIn(const View& operand, int64_t dim, int32_t broadcast_rank) {
  return exec::AxisOf(dim, broadcast_rank) - (broadcast_rank - operand.rank);
}
inline aclnnStatus CheckVectors(const exec::Arguments& arguments, const exec::Step& step) {
  const int operands[] = {arguments.schema().Find("self"), arguments.schema().Find("other")};
  const int32_t rank = std::max(arguments.Tensor(operands[0]).rank, arguments.Tensor(operands[1]).rank);
  const int attribute = arguments.schema().Find("dim");
  const int64_t dim = arguments.value(attribute).integer();
  if (exec::AxisOf(dim, rank) < 0) {
    return arguments.Refuse(step, attribute, fmt::format("an axis of the broadcast, which has {}", rank),
                            fmt::format("{}", dim));
  }
  for (const int operand : operands) {
    const View& view = arguments.Tensor(operand);
    const int axis = AxisIn(view, dim, rank);
    if (axis >= 0 && view.shape[axis] == 3) continue;
    return arguments.Refuse(step, operand, fmt::format("3 elements along axis {} of the broadcast", dim),
                            fmt::format("[{}]", fmt::join(view.dims(), ",")));
  }
  return exec::kSuccess;
}

inline constexpr Errors kErrors = Errors{1, 1, 0.51, 2, "the larger of both products"}.OfComplex(1, 4);
inline constexpr BinaryRow kRow = {.about = {.formula = "the vector product of self and other along dim",
                                             .special = "Integers wrap modulo 2^n.",
                                             .socs = kMost},
                                   .dtypes = kFloats4 | kIntegers | kComplex,
                                   .results = kFloats4 | kIntegers | kComplex,
                                   .errors = kErrors,
                                   .one_dtype = true,
                                   .attribute = exec::Custom("self, other: 3 elements along dim", CheckVectors)};
PORTACL_ROW(LinalgCross, opapi_math, "aclnn_linalg_cross.h",
            Binary(kRow, exec::Attribute("dim", exec::ValueKind::kInt64)));

}  // namespace portacl::ops::cross
