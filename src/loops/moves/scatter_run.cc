// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "loops/moves/scatter_plan.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {
namespace {

void RunCopy(const TilePlan& tiles, const std::byte* from, std::byte* to) {
  TileTask task(tiles);
  task.addresses[0] = const_cast<std::byte*>(from);
  task.addresses[1] = to;
  RunTiles(task, 0, CopyTile);
}

// The number of the run that each position belongs to.
int32_t NumberRuns(const ScatterPlan& plan, const std::byte* lengths, int64_t* numbers) {
  const Indices& of = plan.positions.names.indices;
  const bool is_wide = plan.index_conversion == nullptr;  // else INT32
  const int64_t count = plan.unconverted.Count(), size = plan.positions.count;
  constexpr const char* kWhat = "the size along 'axis'";
  int64_t sum = 0;
  for (int64_t run = 0; run < of.limit; ++run) {
    const int64_t length = ReadIndex(lengths + plan.unconverted.Of(count == 1 ? 0 : run), is_wide);
    if (length < 0 || length > size - sum) return RefuseRepeat(of, length, run, size, kWhat);
    std::fill_n(numbers + sum, length, run);
    sum += length;
  }
  return sum == size ? 0 : RefuseSum(of, sum, size, kWhat);
}

// Indices of INT64 from what the client passes in their place.
int32_t MakeIndices(const ScatterPlan& plan, const std::byte* from, int64_t* to) {
  if (plan.has_runs) return NumberRuns(plan, from, to);
  PlaceWalk walk(plan.unconverted);
  for (int64_t k = 0; k < plan.positions.count; ++k, walk.Next())
    Convert(*plan.index_conversion, from + walk.place(), reinterpret_cast<std::byte*>(to + k), 1);
  return 0;
}

}  // namespace

int32_t RunScatter(const exec::RunContext& context) {
  const auto& plan = context.Parameters<ScatterPlan>();
  const Scattered& what = plan.what;
  std::byte* const out = context.Address(what.out);
  const PoolMemory staged(plan.staged_bytes);
  std::byte* const place = plan.staged_bytes == 0 ? out : staged.As();
  const std::byte* index = context.Address(what.index);
  const bool is_made = plan.has_runs || plan.index_conversion != nullptr;
  const PoolMemory made(is_made ? plan.positions.count * kWideBytes : 0);
  if (is_made) {
    const int32_t status = MakeIndices(plan, index, made.As<int64_t>());
    if (status != 0) return status;
    index = made.As();
  }
  if (plan.has_before) {
    const bool clears = what.clears;
    RunCopy(plan.before,
            clears ? reinterpret_cast<const CopyParameters*>(plan.before.parameters)->value
                   : context.Address(what.self == kNothing ? what.out : what.self),
            place);
  }
  const bool good = plan.run({.plan = plan,
                              .index = index,
                              .source = what.source == kNothing ? what.value : context.Address(what.source),
                              .before = plan.begins_at_self ? context.Address(what.self) : place,
                              .out = place});
  if (plan.staged_bytes != 0) RunCopy(plan.after, place, out);
  return good || what.ignores ? 0 : plan.positions.names.Refuse(index);
}

}  // namespace portacl::loops::moves
