// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/combine_elements.h"

#include <bit>
#include <cstring>
#include <utility>

#include "loops/moves/combine_blocks.h"
#include "loops/moves/place_bits.h"
#include "loops/tiles/chunks.h"
#include "loops/tiles/scratch.h"

namespace portacl::loops::moves {
namespace {

// Bytes of a span, or of its states.
constexpr int64_t kSpanBytes = 256 << 10;
// More spans than this take too many pages at once.
constexpr int64_t kMostSpans = 128;
// Elements of a span of which few are named.
constexpr int64_t kFewOfElements = 1 << 20;
// Elements that a thread lists at a time.
constexpr int64_t kListed = 128 << 10;

// States for some elements of the output.
class ElementStates {
 public:
  ElementStates(const CombinedElements& of, int64_t size) : of_(of) {
    states_ = layout_.Add<std::byte>(size * of.combiner->state_bytes);
    const bool counts = of.combiner->divide != nullptr || !of.includes_self;
    counts_ = layout_.Add<uint32_t>(counts ? size : 0);
    has_counts_ = counts;
  }
  int64_t bytes() const { return layout_.bytes(); }

  // `add` calls its argument with pieces.
  template <class F>
  void Combine(std::byte* memory, const std::byte* before, std::byte* out, int64_t size, const F& add) const {
    const Combiner& combiner = *of_.combiner;
    std::byte* const states = states_.In(memory);
    uint32_t* const counts = has_counts_ ? counts_.In(memory) : nullptr;
    combiner.start({const_cast<std::byte*>(before), of_.bytes, size}, states);
    if (has_counts_) std::fill_n(counts, size, 0);
    add([&](const PlacedPiece& piece) {
      combiner.place({.places = piece.places,
                      .elements = piece.elements,
                      .n = piece.n,
                      .states = states,
                      .counts = counts,
                      .includes_first = of_.includes_self,
                      .factor = of_.factor});
    });
    for (int64_t i = 0; combiner.divide != nullptr && i < size; ++i) {
      if (counts[i] != 0)
        combiner.divide(int64_t{counts[i]} + (of_.includes_self ? 1 : 0), 1, states + i * combiner.state_bytes);
    }
    combiner.store(states, {out, of_.bytes, size});
  }

 private:
  const CombinedElements& of_;
  ScratchLayout layout_;
  ScratchPart<std::byte> states_;
  ScratchPart<uint32_t> counts_;
  bool has_counts_;
};

template <int64_t kBytes>
void CopyElements(const std::byte* from, const uint32_t* places, int64_t n, std::byte* to) {
  for (int64_t k = 0; k < n; ++k) std::memcpy(to + places[k] * kBytes, from + k * kBytes, kBytes);
}

void CopyElements(int64_t bytes, const std::byte* from, const uint32_t* places, int64_t n, std::byte* to) {
  using Function = void (*)(const std::byte* from, const uint32_t* places, int64_t n, std::byte* to);
  static constexpr Function kFunctions[] = {CopyElements<1>, CopyElements<2>, CopyElements<4>, CopyElements<8>,
                                            CopyElements<16>};
  kFunctions[std::countr_zero(static_cast<uint64_t>(bytes))](from, places, n, to);
}

// A part of the output to which `n` of the elements go.
struct Span {
  int64_t n;
  int64_t size;
  const std::byte* before;
  std::byte* out;
};

// Lists what goes to each span of at least `least` elements and calls f(span, walk, scratch) for those to which
// something goes, where walk(g) calls g with pieces of it; the others are copied. What all goes to one span is not
// listed.
template <class F>
void ForEachSpan(const CombinedElements& of, const PlacedElements& placed, int64_t least, int64_t scratch_bytes,
                 const F& f) {
  const int shift = static_cast<int>(std::bit_width(static_cast<uint64_t>(least) - 1));
  const int64_t n = placed.count(), size = int64_t{1} << shift, bytes = of.bytes;
  const int64_t spans = CeilDivide(of.elements, size), parts = CeilDivide(n, kListed);
  ScratchLayout layout;
  const auto starts_of_parts = layout.Add<int64_t>(parts * spans);
  const auto places_of_all = layout.Add<uint32_t>(n);
  const auto elements_of_all = layout.Add<std::byte>(n * bytes);
  const PoolMemory memory(layout.bytes());
  int64_t* const starts = starts_of_parts.In(memory.As());  // where the next element for each span is listed
  uint32_t* const places = places_of_all.In(memory.As());
  std::byte* const elements = elements_of_all.In(memory.As());

  std::fill_n(starts, parts * spans, 0);
  ForEachChunk({.count = parts}, [&](int64_t part, std::byte*) {
    int64_t* const counts = starts + part * spans;
    placed.ForEachPiece(part * kListed, std::min((part + 1) * kListed, n), [&](const PlacedPiece& piece) {
      for (int64_t k = 0; k < piece.n; ++k) ++counts[piece.places[k] >> shift];
    });
  });
  int64_t sum = 0, most = 0;
  for (int64_t span = 0; span < spans; ++span) {
    const int64_t before = sum;
    for (int64_t part = 0; part < parts; ++part) sum += std::exchange(starts[part * spans + span], sum);
    most = std::max(most, sum - before);
  }
  const bool lists = most < sum;
  ForEachChunk({.count = parts}, [&](int64_t part, std::byte*) {
    if (!lists) return;
    int64_t* const next = starts + part * spans;
    placed.ForEachPiece(part * kListed, std::min((part + 1) * kListed, n), [&](const PlacedPiece& piece) {
      // In one loop, each store would wait for the address of the one before.
      uint32_t at[PlacedElements::kPiece];
      for (int64_t k = 0; k < piece.n; ++k) at[k] = static_cast<uint32_t>(next[piece.places[k] >> shift]++);
      for (int64_t k = 0; k < piece.n; ++k) places[at[k]] = piece.places[k] & static_cast<uint32_t>(size - 1);
      CopyElements(bytes, piece.elements, at, piece.n, elements);
    });
  });
  // Where those of a span end: where the last part has listed them, or where the next span begins.
  const auto end_of = [&](int64_t span) {
    if (lists) return starts[(parts - 1) * spans + span];
    return span + 1 < spans ? starts[span + 1] : sum;
  };
  ForEachChunk(
      {.count = spans, .scratch_bytes = scratch_bytes, .differ = true}, [&](int64_t number, std::byte* scratch) {
        const int64_t first = number == 0 ? 0 : end_of(number - 1), begin = number * size;
        const Span span{end_of(number) - first, std::min(size, of.elements - begin), of.before + begin * bytes,
                        of.out + begin * bytes};
        if (span.n == 0) {
          if (span.before != span.out) std::memcpy(span.out, span.before, static_cast<size_t>(span.size * bytes));
        } else if (lists) {
          const auto walk = [&](const auto& g) { g(PlacedPiece{span.n, places + first, elements + first * bytes}); };
          f(span, walk, scratch);
        } else {
          const auto walk = [&](const auto& g) {
            placed.ForEachPiece(0, n, [&](const PlacedPiece& piece) {
              uint32_t in_span[PlacedElements::kPiece];
              for (int64_t k = 0; k < piece.n; ++k) in_span[k] = piece.places[k] & static_cast<uint32_t>(size - 1);
              g(PlacedPiece{piece.n, in_span, piece.elements});
            });
          };
          f(span, walk, scratch);
        }
      });
}

int64_t SpanSize(const CombinedElements& of, int64_t bytes) {
  return std::max(kSpanBytes / bytes, of.elements / kMostSpans);
}

// Elements that are combined at once.
constexpr int64_t kCombined = 256;
constexpr int64_t kMostStateBytes = 2 * sizeof(double);

// Combines what is at different places with an element for each.
void CombineBlock(const CombinedElements& of, std::byte* there, std::byte* elements, std::byte* results, int64_t n,
                  std::byte* states) {
  const Combiner& combiner = *of.combiner;
  const bool has_self = of.includes_self;
  if (of.AddsPlainly() && of.lanes.add_few != nullptr) {
    const std::byte* const rows[] = {there, elements};
    return of.lanes.add_few(rows, 2, results, n);
  }
  combiner.start({has_self ? there : elements, of.bytes, n}, states);
  if (has_self) combiner.add({elements, of.bytes, n}, of.factor, states);
  if (combiner.divide != nullptr) combiner.divide(has_self ? 2 : 1, n, states);
  combiner.store(states, {results, of.bytes, n});
}

// Combines elements with what is at few places, as `walk` brings pieces of them. What was there is kept, for places
// that are named again: their elements are sorted and combined at the end.
template <int64_t kBytes, class Walk>
void CombineFewOf(const CombinedElements& of, int64_t n, int64_t size, std::byte* out, const Walk& walk) {
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
  uint32_t places[kCombined];
  int64_t count = 0, repetitions = 0;
  const auto combine = [&] {
    for (int64_t k = 0; k < count; ++k) copy(out + places[k] * kBytes, kept_end + k * kBytes);
    CombineBlock(of, kept_end, elements, results, count, states);
    CopyElements<kBytes>(results, places, count, out);
    kept_end += count * kBytes;
    count = 0;
  };
  walk([&](const PlacedPiece& piece) {
    for (int64_t k = 0; k < piece.n; ++k) {
      if (named.Name(piece.places[k])) [[unlikely]] {
        ++repetitions;
        continue;
      }
      places[count] = piece.places[k];
      copy(piece.elements + k * kBytes, elements + count * kBytes);
      if (++count == kCombined) combine();
    }
  });
  combine();
  if (repetitions == 0) return;

  ScratchLayout of_repeated;  // of the first ones, too
  const auto all_moves = of_repeated.Add<Move>(4 * repetitions);
  const auto all_sources = of_repeated.Add<std::byte>(2 * repetitions * kBytes);
  const PoolMemory memory_of_repeated(of_repeated.bytes());
  Move* const moves = all_moves.In(memory_of_repeated.As());
  std::byte* const sources = all_sources.In(memory_of_repeated.As());
  uint64_t repeated = 0;
  kept_end = kept;
  walk([&](const PlacedPiece& piece) {
    for (int64_t k = 0; k < piece.n; ++k) {
      const uint64_t place = piece.places[k];
      if (named.IsRepeated(place)) {
        copy(piece.elements + k * kBytes, sources + repeated * kBytes);
        moves[repeated] = {place * kBytes, repeated * kBytes};
        ++repeated;
        if (!named.Forget(place)) continue;
        copy(kept_end, out + place * kBytes);
      }
      kept_end += kBytes;
    }
  });
  const Move* const sorted = SortMoves(moves, moves + repeated, static_cast<int64_t>(repeated));
  of.combiner->gather({.begin = sorted,
                       .end = sorted + repeated,
                       .source = sources,
                       .out = out,
                       .includes_first = of.includes_self,
                       .factor = of.factor});
}

// Adds FLOAT. Each element first takes what is at its place and leaves its own number there, so that whoever comes to
// the same place takes that number. A value that looks like one does not, as the element of that number went elsewhere.
template <class Walk>
void AddFewFloats(int64_t most, std::byte* to, const Walk& walk) {
  ScratchLayout layout;
  const auto all_places = layout.Add<uint32_t>(most);
  const auto all_values = layout.Add<float>(most);
  const auto all_taken = layout.Add<uint32_t>(most);
  const auto all_sums = layout.Add<double>(most);
  const PoolMemory memory(layout.bytes());
  uint32_t* const places = all_places.In(memory.As());
  float* const values = all_values.In(memory.As());
  uint32_t* const taken = all_taken.In(memory.As());
  double* const sums = all_sums.In(memory.As());  // of elements that are not the first of their place
  auto* const out = reinterpret_cast<float*>(to);
  uint32_t n = 0;
  walk([&](const PlacedPiece& piece) {
    std::memcpy(places + n, piece.places, static_cast<size_t>(piece.n) * sizeof(uint32_t));
    std::memcpy(values + n, piece.elements, static_cast<size_t>(piece.n) * sizeof(float));
#pragma GCC unroll 4
    for (int64_t k = 0; k < piece.n; ++k, ++n) {
      float* const at = &out[piece.places[k]];
      taken[n] = std::bit_cast<uint32_t>(*at);
      *at = std::bit_cast<float>(n);
    }
  });
  const auto follows = [&](uint32_t k) { return taken[k] < k && places[taken[k]] == places[k]; };
#pragma GCC unroll 4
  for (uint32_t k = 0; k < n; ++k) {
    const uint32_t before = taken[k];
    if (!follows(k)) [[likely]] {
      out[places[k]] = std::bit_cast<float>(before) + values[k];
      continue;
    }
    const double sum = follows(before) ? sums[before]
                                       : static_cast<double>(std::bit_cast<float>(taken[before])) +
                                             static_cast<double>(values[before]);
    sums[k] = sum + static_cast<double>(values[k]);
    out[places[k]] = static_cast<float>(sums[k]);
  }
}

// Combines all at once, or the spans of an output that is larger than the cache.
template <int64_t kBytes>
void CombineFewInSpans(const CombinedElements& of, const PlacedElements& placed) {
  const auto combine = [&](const Span& span, const auto& walk, std::byte*) {
    if (of.dtype == ACL_FLOAT && of.AddsPlainly()) return AddFewFloats(span.n, span.out, walk);
    CombineFewOf<kBytes>(of, span.n, span.size, span.out, walk);
  };
  if (of.elements > kFewOfElements)
    return ForEachSpan(of, placed, std::max(kFewOfElements, of.elements / kMostSpans), 0, combine);
  combine(
      Span{placed.count(), of.elements, of.before, of.out},
      [&](const auto& g) { placed.ForEachPiece(0, placed.count(), g); }, nullptr);
}

}  // namespace

void CombineInAll(const CombinedElements& of, const PlacedElements& placed) {
  const ElementStates states(of, of.elements);
  const PoolMemory memory(states.bytes());
  states.Combine(memory.As(), of.before, of.out, of.elements,
                 [&](const auto& f) { placed.ForEachPiece(0, placed.count(), f); });
}

void CombineInSpans(const CombinedElements& of, const PlacedElements& placed) {
  const int64_t least = SpanSize(of, of.combiner->state_bytes);
  const ElementStates states(of, std::min<int64_t>(std::bit_ceil(static_cast<uint64_t>(least)), of.elements));
  ForEachSpan(of, placed, least, states.bytes(), [&](const Span& span, const auto& walk, std::byte* memory) {
    states.Combine(memory, span.before, span.out, span.size, walk);
  });
}

void ReplaceInSpans(const CombinedElements& of, const PlacedElements& placed) {
  ForEachSpan(of, placed, SpanSize(of, of.bytes), 0, [&](const Span& span, const auto& walk, std::byte*) {
    if (span.before != span.out) std::memcpy(span.out, span.before, static_cast<size_t>(span.size * of.bytes));
    walk([&](const PlacedPiece& piece) { CopyElements(of.bytes, piece.elements, piece.places, piece.n, span.out); });
  });
}

void CombineOneByOne(const CombinedElements& of, const PlacedElements& placed) {
  switch (of.bytes) {
    case 1:
      return CombineFewInSpans<1>(of, placed);
    case 2:
      return CombineFewInSpans<2>(of, placed);
    case 4:
      return CombineFewInSpans<4>(of, placed);
    default:
      return CombineFewInSpans<8>(of, placed);
  }
}

}  // namespace portacl::loops::moves
