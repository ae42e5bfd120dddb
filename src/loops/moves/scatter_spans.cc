// SPDX-License-Identifier: Apache-2.0
//
// Single elements go anywhere in the output. Where that is larger than the cache, it is cut into spans: what goes to
// each of them is first laid next to each other, in the order of the indices, and then written or combined there. A
// span is one thread's work.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include "loops/moves/combine_blocks.h"
#include "loops/moves/place_bits.h"
#include "loops/moves/scatter_positions.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {
namespace {

// Positions that a thread lists at a time.
constexpr int64_t kListed = 128 << 10;

// Elements that are combined at once.
constexpr int64_t kCombined = 256;
constexpr int64_t kMostStateBytes = 2 * sizeof(double);

// What goes to a span: places in it, and an element for each.
struct Span {
  int64_t size;
  int64_t n;
  uint32_t* places;
  std::byte* elements;
  std::byte* out;
};

template <int64_t kBytes>
void CountPlaces(const ScatterRun& run, int64_t first, int64_t end, int64_t* counts) {
  const int shift = run.plan.span_bits + std::countr_zero(static_cast<uint64_t>(kBytes));
  ForEachPosition(run, first, end, [=](int64_t place, int64_t) { ++counts[place >> shift]; });
}

// `starts`: where the next place in each span is listed.
template <int64_t kBytes>
bool ListPlaces(const ScatterRun& run, int64_t first, int64_t end, int64_t* starts, uint32_t* places,
                std::byte* elements) {
  const int shift = run.plan.span_bits;
  const uint64_t mask = (uint64_t{1} << shift) - 1;
  const std::byte* const source = run.source;
  return ForEachPosition(run, first, end, [=](int64_t place, int64_t from) {
    const uint64_t element = static_cast<uint64_t>(place) / kBytes;
    const int64_t at = starts[element >> shift]++;
    places[at] = static_cast<uint32_t>(element & mask);
    std::memcpy(elements + at * kBytes, source + from, kBytes);
  });
}

template <int64_t kBytes>
void ReplaceListed(const uint32_t* places, const std::byte* elements, int64_t n, std::byte* out) {
  for (int64_t k = 0; k < n; ++k) std::memcpy(out + places[k] * kBytes, elements + k * kBytes, kBytes);
}

// Functions for elements of some bytes.
struct SizedFunctions {
  void (*count)(const ScatterRun& run, int64_t first, int64_t end, int64_t* counts);
  bool (*list)(const ScatterRun& run, int64_t first, int64_t end, int64_t* starts, uint32_t* places,
               std::byte* elements);
  void (*replace)(const uint32_t* places, const std::byte* elements, int64_t n, std::byte* out);
};

template <int64_t kBytes>
constexpr SizedFunctions kSized = {CountPlaces<kBytes>, ListPlaces<kBytes>, ReplaceListed<kBytes>};

const SizedFunctions& FunctionsOf(int64_t bytes) {
  static constexpr const SizedFunctions* kFunctions[] = {&kSized<1>, &kSized<2>, &kSized<4>, &kSized<8>, &kSized<16>};
  return *kFunctions[std::countr_zero(static_cast<uint64_t>(bytes))];
}

// Lists what goes to each span and calls f(span, scratch) for those to which something goes. Returns false if an index
// names nothing.
template <class F>
bool ForEachSpan(const ScatterRun& run, int64_t scratch_bytes, const F& f) {
  const ScatterPlan& plan = run.plan;
  const SizedFunctions& functions = FunctionsOf(plan.bytes);
  const int64_t n = plan.positions.count, size = int64_t{1} << plan.span_bits;
  const int64_t spans = CeilDivide(plan.elements, size);
  const int64_t each = spans == 1 ? n : kListed, parts = CeilDivide(n, each);
  ScratchLayout layout;
  const auto starts_of_parts = layout.Add<int64_t>(parts * spans);
  const auto places_of_all = layout.Add<uint32_t>(n);
  const auto elements_of_all = layout.Add<std::byte>(n * plan.bytes);
  const PoolMemory memory(layout.bytes());
  int64_t* const starts = starts_of_parts.In(memory.As());
  uint32_t* const places = places_of_all.In(memory.As());
  std::byte* const elements = elements_of_all.In(memory.As());

  std::fill_n(starts, parts * spans, 0);
  if (spans > 1) {
    ForEachChunk({.count = parts}, [&](int64_t part, std::byte*) {
      functions.count(run, part * each, std::min((part + 1) * each, n), starts + part * spans);
    });
    int64_t sum = 0;
    for (int64_t span = 0; span < spans; ++span) {
      for (int64_t part = 0; part < parts; ++part) sum += std::exchange(starts[part * spans + span], sum);
    }
  }
  std::atomic<bool> good{true};
  ForEachChunk({.count = parts}, [&](int64_t part, std::byte*) {
    int64_t* const of_part = starts + part * spans;
    if (!functions.list(run, part * each, std::min((part + 1) * each, n), of_part, places, elements))
      good.store(false, std::memory_order_relaxed);
  });
  const int64_t* const ends = starts + (parts - 1) * spans;  // of the spans
  ForEachChunk({.count = spans, .scratch_bytes = scratch_bytes, .differ = true},
               [&](int64_t number, std::byte* scratch) {
                 const int64_t first = number == 0 ? 0 : ends[number - 1], begin = number * size;
                 if (first == ends[number]) return;
                 f(Span{std::min(size, plan.elements - begin), ends[number] - first, places + first,
                        elements + first * plan.bytes, run.out + begin * plan.bytes},
                   scratch);
               });
  return good.load(std::memory_order_relaxed);
}

// Combines through a state for each element of the span.
void CombineSpan(const ScatterPlan& plan, const Span& span, std::byte* states, uint32_t* counts) {
  const Combiner& combiner = *plan.combiner;
  combiner.start({span.out, plan.bytes, span.size}, states);
  if (counts != nullptr) std::fill_n(counts, span.size, 0);
  combiner.scatter({.index = reinterpret_cast<const std::byte*>(span.places),
                    .source = span.elements,
                    .states = states,
                    .counts = counts,
                    .size = {1, span.n},
                    .index_step = {0, sizeof(uint32_t)},
                    .source_step = {0, plan.bytes},
                    .named_step = 1,
                    .limit = span.size,
                    .narrow = plan.narrow_places,
                    .includes_first = plan.what.includes_self,
                    .factor = plan.what.factor});
  if (combiner.divide != nullptr) {
    for (int64_t i = 0; i < span.size; ++i) {
      if (counts[i] != 0)
        combiner.divide(int64_t{counts[i]} + (plan.what.includes_self ? 1 : 0), 1, states + i * combiner.state_bytes);
    }
  }
  combiner.store(states, {span.out, plan.bytes, span.size});
}

// Combines what is at different places with an element for each.
void CombineBlock(const ScatterPlan& plan, std::byte* there, std::byte* elements, std::byte* results, int64_t n,
                  std::byte* states) {
  const Combiner& combiner = *plan.combiner;
  const bool has_self = plan.what.includes_self;
  if (has_self && plan.lanes.add != nullptr && plan.what.combine == Combine::kAdd && plan.what.factor.IsOne()) {
    const std::byte* const rows[] = {there, elements};
    return plan.lanes.add_few(rows, 2, results, n);
  }
  combiner.start({has_self ? there : elements, plan.bytes, n}, states);
  if (has_self) combiner.add({elements, plan.bytes, n}, plan.what.factor, states);
  if (combiner.divide != nullptr) combiner.divide(has_self ? 2 : 1, n, states);
  combiner.store(states, {results, plan.bytes, n});
}

// Combines `n` elements with what is at few places of a span, as `walk` brings them. What was there is kept, for places
// that are named again: their elements are sorted and combined at the end.
template <int64_t kBytes, class Walk>
bool CombineFewOf(const ScatterPlan& plan, int64_t n, int64_t size, const std::byte* source, std::byte* out,
                  const Walk& walk) {
  ScratchLayout layout;
  const auto words = layout.Add<uint64_t>(PlaceBits::Words(size));
  const auto kept_of_all = layout.Add<std::byte>(n * kBytes);
  const PoolMemory memory(layout.bytes());
  PlaceBits named(words.In(memory.As()), size);
  std::byte* const kept = kept_of_all.In(memory.As());
  std::byte* kept_end = kept;
  const auto copy = [](const std::byte* from, std::byte* to) { std::memcpy(to, from, kBytes); };

  alignas(kLineBytes) std::byte elements[kCombined * kBytes];
  alignas(kLineBytes) std::byte results[kCombined * kBytes];
  alignas(kLineBytes) std::byte states[kCombined * kMostStateBytes];
  int64_t places[kCombined];
  int64_t count = 0, repetitions = 0;
  const auto combine = [&] {
    for (int64_t k = 0; k < count; ++k) copy(out + places[k], kept_end + k * kBytes);
    CombineBlock(plan, kept_end, elements, results, count, states);
    for (int64_t k = 0; k < count; ++k) copy(results + k * kBytes, out + places[k]);
    kept_end += count * kBytes;
    count = 0;
  };
  const bool good = walk([&](int64_t place, int64_t from) {
    if (named.Name(static_cast<uint64_t>(place) / kBytes)) [[unlikely]] {
      ++repetitions;
      return;
    }
    places[count] = place;
    copy(source + from, elements + count * kBytes);
    if (++count == kCombined) combine();
  });
  combine();
  if (repetitions == 0) return good;

  const PoolMemory memory_of_moves(4 * repetitions * static_cast<int64_t>(sizeof(Move)));  // the first ones, too
  Move* const moves = memory_of_moves.As<Move>();
  int64_t repeated = 0;
  kept_end = kept;
  walk([&](int64_t place, int64_t from) {
    const uint64_t element = static_cast<uint64_t>(place) / kBytes;
    if (named.IsRepeated(element)) {
      moves[repeated++] = {static_cast<uint64_t>(place), static_cast<uint64_t>(from)};
      if (!named.Forget(element)) return;
      copy(kept_end, out + place);
    }
    kept_end += kBytes;
  });
  const Move* const sorted = SortMoves(moves, moves + repeated, repeated);
  plan.combiner->gather({.begin = sorted,
                         .end = sorted + repeated,
                         .source = source,
                         .out = out,
                         .includes_first = plan.what.includes_self,
                         .factor = plan.what.factor});
  return good;
}

template <int64_t kBytes>
bool CombineFewInSpans(const ScatterRun& run) {
  const ScatterPlan& plan = run.plan;
  const int64_t positions = plan.positions.count;
  if (plan.elements <= int64_t{1} << plan.span_bits) {
    return CombineFewOf<kBytes>(plan, positions, plan.elements, run.source, run.out,
                                [&](const auto& f) { return ForEachPosition(run, 0, positions, f); });
  }
  return ForEachSpan(run, 0, [&](const Span& span, std::byte*) {
    CombineFewOf<kBytes>(plan, span.n, span.size, span.elements, span.out, [&](const auto& f) {
      for (int64_t k = 0; k < span.n; ++k) f(span.places[k] * kBytes, k * kBytes);
      return true;
    });
  });
}

}  // namespace

bool ReplaceSpans(const ScatterRun& run) {
  const auto replace = FunctionsOf(run.plan.bytes).replace;
  return ForEachSpan(run, 0,
                     [=](const Span& span, std::byte*) { replace(span.places, span.elements, span.n, span.out); });
}

bool CombineSpans(const ScatterRun& run) {
  const ScatterPlan& plan = run.plan;
  const int64_t size = std::min(int64_t{1} << plan.span_bits, plan.elements);
  ScratchLayout layout;
  const auto states = layout.Add<std::byte>(size * plan.combiner->state_bytes);
  const bool has_counts = plan.combiner->divide != nullptr || !plan.what.includes_self;
  const auto counts = layout.Add<uint32_t>(has_counts ? size : 0);
  return ForEachSpan(run, layout.bytes(), [&](const Span& span, std::byte* scratch) {
    CombineSpan(plan, span, states.In(scratch), has_counts ? counts.In(scratch) : nullptr);
  });
}

bool CombineFew(const ScatterRun& run) {
  switch (run.plan.bytes) {
    case 1:
      return CombineFewInSpans<1>(run);
    case 2:
      return CombineFewInSpans<2>(run);
    case 4:
      return CombineFewInSpans<4>(run);
    default:
      return CombineFewInSpans<8>(run);
  }
}

}  // namespace portacl::loops::moves
