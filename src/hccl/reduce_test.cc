// SPDX-License-Identifier: Apache-2.0
#include "hccl/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "base/bfloat16.h"
#include "base/float16.h"
#include "testing/target_loop.h"

namespace portacl::hccl {
namespace {

struct Half {
  uint16_t bits;
  static float Widen(Half x) { return Float16ToFloat(x.bits); }
  static Half Round(float x) { return {FloatToFloat16(x)}; }
};
struct Bfloat {
  uint16_t bits;
  static float Widen(Bfloat x) { return Bfloat16ToFloat(x.bits); }
  static Bfloat Round(float x) { return {FloatToBfloat16(x)}; }
};

template <class T>
T Expected(HcclReduceOp op, T x, T y) {
  if (op == HCCL_REDUCE_MAX || op == HCCL_REDUCE_MIN) {
    if (x != x) return x;
    if (y != y) return y;
    return (op == HCCL_REDUCE_MAX ? x < y : y < x) ? y : x;
  }
  if constexpr (std::is_integral_v<T>) {
    const auto a = static_cast<uint64_t>(x);
    const auto b = static_cast<uint64_t>(y);
    return static_cast<T>(op == HCCL_REDUCE_SUM ? a + b : a * b);
  } else {
    return op == HCCL_REDUCE_SUM ? x + y : x * y;
  }
}

template <class T>
T ExpectedOfRanks(HcclReduceOp op, const std::vector<std::vector<T>>& inputs, size_t i) {
  if constexpr (requires { T::Widen(T{}); }) {
    float sum = T::Widen(inputs[0][i]);
    for (size_t rank = 1; rank < inputs.size(); ++rank) sum = Expected(op, sum, T::Widen(inputs[rank][i]));
    return T::Round(sum);
  } else {
    T sum = inputs[0][i];
    for (size_t rank = 1; rank < inputs.size(); ++rank) sum = Expected(op, sum, inputs[rank][i]);
    return sum;
  }
}

// The bits of a NaN are not specified.
template <class T>
bool Same(const T& a, const T& b) {
  if constexpr (requires { T::Widen(a); }) {
    if (std::isnan(T::Widen(a)) && std::isnan(T::Widen(b))) return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return true;
  }
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

template <class T>
void ExpectRightFor(HcclDataType type, HcclReduceOp op) {
  if (!CanReduce(type, op)) return;
  std::mt19937_64 random(7);
  for (const size_t ranks : {1, 2, 3, 8}) {
    for (const size_t count : {0, 1, 7, 31, 64, 67, 4097}) {
      std::vector<std::vector<T>> inputs(ranks, std::vector<T>(count));
      for (std::vector<T>& input : inputs) {
        for (T& x : input) {
          const uint64_t bits = random();  // all bit patterns: NaN, infinities and subnormals occur in 16 bits
          if constexpr (sizeof(T) == 2 || std::is_integral_v<T>)
            std::memcpy(&x, &bits, sizeof(x));
          else
            x = static_cast<T>(std::ldexp(static_cast<double>(bits), static_cast<int>(bits % 90) - 110)) *
                (bits % 2 == 0 ? 1 : -1);
        }
      }
      if constexpr (std::is_floating_point_v<T>) {
        if (count > 7) {
          inputs[0][3] = std::numeric_limits<T>::quiet_NaN();
          inputs[ranks - 1][4] = std::numeric_limits<T>::infinity();
          inputs[0][5] = -T(0), inputs[ranks - 1][5] = T(0);
        }
      }
      std::vector<T> want(count);
      for (size_t i = 0; i < count; ++i) want[i] = ExpectedOfRanks(op, inputs, i);
      std::vector<const void*> pointers;
      for (const std::vector<T>& input : inputs) pointers.push_back(input.data());
      std::vector<T> got(count);
      Reduce(type, op, pointers, got.data(), count);
      Reduce(type, op, pointers, inputs[ranks - 1].data(), count);  // into the last input
      for (size_t i = 0; i < count; ++i) {
        ASSERT_TRUE(Same(got[i], want[i]))
            << "type " << type << ", op " << op << ", " << ranks << " ranks, element " << i << " of " << count;
        ASSERT_TRUE(Same(inputs[ranks - 1][i], want[i])) << "in place, element " << i << " of " << count;
      }
    }
  }
}

TEST(Reduce, IsInTheOrderOfTheRanksAndRoundsOnce) {
  testing::ForEachTarget([] {
    for (const HcclReduceOp op : {HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN}) {
      ExpectRightFor<int8_t>(HCCL_DATA_TYPE_INT8, op);
      ExpectRightFor<int16_t>(HCCL_DATA_TYPE_INT16, op);
      ExpectRightFor<int32_t>(HCCL_DATA_TYPE_INT32, op);
      ExpectRightFor<int64_t>(HCCL_DATA_TYPE_INT64, op);
      ExpectRightFor<uint64_t>(HCCL_DATA_TYPE_UINT64, op);
      ExpectRightFor<double>(HCCL_DATA_TYPE_FP64, op);
      ExpectRightFor<float>(HCCL_DATA_TYPE_FP32, op);
      ExpectRightFor<Half>(HCCL_DATA_TYPE_FP16, op);
      ExpectRightFor<Bfloat>(HCCL_DATA_TYPE_BFP16, op);
    }
  });
}

TEST(Reduce, OfWhatOverflowsBetweenIsThatOfFloat32) {
  const uint16_t large = FloatToFloat16(65504);
  const uint16_t minus = FloatToFloat16(-65504);
  const void* const inputs[] = {&large, &large, &minus};
  uint16_t sum = 0;
  Reduce(HCCL_DATA_TYPE_FP16, HCCL_REDUCE_SUM, inputs, &sum, 1);
  EXPECT_EQ(sum, large);
}

TEST(Reduce, TakesWhatTheCardTakes) {
  EXPECT_FALSE(CanReduce(HCCL_DATA_TYPE_INT16, HCCL_REDUCE_PROD));
  EXPECT_FALSE(CanReduce(HCCL_DATA_TYPE_BFP16, HCCL_REDUCE_PROD));
  EXPECT_FALSE(CanReduce(HCCL_DATA_TYPE_UINT8, HCCL_REDUCE_SUM));
  EXPECT_FALSE(CanReduce(HCCL_DATA_TYPE_FP32, HCCL_REDUCE_RESERVED));
  EXPECT_TRUE(CanReduce(HCCL_DATA_TYPE_FP16, HCCL_REDUCE_PROD));
  EXPECT_EQ(ElementBytes(HCCL_DATA_TYPE_INT128), 16u);
  EXPECT_EQ(ElementBytes(static_cast<HcclDataType>(13)), 0u);
}

}  // namespace
}  // namespace portacl::hccl
