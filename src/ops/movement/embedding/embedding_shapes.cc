// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes and shapes of this room's operators to each other.
#include <fmt/format.h>

#include "exec/shape_text.h"
#include "ops/movement/embedding/embedding_spec.h"

namespace portacl::ops::embedding {

aclnnStatus RowsFit(const exec::Arguments& arguments, const exec::Step& step) {
  constexpr int kIndices = 1, kNumWeights = 2, kOut = 5;
  const View &grad = arguments.Tensor(0), &indices = arguments.Tensor(kIndices), &out = arguments.Tensor(kOut);
  int64_t rows = 0, count = 0;
  CountElements(grad.dims().first(static_cast<size_t>(grad.rank) - 1), &rows);
  CountElements(indices.dims(), &count);
  if (rows != count)
    return arguments.Refuse(step, 0, fmt::format("{} rows (elements of 'indices')", count), fmt::format("{}", rows));
  const int64_t weights = arguments.value(kNumWeights).integer(), columns = grad.shape[grad.rank - 1];
  if (out.shape[0] == weights && out.shape[1] == columns) return exec::kSuccess;
  return arguments.Refuse(step, kOut, fmt::format("[{},{}]", weights, columns), exec::ShapeText(out.dims()));
}

}  // namespace portacl::ops::embedding
