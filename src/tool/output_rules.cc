// SPDX-License-Identifier: Apache-2.0
#include "tool/output_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "exec/shape_rule.h"
#include "tool/error.h"

namespace portacl::tool {
namespace {

using calls::Call;
using calls::Dims;

// The shape of an output, or of one tensor in an output list. If the inputs are incompatible, it is that of the first,
// and phase 1 reports the mistake.
Dims ShapeOf(Call& call, int output, std::span<const exec::Value> values, int element) {
  const exec::Schema& schema = call.schema();
  Shape shape;
  if (exec::ComputeShape(schema, output, values, &shape, element)) return {shape.dims, shape.dims + shape.rank};
  const bool has_rule =
      std::ranges::any_of(schema.steps, [&](const exec::Step& step) { return step.TellsShapeOf(output); });
  for (const int index : schema.tensors) {
    const calls::ArgumentSpec& spec = call.argument(index);
    const bool is_output = schema.args[static_cast<size_t>(index)].role == exec::Role::kOutput;
    if (has_rule && !is_output && !spec.null && !spec.tensors.empty()) return spec.tensors[0].shape;
  }
  const char* name = schema.args[static_cast<size_t>(output)].name;
  throw UsageError(
      fmt::format("no rule gives the shape of '{}'; add --shape {}=SIZES, such as --shape {}=2,3", name, name, name));
}

}  // namespace

void DescribeOutputs(Call& call, const std::map<int, aclDataType>& dtypes,
                     const std::map<int, std::vector<Dims>>& shapes) {
  const calls::CallObjects objects(call.schema(), call.arguments());
  for (const int index : call.schema().tensors) {
    const bool is_output = call.schema().args[static_cast<size_t>(index)].role == exec::Role::kOutput;
    if (!is_output || call.argument(index).null) continue;
    const auto dtype = dtypes.find(index);
    const auto shape = shapes.find(index);
    for (size_t element = 0; calls::TensorSpec & tensor : call.argument(index).tensors) {
      tensor.dtype = dtype != dtypes.end() ? dtype->second : exec::ComputeDtype(call.schema(), index, objects.values());
      tensor.shape = shape == shapes.end() ? ShapeOf(call, index, objects.values(), static_cast<int>(element))
                                           : shape->second[std::min(element, shape->second.size() - 1)];
      ++element;
    }
  }
}

}  // namespace portacl::tool
