// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate dtypes, normalizedShape and shapes of this room's operators to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/dtype.h"
#include "ops/normalization/layer_norm/layer_norm_spec.h"

namespace portacl::ops::layer_norm {
namespace {

const View& InputOf(const exec::Arguments& arguments) { return arguments.Tensor(arguments.schema().Find("input")); }

std::span<const int64_t> SizesOf(const exec::Arguments& arguments) {
  return arguments.Ints(arguments.schema().Find("normalizedShape"));
}

}  // namespace

aclnnStatus CheckParameterDtypes(const exec::Arguments& arguments, const exec::Step& step) {
  aclDataType wanted = ACL_DT_UNDEFINED;
  for (const char* const name : {"weightOptional", "biasOptional"}) {
    const int argument = arguments.schema().Find(name);
    if (arguments.IsNull(argument)) continue;
    const aclDataType dtype = arguments.Tensor(argument).dtype;
    const aclDataType input = InputOf(arguments).dtype;
    if (wanted != ACL_DT_UNDEFINED && dtype != wanted)
      return arguments.Refuse(step, argument, fmt::format("{} (dtype of 'weightOptional')", DtypeName(wanted)), dtype);
    if (dtype != input && dtype != ACL_FLOAT)
      return arguments.Refuse(step, argument, fmt::format("{} (dtype of 'input') or FLOAT", DtypeName(input)), dtype);
    wanted = dtype;
  }
  return exec::kSuccess;
}

aclnnStatus CheckImplMode(const exec::Arguments& arguments, const exec::Step& step) {
  const exec::Schema& schema = arguments.schema();
  if (arguments.value(schema.Find("implMode")).integer() != 2) return exec::kSuccess;
  for (const int argument : schema.tensors) {
    if (arguments.IsNull(argument) || arguments.Tensor(argument).dtype == ACL_FLOAT16) continue;
    return arguments.Refuse(step, argument, "FLOAT16 (implMode is 2)", arguments.Tensor(argument).dtype);
  }
  return exec::kSuccess;
}

bool NormalizedShape(const exec::Arguments& arguments, Shape* shape) {
  const auto sizes = SizesOf(arguments);
  if (sizes.empty() || sizes.size() > static_cast<size_t>(kMaxRank)) return false;
  families::SetShape(sizes, shape);
  return true;
}

aclnnStatus CheckNormalizedShape(const exec::Arguments& arguments, const exec::Step& step) {
  const auto sizes = SizesOf(arguments);
  const auto dims = InputOf(arguments).dims();
  if (!sizes.empty() && sizes.size() <= dims.size() && std::ranges::equal(sizes, dims.last(sizes.size())))
    return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("normalizedShape"),
                          fmt::format("the last axes of [{}]", fmt::join(dims, ",")),
                          fmt::format("[{}]", fmt::join(sizes, ",")));
}

bool StatisticsShape(const exec::Arguments& arguments, Shape* shape) {
  const size_t axes = SizesOf(arguments).size();
  const auto dims = InputOf(arguments).dims();
  if (axes > dims.size()) return false;
  families::SetShape(dims, shape);
  std::fill_n(shape->dims + (dims.size() - axes), axes, 1);
  return true;
}

}  // namespace portacl::ops::layer_norm
