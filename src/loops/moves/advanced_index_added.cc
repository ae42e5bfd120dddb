// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are added to those that indices name.
#include <algorithm>

#include "loops/elements/conversion.h"
#include "loops/moves/add_by_range.h"
#include "loops/moves/advanced_index_run.h"
#include "loops/moves/combine_blocks.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {
namespace {

// Elements are added to sums for all of self if those are at most this many times as many.
constexpr int64_t kMostSums = 4;

// The values, and where the table says that they go.
class TableElements : public PlacedElements {
 public:
  explicit TableElements(const IndexRun& run)
      : PlacedElements(run.plan.dtype, run.table.count()),
        run_(run),
        values_(run.plan.indexed, run.table.shape().span()) {}

  const int64_t* Places(int64_t first, int64_t n, int64_t* buffer) const override {
    alignas(kLineBytes) std::byte scratch[kPiece * sizeof(int64_t)];
    if (!run_.table.Offsets(first, n, scratch, buffer)) run_.good.store(false, std::memory_order_relaxed);
    return buffer;
  }
  const std::byte* Elements(int64_t first, int64_t n, std::byte* buffer) const override {
    return values_.Read(run_.other, first, n, buffer);
  }

 private:
  const IndexRun& run_;
  const Sequence values_;
};

// Adds elements to a sum for each element of `self`, which is contiguous. Those of 16 bits are added as FLOAT: the sums
// of all three are in float64.
void AddToAll(const IndexRun& run) {
  constexpr int64_t kAddedPiece = 512;
  const IndexPlan& plan = run.plan;
  const bool is_narrow = plan.dtype == ACL_FLOAT16 || plan.dtype == ACL_BF16;
  const aclDataType added = is_narrow ? ACL_FLOAT : plan.dtype;
  const Combiner& adder = CombinerOf(added, Combine::kAdd);
  const Conversion& widening = ConversionOf(plan.dtype, added);
  const PoolMemory sums(plan.contiguous_elements * adder.state_bytes);
  const ElementRun all = {run.self, plan.bytes, plan.contiguous_elements};
  if (is_narrow || added == ACL_FLOAT) {
    Convert(ConversionOf(plan.dtype, ACL_DOUBLE), run.self, sums.As(), plan.contiguous_elements);
  } else {
    adder.start(all, sums.As());
  }
  const Sequence values(plan.indexed, run.table.shape().span());
  int64_t offsets[kAddedPiece];
  alignas(kLineBytes) std::byte scratch[kAddedPiece * sizeof(int64_t)];
  alignas(kLineBytes) std::byte read[kAddedPiece * sizeof(double)];
  alignas(kLineBytes) std::byte widened[kAddedPiece * sizeof(float)];
  for (int64_t first = 0; first < run.table.count(); first += kAddedPiece) {
    const int64_t n = std::min(kAddedPiece, run.table.count() - first);
    if (!run.table.Offsets(first, n, scratch, offsets)) run.good.store(false, std::memory_order_relaxed);
    const std::byte* source = values.Read(run.other, first, n, read);
    if (is_narrow) {
      Convert(widening, source, widened, n);
      source = widened;
    }
    adder.scatter({.index = reinterpret_cast<const std::byte*>(offsets),
                   .source = source,
                   .states = sums.As(),
                   .counts = nullptr,
                   .size = {1, n},
                   .index_step = {0, sizeof(int64_t)},
                   .source_step = {0, static_cast<int64_t>(ElementBytes(added))},
                   .state_step = {0, 0},
                   .named_step = 1,
                   .limit = plan.contiguous_elements,
                   .from_end = 0,
                   .is_wide = true,
                   .includes_first = true,
                   .factor = {}});
  }
  plan.adder->store(sums.As(), all);
}

}  // namespace

bool AddsToAll(const IndexPlan& plan, const IndexTable& table) {
  return plan.adder != nullptr && plan.contiguous_elements > 0 && plan.contiguous_elements / kMostSums < table.count();
}

void AddBlocks(const IndexRun& run) {
  if (AddsToAll(run.plan, run.table)) {
    if (AddsByRange(run.plan.dtype, run.plan.contiguous_elements))
      return AddByRange(TableElements(run), run.self, run.plan.contiguous_elements);
    return AddToAll(run);
  }
  const PoolMemory memory(2 * run.items() * static_cast<int64_t>(sizeof(Move)));
  Move* const moves = memory.As<Move>();
  int64_t n = 0;
  run.ForEachItem(0, run.items(), nullptr, [&](const std::byte* self, const std::byte* values) {
    if (self != nullptr)
      moves[n++] = {static_cast<uint64_t>(self - run.self), static_cast<uint64_t>(values - run.other)};
  });
  const IndexPlan& plan = run.plan;
  CombineMoves({.combiner = plan.adder,
                .result_combiner = plan.adder,
                .lanes = plan.add_lanes,
                .factor = {},
                .includes_self = true,
                .tiles = &plan.block,
                .source = run.other,
                .out = run.self},
               moves, n);
}

}  // namespace portacl::loops::moves
