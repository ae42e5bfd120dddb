// SPDX-License-Identifier: Apache-2.0
#include "loops/moves/combine_lanes.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/moves/combine_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "loops/elements/convert_lanes.h"
#include "loops/elements/for_float.h"
#include "simd/dispatch.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::moves::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_ATTR void AddFloats(const float* from, double factor, double* sums, int64_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto v = hn::Set(d, factor);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::MulAdd(hn::PromoteTo(d, hn::LoadU(df, from + i)), v, hn::LoadU(d, sums + i)), d, sums + i);
  for (; i < n; ++i) sums[i] += static_cast<double>(from[i]) * factor;
}

HWY_ATTR void AddFloatPairs(const float* a, const float* b, float* to, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
  for (; i < n; ++i) to[i] = a[i] + b[i];
}

// Elements of 16 bits are widened in blocks.
constexpr int64_t kWidened = 256;

template <class T>
constexpr aclDataType kNarrowDtype = std::is_same_v<T, hwy::float16_t> ? ACL_FLOAT16 : ACL_BF16;

template <class T>
HWY_ATTR void AddRow(const std::byte* from, double factor, double* sums, int64_t n) {
  if constexpr (std::is_same_v<T, float>) {
    AddFloats(reinterpret_cast<const float*>(from), factor, sums, n);
  } else {
    static const ConvertFunction widen = ConvertLanes(kNarrowDtype<T>, ACL_FLOAT, HWY_TARGET);
    alignas(64) float block[kWidened];
    for (int64_t i = 0; i < n; i += kWidened) {
      const int64_t count = std::min(kWidened, n - i);
      widen(from + i * 2, reinterpret_cast<std::byte*>(block), count);
      AddFloats(block, factor, sums + i, count);
    }
  }
}

// The sum of two elements of 16 bits is rounded to FLOAT first, which has more than twice their digits and two.
template <class T>
HWY_ATTR void AddPair(const std::byte* a, const std::byte* b, std::byte* to, int64_t n) {
  if constexpr (std::is_same_v<T, float>) {
    AddFloatPairs(reinterpret_cast<const float*>(a), reinterpret_cast<const float*>(b), reinterpret_cast<float*>(to),
                  n);
  } else {
    static const ConvertFunction widen = ConvertLanes(kNarrowDtype<T>, ACL_FLOAT, HWY_TARGET);
    static const ConvertFunction narrow = ConvertLanes(ACL_FLOAT, kNarrowDtype<T>, HWY_TARGET);
    alignas(64) float first[kWidened];
    alignas(64) float second[kWidened];
    for (int64_t i = 0; i < n; i += kWidened) {
      const int64_t count = std::min(kWidened, n - i);
      widen(a + i * 2, reinterpret_cast<std::byte*>(first), count);
      widen(b + i * 2, reinterpret_cast<std::byte*>(second), count);
      AddFloatPairs(first, second, first, count);
      narrow(reinterpret_cast<const std::byte*>(first), to + i * 2, count);
    }
  }
}

RowLanes FindCombineLanes(aclDataType dtype) {
  return ForFloat(dtype, []<class T>() { return RowLanes{AddRow<T>, AddPair<T>}; });
}

}  // namespace portacl::loops::moves::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::moves, CombineLanes, (aclDataType dtype, int64_t target), FindCombineLanes,
                       dtype)
