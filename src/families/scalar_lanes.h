// SPDX-License-Identifier: Apache-2.0
//
// Lane code from functions of C++ numbers, for dtypes without lanes of their own: integers, BOOL and DOUBLE. The
// compiler vectorises what it can.
//
//   struct Abs {
//     template <class T>
//     T operator()(T x) const { return x < 0 ? -x : x; }
//   };
//   PointwiseKernel AbsKernel(aclDataType dtype) { return FindScalarKernel<Abs, 1, double, int8_t, int64_t>(dtype); }
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "families/complex.h"
#include "families/pointwise.h"
#include "hwy/cache_control.h"
#include "loops/elements/non_temporal.h"
#include "loops/tiles/tile.h"
#include "simd/prefetch.h"

namespace portacl::families {

/// A byte that means true unless it is 0.
enum class Bool : uint8_t { kFalse, kTrue };
constexpr Bool ToBool(bool value) { return value ? Bool::kTrue : Bool::kFalse; }
constexpr bool IsTrue(Bool value) { return value != Bool::kFalse; }

/// The dtype of elements of T; a T without one does not compile.
template <class T>
consteval aclDataType DtypeOf() {
  if constexpr (std::is_same_v<T, float>) return ACL_FLOAT;
  if constexpr (std::is_same_v<T, double>) return ACL_DOUBLE;
  if constexpr (std::is_same_v<T, int8_t>) return ACL_INT8;
  if constexpr (std::is_same_v<T, int16_t>) return ACL_INT16;
  if constexpr (std::is_same_v<T, int32_t>) return ACL_INT32;
  if constexpr (std::is_same_v<T, int64_t>) return ACL_INT64;
  if constexpr (std::is_same_v<T, uint8_t>) return ACL_UINT8;
  if constexpr (std::is_same_v<T, uint16_t>) return ACL_UINT16;
  if constexpr (std::is_same_v<T, uint32_t>) return ACL_UINT32;
  if constexpr (std::is_same_v<T, uint64_t>) return ACL_UINT64;
  if constexpr (std::is_same_v<T, Bool>) return ACL_BOOL;
  if constexpr (std::is_same_v<T, Complex64>) return ACL_COMPLEX64;
  if constexpr (std::is_same_v<T, Complex128>) return ACL_COMPLEX128;
  throw "elements of this type have no dtype";
}

/// The unsigned type for an integer type, so that sums and products wrap; other types are unchanged.
template <class T>
using Modular = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

/// The type in which the scalars of a call are read for T.
template <class T>
using ScalarOf =
    std::conditional_t<std::is_floating_point_v<T>, T, std::conditional_t<kIsComplex<T>, Complex128, int64_t>>;

/// The first two scalars of a call, in the type of the computation.
template <class T>
struct Taken {
  explicit Taken(const Scalars<ScalarOf<T>>& scalars)
      : first(Take(scalars.values[0])), second(Take(scalars.values[1])) {}
  static T Take(ScalarOf<T> value) {
    if constexpr (std::is_same_v<T, Bool>)
      return ToBool(value != 0);
    else
      return static_cast<T>(value);
  }
  T first, second;
};

template <class F, class T, size_t... i>
auto ResultOf(std::index_sequence<i...>)  // declaration only
    -> decltype(std::declval<const F&>()((static_cast<void>(i), std::declval<T>())...));

// Bytes of results that are stored by one sequence of non-temporal stores.
inline constexpr int64_t kScalarBlockBytes = 2048;
// After this many bytes of each input, as many of the next block are prefetched.
inline constexpr int64_t kScalarPartBytes = 2048;

template <class F, class T, class R, size_t... i>
void RunScalarRow(const F& f, const loops::Tile& tile, int64_t row, bool streams, std::index_sequence<i...>) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(R));
  alignas(64) std::byte block[kScalarBlockBytes];
  const int64_t step = !streams ? tile.columns : kScalarBlockBytes / kBytes;
  for (int64_t begin = 0; begin < tile.columns; begin += step) {
    const T* in[] = {tile.Row<const T>(static_cast<int>(i), row) + begin...};
    R* const result = tile.Row<R>(sizeof...(i), row) + begin;
    R* const out = !streams ? result : reinterpret_cast<R*>(block);
    const int64_t n = std::min(step, tile.columns - begin);
    const int64_t part = !streams ? n : kScalarPartBytes / static_cast<int64_t>(sizeof(T));
    for (int64_t c = 0; c < n;) {
      const int64_t end = std::min(n, c + part);
      if (streams) {  // prefetches the next block in parts; issuing all lines at once would stall
        for (const T* from : in) {
          for (int64_t at = c; at < end; at += static_cast<int64_t>(64 / sizeof(T)))
            simd::PrefetchSecond(reinterpret_cast<const std::byte*>(from + n + at));
        }
      }
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (; c < end; ++c) out[c] = f(in[i][c]...);
    }
    if (streams) loops::StoreAround(block, reinterpret_cast<std::byte*>(result), n * kBytes);
  }
}

/// Runs a functor F that has a default constructor, or one that takes Scalars.
template <class F, class T, int kInputs>
void RunScalar(const loops::Tile& tile) {
  const F f = [&] {
    if constexpr (std::is_constructible_v<F, const Scalars<ScalarOf<T>>&>)
      return F(*static_cast<const Scalars<ScalarOf<T>>*>(tile.parameters));
    else
      return F();
  }();
  const auto inputs = std::make_index_sequence<kInputs>();
  using R = decltype(ResultOf<F, T>(inputs));
  const bool streams = tile.non_temporal && tile.columns * static_cast<int64_t>(sizeof(R)) >= kScalarBlockBytes;
  for (int64_t row = 0; row < tile.rows; ++row) RunScalarRow<F, T, R>(f, tile, row, streams, inputs);
  if (streams) hwy::FlushStream();
}

template <class F, int kInputs, class... T>
PointwiseKernel FindScalarKernel(aclDataType dtype, double ns_per_element = 1) {
  PointwiseKernel kernel;
  const auto use = [&]<class One>() {
    if (dtype != DtypeOf<One>()) return;
    using R = decltype(ResultOf<F, One>(std::make_index_sequence<kInputs>()));
    kernel = {.run = RunScalar<F, One, kInputs>, .ns_per_element = ns_per_element, .result_dtype = DtypeOf<R>()};
  };
  (use.template operator()<T>(), ...);
  return kernel;
}

/// FindScalarKernel for a functor that is a template of its type T.
template <template <class> class F, int kInputs, class... T>
PointwiseKernel FindTypedKernel(aclDataType dtype, double ns_per_element = 1) {
  PointwiseKernel found;
  const auto use = [&](const PointwiseKernel& kernel) {
    if (kernel.run != nullptr) found = kernel;
  };
  (use(FindScalarKernel<F<T>, kInputs, T>(dtype, ns_per_element)), ...);
  return found;
}

}  // namespace portacl::families
