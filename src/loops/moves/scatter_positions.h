// SPDX-License-Identifier: Apache-2.0
//
// Walks the positions of a scatter in their order, where the steps along the innermost axis are constant.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "loops/moves/scatter_plan.h"

namespace portacl::loops::moves {

/// Positions that follow one another with constant steps: the offsets of the first, and bytes from one to the next.
struct PositionRun {
  int64_t count;
  int64_t index, source, out;
  int64_t index_step, source_step, out_step;
};

/// Calls f(run) for the runs of the positions [first, end).
template <class F>
void ForEachPositionRun(const Positions& positions, int64_t first, int64_t end, const F& f) {
  if (first >= end) return;
  const Places* const all[] = {&positions.index, &positions.source, &positions.out};
  int64_t inner = positions.count;
  for (const Places* places : all) {
    if (places->rank > 1) inner = std::gcd(inner, places->shape[places->rank - 1]);
  }
  int64_t steps[3];
  Places outer[3];
  for (int i = 0; i < 3; ++i) {
    outer[i] = *all[i];
    const int last = outer[i].rank - 1;
    steps[i] = last < 0 ? 0 : outer[i].strides[last];
    if (last < 0) continue;
    outer[i].shape[last] /= inner;
    outer[i].strides[last] *= inner;
  }
  int64_t skipped = first % inner;
  PlaceWalk index(outer[0], first / inner), source(outer[1], first / inner), out(outer[2], first / inner);
  for (int64_t k = first; k < end;) {
    const int64_t count = std::min(inner - skipped, end - k);
    f(PositionRun{count, index.place() + skipped * steps[0], source.place() + skipped * steps[1],
                  out.place() + skipped * steps[2], steps[0], steps[1], steps[2]});
    index.Next(), source.Next(), out.Next();
    k += count, skipped = 0;
  }
}

/// How many positions ahead a place is prefetched: with one cache line for each, rows of 64 bytes take a third of the
/// time in memory, and no less with twice as many.
inline constexpr int64_t kPlacesAhead = 16;

/// The same where each index is one number of INT32 or INT64, and names one axis. f.Fetch(place), if it exists, is
/// called before.
template <class I, class F>
bool ForEachStep(const ScatterRun& run, const PositionRun& of, const F& f) {
  const Names& names = run.plan.positions.names;
  const auto limit = static_cast<uint64_t>(names.indices.limit);
  const int64_t from_end = names.indices.from_end, named_step = names.flat.strides[0];
  const PlacesFunction narrow = of.index_step == sizeof(I) ? run.plan.narrow : nullptr;
  uint32_t places[kPlacesAtOnce];
  bool good = true;
  for (int64_t first = 0; first < of.count; first += kPlacesAtOnce) {
    const std::byte* const index = run.index + of.index + first * of.index_step;
    const int64_t n = std::min(kPlacesAtOnce, of.count - first);
    const int64_t out = of.out + first * of.out_step, source = of.source + first * of.source_step;
    if (narrow != nullptr && narrow(index, n, names.indices.limit, places)) {
      const auto place = [&](int64_t k) { return out + places[k] * named_step + k * of.out_step; };
      if constexpr (requires { f.Fetch(out); }) {
        for (int64_t k = 0; k < std::min(kPlacesAhead, n); ++k) f.Fetch(place(k));
        for (int64_t k = 0; k + kPlacesAhead < n; ++k) {
          f.Fetch(place(k + kPlacesAhead));
          f(place(k), source + k * of.source_step);
        }
        for (int64_t k = std::max<int64_t>(n - kPlacesAhead, 0); k < n; ++k) f(place(k), source + k * of.source_step);
      } else {
        for (int64_t k = 0; k < n; ++k) f(place(k), source + k * of.source_step);
      }
      continue;
    }
    for (int64_t k = 0; k < n; ++k) {
      I read;
      std::memcpy(&read, index + k * of.index_step, sizeof(I));
      const int64_t i = read < 0 ? read + from_end : int64_t{read};
      if (static_cast<uint64_t>(i) < limit) {
        f(out + i * named_step + k * of.out_step, source + k * of.source_step);
      } else {
        good = false;
      }
    }
  }
  return good;
}

/// Calls f(place, source), byte offsets, for each of the positions [first, end) in order. Returns false if an index
/// names nothing.
template <class F>
bool ForEachPosition(const ScatterRun& run, int64_t first, int64_t end, const F& f) {
  const Names& names = run.plan.positions.names;
  const bool is_one_axis = names.is_flat && names.flat.rank <= 1, is_wide = names.indices.is_wide;
  bool good = true;
  ForEachPositionRun(run.plan.positions, first, end, [&](PositionRun of) {
    if (run.plan.what.source == kNothing) of.source = of.source_step = 0;
    if (is_one_axis) {
      good &= is_wide ? ForEachStep<int64_t>(run, of, f) : ForEachStep<int32_t>(run, of, f);
      return;
    }
    for (int64_t k = 0; k < of.count; ++k) {
      const int64_t place = names.PlaceOf(run.index + of.index + k * of.index_step);
      if (place >= 0) {
        f(of.out + place + k * of.out_step, of.source + k * of.source_step);
      } else {
        good = false;
      }
    }
  });
  return good;
}

}  // namespace portacl::loops::moves
