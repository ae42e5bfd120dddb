// SPDX-License-Identifier: Apache-2.0
//
// The start, merge and finish functions of variances. The planes of their states are sums, squares and counts.
#include <algorithm>
#include <cmath>
#include <limits>

#include "families/reduction_lanes.h"

namespace portacl::families {
namespace {

using loops::reductions::Reducer;
using loops::reductions::ReduceStates;

double* PlaneOf(std::byte* const* planes, int plane) { return reinterpret_cast<double*>(planes[plane]); }

Moments MomentsIn(std::byte* const* planes, int64_t i) {
  return {PlaneOf(planes, 0)[i], PlaneOf(planes, 1)[i], PlaneOf(planes, 2)[i]};
}

void StartVariance(const ReduceStates& states) {
  for (int plane = 0; plane < 3; ++plane) std::fill_n(PlaneOf(states.planes, plane), states.n, 0.0);
}
void MergeVariance(const ReduceStates& states, std::byte* const* others) {
  for (int64_t i = 0; i < states.n; ++i) {
    const Moments joined = Joined(MomentsIn(states.planes, i), MomentsIn(others, i));
    PlaneOf(states.planes, 0)[i] = joined.sum;
    PlaneOf(states.planes, 1)[i] = joined.squares;
    PlaneOf(states.planes, 2)[i] = joined.count;
  }
}
void FinishVariance(const ReduceStates& states, std::byte* const* results) {
  const auto& parameters = *static_cast<const ReductionParameters*>(states.parameters);
  for (int64_t i = 0; i < states.n; ++i) {
    const Moments moments = MomentsIn(states.planes, i);
    const double divisor = std::max(0.0, moments.count - static_cast<double>(parameters.correction));
    const double variance = moments.count == 0 ? std::numeric_limits<double>::quiet_NaN() : moments.squares / divisor;
    PlaneOf(results, 0)[i] = parameters.root ? std::sqrt(variance) : variance;
    PlaneOf(results, 1)[i] = moments.sum / moments.count;
  }
}

}  // namespace

Moments Joined(const Moments& a, const Moments& b) {
  if (a.count == 0) return b;
  const double count = a.count + b.count;
  const double difference = b.sum / b.count - a.sum / a.count;
  const double squares = a.squares + b.squares + difference * difference * (a.count * b.count / count);
  return {a.sum + b.sum, squares, count};
}

Reducer VarianceReducer(aclDataType dtype) {
  return {.start = StartVariance,
          .add_rows = nullptr,
          .add_columns = nullptr,
          .merge = MergeVariance,
          .finish = FinishVariance,
          .dtype = dtype,
          .result_dtype = {ACL_DOUBLE, ACL_DOUBLE},
          .planes = 3};
}

}  // namespace portacl::families
