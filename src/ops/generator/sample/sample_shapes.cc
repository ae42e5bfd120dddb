// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate attributes, dtypes and shapes of this room's operators to each other.
#include <fmt/format.h>

#include <limits>

#include "ops/generator/sample/sample_spec.h"

namespace portacl::ops::sample {
namespace {

constexpr int64_t kMostWeights = int64_t{1} << 24;

int64_t Integer(const exec::Arguments& arguments, const char* name) {
  return arguments.value(arguments.schema().Find(name)).integer();
}

// The number of integers from 0 on that a dtype holds without a gap.
int64_t IntegersOf(aclDataType dtype) {
  switch (dtype) {
    case ACL_BF16:
      return (1 << 8) + 1;
    case ACL_FLOAT16:
      return (1 << 11) + 1;
    case ACL_FLOAT:
      return (1 << 24) + 1;
    case ACL_DOUBLE:
      return (int64_t{1} << 53) + 1;
    case ACL_UINT8:
      return 256;
    case ACL_INT64:
      return std::numeric_limits<int64_t>::max();
    default:
      return int64_t{1} << (8 * ElementBytes(dtype) - 1);
  }
}

}  // namespace

aclnnStatus CheckCount(const exec::Arguments& arguments, const exec::Step& step) {
  const aclDataType dtype = arguments.Tensor(arguments.schema().Find("out")).dtype;
  const int64_t n = Integer(arguments, "n"), most = IntegersOf(dtype);
  if (n >= 0 && n <= most) return exec::kSuccess;
  return arguments.Refuse(step, arguments.schema().Find("n"),
                          fmt::format("from 0 to {}, the integers that {} holds", most, DtypeName(dtype)),
                          fmt::format("{}", n));
}

bool PermutationShape(const exec::Arguments& arguments, Shape* shape) {
  shape->rank = 1;
  shape->dims[0] = Integer(arguments, "n");
  return shape->dims[0] >= 0;
}

aclnnStatus CheckSamples(const exec::Arguments& arguments, const exec::Step& step) {
  const int self = arguments.schema().Find("self");
  const View& view = arguments.Tensor(self);
  const int64_t weights = view.shape[view.rank - 1];
  const bool replaces = arguments.value(arguments.schema().Find("replacement")).As<bool>();
  const int64_t least = replaces ? 1 : Integer(arguments, "numsamples");
  if (weights >= least && weights <= kMostWeights) return exec::kSuccess;
  return arguments.Refuse(step, self, fmt::format("from {} to {} elements in a row", least, kMostWeights),
                          fmt::format("{}", weights));
}

bool DrawnShape(const exec::Arguments& arguments, Shape* shape) {
  const View& view = arguments.Tensor(arguments.schema().Find("self"));
  if (view.rank < 1 || view.rank > 2) return false;
  shape->rank = view.rank;
  shape->dims[0] = view.shape[0];
  shape->dims[view.rank - 1] = Integer(arguments, "numsamples");
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

}  // namespace portacl::ops::sample
