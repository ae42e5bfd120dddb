// SPDX-License-Identifier: Apache-2.0
//
// Joins several plans into one run: their chunks are numbered consecutively, so that threads share many small plans.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "exec/plan.h"
#include "loops/tiles/tile_plan.h"
#include "runtime/parallel/parallel.h"

namespace portacl::loops {

/// Header of the joined plans of phase 1. The plans follow it, each without the strides of absent operands.
struct TilePlans {
  int64_t count;
  int64_t chunks;
  int64_t plan_bytes;
  bool serial;

  const TilePlan& At(int64_t i) const;
  int64_t FirstChunk(int64_t i) const { return i == count ? chunks : At(i).first_chunk; }
  /// The plan that `chunk` belongs to.
  int64_t OfChunk(int64_t chunk) const {
    int64_t low = 0, high = count;
    while (high - low > 1) {
      const int64_t middle = (low + high) / 2;
      (FirstChunk(middle) <= chunk ? low : high) = middle;
    }
    return low;
  }
};
inline constexpr size_t kPlansHeaderBytes =
    (sizeof(TilePlans) + alignof(TilePlan) - 1) / alignof(TilePlan) * alignof(TilePlan);

inline const TilePlan& TilePlans::At(int64_t i) const {
  const auto* first = reinterpret_cast<const std::byte*>(this) + kPlansHeaderBytes;
  return *reinterpret_cast<const TilePlan*>(first + i * plan_bytes);
}

/// Joins plans with the same number of operands.
class PlanJoiner {
 public:
  PlanJoiner(size_t count, int operands) : bytes_(kPlansHeaderBytes) {
    TilePlan plan;
    plan.nest.operands = operands;
    plans_.plan_bytes =
        static_cast<int64_t>(sizeof(TilePlan) - plan.UnusedBytes() / alignof(TilePlan) * alignof(TilePlan));
    bytes_.reserve(kPlansHeaderBytes + count * static_cast<size_t>(plans_.plan_bytes));
  }

  void Add(TilePlan& plan, int64_t cost_ns) {
    plan.first_chunk = plans_.chunks;
    plans_.chunks += plan.tiling.chunks;
    plans_.serial |= plan.serial;
    moved_ += BytesPerElement(plan.nest) * plan.nest.Elements();
    cost_ns_ += cost_ns;
    ++plans_.count;
    const auto* const bytes = reinterpret_cast<const std::byte*>(&plan);
    bytes_.insert(bytes_.end(), bytes, bytes + plans_.plan_bytes);
  }

  /// Plans a run of all plans. Their total decides whether stores are non-temporal, and whether one thread is enough.
  void Run(exec::PlanBuilder& builder, exec::RunFunction run);

 private:
  TilePlans plans_{.count = 0, .chunks = 0, .plan_bytes = 0, .serial = false};
  std::vector<std::byte> bytes_;
  int64_t moved_ = 0;
  int64_t cost_ns_ = 0;
};

/// Calls run(plan, first, end) for the chunks of each plan that a thread takes.
template <class F>
void RunPlans(const TilePlans& plans, const F& run) {
  RunChunks({.count = plans.chunks, .is_serial = plans.serial}, [&](int64_t first, int64_t end, std::byte*) {
    for (int64_t i = plans.OfChunk(first); first < end; ++i) {
      const int64_t begin = plans.FirstChunk(i);
      const int64_t last = std::min(end, plans.FirstChunk(i + 1));
      run(plans.At(i), first - begin, last - begin);
      first = last;
    }
  });
}

}  // namespace portacl::loops
