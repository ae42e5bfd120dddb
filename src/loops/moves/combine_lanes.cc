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
#include "simd/row.h"
#include "simd/tail.h"

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

// Float64 holds the sum of two floats with enough digits to round it to the same float as in one step.
HWY_ATTR void AddTwoFloats(const std::byte* first, const std::byte* second, std::byte* to, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto *const a = reinterpret_cast<const float*>(first), *const b = reinterpret_cast<const float*>(second);
  auto* const out = reinterpret_cast<float*>(to);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  for (; i < n; ++i) out[i] = a[i] + b[i];
}

HWY_ATTR void AddFewFloats(const std::byte* const* rows, int count, std::byte* to, int64_t n) {
  if (count == 2) return AddTwoFloats(rows[0], rows[1], to, n);
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* const first = reinterpret_cast<const float*>(rows[0]);
  auto* const out = reinterpret_cast<float*>(to);
  int64_t i = 0;
  // DemoteTo of EMU128 gives the largest finite value where the result rounds to infinity.
  for (; HWY_TARGET != HWY_EMU128 && i + lanes <= n; i += lanes) {
    auto sum = hn::PromoteTo(d, hn::LoadU(df, first + i));
    for (int row = 1; row < count; ++row)
      sum = hn::Add(sum, hn::PromoteTo(d, hn::LoadU(df, reinterpret_cast<const float*>(rows[row]) + i)));
    hn::StoreU(hn::DemoteTo(df, sum), df, out + i);
  }
  for (; i < n; ++i) {
    auto sum = static_cast<double>(first[i]);
    for (int row = 1; row < count; ++row) sum += static_cast<double>(reinterpret_cast<const float*>(rows[row])[i]);
    out[i] = static_cast<float>(sum);
  }
}

// Elements of 16 bits are widened in blocks.
constexpr int64_t kWidened = 256;

template <class T>
constexpr aclDataType kNarrowDtype = std::is_same_v<T, hwy::float16_t> ? ACL_FLOAT16 : ACL_BF16;

template <class T>
HWY_ATTR void AddRow(const std::byte* row, double factor, double* sums, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> half;
  const simd::FloatLanes df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(df));
  const auto* const from = reinterpret_cast<const uint16_t*>(row);
  const auto f = hn::Set(d, factor);
  const auto add = [&](auto v, double* to)
                       HWY_ATTR { hn::StoreU(hn::MulAdd(hn::PromoteTo(d, v), f, hn::LoadU(d, to)), d, to); };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = simd::LoadFloats<T>(from + i);
    add(hn::LowerHalf(half, v), sums + i);
    add(hn::UpperHalf(half, v), sums + i + lanes / 2);
  }
  if (i == n) return;
  HWY_ALIGN float rest[HWY_LANES(float)];
  hn::Store(simd::LoadFloats<T>(from + i, static_cast<size_t>(n - i)), df, rest);
  for (int64_t k = i; k < n; ++k) sums[k] += static_cast<double>(rest[k - i]) * factor;
}

// The sums of elements of up to kRowsTogether rows from `at` on, as floats; `to` has room for kWidened. Returns false
// if one is not finite, which a sum in float64 might be.
template <class T>
HWY_ATTR bool SumGroups(const std::byte* const* rows, int count, int64_t at, int64_t n, float* to) {
  const simd::HalfLanes d;
  const simd::FloatLanes df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto undefined = hn::Zero(df);
  for (int64_t i = 0; i < n; i += lanes) {
    auto first = hn::Zero(df), second = hn::Zero(df);
    for (int row = 0; row < count; ++row) {
      const auto* const from = reinterpret_cast<const uint16_t*>(rows[row]) + at + i;
      const auto v = i + lanes <= n ? hn::LoadU(d, from) : simd::LoadTail(d, from, static_cast<size_t>(n - i));
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
  return hn::AllTrue(df, hn::Eq(undefined, hn::Zero(df)));
}

template <class T>
HWY_ATTR void AddNarrowRows(const std::byte* const* rows, int count, double factor, double* sums, int64_t n) {
  alignas(64) float block[kWidened];
  for (int64_t i = 0; i < n; i += kWidened) {
    const int64_t columns = std::min(kWidened, n - i);
    if (count == kRowsTogether && SumGroups<T>(rows, count, i, columns, block)) {
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
HWY_ATTR void AddTwoNarrow(const std::byte* first, const std::byte* second, std::byte* to, int64_t n) {
  const simd::HalfLanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto *const a = reinterpret_cast<const uint16_t*>(first), *const b = reinterpret_cast<const uint16_t*>(second);
  auto* const out = reinterpret_cast<uint16_t*>(to);
  const auto sum = [](auto v, auto w) {
    return simd::NarrowResults<T>(hn::Add(simd::WidenFirst<T>(v), simd::WidenFirst<T>(w)),
                                  hn::Add(simd::WidenSecond<T>(v), simd::WidenSecond<T>(w)));
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(sum(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  if (i == n) return;
  const auto rest = static_cast<size_t>(n - i);
  simd::StoreTail(d, sum(simd::LoadTail(d, a + i, rest), simd::LoadTail(d, b + i, rest)), out + i, rest);
}

template <class T>
HWY_ATTR void AddFewNarrow(const std::byte* const* rows, int count, std::byte* to, int64_t n) {
  if (count == 2) return AddTwoNarrow<T>(rows[0], rows[1], to, n);
  static const ConvertFunction narrow = ConvertLanes(ACL_FLOAT, kNarrowDtype<T>, HWY_TARGET);
  static const ConvertFunction narrow_sums = ConvertLanes(ACL_DOUBLE, kNarrowDtype<T>, HWY_TARGET);
  alignas(64) float block[kWidened];
  for (int64_t i = 0; i < n; i += kWidened) {
    const int64_t columns = std::min(kWidened, n - i);
    if (SumGroups<T>(rows, count, i, columns, block)) {
      narrow(reinterpret_cast<const std::byte*>(block), to + i * 2, columns);
      continue;
    }
    alignas(64) double sums[kWidened] = {};
    for (int row = 0; row < count; ++row) AddRow<T>(rows[row] + i * 2, 1, sums, columns);
    narrow_sums(reinterpret_cast<const std::byte*>(sums), to + i * 2, columns);
  }
}

RowLanes FindCombineLanes(aclDataType dtype) {
  if (dtype == ACL_FLOAT) return {AddFloatRows, AddFewFloats};
  if (dtype == ACL_FLOAT16) return {AddNarrowRows<hwy::float16_t>, AddFewNarrow<hwy::float16_t>};
  return {AddNarrowRows<hwy::bfloat16_t>, AddFewNarrow<hwy::bfloat16_t>};
}

}  // namespace portacl::loops::moves::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::moves, CombineLanes, (aclDataType dtype, int64_t target), FindCombineLanes,
                       dtype)
