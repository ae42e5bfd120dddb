// SPDX-License-Identifier: Apache-2.0
//
// Applies a function of lanes to contiguous elements: float32 lanes for float32, float16 and bfloat16, float64 lanes
// for float64. Included once per target.
//
//   struct Square {
//     template <class D, class V>
//     HWY_INLINE V operator()(D, V x) const { return hn::Mul(x, x); }
//   };
//   Map<hwy::bfloat16_t>(Square{}, n, Cached{}, out, in);

#if defined(PORTACL_SIMD_MAP_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_SIMD_MAP_H_
#undef PORTACL_SIMD_MAP_H_
#else
#define PORTACL_SIMD_MAP_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "simd/convert.h"
#include "simd/evaluate.h"
#include "simd/operand.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// One register of stored elements of each input, through the kernel, and back to one register of stored elements.
template <class T, class Kernel, class... V>
PORTACL_LANE_INLINE hn::VFromD<hn::ScalableTag<Stored<T>>> Apply(const Kernel& kernel, V... in) {
  if constexpr (std::is_floating_point_v<T>) {
    return Evaluate(hn::ScalableTag<T>(), kernel, in...);
  } else {
    const FloatLanes d;
    return NarrowResults<T>(Evaluate(d, kernel, WidenFirst<T>(in)...), Evaluate(d, kernel, WidenSecond<T>(in)...));
  }
}

/// out[i] = kernel(in[i]...) for i < n, rounded once. Each `in` is a pointer to stored elements or a Repeated one.
/// `out` may be one of the inputs. `non_temporal` stores around the cache where the address allows it; the caller owes an
/// hwy::FlushStream() before others read. Dead lanes of a tail are what LoadOperandTail makes them. A NaN that the
/// kernel makes by itself is as NarrowResults wants it.
template <class T, class Kernel, class... In>
HWY_INLINE void Map(const Kernel& kernel, size_t n, bool non_temporal, Stored<T>* out, In... in) {
  const hn::ScalableTag<Stored<T>> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  if (HWY_TARGET != HWY_EMU128 && non_temporal) {  // EMU128 has no such stores
    const size_t misaligned = reinterpret_cast<uintptr_t>(out) % (lanes * sizeof(*out));
    if (misaligned % sizeof(*out) == 0) {
      const size_t head = misaligned == 0 ? 0 : lanes - misaligned / sizeof(*out);
      if (head != 0 && head <= n) {
        StoreTail(d, Apply<T>(kernel, LoadOperandTail(d, in, 0, head)...), out, head);
        i = head;
      }
      if (head <= n) {
        for (; i + lanes <= n; i += lanes) {
          hn::Stream(Apply<T>(kernel, LoadOperand(d, in, i)...), d, out + i);
        }
      }
    }
  }
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(Apply<T>(kernel, LoadOperand(d, in, i)...), d, out + i);
  }
  if (i < n) StoreTail(d, Apply<T>(kernel, LoadOperandTail(d, in, i, n - i)...), out + i, n - i);
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
