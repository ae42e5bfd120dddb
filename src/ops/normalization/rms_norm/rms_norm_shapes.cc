// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate gamma and rstd to x in this room's operators. x is the first tensor of each.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/dtype.h"
#include "ops/normalization/rms_norm/rms_norm_spec.h"

namespace portacl::ops::rms_norm {
namespace {

constexpr int kX = 0;

const View& GammaOf(const exec::Arguments& arguments) { return arguments.Tensor(arguments.schema().Find("gamma")); }

// The number of rows, and of elements of one; false if gamma does not fit.
bool CountRows(const exec::Arguments& arguments, int64_t* rows) {
  const View& x = arguments.Tensor(kX);
  const int axes = NormalizedAxes(x, GammaOf(arguments));
  return axes != 0 && CountElements(x.dims().first(static_cast<size_t>(x.rank - axes)), rows);
}

}  // namespace

int NormalizedAxes(const View& x, const View& gamma) {
  const auto dims = gamma.dims();
  if (dims.empty() || x.rank == 0) return 0;
  if (gamma.rank <= x.rank && std::ranges::equal(dims, x.dims().last(dims.size()))) return gamma.rank;
  const bool is_row = gamma.rank == 2 && dims[0] == 1 && dims[1] == x.shape[x.rank - 1];
  return is_row ? 1 : 0;
}

aclnnStatus CheckGammaDtype(const exec::Arguments& arguments, const exec::Step& step) {
  const aclDataType x = arguments.Tensor(kX).dtype;
  const aclDataType gamma = GammaOf(arguments).dtype;
  if (gamma == x || gamma == ACL_FLOAT) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("gamma"),
                          fmt::format("{} (dtype of 'x') or FLOAT", DtypeName(x)), gamma);
}

aclnnStatus CheckGammaShape(const exec::Arguments& arguments, const exec::Step& step) {
  const View& x = arguments.Tensor(kX);
  const View& gamma = GammaOf(arguments);
  if (NormalizedAxes(x, gamma) != 0) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("gamma"),
                          fmt::format("the last axes of [{}]", fmt::join(x.dims(), ",")),
                          fmt::format("[{}]", fmt::join(gamma.dims(), ",")));
}

bool RstdShape(const exec::Arguments& arguments, Shape* shape) {
  const View& x = arguments.Tensor(kX);
  const int axes = NormalizedAxes(x, GammaOf(arguments));
  if (axes == 0) return false;
  families::SetShape(x.dims(), shape);
  std::fill_n(shape->dims + (x.rank - axes), axes, 1);
  return true;
}

aclnnStatus CheckRstdCount(const exec::Arguments& arguments, const exec::Step& step) {
  const int rstd = step.target.index;
  int64_t wanted = 0;
  int64_t count = 0;
  if (arguments.IsNull(rstd) || !CountRows(arguments, &wanted)) return exec::kSuccess;
  const View& view = arguments.Tensor(rstd);
  if (CountElements(view.dims(), &count) && count == wanted) return exec::kSuccess;
  return arguments.Refuse(step, rstd, fmt::format("{} elements, one a row", wanted),
                          fmt::format("[{}]", fmt::join(view.dims(), ",")));
}

aclnnStatus CheckAbsentOutputs(const exec::Arguments& arguments, const exec::Step& step) {
  const int rstd = arguments.schema().Find("rstdOut");
  const int sum = arguments.schema().Find("xOut");
  const View& gamma = GammaOf(arguments);
  const bool is_row = gamma.rank == 2 && gamma.shape[0] == 1;
  if (arguments.IsNull(rstd) && !(is_row && families::kNarrow.Holds(gamma.dtype)))
    return arguments.Refuse(step, rstd, "a tensor where gamma is FLOAT or not [1, last axis]", "null");
  if (arguments.IsNull(sum) && !arguments.IsNull(rstd))
    return arguments.Refuse(step, sum, "a tensor where rstdOut is one", "null");
  return exec::kSuccess;
}

}  // namespace portacl::ops::rms_norm
