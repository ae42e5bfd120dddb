// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/combine_lanes.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/moves/combine_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "loops/elements/convert_lanes.h"
#include "simd/convert.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::moves::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// Adds elements of kRows rows to sums.
template <int kRows>
HWY_ATTR void AddFloats(const float* const (&from)[kRows], double factor, double* sums, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto v = hn::Set(d, factor);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto sum = hn::LoadU(d, sums + i);
    for (int row = 0; row < kRows; ++row) sum = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(df, from[row] + i)), v, sum);
    hn::StoreU(sum, d, sums + i);
  }
  for (; i < n; ++i) {
    for (int row = 0; row < kRows; ++row) sums[i] += static_cast<double>(from[row][i]) * factor;
  }
}

HWY_ATTR void AddFloatPairs(const std::byte* a, const std::byte* b, std::byte* to, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* const x = reinterpret_cast<const float*>(a);
  const auto* const y = reinterpret_cast<const float*>(b);
  auto* const out = reinterpret_cast<float*>(to);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, out + i);
  for (; i < n; ++i) out[i] = x[i] + y[i];
}

// Elements of 16 bits are widened in blocks.
constexpr int64_t kWidened = 256;

template <class T>
constexpr aclDataType kNarrowDtype = std::is_same_v<T, hwy::float16_t> ? ACL_FLOAT16 : ACL_BF16;

template <class T>
HWY_ATTR void AddRow(const std::byte* row, double factor, double* sums, int64_t n) {
  static const ConvertFunction widen = ConvertLanes(kNarrowDtype<T>, ACL_FLOAT, HWY_TARGET);
  alignas(64) float block[kWidened];
  for (int64_t i = 0; i < n; i += kWidened) {
    const int64_t count = std::min(kWidened, n - i);
    widen(row + i * 2, reinterpret_cast<std::byte*>(block), count);
    AddFloats<1>({block}, factor, sums + i, count);
  }
}

// The sums of elements of kRowsTogether rows from `at` on, as floats. Returns false if one is not finite, which a sum
// in float64 might be.
template <class T>
HWY_ATTR bool SumGroups(const std::byte* const* rows, int64_t at, int64_t n, float* to) {
  const simd::HalfLanes d;
  const simd::FloatLanes df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto undefined = hn::Zero(df);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto first = hn::Zero(df), second = hn::Zero(df);
    for (int row = 0; row < kRowsTogether; ++row) {
      const auto v = hn::LoadU(d, reinterpret_cast<const uint16_t*>(rows[row]) + at + i);
      first = hn::Add(first, simd::WidenFirst<T>(v));
      second = hn::Add(second, simd::WidenSecond<T>(v));
    }
    undefined = hn::MulAdd(first, hn::Zero(df), hn::MulAdd(second, hn::Zero(df), undefined));
    if constexpr (simd::kSplitsEvenAndOdd<T>) {
      hn::StoreInterleaved2(first, second, df, to + i);
    } else {
      hn::StoreU(first, df, to + i);
      hn::StoreU(second, df, to + i + lanes / 2);
    }
  }
  if (i < n) {
    static const ConvertFunction widen = ConvertLanes(kNarrowDtype<T>, ACL_FLOAT, HWY_TARGET);
    alignas(64) float block[HWY_LANES(uint16_t)];
    std::fill(to + i, to + n, 0.0F);
    for (int row = 0; row < kRowsTogether; ++row) {
      widen(rows[row] + (at + i) * 2, reinterpret_cast<std::byte*>(block), n - i);
      for (int64_t k = i; k < n; ++k) to[k] += block[k - i];
    }
    for (int64_t k = i; k < n; ++k) {
      if (to[k] - to[k] != 0) return false;
    }
  }
  return hn::AllTrue(df, hn::Eq(undefined, hn::Zero(df)));
}

template <class T>
HWY_ATTR void AddNarrowRows(const std::byte* const* rows, int count, double factor, double* sums, int64_t n) {
  alignas(64) float block[kWidened];
  for (int64_t i = 0; i < n; i += kWidened) {
    const int64_t columns = std::min(kWidened, n - i);
    if (count == kRowsTogether && SumGroups<T>(rows, i, columns, block)) {
      AddFloats<1>({block}, factor, sums + i, columns);
    } else {
      for (int row = 0; row < count; ++row) AddRow<T>(rows[row] + i * 2, factor, sums + i, columns);
    }
  }
}

HWY_ATTR void AddFloatRows(const std::byte* const* rows, int count, double factor, double* sums, int64_t n) {
  const auto row = [=](int i) { return reinterpret_cast<const float*>(rows[i]); };
  if (count == kRowsTogether) return AddFloats<kRowsTogether>({row(0), row(1), row(2), row(3)}, factor, sums, n);
  for (int i = 0; i < count; ++i) AddFloats<1>({row(i)}, factor, sums, n);
}

// The sum of two elements of 16 bits is rounded to FLOAT first, which has more than twice their digits and two.
template <class T>
HWY_ATTR void AddNarrowPairs(const std::byte* a, const std::byte* b, std::byte* to, int64_t n) {
  const simd::HalfLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto add = [=](const uint16_t* x, const uint16_t* y, uint16_t* out) HWY_ATTR {
    const auto u = hn::LoadU(d, x), v = hn::LoadU(d, y);
    hn::StoreU(simd::Narrow<T>(hn::Add(simd::WidenFirst<T>(u), simd::WidenFirst<T>(v)),
                               hn::Add(simd::WidenSecond<T>(u), simd::WidenSecond<T>(v))),
               d, out);
  };
  const auto* const x = reinterpret_cast<const uint16_t*>(a);
  const auto* const y = reinterpret_cast<const uint16_t*>(b);
  auto* const out = reinterpret_cast<uint16_t*>(to);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) add(x + i, y + i, out + i);
  if (i == n) return;
  HWY_ALIGN uint16_t last[3][HWY_LANES(uint16_t)] = {};
  const auto bytes = static_cast<size_t>(n - i) * sizeof(uint16_t);
  std::memcpy(last[0], x + i, bytes);
  std::memcpy(last[1], y + i, bytes);
  add(last[0], last[1], last[2]);
  std::memcpy(out + i, last[2], bytes);
}

RowLanes FindCombineLanes(aclDataType dtype) {
  if (dtype == ACL_FLOAT) return {AddFloatRows, AddFloatPairs};
  if (dtype == ACL_FLOAT16) return {AddNarrowRows<hwy::float16_t>, AddNarrowPairs<hwy::float16_t>};
  return {AddNarrowRows<hwy::bfloat16_t>, AddNarrowPairs<hwy::bfloat16_t>};
}

}  // namespace portacl::loops::moves::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::moves, CombineLanes, (aclDataType dtype, int64_t target), FindCombineLanes,
                       dtype)
