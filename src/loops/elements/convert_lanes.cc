// SPDX-License-Identifier: Apache-2.0
#include "loops/elements/convert_lanes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/elements/convert_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/dispatch.h"
#include "simd/in_float64.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// Widens a register of 16-bit elements to two registers of floats, stored in the order of the elements.
template <class T>
HWY_INLINE void WidenRegister(simd::HalfVector v, float* to) {
  const simd::FloatLanes d;
  const simd::FloatVector first = simd::WidenFirst<T>(v);
  const simd::FloatVector second = simd::WidenSecond<T>(v);
  if constexpr (simd::kSplitsEvenAndOdd<T>) {
    hn::StoreInterleaved2(first, second, d, to);
  } else {
    hn::StoreU(first, d, to);
    hn::StoreU(second, d, to + hn::Lanes(d));
  }
}

template <class T>
HWY_INLINE simd::HalfVector NarrowRegister(const float* from) {
  const simd::FloatLanes d;
  simd::FloatVector first = hn::Undefined(d);
  simd::FloatVector second = hn::Undefined(d);
  if constexpr (simd::kSplitsEvenAndOdd<T>) {
    hn::LoadInterleaved2(d, from, first, second);
  } else {
    first = hn::LoadU(d, from);
    second = hn::LoadU(d, from + hn::Lanes(d));
  }
  return simd::Narrow<T>(first, second);
}

template <class T>
HWY_ATTR void Widen(const std::byte* from, std::byte* to, int64_t n) {
  const simd::HalfLanes d;
  const auto* in = reinterpret_cast<const uint16_t*>(from);
  auto* out = reinterpret_cast<float*>(to);
  const auto count = static_cast<size_t>(n);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) WidenRegister<T>(hn::LoadU(d, in + i), out + i);
  if (i == count) return;
  HWY_ALIGN float buffer[HWY_LANES(uint16_t)];
  WidenRegister<T>(simd::LoadTail(d, in + i, count - i), buffer);
  std::copy(buffer, buffer + (count - i), out + i);
}

template <class T>
HWY_ATTR void Narrow(const std::byte* from, std::byte* to, int64_t n) {
  const simd::HalfLanes d;
  const auto* in = reinterpret_cast<const float*>(from);
  auto* out = reinterpret_cast<uint16_t*>(to);
  const auto count = static_cast<size_t>(n);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(NarrowRegister<T>(in + i), d, out + i);
  if (i == count) return;
  HWY_ALIGN float buffer[HWY_LANES(uint16_t)] = {};
  std::copy(in + i, in + count, buffer);
  simd::StoreTail(d, NarrowRegister<T>(buffer), out + i, count - i);
}

// The other conversions are loops that the compiler vectorises for the target: there are many, and most are one
// instruction.

// BOOL as an element: a byte that is 0 (false) or anything else (true).
struct Bool {};

template <class T>
struct Element {
  using Storage [[gnu::may_alias, gnu::aligned(1)]] = T;
};
template <>
struct Element<Bool> {
  using Storage = uint8_t;
};

// Truncated, and limited to the range. Branch-free, as a branch would keep the compiler from vectorising the loop.
template <class Integer, class Real>
HWY_INLINE Integer Truncated(Real x) {
  using Limits = std::numeric_limits<Integer>;
  constexpr Real kBeyond = static_cast<Real>(Limits::max() / 2 + 1) * 2;
  constexpr Real kLow = static_cast<Real>(Limits::min());
  constexpr bool kHoldsMax = Limits::digits <= std::numeric_limits<Real>::digits;
  constexpr Real kHigh =
      kHoldsMax ? static_cast<Real>(Limits::max()) : kBeyond * (1 - std::numeric_limits<Real>::epsilon() / 2);
  const Real number = x == x ? x : 0;
  const Real above = number > kLow ? number : kLow;
  const Real within = above < kHigh ? above : kHigh;
  Integer result;
  if constexpr (sizeof(Integer) < sizeof(int32_t)) {
    result = static_cast<Integer>(static_cast<int32_t>(within));
  } else if constexpr (sizeof(Integer) == sizeof(int32_t) && std::is_unsigned_v<Integer>) {
    result = static_cast<Integer>(static_cast<int64_t>(within));
  } else {
    result = static_cast<Integer>(within);
  }
  return x >= kBeyond ? Limits::max() : result;
}

// INT8, UINT8 and INT16 take the low bits of the INT32 result: they wrap as in PyTorch.
template <class Integer>
constexpr bool kWraps = sizeof(Integer) == 1 || std::is_same_v<Integer, int16_t>;

template <class From, class To>
HWY_INLINE auto Converted(typename Element<From>::Storage x) {
  if constexpr (std::is_same_v<To, Bool> || std::is_same_v<From, Bool>) {
    return static_cast<typename Element<To>::Storage>(x != 0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Integer = std::conditional_t<kWraps<To>, int32_t, To>;
    return static_cast<To>(Truncated<Integer>(static_cast<From>(x)));
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
HWY_ATTR void Convert(const std::byte* from, std::byte* to, int64_t n) {
  const auto* __restrict in = reinterpret_cast<const typename Element<From>::Storage*>(from);
  auto* __restrict out = reinterpret_cast<typename Element<To>::Storage*>(to);
  for (int64_t i = 0; i < n; ++i) out[i] = Converted<From, To>(in[i]);
}

// BOOL to a floating dtype; kOne has the bits of 1.
template <class Word, Word kOne>
HWY_ATTR void OneOrZero(const std::byte* from, std::byte* to, int64_t n) {
  const auto* __restrict in = reinterpret_cast<const uint8_t*>(from);
  auto* __restrict out = reinterpret_cast<typename Element<Word>::Storage*>(to);
  for (int64_t i = 0; i < n; ++i) out[i] = in[i] != 0 ? kOne : Word{0};
}

HWY_INLINE uint64_t BitsOf(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

// Rounds to odd by truncating the bits that a float does not have. The final cast is exact unless the float is
// subnormal.
HWY_INLINE float OddNormalFloat(double x) {
  constexpr uint64_t kRest = (uint64_t{1} << 29) - 1;
  const uint64_t bits = BitsOf(x);
  const uint64_t odd = (bits & ~kRest) | (static_cast<uint64_t>((bits & kRest) != 0) << 29);
  double cut;
  std::memcpy(&cut, &odd, sizeof(cut));
  return static_cast<float>(cut);
}

HWY_INLINE float OddFloat(double x) {
  const auto nearest = static_cast<float>(x);
  const double back = nearest;
  uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof(bits));
  bits -= std::fabs(back) > std::fabs(x);  // now truncated
  bits |= static_cast<uint32_t>(back != x);
  float odd;
  std::memcpy(&odd, &bits, sizeof(odd));
  return odd;
}

// Rounds integers from 2^41 on to odd at bit 16, which leaves 48 bits, so that they are exact in float64. Their floats
// end at bit 18 or above, so it only matters whether any lower bit is set.
template <class Integer>
HWY_INLINE double FewerBits(Integer x) {
  constexpr uint64_t kSmall = uint64_t{1} << 41;
  constexpr uint64_t kNegative = std::is_signed_v<Integer> ? kSmall : 0;
  const bool is_large = static_cast<uint64_t>(x) + kNegative >= kSmall + kNegative;
  const Integer rest = static_cast<Integer>(is_large) * 0xFFFF;  // a conditional value would be a branch
  return static_cast<double>(static_cast<Integer>((x & ~rest) | (static_cast<Integer>((x & rest) != 0) << 16)));
}

template <class Integer>
HWY_ATTR void ToOddFloat(const std::byte* from, std::byte* to, int64_t n) {
  const auto* __restrict in = reinterpret_cast<const typename Element<Integer>::Storage*>(from);
  auto* __restrict out = reinterpret_cast<Element<float>::Storage*>(to);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (sizeof(Integer) == 8) {
      out[i] = OddNormalFloat(FewerBits<Integer>(in[i]));
    } else {
      out[i] = OddNormalFloat(static_cast<double>(in[i]));
    }
  }
}

// Between float64 and 16 bits in one step, a register of floats at a time. The last elements take two steps, as do all
// where a result is NaN or no normal float.
constexpr int64_t kElementsInTwoSteps = 64;

template <class T>
HWY_ATTR void WidenToDouble(const std::byte* from, std::byte* to, int64_t n) {
  const simd::FloatLanes d;
  const hn::Half<simd::FloatLanes> half;
  const hn::Rebind<double, decltype(half)> dd;
  const auto* in = reinterpret_cast<const uint16_t*>(from);
  auto* out = reinterpret_cast<double*>(to);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const simd::FloatVector x = simd::ToFloats<T>(hn::LoadU(simd::StoredLanes<T>(), in + i));
    hn::StoreU(hn::PromoteTo(dd, hn::LowerHalf(half, x)), dd, out + i);
    hn::StoreU(hn::PromoteTo(dd, hn::UpperHalf(half, x)), dd, out + i + lanes / 2);
  }
  HWY_ALIGN float floats[kElementsInTwoSteps];
  for (; i < n; i += kElementsInTwoSteps) {
    const int64_t count = std::min(kElementsInTwoSteps, n - i);
    Widen<T>(from + 2 * i, reinterpret_cast<std::byte*>(floats), count);
    Convert<float, double>(reinterpret_cast<const std::byte*>(floats), to + 8 * i, count);
  }
}

template <class T>
HWY_ATTR void NarrowDouble(const std::byte* from, std::byte* to, int64_t n) {
  const simd::FloatLanes d;
  const hn::Half<simd::FloatLanes> half;
  const hn::Rebind<double, decltype(half)> dd;
  const auto* in = reinterpret_cast<const double*>(from);
  auto* out = reinterpret_cast<uint16_t*>(to);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto smallest_normal = hn::Set(dd, static_cast<double>(std::numeric_limits<float>::min()));
  // A bit other than the sign is set if any x is NaN, or below the smallest normal float and not zero.
  auto other = hn::Zero(dd);
  const auto odd = [&](hn::VFromD<decltype(dd)> x) HWY_ATTR {
    other = hn::Or(other, hn::IfThenZeroElse(hn::Ge(hn::Abs(x), smallest_normal), x));
    return hn::DemoteTo(half, simd::CutToOdd(dd, x));
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto lower = odd(hn::LoadU(dd, in + i));
    const auto upper = odd(hn::LoadU(dd, in + i + lanes / 2));
    hn::StoreU(simd::FromFloats<T>(hn::Combine(d, upper, lower)), simd::StoredLanes<T>(), out + i);
  }
  if (HWY_UNLIKELY(!hn::AllTrue(dd, hn::Eq(other, hn::Zero(dd))))) i = 0;
  HWY_ALIGN float floats[kElementsInTwoSteps];
  for (; i < n; i += kElementsInTwoSteps) {
    const int64_t count = std::min(kElementsInTwoSteps, n - i);
    const auto* elements = reinterpret_cast<const Element<double>::Storage*>(from) + i;
    for (int64_t j = 0; j < count; ++j) floats[j] = OddFloat(elements[j]);
    Narrow<T>(reinterpret_cast<const std::byte*>(floats), to + 2 * i, count);
  }
}

template <class Real>
HWY_ATTR void ToComplex(const std::byte* from, std::byte* to, int64_t n) {
  const auto* __restrict in = reinterpret_cast<const typename Element<Real>::Storage*>(from);
  auto* __restrict out = reinterpret_cast<typename Element<Real>::Storage*>(to);
  for (int64_t i = 0; i < n; ++i) {
    out[2 * i] = in[i];
    out[2 * i + 1] = 0;
  }
}

template <class Real>
HWY_ATTR void ToRealPart(const std::byte* from, std::byte* to, int64_t n) {
  const auto* __restrict in = reinterpret_cast<const typename Element<Real>::Storage*>(from);
  auto* __restrict out = reinterpret_cast<typename Element<Real>::Storage*>(to);
  for (int64_t i = 0; i < n; ++i) out[i] = in[2 * i];
}

template <class Real>
HWY_ATTR void ComplexToBool(const std::byte* from, std::byte* to, int64_t n) {
  const auto* __restrict in = reinterpret_cast<const typename Element<Real>::Storage*>(from);
  auto* __restrict out = reinterpret_cast<uint8_t*>(to);
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<uint8_t>((in[2 * i] != 0) | (in[2 * i + 1] != 0));
}

struct Step {
  aclDataType from;
  aclDataType to;
  ConvertFunction run;
};

ConvertFunction FindStep(aclDataType from, aclDataType to) {
  static constexpr Step kSteps[] = {
      {ACL_FLOAT16, ACL_FLOAT, Widen<hwy::float16_t>},
      {ACL_BF16, ACL_FLOAT, Widen<hwy::bfloat16_t>},
      {ACL_BOOL, ACL_FLOAT, OneOrZero<uint32_t, 0x3F800000>},
      {ACL_BOOL, ACL_FLOAT16, OneOrZero<uint16_t, 0x3C00>},
      {ACL_BOOL, ACL_BF16, OneOrZero<uint16_t, 0x3F80>},
      {ACL_INT8, ACL_FLOAT, Convert<int8_t, float>},
      {ACL_UINT8, ACL_FLOAT, Convert<uint8_t, float>},
      {ACL_INT16, ACL_FLOAT, Convert<int16_t, float>},
      {ACL_UINT16, ACL_FLOAT, Convert<uint16_t, float>},
      {ACL_INT32, ACL_FLOAT, Convert<int32_t, float>},
      {ACL_UINT32, ACL_FLOAT, Convert<uint32_t, float>},
      {ACL_INT64, ACL_FLOAT, Convert<int64_t, float>},
      {ACL_UINT64, ACL_FLOAT, Convert<uint64_t, float>},
      {ACL_DOUBLE, ACL_FLOAT, Convert<double, float>},

      {ACL_FLOAT, ACL_DOUBLE, Convert<float, double>},
      {ACL_INT32, ACL_DOUBLE, Convert<int32_t, double>},
      {ACL_UINT32, ACL_DOUBLE, Convert<uint32_t, double>},
      {ACL_INT64, ACL_DOUBLE, Convert<int64_t, double>},
      {ACL_UINT64, ACL_DOUBLE, Convert<uint64_t, double>},

      {ACL_BOOL, ACL_INT64, Convert<Bool, int64_t>},
      {ACL_INT8, ACL_INT64, Convert<int8_t, int64_t>},
      {ACL_UINT8, ACL_INT64, Convert<uint8_t, int64_t>},
      {ACL_INT16, ACL_INT64, Convert<int16_t, int64_t>},
      {ACL_UINT16, ACL_INT64, Convert<uint16_t, int64_t>},
      {ACL_INT32, ACL_INT64, Convert<int32_t, int64_t>},
      {ACL_UINT32, ACL_INT64, Convert<uint32_t, int64_t>},

      {ACL_FLOAT, ACL_FLOAT16, Narrow<hwy::float16_t>},
      {ACL_FLOAT, ACL_BF16, Narrow<hwy::bfloat16_t>},
      {ACL_FLOAT, ACL_BOOL, Convert<float, Bool>},
      {ACL_FLOAT, ACL_INT8, Convert<float, int8_t>},
      {ACL_FLOAT, ACL_UINT8, Convert<float, uint8_t>},
      {ACL_FLOAT, ACL_INT32, Convert<float, int32_t>},
      {ACL_FLOAT, ACL_INT64, Convert<float, int64_t>},

      {ACL_FLOAT16, ACL_DOUBLE, WidenToDouble<hwy::float16_t>},
      {ACL_BF16, ACL_DOUBLE, WidenToDouble<hwy::bfloat16_t>},
      {ACL_DOUBLE, ACL_FLOAT16, NarrowDouble<hwy::float16_t>},
      {ACL_DOUBLE, ACL_BF16, NarrowDouble<hwy::bfloat16_t>},
      {ACL_DOUBLE, ACL_BOOL, Convert<double, Bool>},
      {ACL_DOUBLE, ACL_INT8, Convert<double, int8_t>},
      {ACL_DOUBLE, ACL_UINT8, Convert<double, uint8_t>},
      {ACL_DOUBLE, ACL_INT16, Convert<double, int16_t>},
      {ACL_DOUBLE, ACL_UINT16, Convert<double, uint16_t>},
      {ACL_DOUBLE, ACL_INT32, Convert<double, int32_t>},
      {ACL_DOUBLE, ACL_UINT32, Convert<double, uint32_t>},
      {ACL_DOUBLE, ACL_INT64, Convert<double, int64_t>},
      {ACL_DOUBLE, ACL_UINT64, Convert<double, uint64_t>},

      {ACL_INT64, ACL_BOOL, Convert<int64_t, Bool>},
      {ACL_INT64, ACL_INT8, Convert<int64_t, int8_t>},
      {ACL_INT64, ACL_INT16, Convert<int64_t, int16_t>},
      {ACL_INT64, ACL_INT32, Convert<int64_t, int32_t>},

      {ACL_FLOAT, ACL_COMPLEX64, ToComplex<float>},
      {ACL_DOUBLE, ACL_COMPLEX128, ToComplex<double>},
      {ACL_COMPLEX64, ACL_FLOAT, ToRealPart<float>},
      {ACL_COMPLEX128, ACL_DOUBLE, ToRealPart<double>},
      {ACL_COMPLEX64, ACL_BOOL, ComplexToBool<float>},
      {ACL_COMPLEX128, ACL_BOOL, ComplexToBool<double>},
  };
  for (const Step& step : kSteps) {
    if (step.from == from && step.to == to) return step.run;
  }
  return nullptr;
}

ConvertFunction FindOddStep(aclDataType from) {
  switch (from) {
    case ACL_INT32:
      return ToOddFloat<int32_t>;
    case ACL_UINT32:
      return ToOddFloat<uint32_t>;
    case ACL_INT64:
      return ToOddFloat<int64_t>;
    case ACL_UINT64:
      return ToOddFloat<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace portacl::loops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops, ConvertLanes, (aclDataType from, aclDataType to, int64_t target), FindStep, from,
                       to)
PORTACL_DISPATCH_LANES(portacl::loops, OddFloatLanes, (aclDataType from, int64_t target), FindOddStep, from)
