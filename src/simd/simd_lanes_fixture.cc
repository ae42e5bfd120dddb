// SPDX-License-Identifier: Apache-2.0
//
// See simd_lanes_fixture.h.
#include "simd/simd_lanes_fixture.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simd_lanes_fixture.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/dispatch.h"
#include "simd/exp.h"
#include "simd/log.h"
#include "simd/map.h"
#include "simd/row.h"
#include "simd/row_sum.h"
#include "simd/sigmoid.h"
#include "simd/sum.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_ATTR void Widen(const uint16_t* stored, float* first, float* second) {
  const FloatLanes d;
  hn::StoreU(WidenFirst<T>(hn::LoadU(HalfLanes(), stored)), d, first);
  hn::StoreU(WidenSecond<T>(hn::LoadU(HalfLanes(), stored)), d, second);
}

template <class T>
HWY_ATTR void NarrowBoth(const float* first, const float* second, uint16_t* stored) {
  const FloatLanes d;
  hn::StoreU(Narrow<T>(hn::LoadU(d, first), hn::LoadU(d, second)), HalfLanes(), stored);
}

template <class T>
HWY_ATTR void NarrowBothResults(const float* first, const float* second, uint16_t* stored) {
  const FloatLanes d;
  hn::StoreU(NarrowResults<T>(hn::LoadU(d, first), hn::LoadU(d, second)), HalfLanes(), stored);
}

template <class T, class D = hn::ScalableTag<T>>
HWY_ATTR void LoadPart(const T* from, size_t n, T* to) {
  const D d;
  hn::StoreU(LoadTail(d, from, n), d, to);
}

template <class T, class D = hn::ScalableTag<T>>
HWY_ATTR void StorePart(const T* from, T* to, size_t n) {
  const D d;
  StoreTail(d, hn::LoadU(d, from), to, n);
}

struct Sum {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Add(a, b);
  }
};

template <class T>
HWY_ATTR void AddAll(const Stored<T>* a, const Stored<T>* b, Stored<T>* out, size_t n, bool non_temporal) {
  Map<T>(Sum{}, n, non_temporal, out, a, b);
  if (non_temporal) hwy::FlushStream();
}

HWY_ATTR void AddOne(const float* a, float b, float* out, size_t n) {
  Map<float>(Sum{}, n, false, out, a, Repeated<float>{b});
}

struct Difference {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Sub(a, b);
  }
};

HWY_ATTR void AddAndSubtract(const float* a, const float* b, float* sum, float* difference, size_t n,
                             bool non_temporal) {
  MapTwo<float>(Sum{}, Difference{}, n, non_temporal, sum, difference, a, b);
  if (non_temporal) hwy::FlushStream();
}

template <class T>
HWY_ATTR double SumAll(const Stored<T>* a, const Stored<T>* b, size_t n, bool grouped) {
  double sums[kSumLanes<T>];
  ClearLanes<T>(sums);
  AddUp<T>(Sum{}, n, grouped, sums, a, b);
  return FoldLanes<T>(sums, n);
}

template <class T>
HWY_ATTR double SumWithOne(const Stored<T>* a, Stored<T> b, size_t n) {
  double sums[kSumLanes<T>];
  ClearLanes<T>(sums);
  AddUp<T>(Sum{}, n, true, sums, a, Repeated<Stored<T>>{b});
  return FoldLanes<T>(sums, n);
}

template <bool kNarrow, class T>
HWY_ATTR void ExpOfRegister(const T* from, T* to) {
  const hn::ScalableTag<T> d;
  hn::StoreU(Exp<kNarrow>(d, hn::LoadU(d, from)), d, to);
}

HWY_ATTR void LogOfRegister(const float* from, float* to) {
  const FloatLanes d;
  hn::StoreU(Log(d, hn::LoadU(d, from)), d, to);
}

template <bool kNarrow>
HWY_ATTR void LogOfScaledRegister(const double* m, const double* n, double* to) {
  const hn::ScalableTag<double> d;
  hn::StoreU(LogOfScaled<kNarrow>(d, hn::LoadU(d, m), hn::LoadU(d, n)), d, to);
}

template <bool kNarrow>
HWY_ATTR void SigmoidOfRegister(const float* from, float* to) {
  const FloatLanes d;
  hn::StoreU(Sigmoid<kNarrow>(d, hn::LoadU(d, from)), d, to);
}

HWY_ATTR void ScaledSigmoidOfRegister(const float* from, float* to, float* e, float* rest) {
  const FloatLanes d;
  FloatVector exponential = hn::Undefined(d), exponent = hn::Undefined(d);
  hn::StoreU(ScaledSigmoid<false>(d, hn::LoadU(d, from), exponential, exponent), d, to);
  hn::StoreU(exponential, d, e);
  hn::StoreU(exponent, d, rest);
}

HWY_ATTR void UnscaledRegister(const float* product, const float* from, const float* rest, float* to) {
  const FloatLanes d;
  hn::StoreU(Unscaled<false>(d, hn::LoadU(d, product), hn::LoadU(d, from), hn::LoadU(d, rest)), d, to);
}

struct Elements {
  const float* from;
  HWY_INLINE FloatVector operator()(size_t i, FloatVector sum) const {
    return hn::Add(sum, LoadFloats<float>(from + i));
  }
  HWY_INLINE FloatVector operator()(size_t i, size_t n, FloatVector sum) const {
    return hn::Add(sum, LoadFloats<float>(from + i, n));
  }
};

HWY_ATTR double SumElements(const float* from, size_t n) { return SumRow(n, Elements{from}); }

template <class T>
struct Doubled {
  const Stored<T>* from;
  HWY_INLINE Doubled From(size_t i) const { return {from + i}; }
  HWY_INLINE void FetchNext() const { FetchGroup(from + 4096); }
  HWY_INLINE bool IsOpen() const { return reinterpret_cast<uintptr_t>(from) % 512 == 0; }  // same result if not
  template <bool kMasked>
  HWY_INLINE auto At(size_t i) const {
    const FloatVector v = LoadFloats<T>(from + i);
    return FromFloats<T>(hn::Add(v, v));
  }
  HWY_INLINE auto First(size_t i, size_t n) const {
    const FloatVector v = LoadFloats<T>(from + i, n);
    return FromFloats<T>(hn::Add(v, v));
  }
};

template <class T>
HWY_ATTR void DoubleAll(const Stored<T>* from, Stored<T>* to, size_t n, bool non_temporal, bool backwards) {
  const StoredLanes<T> d;
  if (!backwards && AreWhole(d, to, 0, n)) {
    StoreWholeRow(d, to, n, non_temporal, Doubled<T>{from});
  } else {
    StoreRow(d, to, n, non_temporal, backwards, Doubled<T>{from});
  }
  if (non_temporal) hwy::FlushStream();
}

HWY_ATTR void MaskAll(const uint8_t* from, uint8_t* to, size_t n) {
  const FloatLanes d;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN float ones[HWY_LANES(float)];
  for (size_t i = 0; i < n; i += lanes) {
    const size_t count = n - i < lanes ? n - i : lanes;
    const auto mask = count == lanes ? LoadMask(from + i) : LoadMask(from + i, count);
    hn::Store(hn::IfThenElseZero(mask, hn::Set(d, 1.0f)), d, ones);
    for (size_t j = 0; j < count; ++j) to[i + j] = static_cast<uint8_t>(ones[j]);
  }
}

LaneFunctions Functions() {
  using F16 = hwy::float16_t;
  using Bf16 = hwy::bfloat16_t;
  const size_t half_lanes = hn::Lanes(HalfLanes());
  return {{half_lanes, Widen<F16>, NarrowBoth<F16>, NarrowBothResults<F16>},
          {half_lanes, Widen<Bf16>, NarrowBoth<Bf16>, NarrowBothResults<Bf16>},
          {hn::Lanes(hn::ScalableTag<double>()), hn::Lanes(FloatLanes()), half_lanes, hn::Lanes(GroupLanes()),
           hn::Lanes(ByteLanes()), LoadPart<uint16_t>, LoadPart<float>, LoadPart<double>, LoadPart<uint8_t>,
           LoadPart<uint8_t, ByteLanes>, StorePart<uint16_t>, StorePart<float>, StorePart<double>, StorePart<uint8_t>,
           StorePart<uint8_t, ByteLanes>},
          {AddAll<double>, AddAll<float>, AddAll<F16>, AddAll<Bf16>, AddOne, AddAndSubtract},
          {ExpOfRegister<false, float>, ExpOfRegister<true, float>, ExpOfRegister<false, double>,
           ExpOfRegister<true, double>},
          {LogOfRegister, LogOfScaledRegister<false>, LogOfScaledRegister<true>},
          {SigmoidOfRegister<false>, SigmoidOfRegister<true>, ScaledSigmoidOfRegister, UnscaledRegister},
          {SumAll<float>, SumAll<F16>, SumAll<Bf16>, SumWithOne<float>, SumWithOne<Bf16>},
          {SumElements, DoubleAll<float>, DoubleAll<F16>, DoubleAll<Bf16>, MaskAll},
          HWY_NATIVE_FMA != 0};
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::simd, LaneFunctionsFor, (int64_t target), Functions)
