// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/swi_glu/swi_glu_lanes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/swi_glu/swi_glu_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/exp.h"
#include "simd/map.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::swi_glu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// The largest float below ln 2^126. e^-|A| beyond it would be a subnormal.
constexpr float kMost = 0x1.5d589ep6f;

// Products of three factors can leave the range of float32 on the way although the result lies in it. A FLOAT16 is
// never that large or small.
template <class T>
constexpr bool kCanLeaveRange = !std::is_same_v<T, hwy::float16_t>;

// v q w for |q| <= 1, no subnormal. Where |v| >= 1, v q is none either; elsewhere q meets w first, and what is lost
// when w q is a subnormal is made smaller still by v. Nothing overflows but the result.
template <class T, class D, class V>
HWY_INLINE V Damped(D d, V v, V magnitude_of_v, V q, V w) {
  if constexpr (!kCanLeaveRange<T>) return hn::Mul(hn::Mul(v, q), w);
  const auto small = hn::Lt(magnitude_of_v, hn::Set(d, 1.0f));
  return hn::Mul(hn::Mul(hn::IfThenElse(small, w, v), q), hn::IfThenElse(small, v, w));
}

// Where sigmoid(A) is less than a normal float32.
template <class D, class V>
HWY_INLINE auto Underflows(D d, V a) {
  return hn::Lt(a, hn::Set(d, -kMost));
}

// Few registers hold an A beyond kMost, or NaN. Only those (FLOAT16: none, see below) are computed in the wide way, in
// which sigmoid(A) is sigma 2^-rest. Other elements have the same bits in both ways, so that none depends on its
// neighbours.
template <class T, class D, class V>
HWY_INLINE bool IsWide(D d, V a) {
  if constexpr (!kCanLeaveRange<T>) return false;
  return !hn::AllTrue(d, hn::Le(hn::Abs(a), hn::Set(d, kMost)));
}

// sigma = 1 / (1 + e), a normal number, and e = e^-A 2^-rest. Rest is 0 where sigmoid does not underflow, and is not
// set where that is so everywhere.
template <class T, bool kWide, class D, class V>
HWY_INLINE V SigmoidAndExp(D d, V a, V& e, V& rest) {
  constexpr bool kNarrow = sizeof(T) == 2;
  const V one = hn::Set(d, 1.0f);
  const V most = hn::Set(d, kMost);
  // In float64, e^-A is infinite from there on.
  const auto above_zero = hn::Gt(a, hn::Set(d, -0x1.62e43p9f));
  if constexpr (!kCanLeaveRange<T>) {
    // Products with the least normal sigma are 0 as FLOAT16 already, but for infinite factors.
    e = hn::IfThenElseZero(hn::Le(a, most), simd::Exp<kNarrow>(d, hn::Min(hn::Neg(a), most)));
    return hn::IfThenElseZero(above_zero, hn::Div(one, hn::Add(one, e)));
  }
  if constexpr (!kWide) {
    e = simd::Exp<kNarrow>(d, hn::Neg(a));
    return hn::Div(one, hn::Add(one, e));
  }
  // From 300 on no product of finite factors reaches a float32.
  const V x = hn::Min(hn::Neg(a), hn::Set(d, 300.0f));
  const V shifted = simd::ShiftedExponent(d, x);
  const V r = simd::WithoutPowersOfTwo(d, x, hn::Sub(shifted, hn::Set(d, simd::kExpShift)));
  rest = hn::IfThenElseZero(Underflows(d, a), hn::Sub(shifted, hn::Set(d, simd::kExpShift + 125)));
  // Beyond kMost e^-A would be a subnormal.
  e = hn::IfThenElseZero(hn::Le(a, most), simd::ExpOfParts<kNarrow>(d, r, hn::Sub(shifted, rest)));
  return hn::IfThenElseZero(above_zero, hn::Div(one, hn::Add(one, e)));
}

// v 2^-rest for -127 <= rest < 400 and |v| below 2^100. What is less than half the smallest subnormal is multiplied by
// zero: processors take their time over products that underflow.
template <class D, class V>
HWY_INLINE V Scaled(D d, V v, V rest) {
  const hn::RebindToUnsigned<D> du;
  const auto power = [&](V k) HWY_ATTR {  // 2^k, 0 for k = -127
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, hn::Add(hn::Set(d, simd::kExpShift), k))));
  };
  const V most = hn::Set(d, 126.0f);
  const V none = hn::Set(d, -127.0f);
  const V least = power(hn::Min(hn::Max(hn::Sub(rest, hn::Set(d, 150.0f)), none), most));
  const V first = hn::Min(rest, most);
  const V second = hn::Min(hn::Sub(rest, first), most);
  const V last = hn::IfThenElse(hn::Lt(hn::Abs(v), least), none, hn::Neg(second));
  return hn::Mul(hn::Mul(v, power(last)), power(hn::Neg(first)));
}

template <class T, bool kWide, class D, class V>
HWY_INLINE V SwishOf(D d, V a, V b) {
  V e = hn::Undefined(d);
  V rest = hn::Undefined(d);
  const V sigma = SigmoidAndExp<T, kWide>(d, a, e, rest);
  const V out = Damped<T>(d, a, hn::Abs(a), sigma, b);
  if constexpr (kWide && kCanLeaveRange<T>) return Scaled(d, out, rest);
  return out;
}

template <class T, bool kWide, class D, class V>
HWY_INLINE void SwishGradOf(D d, V a, V b, V grad, V& out_a, V& out_b) {
  V e = hn::Undefined(d);
  V rest = hn::Undefined(d);
  const V sigma = SigmoidAndExp<T, kWide>(d, a, e, rest);
  // 1 + A (1 - sigma) is (1 + A) (1 - sigma) + sigma, and 1 - sigma is e sigma: where the sum passes through zero,
  // near A = -1.28, 1 + A is exact.
  const V sum = hn::MulAdd(hn::Add(hn::Set(d, 1.0f), a), hn::Mul(e, sigma), sigma);
  const V slope = hn::Mul(sigma, sum);  // at most 1.1
  out_b = Damped<T>(d, a, hn::Abs(a), sigma, grad);
  if constexpr (!kCanLeaveRange<T>) {
    out_a = hn::Mul(hn::Mul(grad, b), slope);
    return;
  }
  V factor = grad;
  if constexpr (kWide) {
    out_b = Scaled(d, out_b, rest);
    // Their product must not overflow before it is scaled.
    const V smaller = hn::Min(hn::Abs(grad), hn::Abs(b));
    const auto huge = hn::And(Underflows(d, a), hn::Ge(smaller, hn::Set(d, 0x1p64f)));
    factor = hn::IfThenElse(huge, hn::Mul(grad, hn::Set(d, 0x1p-64f)), grad);
    rest = hn::Sub(rest, hn::IfThenElseZero(huge, hn::Set(d, 64.0f)));
  }
  // Halved, the slope is below 1; doubling what comes out loses nothing.
  const V half = Damped<T>(d, factor, hn::Abs(factor), hn::Mul(slope, hn::Set(d, 0.5f)), b);
  out_a = hn::Add(half, half);
  if constexpr (kWide) out_a = Scaled(d, out_a, rest);
}

template <class T, class D, class V>
[[gnu::cold]] HWY_NOINLINE V WideSwish(D d, V a, V b) {
  return SwishOf<T, true>(d, a, b);
}

template <class T>
struct Swish {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    if (HWY_UNLIKELY(IsWide<T>(d, a))) return WideSwish<T>(d, a, b);
    return SwishOf<T, false>(d, a, b);
  }
};

// EMU128 is kept small, see simd/map.h.
#if HWY_TARGET == HWY_EMU128
#define PORTACL_GRAD_INLINE HWY_NOINLINE
#else
#define PORTACL_GRAD_INLINE HWY_INLINE
#endif

// One register of stored elements of each operand.
template <class T, bool kWide, class V>
PORTACL_GRAD_INLINE void GradOfRegister(V a, V b, V grad, V& out_a, V& out_b) {
  if constexpr (std::is_floating_point_v<T>) {
    SwishGradOf<T, kWide>(hn::ScalableTag<T>(), a, b, grad, out_a, out_b);
  } else {
    const simd::FloatLanes d;
    simd::FloatVector first_a = hn::Undefined(d);
    simd::FloatVector first_b = hn::Undefined(d);
    simd::FloatVector second_a = hn::Undefined(d);
    simd::FloatVector second_b = hn::Undefined(d);
    SwishGradOf<T, kWide>(d, simd::WidenFirst<T>(a), simd::WidenFirst<T>(b), simd::WidenFirst<T>(grad), first_a,
                          first_b);
    SwishGradOf<T, kWide>(d, simd::WidenSecond<T>(a), simd::WidenSecond<T>(b), simd::WidenSecond<T>(grad), second_a,
                          second_b);
    out_a = simd::NarrowResults<T>(first_a, second_a);
    out_b = simd::NarrowResults<T>(first_b, second_b);
  }
}

#undef PORTACL_GRAD_INLINE

// IsWide of a register of stored elements.
template <class T, class V>
HWY_INLINE bool IsWideRegister(V a) {
  if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {
    // Magnitudes are ordered as their bits, and the first beyond kMost is 87.5.
    const hn::ScalableTag<uint16_t> d;
    return !hn::AllTrue(d, hn::Lt(hn::And(a, hn::Set(d, 0x7FFF)), hn::Set(d, 0x42AF)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return IsWide<T>(hn::ScalableTag<T>(), a);
  } else {
    return false;
  }
}

template <class E>
bool IsAligned(const E* pointer, size_t bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
}

template <class T>
struct GradRow {
  using E = simd::Stored<T>;
  const E* a;
  const E* b;
  const E* grad;
  E* out_a;
  E* out_b;

  // n < lanes elements from `i` on.
  HWY_INLINE void Part(size_t i, size_t n) const {
    const hn::ScalableTag<E> d;
    const auto first = simd::LoadTail(d, a + i, n);
    const auto second = simd::LoadTail(d, b + i, n);
    const auto third = simd::LoadTail(d, grad + i, n);
    auto v = hn::Undefined(d);
    auto w = hn::Undefined(d);
    if (HWY_LIKELY(!IsWideRegister<T>(first))) {
      GradOfRegister<T, false>(first, second, third, v, w);
    } else {
      GradOfRegister<T, true>(first, second, third, v, w);
    }
    simd::StoreTail(d, v, out_a + i, n);
    simd::StoreTail(d, w, out_b + i, n);
  }

  // Whole registers from `i` on, up to the first that is of the other kind; returns where they end. With both kinds in
  // one loop the compiler would load all constants anew for each register.
  template <bool kWide, bool kStreamA, bool kStreamB>
  HWY_INLINE size_t RegistersOfOneKind(size_t i, size_t n) const {
    const hn::ScalableTag<E> d;
    const size_t lanes = hn::Lanes(d);
    for (; i + lanes <= n; i += lanes) {
      const auto first = hn::LoadU(d, a + i);
      if (HWY_UNLIKELY(IsWideRegister<T>(first) != kWide)) break;
      auto v = hn::Undefined(d);
      auto w = hn::Undefined(d);
      GradOfRegister<T, kWide>(first, hn::LoadU(d, b + i), hn::LoadU(d, grad + i), v, w);
      if constexpr (kStreamA) {
        hn::Stream(v, d, out_a + i);
      } else {
        hn::StoreU(v, d, out_a + i);
      }
      if constexpr (kStreamB) {
        hn::Stream(w, d, out_b + i);
      } else {
        hn::StoreU(w, d, out_b + i);
      }
    }
    return i;
  }

  HWY_NOINLINE size_t WideRegisters(size_t i, size_t n) const { return RegistersOfOneKind<true, false, false>(i, n); }

  // All whole registers from `i` on; returns where they end.
  template <bool kStreamA, bool kStreamB>
  HWY_INLINE size_t Registers(size_t i, size_t n) const {
    const size_t lanes = hn::Lanes(hn::ScalableTag<E>());
    while (true) {
      i = RegistersOfOneKind<false, kStreamA, kStreamB>(i, n);
      if (i + lanes > n) return i;
      i = WideRegisters(i, n);
    }
  }

  HWY_INLINE void Run(size_t n, bool past_cache) const {
    const size_t bytes = hn::Lanes(hn::ScalableTag<E>()) * sizeof(E);
    size_t i = 0;
    if (past_cache) {
      // Up to where out_a is aligned; out_b is, then, when the two halves lie a number of registers apart.
      const size_t misaligned = reinterpret_cast<uintptr_t>(out_a) % bytes;
      const size_t head = misaligned == 0 ? 0 : (bytes - misaligned) / sizeof(E);
      if (misaligned % sizeof(E) == 0 && head <= n) {
        if (head != 0) Part(0, head);
        i = IsAligned(out_b + head, bytes) ? Registers<true, true>(head, n) : Registers<true, false>(head, n);
      }
    }
    i = Registers<false, false>(i, n);
    if (i < n) Part(i, n - i);
  }
};

template <class T>
HWY_ATTR void SwiGlu(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  for (int64_t row = 0; row < tile.rows; ++row) {
    simd::Map<T>(Swish<T>{}, static_cast<size_t>(tile.columns), tile.past_cache, tile.Row<E>(2, row),
                 tile.Row<E>(0, row), tile.Row<E>(1, row));
  }
  if (tile.past_cache) hwy::FlushStream();
}

template <class T>
HWY_ATTR void SwiGluGrad(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  for (int64_t row = 0; row < tile.rows; ++row) {
    const GradRow<T> operands{tile.Row<E>(0, row), tile.Row<E>(1, row), tile.Row<E>(2, row), tile.Row<E>(3, row),
                              tile.Row<E>(4, row)};
    operands.Run(static_cast<size_t>(tile.columns), tile.past_cache);
  }
  if (tile.past_cache) hwy::FlushStream();
}

}  // namespace portacl::ops::swi_glu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "simd/dispatch.h"

namespace portacl::ops::swi_glu {

loops::LaneFunction SwiGluLanes(aclDataType dtype, int64_t target) {
  switch (dtype) {
    case ACL_FLOAT:
      return PORTACL_FOR_TARGET(SwiGlu<float>, target);
    case ACL_FLOAT16:
      return PORTACL_FOR_TARGET(SwiGlu<hwy::float16_t>, target);
    default:
      return PORTACL_FOR_TARGET(SwiGlu<hwy::bfloat16_t>, target);
  }
}

loops::LaneFunction SwiGluGradLanes(aclDataType dtype, int64_t target) {
  switch (dtype) {
    case ACL_FLOAT:
      return PORTACL_FOR_TARGET(SwiGluGrad<float>, target);
    case ACL_FLOAT16:
      return PORTACL_FOR_TARGET(SwiGluGrad<hwy::float16_t>, target);
    default:
      return PORTACL_FOR_TARGET(SwiGluGrad<hwy::bfloat16_t>, target);
  }
}

}  // namespace portacl::ops::swi_glu
#endif  // HWY_ONCE
