// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/optimizer/optimizer_lanes.h"

#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/optimizer/optimizer_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "simd/dispatch.h"
#include "simd/larger.h"
#include "simd/row.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::optimizer::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

template <AdamWMaximum maximum, class D, class Load, class Store>
HWY_INLINE void Update(D d, const AdamWFactors& factors, const Load& load, const Store& store) {
  constexpr bool kIsRead = maximum == AdamWMaximum::kRead;
  constexpr int kGrad = 0, kVar = kIsRead ? 2 : 1, kM = kVar + 1, kV = kVar + 2, kMost = kIsRead ? 1 : kVar + 3;
  const auto grad = hn::Mul(load(kGrad), hn::Set(d, factors.sign));
  const auto old_m = load(kM), old_v = load(kV);
  const auto m = hn::MulAdd(hn::Sub(grad, old_m), hn::Set(d, factors.rest1), old_m);
  const auto v = hn::MulAdd(hn::Mul(hn::Set(d, factors.rest2), grad), grad, hn::Mul(old_v, hn::Set(d, factors.beta2)));
  auto s = v;
  if constexpr (maximum != AdamWMaximum::kNone) s = simd::Larger(load(kMost), v);
  const auto divisor = hn::MulAdd(hn::Sqrt(s), hn::Set(d, factors.root), hn::Set(d, factors.eps));
  const auto var = hn::Mul(load(kVar), hn::Set(d, factors.decay));
  const auto result = hn::NegMulAdd(hn::Div(m, divisor), hn::Set(d, factors.size), var);
  store(kVar, result);
  store(kM, m);
  store(kV, v);
  if constexpr (maximum == AdamWMaximum::kUpdated) store(kMost, s);
}

template <class T, AdamWMaximum maximum>
HWY_ATTR void RunAdamW(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  const simd::FloatLanes d;
  const size_t lanes = hn::Lanes(d);
  const AdamWFactors factors = *static_cast<const AdamWFactors*>(tile.parameters);
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      Update<maximum>(
          d, factors, [&](int operand) HWY_ATTR { return simd::LoadFloats<T>(tile.Row<const E>(operand, row) + i); },
          [&](int operand, auto value) HWY_ATTR { simd::StoreFloats<T>(value, tile.Row<E>(operand, row) + i); });
    }
    if (i == n) continue;
    Update<maximum>(
        d, factors,
        [&](int operand) HWY_ATTR { return simd::LoadFloats<T>(tile.Row<const E>(operand, row) + i, n - i); },
        [&](int operand, auto value) HWY_ATTR {
          simd::StoreTail(simd::StoredLanes<T>(), simd::FromFloats<T>(value), tile.Row<E>(operand, row) + i, n - i);
        });
  }
}

template <class T>
loops::LaneFunction FindFor(AdamWMaximum maximum) {
  return maximum == AdamWMaximum::kRead      ? &RunAdamW<T, AdamWMaximum::kRead>
         : maximum == AdamWMaximum::kUpdated ? &RunAdamW<T, AdamWMaximum::kUpdated>
                                             : &RunAdamW<T, AdamWMaximum::kNone>;
}
loops::LaneFunction Find(aclDataType dtype, AdamWMaximum maximum) {
  return dtype == ACL_FLOAT16 ? FindFor<hwy::float16_t>(maximum)
         : dtype == ACL_BF16  ? FindFor<hwy::bfloat16_t>(maximum)
                              : FindFor<float>(maximum);
}

}  // namespace portacl::ops::optimizer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::optimizer, AdamWLanes, (aclDataType dtype, AdamWMaximum maximum, int64_t target),
                       Find, dtype, maximum)
