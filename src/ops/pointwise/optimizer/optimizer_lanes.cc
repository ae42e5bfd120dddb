// SPDX-License-Identifier: Apache-2.0
#include "ops/pointwise/optimizer/optimizer_lanes.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/optimizer/optimizer_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "simd/dispatch.h"
#include "simd/row.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::ops::optimizer::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

// What is the same for all elements; the powers need float64.
struct Factors {
  Factors(const AdamW& adam, const std::byte* step)
      : decay(static_cast<float>(1 - static_cast<double>(adam.lr) * static_cast<double>(adam.weight_decay))),
        rest1(static_cast<float>(1 - static_cast<double>(adam.beta1))),
        beta2(adam.beta2),
        rest2(static_cast<float>(1 - static_cast<double>(adam.beta2))),
        eps(adam.eps),
        sign(adam.maximize ? -1.0F : 1.0F) {
    const double t = StepOf(adam, step) + 1;
    size = static_cast<float>(static_cast<double>(adam.lr) / (1 - std::pow(static_cast<double>(adam.beta1), t)));
    root = static_cast<float>(1 / std::sqrt(1 - std::pow(static_cast<double>(adam.beta2), t)));
  }
  static double StepOf(const AdamW& adam, const std::byte* step) {
    float single = 0;
    int64_t whole = 0;
    if (adam.step == ACL_INT64) return std::memcpy(&whole, step, sizeof(whole)), static_cast<double>(whole);
    return std::memcpy(&single, step, sizeof(single)), static_cast<double>(single);
  }

  float decay, rest1, beta2, rest2, eps, sign;
  float size;  // lr / (1 - beta1^t)
  float root;  // 1 / sqrt(1 - beta2^t)
};

template <bool amsgrad, class D, class Load, class Store>
HWY_INLINE void Update(D d, const Factors& factors, const Load& load, const Store& store) {
  constexpr int kGrad = 0, kVar = 2, kM = 3, kV = 4, kMost = 5;
  const auto grad = hn::Mul(load(kGrad), hn::Set(d, factors.sign));
  const auto old_m = load(kM), old_v = load(kV);
  const auto m = hn::MulAdd(hn::Sub(grad, old_m), hn::Set(d, factors.rest1), old_m);
  const auto v = hn::MulAdd(hn::Mul(hn::Set(d, factors.rest2), grad), grad, hn::Mul(old_v, hn::Set(d, factors.beta2)));
  auto s = v;
  if constexpr (amsgrad) {
    const auto most = load(kMost);
    s = hn::IfThenElse(hn::Or(hn::Gt(most, v), hn::IsNaN(most)), most, v);
  }
  const auto divisor = hn::MulAdd(hn::Sqrt(s), hn::Set(d, factors.root), hn::Set(d, factors.eps));
  const auto var = hn::Mul(load(kVar), hn::Set(d, factors.decay));
  const auto result = hn::NegMulAdd(hn::Div(m, divisor), hn::Set(d, factors.size), var);
  store(kVar, result);
  store(kM, m);
  store(kV, v);
  if constexpr (amsgrad) store(kMost, s);
}

template <class T, bool amsgrad>
HWY_ATTR void RunAdamW(const loops::Tile& tile) {
  using E = simd::Stored<T>;
  constexpr int kStep = 1;
  const simd::FloatLanes d;
  const size_t lanes = hn::Lanes(d);
  const Factors factors(*static_cast<const AdamW*>(tile.parameters), tile.operand[kStep].base);
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      Update<amsgrad>(
          d, factors, [&](int operand) HWY_ATTR { return simd::LoadFloats<T>(tile.Row<const E>(operand, row) + i); },
          [&](int operand, auto value) HWY_ATTR { simd::StoreFloats<T>(value, tile.Row<E>(operand, row) + i); });
    }
    if (i == n) continue;
    Update<amsgrad>(
        d, factors,
        [&](int operand) HWY_ATTR { return simd::LoadFloats<T>(tile.Row<const E>(operand, row) + i, n - i); },
        [&](int operand, auto value) HWY_ATTR {
          simd::StoreTail(simd::StoredLanes<T>(), simd::FromFloats<T>(value), tile.Row<E>(operand, row) + i, n - i);
        });
  }
}

template <class T>
loops::LaneFunction FindFor(bool amsgrad) {
  return amsgrad ? &RunAdamW<T, true> : &RunAdamW<T, false>;
}
loops::LaneFunction Find(aclDataType dtype, bool amsgrad) {
  return dtype == ACL_FLOAT16 ? FindFor<hwy::float16_t>(amsgrad)
         : dtype == ACL_BF16  ? FindFor<hwy::bfloat16_t>(amsgrad)
                              : FindFor<float>(amsgrad);
}

}  // namespace portacl::ops::optimizer::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::ops::optimizer, AdamWLanes, (aclDataType dtype, bool amsgrad, int64_t target), Find,
                       dtype, amsgrad)
