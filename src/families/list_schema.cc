// SPDX-License-Identifier: Apache-2.0
#include "families/list_schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/dtype.h"

namespace portacl::families {
namespace {

// The tensor beside the lists.
int ScalarOf(const exec::Schema& schema) {
  return static_cast<int>(std::ranges::find_if(schema.args, IsOneTensor) - schema.args.begin());
}
int FirstList(const exec::Schema& schema) {
  return static_cast<int>(std::ranges::find_if(schema.args, IsList) - schema.args.begin());
}

// The tensors beside the lists have as many elements.
aclnnStatus CheckElements(const exec::Arguments& arguments, const exec::Step& step, int64_t wanted) {
  const exec::Schema& schema = arguments.schema();
  for (const int arg : schema.tensors) {
    if (!IsOneTensor(schema.args[static_cast<size_t>(arg)])) continue;
    int64_t count = 0;
    CountElements(arguments.Tensor(arg).dims(), &count);
    if (count == wanted) continue;
    return arguments.Refuse(step, arg, fmt::format("{} element{}", wanted, wanted == 1 ? "" : "s"),
                            fmt::format("{}", count));
  }
  return exec::kSuccess;
}

}  // namespace

aclnnStatus CheckScalarOfLists(const exec::Arguments& arguments, const exec::Step& step) {
  const int x = FirstList(arguments.schema()), scalar = ScalarOf(arguments.schema());
  if (arguments.Count(x) == 0) return exec::kSuccess;
  const aclDataType dtype = arguments.Tensor(x).dtype, given = arguments.Tensor(scalar).dtype;
  const bool is_whole = kWhole.Holds(dtype);
  const exec::DtypeSet fits = exec::DtypeSet{dtype, ACL_FLOAT, ACL_DOUBLE} |
                              (is_whole ? exec::DtypeSet{ACL_INT32, ACL_INT64} : exec::DtypeSet());
  if (fits.Holds(given)) return exec::kSuccess;
  const char* const others = is_whole ? "FLOAT, DOUBLE, INT32 or INT64" : "FLOAT or DOUBLE";
  return arguments.Refuse(step, scalar,
                          fmt::format("{} (dtype of '{}'), {}", DtypeName(dtype),
                                      arguments.schema().args[static_cast<size_t>(x)].name, others),
                          given);
}

aclnnStatus CheckOneScalar(const exec::Arguments& arguments, const exec::Step& step) {
  return CheckElements(arguments, step, 1);
}
aclnnStatus CheckScalarForEach(const exec::Arguments& arguments, const exec::Step& step) {
  return CheckElements(arguments, step, arguments.Count(FirstList(arguments.schema())));
}

aclnnStatus CheckOneElementEach(const exec::Arguments& arguments, const exec::Step& step) {
  const int out = arguments.schema().Find("out");
  for (int i = 0; i < arguments.Count(out); ++i) {
    int64_t count = 0;
    CountElements(arguments.Tensor(out, i).dims(), &count);
    if (count != 1) return arguments.Refuse(step, out, "one element", fmt::format("{}", count), i);
  }
  return exec::kSuccess;
}

}  // namespace portacl::families
