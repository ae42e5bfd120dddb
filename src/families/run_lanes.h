// SPDX-License-Identifier: Apache-2.0
//
// Lane code of pointwise operators, made from functors, and the table where a room finds it. Included once per target.
//
//   struct LeakyRelu {
//     explicit LeakyRelu(const families::Scalars<float>& scalars) : slope(scalars.values[0]) {}
//     template <class D, class V>
//     HWY_INLINE V operator()(D d, V x) const { return hn::IfThenElse(..., x, hn::Mul(x, hn::Set(d, slope))); }
//     float slope;
//   };
//   #define PORTACL_LANES_OF(WIDE, OWN) OWN(LeakyRelu) WIDE(Elu)
//   PORTACL_LANE_TABLE(FindLanes, Function, PORTACL_LANES_OF)

#if defined(PORTACL_FAMILIES_RUN_LANES_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PORTACL_FAMILIES_RUN_LANES_H_
#undef PORTACL_FAMILIES_RUN_LANES_H_
#else
#define PORTACL_FAMILIES_RUN_LANES_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "acl/acl_base_rt.h"
#include "families/pointwise.h"
#include "hwy/highway.h"
#include "loops/tiles/map_rows.h"
#include "loops/tiles/tile.h"
#include "simd/map.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::families::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = portacl::simd::HWY_NAMESPACE;

/// The kernel for elements of T: Kernel itself, or, if they exist, its Kernel::Narrow for 16-bit elements and its
/// Kernel::OfBfloat16 for bfloat16.
template <class Kernel, class T>
struct KernelFor {
  using Type = Kernel;
};
template <class Kernel, class T>
  requires(sizeof(T) == 2) && requires { typename Kernel::Narrow; }
struct KernelFor<Kernel, T> {
  using Type = typename Kernel::Narrow;
};
template <class Kernel, class T>
  requires std::is_same_v<T, hwy::bfloat16_t> && requires { typename Kernel::OfBfloat16; }
struct KernelFor<Kernel, T> {
  using Type = typename Kernel::OfBfloat16;
};

/// The number of tensors that a kernel takes. If there are several, each may be one element for a whole row.
template <class Kernel>
constexpr int InputsOf() {
  using D = simd::FloatLanes;
  using V = hn::Vec<D>;
  if constexpr (requires(const Kernel& kernel, D d, V x) { kernel(d, x); }) return 1;
  if constexpr (requires(const Kernel& kernel, D d, V x) { kernel(d, x, x); }) return 2;
  return 3;
}
template <class T, class Kernel>
HWY_INLINE void MapTensors(const Kernel& kernel, const loops::Tile& tile) {
  constexpr int kInputs = InputsOf<Kernel>();
  constexpr uint32_t kRepeated = kInputs == 1 ? 0 : (uint32_t{1} << kInputs) - 1;
  portacl::loops::HWY_NAMESPACE::MapRows<T, kInputs, kRepeated>(kernel, tile);
}

/// Maps rows, and uses kernel.Other() for every second register: it gives the same results with other execution units,
/// so that neither waits for the other.
template <class Kernel>
HWY_INLINE void RunInTurns(const Kernel& kernel, const loops::Tile& tile) {
  const simd::FloatLanes d;
  const size_t lanes = hn::Lanes(d);
  const auto n = static_cast<size_t>(tile.columns);
  for (int64_t row = 0; row < tile.rows; ++row) {
    const float* const in = tile.Row<const float>(0, row);
    float* const out = tile.Row<float>(1, row);
    size_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
      const auto v = kernel(d, hn::LoadU(d, in + i));
      const auto w = kernel.Other()(d, hn::LoadU(d, in + i + lanes));
      hn::StoreU(v, d, out + i);
      hn::StoreU(w, d, out + i + lanes);
    }
    simd::Map<float>(kernel, n - i, false, out + i, in + i);
  }
}

/// The kernel has a default constructor, or one that takes the scalars of the call. If there is a
/// Kernel::ForLongScalars, it computes 16-bit results for scalars with any bit of LongScalarsOf(function), which is
/// defined beside the functions of the room.
template <class KernelOfAny, class T, auto function>
PORTACL_SCHEDULED HWY_ATTR void RunLanes(const loops::Tile& tile) {
  using Kernel = typename KernelFor<KernelOfAny, T>::Type;
  if constexpr (std::is_constructible_v<Kernel, const Scalars<float>&>) {
    const auto& scalars = *static_cast<const Scalars<float>*>(tile.parameters);
    if constexpr (sizeof(T) == 2 && requires { typename Kernel::ForLongScalars; }) {
      if (HasLongScalars(scalars, LongScalarsOf(function)))
        return MapTensors<T>(typename Kernel::ForLongScalars(scalars), tile);
    }
    MapTensors<T>(Kernel(scalars), tile);
  } else if constexpr (std::is_same_v<T, float> && requires { Kernel{}.Other(); }) {
    tile.is_large ? MapTensors<T>(Kernel{}, tile) : RunInTurns(Kernel{}, tile);
  } else {
    MapTensors<T>(Kernel{}, tile);
  }
}

}  // namespace portacl::families::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// Defines find(function, dtype), where `functions` is the type of `function`. LIST(WIDE, OWN) lists the functors, each
// with one of its two parameters: OWN functors have lane code for FLOAT, FLOAT16 and BFLOAT16, WIDE ones for FLOAT
// alone, so that operands are converted to it.
#ifndef PORTACL_LANE_TABLE
#define PORTACL_LANE_TABLE(find, functions, LIST)                   \
  template <class Kernel, class T, functions function>              \
  PORTACL_SCHEDULED HWY_ATTR void Run(const loops::Tile& tile) {    \
    families::HWY_NAMESPACE::RunLanes<Kernel, T, function>(tile);   \
  }                                                                 \
  loops::LaneFunction find(functions function, aclDataType dtype) { \
    using F = functions;                                            \
    switch (function) {                                             \
      LIST(PORTACL_LANE_WIDE, PORTACL_LANE_OWN)                     \
      default:                                                      \
        return nullptr;                                             \
    }                                                               \
  }
#define PORTACL_LANE_WIDE(name) \
  case F::k##name:              \
    return dtype == ACL_FLOAT ? &Run<name, float, F::k##name> : nullptr;
#define PORTACL_LANE_OWN(name)                                              \
  case F::k##name:                                                          \
    return dtype == ACL_FLOAT     ? &Run<name, float, F::k##name>           \
           : dtype == ACL_FLOAT16 ? &Run<name, hwy::float16_t, F::k##name>  \
           : dtype == ACL_BF16    ? &Run<name, hwy::bfloat16_t, F::k##name> \
                                  : nullptr;
#endif

#endif  // per-target include guard
