// SPDX-License-Identifier: Apache-2.0
#include "hccl/reduce_lanes.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hccl/reduce_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/dispatch.h"
#include "simd/operand.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::hccl::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

struct Sum {
  template <class V>
  HWY_INLINE V operator()(V x, V y) const {
    return hn::Add(x, y);
  }
};
struct Product {
  template <class V>
  HWY_INLINE V operator()(V x, V y) const {
    return hn::Mul(x, y);
  }
};
// Returns y if it is larger than x, and x otherwise; if there is a NaN, the first one.
struct Maximum {
  template <class V>
  HWY_INLINE V operator()(V x, V y) const {
    return hn::IfThenElse(hn::And(hn::Not(hn::Le(y, x)), hn::Eq(x, x)), y, x);
  }
};
struct Minimum {
  template <class V>
  HWY_INLINE V operator()(V x, V y) const {
    return hn::IfThenElse(hn::And(hn::Not(hn::Le(x, y)), hn::Eq(x, x)), y, x);
  }
};

// Computes one register of results; load(rank) returns one register of stored elements.
template <class T, class Op, class Load>
HWY_INLINE hn::VFromD<hn::ScalableTag<simd::Stored<T>>> Register(size_t ranks, const Load& load) {
  const Op op;
  if constexpr (std::is_same_v<T, float>) {
    auto sum = load(0);
    for (size_t rank = 1; rank < ranks; ++rank) sum = op(sum, load(rank));
    return sum;
  } else {
    const auto stored = load(0);
    auto first = simd::WidenFirst<T>(stored);
    auto second = simd::WidenSecond<T>(stored);
    for (size_t rank = 1; rank < ranks; ++rank) {
      const auto next = load(rank);
      first = op(first, simd::WidenFirst<T>(next));
      second = op(second, simd::WidenSecond<T>(next));
    }
    return simd::Narrow<T>(first, second);
  }
}

template <class T, class Op>
HWY_ATTR void ReduceRange(const void* const* inputs, size_t ranks, void* out, size_t first, size_t end) {
  using E = simd::Stored<T>;
  const hn::ScalableTag<E> d;
  const size_t lanes = hn::Lanes(d);
  E* const to = static_cast<E*>(out);
  const auto from = [inputs](size_t rank) { return static_cast<const E*>(inputs[rank]); };
  size_t i = first;
  for (; i + lanes <= end; i += lanes)
    hn::StoreU(Register<T, Op>(ranks, [&](size_t rank) HWY_ATTR { return hn::LoadU(d, from(rank) + i); }), d, to + i);
  if (i == end) return;
  const size_t left = end - i;
  simd::StoreTail(d,
                  Register<T, Op>(ranks, [&](size_t rank) HWY_ATTR { return simd::LoadTail(d, from(rank) + i, left); }),
                  to + i, left);
}

template <class T>
ReduceFunction FindOp(HcclReduceOp op) {
  switch (op) {
    case HCCL_REDUCE_SUM:
      return ReduceRange<T, Sum>;
    case HCCL_REDUCE_PROD:
      return ReduceRange<T, Product>;
    case HCCL_REDUCE_MAX:
      return ReduceRange<T, Maximum>;
    default:
      return ReduceRange<T, Minimum>;
  }
}

ReduceFunction FindLanes(HcclDataType type, HcclReduceOp op) {
  if (type == HCCL_DATA_TYPE_FP32) return FindOp<float>(op);
  if (type == HCCL_DATA_TYPE_FP16) return FindOp<hwy::float16_t>(op);
  return type == HCCL_DATA_TYPE_BFP16 ? FindOp<hwy::bfloat16_t>(op) : nullptr;
}

}  // namespace portacl::hccl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::hccl, LanesOf, (HcclDataType type, HcclReduceOp op, int64_t target), FindLanes, type,
                       op)
