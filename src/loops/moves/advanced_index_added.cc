// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are added to those that indices name.
#include <algorithm>
#include <cstring>
#include <utility>

#include "loops/elements/conversion.h"
#include "loops/moves/advanced_index_run.h"
#include "loops/moves/combine_blocks.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {
namespace {

// Elements are added to sums for all of self if those are at most this many times as many.
constexpr int64_t kMostSums = 4;

// Sums of a range, and those that are too many to have them in the cache together.
constexpr int kAddedRangeBits = 16;
constexpr int64_t kAddedRange = int64_t{1} << kAddedRangeBits;
constexpr int64_t kManySums = int64_t{1} << 18;

// The values, and where the table says that they go. Callable from any thread.
class PlacedElements {
 public:
  // The most that are read at once.
  static constexpr int64_t kPiece = 1 << 10;

  explicit PlacedElements(const IndexRun& run) : run_(run), values_(run.plan.indexed, run.table.shape().span()) {}

  int64_t count() const { return run_.table.count(); }

  // Those from number `first` on; negative places are none.
  const int64_t* Places(int64_t first, int64_t n, int64_t* buffer) const {
    alignas(kLineBytes) std::byte scratch[kPiece * sizeof(int64_t)];
    if (!run_.table.Offsets(first, n, scratch, buffer)) run_.good.store(false, std::memory_order_relaxed);
    return buffer;
  }
  const std::byte* Values(int64_t first, int64_t n, std::byte* buffer) const {
    return values_.Read(run_.other, first, n, buffer);
  }

 private:
  const IndexRun& run_;
  const Sequence values_;
};

constexpr int64_t kLeastAddedChunk = 32 * PlacedElements::kPiece;
constexpr int64_t kMostAddedChunks = 64;

// An element, in the range for which it is kept.
struct PlacedFloat {
  uint32_t place;
  float value;
};

// Adds FLOAT or 16 bits to `self`, which is contiguous and whose sums do not fit in the cache: the elements are
// distributed over ranges whose sums do, in their order, and each range is one thread's work.
struct RangeAdder {
  static constexpr int64_t kPiece = PlacedElements::kPiece;

  explicit RangeAdder(const IndexRun& run)
      : elements(run),
        dtype(run.plan.dtype),
        array(run.self),
        size(run.plan.contiguous_elements),
        bytes(run.plan.bytes) {}

  // The sums of the elements [first, first + n) of the array, as they are before, and back.
  void Load(int64_t first, int64_t n, double* sums) const {
    Convert(ConversionOf(dtype, ACL_DOUBLE), array + first * bytes, reinterpret_cast<std::byte*>(sums), n);
  }
  void Store(const double* sums, int64_t first, int64_t n) const {
    Convert(ConversionOf(ACL_DOUBLE, dtype), reinterpret_cast<const std::byte*>(sums), array + first * bytes, n);
  }

  // Calls f(places, values, n) for pieces of the elements [first, end).
  template <class F>
  void ForEachPiece(int64_t first, int64_t end, const F& f) const {
    const Conversion& widening = ConversionOf(dtype, ACL_FLOAT);
    int64_t places[kPiece];
    alignas(kLineBytes) std::byte read[kPiece * sizeof(float)];
    alignas(kLineBytes) float widened[kPiece];
    for (; first < end; first += kPiece) {
      const int64_t n = std::min(kPiece, end - first);
      const std::byte* const values = elements.Values(first, n, read);
      if (widening.steps == 0) {
        std::memcpy(widened, values, static_cast<size_t>(n) * sizeof(float));
      } else {
        Convert(widening, values, reinterpret_cast<std::byte*>(widened), n);
      }
      f(elements.Places(first, n, places), widened, n);
    }
  }

  // Counts the elements [first, end) of each range.
  void Count(int64_t first, int64_t end, int64_t* counts) const {
    int64_t buffer[kPiece];
    for (; first < end; first += kPiece) {
      const int64_t n = std::min(kPiece, end - first);
      const int64_t* const places = elements.Places(first, n, buffer);
      for (int64_t i = 0; i < n; ++i) {
        if (places[i] >= 0) [[likely]]
          ++counts[places[i] >> kAddedRangeBits];
      }
    }
  }

  void Run() const {
    const int64_t chunk = std::max(kLeastAddedChunk, CeilDivide(elements.count(), kMostAddedChunks));
    const int64_t chunks = CeilDivide(elements.count(), chunk), ranges = CeilDivide(size, kAddedRange);
    const PoolMemory memory(elements.count() * static_cast<int64_t>(sizeof(PlacedFloat)));
    const PoolMemory next_memory((chunks + 1) * ranges * static_cast<int64_t>(sizeof(int64_t)));
    auto* const placed = memory.As<PlacedFloat>();
    auto* const next = next_memory.As<int64_t>();  // where the next element goes, for each chunk and range
    int64_t* const begins = next + chunks * ranges;
    std::fill_n(next, chunks * ranges, int64_t{0});
    ForEachChunk({.count = chunks}, [&](int64_t k, std::byte*) {
      Count(k * chunk, std::min(elements.count(), (k + 1) * chunk), next + k * ranges);
    });
    int64_t sum = 0;
    for (int64_t range = 0; range < ranges; ++range) {
      begins[range] = sum;
      for (int64_t k = 0; k < chunks; ++k) sum += std::exchange(next[k * ranges + range], sum);
    }
    ForEachChunk({.count = chunks}, [&](int64_t k, std::byte*) {
      int64_t* const to = next + k * ranges;
      ForEachPiece(k * chunk, std::min(elements.count(), (k + 1) * chunk),
                   [&](const int64_t* places, const float* values, int64_t n) {
                     for (int64_t i = 0; i < n; ++i) {
                       if (places[i] >= 0) [[likely]]
                         placed[to[places[i] >> kAddedRangeBits]++] = {
                             static_cast<uint32_t>(places[i] & (kAddedRange - 1)), values[i]};
                     }
                   });
    });
    ForEachChunk({.count = ranges, .scratch_bytes = kAddedRange * static_cast<int64_t>(sizeof(double)), .differ = true},
                 [&](int64_t range, std::byte* scratch) {
                   auto* const sums = reinterpret_cast<double*>(scratch);
                   const int64_t first = range * kAddedRange, n = std::min(kAddedRange, size - first);
                   const PlacedFloat* const end = placed + (range + 1 < ranges ? begins[range + 1] : sum);
                   if (placed + begins[range] == end) return;
                   Load(first, n, sums);
                   for (const PlacedFloat* at = placed + begins[range]; at != end; ++at)
                     sums[at->place] += static_cast<double>(at->value);
                   Store(sums, first, n);
                 });
  }

  const PlacedElements elements;
  const aclDataType dtype;
  std::byte* const array;
  const int64_t size;
  const int64_t bytes;
};

bool IsNarrow(aclDataType dtype) { return dtype == ACL_FLOAT16 || dtype == ACL_BF16; }

// Adds elements to a sum for each element of `self`, which is contiguous. Those of 16 bits are added as FLOAT: the sums
// of all three are in float64.
void AddToAll(const IndexRun& run) {
  constexpr int64_t kAddedPiece = 512;
  const IndexPlan& plan = run.plan;
  const bool is_narrow = IsNarrow(plan.dtype);
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
    if (run.plan.contiguous_elements > kManySums && (IsNarrow(run.plan.dtype) || run.plan.dtype == ACL_FLOAT))
      return RangeAdder(run).Run();
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
