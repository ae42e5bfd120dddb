// SPDX-License-Identifier: Apache-2.0
#include "families/weight_format.h"

#include <fmt/format.h>

#include <span>

#include "base/format.h"
#include "exec/shape_text.h"
#include "tensor/tensor.h"

namespace portacl::families {

aclnnStatus CheckWeightFormat(const exec::Arguments& arguments, const exec::Step& step) {
  const int weight = step.refs[0].index;
  const aclTensor& tensor = *arguments.operand(arguments.First(weight)).tensor;
  if (IsPlainFormat(tensor.format)) return exec::kSuccess;
  if (tensor.format != ACL_FORMAT_FRACTAL_NZ) {
    return arguments.Refuse(step, weight, "format ND, one that only labels the axes, or FRACTAL_NZ",
                            FormatName(tensor.format));
  }
  if (!IsStoredInBlocks(tensor)) return exec::kSuccess;
  const std::span<const int64_t> dims(tensor.storage, static_cast<size_t>(tensor.storage_rank));
  return arguments.Refuse(step, weight, "format FRACTAL_NZ of elements that lie by shape and strides",
                          fmt::format("storageDims {} of blocks", exec::ShapeText(dims)));
}

}  // namespace portacl::families
