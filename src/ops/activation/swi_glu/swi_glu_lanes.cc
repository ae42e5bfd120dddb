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

// Sigmoid(A) = 1 / (1 + e) and e = e^-A, which is 0 where it would be a subnormal; any bits below -kMost.
template <class T, class D, class V>
HWY_INLINE V SigmoidAndExp(D d, V a, V& e) {
  const V one = hn::Set(d, 1.0f);
  e = hn::IfThenElseZero(hn::Le(a, hn::Set(d, kMost)), simd::Exp < sizeof(T) == 2 > (d, hn::Neg(a)));
  return hn::Div(one, hn::Add(one, e));
}

// Where sigmoid(A) is less than a normal float32. Few registers hold such an A; only those take the way of Underflowed.
template <class D, class V>
HWY_INLINE auto Underflows(D d, V a) {
  return hn::Lt(a, hn::Set(d, -kMost));
}

// Rounded to float32. Highway 1.0.3 gives EMU128 the largest float for an infinity.
template <class D, class V>
HWY_INLINE hn::VFromD<D> Rounded(D d, V v) {
#if HWY_TARGET == HWY_EMU128
  HWY_ALIGN double from[HWY_LANES(double)];
  HWY_ALIGN float to[HWY_LANES(double)];
  hn::Store(v, hn::Rebind<double, D>(), from);
  for (size_t i = 0; i < hn::Lanes(d); ++i) to[i] = static_cast<float>(from[i]);
  return hn::Load(d, to);
#else
  return hn::DemoteTo(d, v);
#endif
}

// u m 2^k v w, rounded once. D is of half a register.
template <class D, class V, class VI>
HWY_INLINE V ScaledProduct(D d, V u, V m, VI k, V v, V w) {
  const hn::Rebind<double, D> dd;
  const hn::RebindToSigned<decltype(dd)> di;
  const auto exponent = hn::Add(hn::PromoteTo(di, k), hn::Set(di, 1023));
  const auto q = hn::Mul(hn::PromoteTo(dd, m), hn::BitCast(dd, hn::ShiftLeft<52>(exponent)));
  const auto uqv = hn::Mul(hn::Mul(hn::PromoteTo(dd, u), q), hn::PromoteTo(dd, v));
  return Rounded(d, hn::Mul(uqv, hn::PromoteTo(dd, w)));
}

// u sigmoid(A) v w where sigmoid underflows, `others` elsewhere. Sigmoid is e^A there, and only its mantissa is
// float32; as in float64, it is 0 below A = -709.78.
template <class T, class D, class V>
HWY_NOINLINE V Underflowed(D d, V a, V u, V v, V w, V others) {
  // From -300 on no product of finite factors reaches a float32.
  const V x = hn::IfThenElse(Underflows(d, a), hn::Max(a, hn::Set(d, -300.0f)), hn::Set(d, -kMost));
  const V k = hn::Sub(simd::ShiftedExponent(d, x), hn::Set(d, simd::kExpShift));
  constexpr bool kNarrow = sizeof(T) == 2;
  const V power = simd::ExpOfParts<kNarrow>(d, simd::WithoutPowersOfTwo(d, x, k), hn::Set(d, simd::kExpShift));
  const V m = hn::IfThenElseZero(hn::Gt(a, hn::Set(d, -0x1.62e43p9f)), power);
  const auto exponent = hn::ConvertTo(hn::RebindToSigned<D>(), k);
  const hn::Half<D> half;
  const hn::RebindToSigned<decltype(half)> half_int;
  const auto lower = ScaledProduct(half, hn::LowerHalf(half, u), hn::LowerHalf(half, m),
                                   hn::LowerHalf(half_int, exponent), hn::LowerHalf(half, v), hn::LowerHalf(half, w));
  const auto upper = ScaledProduct(half, hn::UpperHalf(half, u), hn::UpperHalf(half, m),
                                   hn::UpperHalf(half_int, exponent), hn::UpperHalf(half, v), hn::UpperHalf(half, w));
  return hn::IfThenElse(Underflows(d, a), hn::Combine(d, upper, lower), others);
}

template <class T>
struct Swish {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    V e;
    const V out = Damped<T>(d, a, hn::Abs(a), SigmoidAndExp<T>(d, a, e), b);
    if (HWY_LIKELY(hn::AllFalse(d, Underflows(d, a)))) return out;
    return Underflowed<T>(d, a, a, b, hn::Set(d, 1.0f), out);
  }
};

template <class T>
struct SwishGrad {
  template <class D, class V>
  HWY_INLINE void operator()(D d, V a, V b, V grad, V& out_a, V& out_b) const {
    V e;
    const V sigma = SigmoidAndExp<T>(d, a, e);
    // 1 + A (1 - sigma) is (1 + A) (1 - sigma) + sigma, and 1 - sigma is e sigma: where the sum passes through zero,
    // near A = -1.28, 1 + A is exact.
    const V one_more = hn::Add(hn::Set(d, 1.0f), a);
    const V sum = hn::MulAdd(one_more, hn::Mul(e, sigma), sigma);
    const V slope = hn::Mul(sigma, sum);  // at most 1.1
    out_b = Damped<T>(d, a, hn::Abs(a), sigma, grad);
    if constexpr (kCanLeaveRange<T>) {
      // Halved, the slope is below 1; doubling what comes out loses nothing.
      const V half = Damped<T>(d, grad, hn::Abs(grad), hn::Mul(slope, hn::Set(d, 0.5f)), b);
      out_a = hn::Add(half, half);
    } else {
      out_a = hn::Mul(hn::Mul(grad, b), slope);
    }
    if (HWY_LIKELY(hn::AllFalse(d, Underflows(d, a)))) return;
    out_a = Underflowed<T>(d, a, one_more, b, grad, out_a);  // 1 - sigma is 1
    out_b = Underflowed<T>(d, a, a, grad, hn::Set(d, 1.0f), out_b);
  }
};

// EMU128 is kept small, see simd/map.h.
#if HWY_TARGET == HWY_EMU128
#define PORTACL_GRAD_INLINE HWY_NOINLINE
#else
#define PORTACL_GRAD_INLINE HWY_INLINE
#endif

// One register of stored elements of each operand.
template <class T, class V>
PORTACL_GRAD_INLINE void GradOfRegister(V a, V b, V grad, V& out_a, V& out_b) {
  const SwishGrad<T> kernel;
  if constexpr (std::is_floating_point_v<T>) {
    kernel(hn::ScalableTag<T>(), a, b, grad, out_a, out_b);
  } else {
    const simd::FloatLanes d;
    simd::FloatVector first_a = hn::Undefined(d);
    simd::FloatVector first_b = hn::Undefined(d);
    simd::FloatVector second_a = hn::Undefined(d);
    simd::FloatVector second_b = hn::Undefined(d);
    kernel(d, simd::WidenFirst<T>(a), simd::WidenFirst<T>(b), simd::WidenFirst<T>(grad), first_a, first_b);
    kernel(d, simd::WidenSecond<T>(a), simd::WidenSecond<T>(b), simd::WidenSecond<T>(grad), second_a, second_b);
    out_a = simd::NarrowResults<T>(first_a, second_a);
    out_b = simd::NarrowResults<T>(first_b, second_b);
  }
}

#undef PORTACL_GRAD_INLINE

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
    auto v = hn::Undefined(d);
    auto w = hn::Undefined(d);
    GradOfRegister<T>(simd::LoadTail(d, a + i, n), simd::LoadTail(d, b + i, n), simd::LoadTail(d, grad + i, n), v, w);
    simd::StoreTail(d, v, out_a + i, n);
    simd::StoreTail(d, w, out_b + i, n);
  }

  // Whole registers from `i` on; returns where they end.
  template <bool kStreamA, bool kStreamB>
  HWY_INLINE size_t Registers(size_t i, size_t n) const {
    const hn::ScalableTag<E> d;
    const size_t lanes = hn::Lanes(d);
    for (; i + lanes <= n; i += lanes) {
      auto v = hn::Undefined(d);
      auto w = hn::Undefined(d);
      GradOfRegister<T>(hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::LoadU(d, grad + i), v, w);
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
