// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate sizes, groups and shapes of this room's operators to each other.
#include <fmt/format.h>

#include "base/format.h"
#include "ops/normalization/group_norm/group_norm_spec.h"

namespace portacl::ops::group_norm {
namespace {

int64_t IntegerOf(const exec::Arguments& arguments, const char* name) {
  return arguments.value(arguments.schema().Find(name)).integer();
}

}  // namespace

aclnnStatus CheckGroups(const exec::Arguments& arguments, const exec::Step& step) {
  const int64_t channels = IntegerOf(arguments, "C");
  const int64_t groups = IntegerOf(arguments, "group");
  if (channels % groups == 0) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("C"), fmt::format("a multiple of {} (group)", groups),
                          fmt::format("{}", channels));
}

aclnnStatus CheckSizes(const exec::Arguments& arguments, const exec::Step& step) {
  const View& self = arguments.Tensor(0);
  int64_t of_channel = 0;
  CountElements(self.dims().subspan(2), &of_channel);
  const struct {
    const char* name;
    int64_t size;
  } sizes[] = {{"N", self.shape[0]}, {"C", self.shape[1]}, {"HxW", of_channel}};
  for (const auto& [name, size] : sizes) {
    const int64_t given = IntegerOf(arguments, name);
    if (given == size) continue;
    return arguments.Refuse(step, arguments.schema().Find(name),
                            fmt::format("{} (that of '{}')", size, arguments.schema().args[0].name),
                            fmt::format("{}", given));
  }
  return exec::kSuccess;
}

aclnnStatus CheckFormats(const exec::Arguments& arguments, const exec::Step& step) {
  for (const int argument : arguments.schema().tensors) {
    if (arguments.IsNull(argument)) continue;
    const aclFormat format = arguments.Tensor(argument).format;
    const bool is_last = format == ACL_FORMAT_NHWC || format == ACL_FORMAT_HWCN || format == ACL_FORMAT_NDHWC;
    if (is_last || !IsPlainFormat(format))
      return arguments.Refuse(step, argument, "a format in which channels are the second axis", FormatName(format));
  }
  const int out = arguments.schema().Find("out");
  const aclFormat format = arguments.Tensor(0).format;
  if (arguments.Tensor(out).format == format) return exec::kSuccess;
  return arguments.Refuse(step, out, fmt::format("{} (format of 'self')", FormatName(format)),
                          FormatName(arguments.Tensor(out).format));
}

bool ChannelsShape(const exec::Arguments& arguments, Shape* shape) {
  const int64_t sizes[] = {IntegerOf(arguments, "C")};
  families::SetShape(sizes, shape);
  return sizes[0] >= 0;
}

bool GroupsShape(const exec::Arguments& arguments, Shape* shape) {
  const int64_t sizes[] = {IntegerOf(arguments, "N"), IntegerOf(arguments, "group")};
  families::SetShape(sizes, shape);
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

}  // namespace portacl::ops::group_norm
