// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/combine.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "loops/elements/conversion.h"
#include "loops/moves/combine_states.h"

namespace portacl::loops::moves {
namespace {

template <class E, Combine kCombine>
class Combining {
  using State = typename StateFor<E>::Type;
  using Number = typename E::Number;

 public:
  static constexpr Combiner Functions() {
    return {sizeof(State), Start, Add, kCombine == Combine::kMean ? Divide : nullptr, Store, Scatter, Place, Gather};
  }

 private:
  static State Take(const std::byte* from, const Factor& factor) {
    if constexpr (kCombine == Combine::kAdd) return State::Take(static_cast<Number>(E::Load(from)), factor);
    return State(static_cast<Number>(E::Load(from)));
  }
  static void Into(State* state, State x) {
    if constexpr (kCombine == Combine::kAdd || kCombine == Combine::kMean) {
      state->Add(x);
    } else if constexpr (kCombine == Combine::kMultiply) {
      state->Multiply(x);
    } else if constexpr (kCombine == Combine::kMax) {
      if (*state < x || x.IsNan()) *state = x;
    } else {
      if (x < *state || x.IsNan()) *state = x;
    }
  }

  static void Start(const ElementRun& from, std::byte* states) {
    auto* const to = reinterpret_cast<State*>(states);
    if constexpr (std::is_same_v<State, FloatState>) {
      if (from.step == E::kBytes) return Convert(ConversionOf(E::kDtype, ACL_DOUBLE), from.first, states, from.count);
    }
    for (int64_t i = 0; i < from.count; ++i) {
      if constexpr (std::is_same_v<E, StoredBool>) {
        to[i].sum = static_cast<uint8_t>(from.first[i * from.step]);
      } else {
        to[i] = State(static_cast<Number>(E::Load(from.first + i * from.step)));
      }
    }
  }
  static void Add(const ElementRun& from, const Factor& factor, std::byte* states) {
    auto* const to = reinterpret_cast<State*>(states);
    for (int64_t i = 0; i < from.count; ++i) Into(&to[i], Take(from.first + i * from.step, factor));
  }
  static void Divide(int64_t by, int64_t n, std::byte* states) {
    auto* const to = reinterpret_cast<State*>(states);
    for (int64_t i = 0; i < n; ++i) to[i].Divide(by);
  }
  static void Store(const std::byte* states, const ElementRun& to) {
    const auto* const from = reinterpret_cast<const State*>(states);
    if constexpr (std::is_same_v<State, FloatState>) {
      if (to.step == E::kBytes) return Convert(ConversionOf(ACL_DOUBLE, E::kDtype), states, to.first, to.count);
    }
    for (int64_t i = 0; i < to.count; ++i) StoreElement(from[i], to.first + i * to.step);
  }
  static void StoreElement(const State& state, std::byte* to) {
    if constexpr (std::is_same_v<E, StoredFloat>) {
      E::Store(static_cast<float>(state.Value()), to);
    } else {
      E::Store(state.Value(), to);
    }
  }

  static bool Scatter(const IndexedElements& elements) {
    if (elements.counts != nullptr)
      return elements.is_wide ? Scatter<int64_t, true>(elements) : Scatter<int32_t, true>(elements);
    return elements.is_wide ? Scatter<int64_t, false>(elements) : Scatter<int32_t, false>(elements);
  }
  template <class I, bool kCounts>
  static bool Scatter(const IndexedElements& of) {
    // Where the index runs on and names neighbours, a loop with constant steps takes two thirds of the time.
    const bool is_plain = of.index_step[1] == sizeof(I) && of.state_step[1] == 0 && of.named_step == 1;
    const auto run = is_plain ? ScatterRun<I, kCounts, true> : ScatterRun<I, kCounts, false>;
    const bool narrows = of.narrow != nullptr && of.index_step[1] == sizeof(I);
    bool good = true;
    alignas(64) State block[kTaken];
    uint32_t places[kTaken];
    for (int64_t o = 0; o < of.size[0]; ++o) {
      const std::byte* const index = of.index + o * of.index_step[0];
      const std::byte* const source = of.source + o * of.source_step[0];
      const int64_t at = o * of.state_step[0];
      for (int64_t k = 0; k < of.size[1]; k += kTaken) {
        const int64_t n = std::min(kTaken, of.size[1] - k);
        if constexpr (!kCounts && kIsFloat) {
          if (narrows && of.source_step[1] == E::kBytes && of.factor.IsOne() &&
              of.narrow(index + k * of.index_step[1], n, of.limit, places)) {
            ScatterTested(of, places, at + k * of.state_step[1], n, Floats(source + k * E::kBytes, n));
            continue;
          }
        }
        TakeAll({const_cast<std::byte*>(source + k * of.source_step[1]), of.source_step[1], n}, of.factor, block);
        if constexpr (!kCounts) {
          if (narrows && of.narrow(index + k * of.index_step[1], n, of.limit, places)) {
            ScatterTested(of, places, at + k * of.state_step[1], n, Taken{block});
            continue;
          }
        }
        good &= run(of, index + k * of.index_step[1], at + k * of.state_step[1], n, block);
      }
    }
    return good;
  }

  // Elements that are read at once.
  static constexpr int64_t kTaken = kPlacesAtOnce;

  // Elements as states: those of Taken were read before, those of Floats are converted one by one.
  struct Taken {
    const State* __restrict from;
    State operator[](int64_t k) const { return from[k]; }
  };
  class Floats {
   public:
    Floats(const std::byte* from, int64_t n) : from_(from) {
      if (E::kDtype == ACL_FLOAT) return;
      Convert(ConversionOf(E::kDtype, ACL_FLOAT), from, widened_, n);
      from_ = widened_;
    }
    Floats(const Floats&) = delete;
    Floats& operator=(const Floats&) = delete;
    State operator[](int64_t k) const { return State(StoredFloat::Load(from_ + k * StoredFloat::kBytes)); }

   private:
    const std::byte* from_;
    alignas(64) std::byte widened_[E::kDtype == ACL_FLOAT ? 1 : kTaken * StoredFloat::kBytes];
  };
  static constexpr bool kIsFloat = std::is_same_v<State, FloatState>;

  static void TakeAll(const ElementRun& from, const Factor& factor, State* to) {
    if constexpr (std::is_same_v<State, FloatState>) {
      if (from.step == E::kBytes) {
        Convert(ConversionOf(E::kDtype, ACL_DOUBLE), from.first, reinterpret_cast<std::byte*>(to), from.count);
        if (kCombine != Combine::kAdd || factor.real == 1) return;
        for (int64_t i = 0; i < from.count; ++i) to[i].sum *= factor.real;
        return;
      }
    }
    for (int64_t i = 0; i < from.count; ++i) to[i] = Take(from.first + i * from.step, factor);
  }

  template <class T>
  static void ScatterTested(const IndexedElements& of, const uint32_t* places, int64_t at, int64_t n, const T& taken) {
    State* const line = reinterpret_cast<State*>(of.states) + at;
    const int64_t state_step = of.state_step[1], named_step = of.named_step;
    if (state_step == 0 && named_step == 1) {
      IntoPlaces(places, n, taken, line);
    } else {
      for (int64_t k = 0; k < n; ++k) Into(&line[k * state_step + places[k] * named_step], taken[k]);
    }
  }

  template <class I, bool kCounts, bool kPlain>
  static bool ScatterRun(const IndexedElements& of, const std::byte* index, int64_t at, int64_t n,
                         const State* __restrict taken) {
    auto* const states = reinterpret_cast<State*>(of.states);
    State* const line = states + at;
    const auto limit = static_cast<uint64_t>(of.limit);
    const int64_t from_end = of.from_end;
    const int64_t index_step = kPlain ? int64_t{sizeof(I)} : of.index_step[1];
    const int64_t state_step = kPlain ? 0 : of.state_step[1], named_step = kPlain ? 1 : of.named_step;
    bool good = true;
#pragma GCC unroll 4
    for (int64_t k = 0; k < n; ++k) {
      I read;
      std::memcpy(&read, index + k * index_step, sizeof(I));
      int64_t i = read;
      if (static_cast<uint64_t>(i) >= limit) [[unlikely]] {
        if (i < 0) i += from_end;
        if (static_cast<uint64_t>(i) >= limit) {
          good = false;
          continue;
        }
      }
      State* const state = &line[k * state_step + i * named_step];
      if constexpr (kCounts) {
        if (of.counts[state - states]++ == 0 && !of.includes_first) {
          *state = taken[k];
          continue;
        }
      }
      Into(state, taken[k]);
    }
    return good;
  }

  template <class T>
  static void IntoPlaces(const uint32_t* places, int64_t n, const T& taken, State* states) {
#pragma GCC unroll 4
    for (int64_t k = 0; k < n; ++k) Into(&states[places[k]], taken[k]);
  }

  static void Place(const ElementsAtStates& of) {
    auto* const states = reinterpret_cast<State*>(of.states);
    alignas(64) State block[kTaken];
    for (int64_t first = 0; first < of.n; first += kTaken) {
      const int64_t n = std::min(kTaken, of.n - first);
      const uint32_t* const places = of.places + first;
      if constexpr (kIsFloat) {
        if (of.counts == nullptr && of.factor.IsOne()) {
          IntoPlaces(places, n, Floats(of.elements + first * E::kBytes, n), states);
          continue;
        }
      }
      TakeAll({const_cast<std::byte*>(of.elements + first * E::kBytes), E::kBytes, n}, of.factor, block);
      if (of.counts == nullptr) {
        IntoPlaces(places, n, Taken{block}, states);
        continue;
      }
      for (int64_t k = 0; k < n; ++k) {
        if (of.counts[places[k]]++ == 0 && !of.includes_first) {
          states[places[k]] = block[k];
        } else {
          Into(&states[places[k]], block[k]);
        }
      }
    }
  }

  static void Gather(const Moves& moves) {
    for (const Move* move = moves.begin; move != moves.end;) {
      std::byte* const to = moves.out + move->place;
      const Move* const first = move;
      State state = moves.includes_first ? State(static_cast<Number>(E::Load(to)))
                                         : Take(moves.source + move++->source, moves.factor);
      for (; move != moves.end && move->place == first->place; ++move)
        Into(&state, Take(moves.source + move->source, moves.factor));
      if constexpr (kCombine == Combine::kMean) state.Divide((move - first) + (moves.includes_first ? 1 : 0));
      StoreElement(state, to);
    }
  }
};

template <class E>
const Combiner& CombinerFor(Combine combine) {
  static constexpr Combiner kCombiners[] = {
      Combining<E, Combine::kAdd>::Functions(), Combining<E, Combine::kMultiply>::Functions(),
      Combining<E, Combine::kMax>::Functions(), Combining<E, Combine::kMin>::Functions(),
      Combining<E, Combine::kMean>::Functions()};
  return kCombiners[static_cast<int>(combine) - static_cast<int>(Combine::kAdd)];
}

}  // namespace

const Combiner& CombinerOf(aclDataType dtype, Combine combine) {
  switch (dtype) {
    case ACL_FLOAT:
      return CombinerFor<StoredFloat>(combine);
    case ACL_FLOAT16:
      return CombinerFor<StoredFloat16>(combine);
    case ACL_BF16:
      return CombinerFor<StoredBfloat16>(combine);
    case ACL_DOUBLE:
      return CombinerFor<Stored<double, ACL_DOUBLE>>(combine);
    case ACL_INT8:
      return CombinerFor<Stored<int8_t, ACL_INT8>>(combine);
    case ACL_INT16:
      return CombinerFor<Stored<int16_t, ACL_INT16>>(combine);
    case ACL_INT32:
      return CombinerFor<Stored<int32_t, ACL_INT32>>(combine);
    case ACL_INT64:
      return CombinerFor<Stored<int64_t, ACL_INT64>>(combine);
    case ACL_UINT8:
      return CombinerFor<Stored<uint8_t, ACL_UINT8>>(combine);
    default:
      if (combine == Combine::kMax) combine = Combine::kAdd;
      if (combine == Combine::kMin) combine = Combine::kMultiply;
      return CombinerFor<StoredBool>(combine);
  }
}

}  // namespace portacl::loops::moves
