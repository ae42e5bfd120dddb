// SPDX-License-Identifier: Apache-2.0
#include "loops/reductions/order_lanes.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "loops/reductions/records.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loops/reductions/order_lanes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "simd/dispatch.h"
#include "simd/tail.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::loops::reductions::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// These classes map the bits of elements to signed integers in the same order. A rank is such an integer with its sign
// bit inverted.
struct SignedOrder {
  template <class D, class V>
  static HWY_INLINE V Key(D, V bits) {
    return bits;
  }
};
struct UnsignedOrder {
  template <class D, class V>
  static HWY_INLINE V Key(D d, V bits) {
    return hn::Xor(bits, hn::Set(d, std::numeric_limits<hn::TFromD<D>>::min()));
  }
};
struct BoolOrder {
  template <class D, class V>
  static HWY_INLINE V Key(D d, V bits) {
    return hn::IfThenZeroElse(hn::Eq(bits, hn::Zero(d)), hn::Set(d, 1));
  }
};
template <int kExponentBits>
struct FloatingOrder {
  template <class T>
  static constexpr T kInfinity = static_cast<T>(((T{1} << kExponentBits) - 1) << (8 * sizeof(T) - 1 - kExponentBits));

  template <class D, class V>
  static HWY_INLINE V Key(D d, V bits) {
    using T = hn::TFromD<D>;
    const V nan = hn::Set(d, static_cast<T>(kInfinity<T> + 1));
    const V magnitude_bits = hn::Set(d, std::numeric_limits<T>::max());
    const V signed_order = hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), magnitude_bits));
    const V minus_one = hn::Set(d, T{-1});  // -0
    const V numbers = hn::Sub(signed_order, hn::VecFromMask(d, hn::Eq(signed_order, minus_one)));
    const V least = hn::Set(d, static_cast<T>(~kInfinity<T>));  // -inf
    return hn::IfThenElse(hn::Lt(numbers, least), nan, hn::Min(numbers, nan));
  }
};

// The keys of an order, in ascending or descending order.
template <class T, class Order>
class Keys {
 public:
  using D = hn::ScalableTag<T>;
  explicit Keys(const Ordered& row)
      : in_(reinterpret_cast<const T*>(row.elements)), flip_(static_cast<T>(row.descending ? -1 : 0)) {}

  HWY_INLINE hn::Vec<D> At(int64_t i) const { return Of(hn::LoadU(D(), in_ + i)); }
  HWY_INLINE hn::Vec<D> Tail(int64_t i, int64_t n) const {
    return Of(simd::HWY_NAMESPACE::LoadTail(D(), in_ + i, static_cast<size_t>(n)));
  }

 private:
  HWY_INLINE hn::Vec<D> Of(hn::Vec<D> bits) const { return hn::Xor(Order::Key(D(), bits), hn::Set(D(), flip_)); }
  const T* in_;
  T flip_;
};

template <class T>
constexpr auto kSignBit = static_cast<std::make_unsigned_t<T>>(std::numeric_limits<T>::min());
template <class T>
using RecordOf = std::conditional_t<(sizeof(T) > 4), LongRecord, ShortRecord>;
template <class T>
HWY_INLINE RecordOf<T> MakeRecord(T key, int64_t place) {
  using Bits = std::make_unsigned_t<T>;
  return {static_cast<Bits>(static_cast<Bits>(key) ^ kSignBit<T>), static_cast<uint64_t>(place)};
}

template <class T, class Order>
HWY_ATTR void MakeRecords(const Ordered& row, int64_t count, void* records) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const Keys<T, Order> keys(row);
  auto* const to = static_cast<RecordOf<T>*>(records);
  HWY_ALIGN T stored[HWY_LANES(T)];
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Store(keys.At(i), d, stored);
    for (int64_t j = 0; j < lanes; ++j) to[i + j] = MakeRecord(stored[j], i + j);
  }
  if (i == count) return;
  hn::Store(keys.Tail(i, count - i), d, stored);
  for (int64_t j = 0; i + j < count; ++j) to[i + j] = MakeRecord(stored[j], i + j);
}

template <class T, class Order>
HWY_ATTR int64_t AppendBelow(const Ordered& row, int64_t first, uint64_t bound, void* records, int64_t* count,
                             int64_t room) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const Keys<T, Order> keys(row);
  auto* const to = static_cast<RecordOf<T>*>(records);
  const T bound_key = static_cast<T>(static_cast<std::make_unsigned_t<T>>(bound) ^ kSignBit<T>);
  const auto limit = hn::Set(d, bound_key);
  HWY_ALIGN T stored[HWY_LANES(T)];
  int64_t i = first;
  while (i < row.n) {
    for (; i + 4 * lanes <= row.n; i += 4 * lanes) {
      const auto least =
          hn::Min(hn::Min(keys.At(i), keys.At(i + lanes)), hn::Min(keys.At(i + 2 * lanes), keys.At(i + 3 * lanes)));
      if (!hn::AllFalse(d, hn::Lt(least, limit))) break;
    }
    const int64_t end = std::min(row.n, i + 4 * lanes);
    for (; i < end; i += lanes) {
      const int64_t some = std::min(lanes, row.n - i);
      const auto key = some == lanes ? keys.At(i) : keys.Tail(i, some);
      if (some == lanes && hn::AllFalse(d, hn::Lt(key, limit))) continue;
      if (room - *count < lanes) return i;
      hn::Store(key, d, stored);
      for (int64_t j = 0; j < some; ++j) {  // most elements are dropped: a branch would be mispredicted
        to[*count] = MakeRecord(stored[j], i + j);
        *count += stored[j] < bound_key ? 1 : 0;
      }
    }
  }
  return row.n;
}

template <class T, class Order>
OrderFunctions Functions() {
  return {MakeRecords<T, Order>, AppendBelow<T, Order>, 0};
}
template <class T, int kExponentBits>
OrderFunctions FloatingFunctions() {
  using Order = FloatingOrder<kExponentBits>;
  const auto nan = MakeRecord(static_cast<T>(Order::template kInfinity<T> + 1), 0);
  return {MakeRecords<T, Order>, AppendBelow<T, Order>, nan.rank()};
}

OrderFunctions FindFunctions(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT:
      return FloatingFunctions<int32_t, 8>();
    case ACL_FLOAT16:
      return FloatingFunctions<int16_t, 5>();
    case ACL_BF16:
      return FloatingFunctions<int16_t, 8>();
    case ACL_DOUBLE:
      return FloatingFunctions<int64_t, 11>();
    case ACL_INT8:
      return Functions<int8_t, SignedOrder>();
    case ACL_INT16:
      return Functions<int16_t, SignedOrder>();
    case ACL_INT32:
      return Functions<int32_t, SignedOrder>();
    case ACL_INT64:
      return Functions<int64_t, SignedOrder>();
    case ACL_UINT8:
      return Functions<int8_t, UnsignedOrder>();
    case ACL_UINT16:
      return Functions<int16_t, UnsignedOrder>();
    case ACL_UINT32:
      return Functions<int32_t, UnsignedOrder>();
    case ACL_UINT64:
      return Functions<int64_t, UnsignedOrder>();
    default:
      return Functions<int8_t, BoolOrder>();
  }
}

}  // namespace portacl::loops::reductions::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::loops::reductions, OrderFunctionsOf, (aclDataType dtype, int64_t target), FindFunctions,
                       dtype)
