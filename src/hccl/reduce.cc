// SPDX-License-Identifier: Apache-2.0
#include "hccl/reduce.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/target.h"
#include "hccl/reduce_lanes.h"
#include "runtime/parallel/parallel.h"

namespace portacl::hccl {
namespace {

template <class T>
T Combine(HcclReduceOp op, T x, T y) {
  // Unsigned, so that sums and products wrap; 64 bits, so that the type is not promoted to a signed one.
  using Whole = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  switch (op) {
    case HCCL_REDUCE_SUM:
      return static_cast<T>(static_cast<Whole>(x) + static_cast<Whole>(y));
    case HCCL_REDUCE_PROD:
      return static_cast<T>(static_cast<Whole>(x) * static_cast<Whole>(y));
    case HCCL_REDUCE_MAX:
      return x == x && !(y <= x) ? y : x;
    default:
      return x == x && !(x <= y) ? y : x;
  }
}

template <class T, HcclReduceOp op>
void ReduceNumbers(const void* const* inputs, size_t ranks, void* out, size_t first, size_t end) {
  constexpr size_t kBlock = 256;
  T sums[kBlock];
  for (; first < end; first += kBlock) {
    const size_t n = std::min(kBlock, end - first);
    std::copy_n(static_cast<const T*>(inputs[0]) + first, n, sums);
    for (size_t rank = 1; rank < ranks; ++rank) {
      const T* const in = static_cast<const T*>(inputs[rank]) + first;
      for (size_t i = 0; i < n; ++i) sums[i] = Combine(op, sums[i], in[i]);
    }
    std::copy_n(sums, n, static_cast<T*>(out) + first);
  }
}

template <class T>
ReduceFunction OfNumbers(HcclReduceOp op) {
  switch (op) {
    case HCCL_REDUCE_SUM:
      return ReduceNumbers<T, HCCL_REDUCE_SUM>;
    case HCCL_REDUCE_PROD:
      return ReduceNumbers<T, HCCL_REDUCE_PROD>;
    case HCCL_REDUCE_MAX:
      return ReduceNumbers<T, HCCL_REDUCE_MAX>;
    default:
      return ReduceNumbers<T, HCCL_REDUCE_MIN>;
  }
}

ReduceFunction FunctionOf(HcclDataType type, HcclReduceOp op) {
  switch (type) {
    case HCCL_DATA_TYPE_INT8:
      return OfNumbers<int8_t>(op);
    case HCCL_DATA_TYPE_INT16:
      return OfNumbers<int16_t>(op);
    case HCCL_DATA_TYPE_INT32:
      return OfNumbers<int32_t>(op);
    case HCCL_DATA_TYPE_INT64:
      return OfNumbers<int64_t>(op);
    case HCCL_DATA_TYPE_UINT64:
      return OfNumbers<uint64_t>(op);
    case HCCL_DATA_TYPE_FP64:
      return OfNumbers<double>(op);
    default:
      return LanesOf(type, op, ActiveTarget());
  }
}

}  // namespace

size_t ElementBytes(HcclDataType type) noexcept {
  switch (static_cast<int>(type)) {
    case HCCL_DATA_TYPE_INT8:
    case HCCL_DATA_TYPE_UINT8:
    case HCCL_DATA_TYPE_HIF8:
    case HCCL_DATA_TYPE_FP8E4M3:
    case HCCL_DATA_TYPE_FP8E5M2:
    case HCCL_DATA_TYPE_FP8E8M0:
      return 1;
    case HCCL_DATA_TYPE_INT16:
    case HCCL_DATA_TYPE_UINT16:
    case HCCL_DATA_TYPE_FP16:
    case HCCL_DATA_TYPE_BFP16:
      return 2;
    case HCCL_DATA_TYPE_INT32:
    case HCCL_DATA_TYPE_UINT32:
    case HCCL_DATA_TYPE_FP32:
      return 4;
    case HCCL_DATA_TYPE_INT64:
    case HCCL_DATA_TYPE_UINT64:
    case HCCL_DATA_TYPE_FP64:
      return 8;
    case HCCL_DATA_TYPE_INT128:
      return 16;
    default:
      return 0;
  }
}

bool CanReduce(HcclDataType type, HcclReduceOp op) noexcept {
  if (static_cast<unsigned>(op) > HCCL_REDUCE_MIN) return false;
  switch (static_cast<int>(type)) {
    case HCCL_DATA_TYPE_INT16:
    case HCCL_DATA_TYPE_BFP16:
      return op != HCCL_REDUCE_PROD;
    case HCCL_DATA_TYPE_INT8:
    case HCCL_DATA_TYPE_INT32:
    case HCCL_DATA_TYPE_INT64:
    case HCCL_DATA_TYPE_UINT64:
    case HCCL_DATA_TYPE_FP16:
    case HCCL_DATA_TYPE_FP32:
    case HCCL_DATA_TYPE_FP64:
      return true;
    default:
      return false;
  }
}

void Reduce(HcclDataType type, HcclReduceOp op, std::span<const void* const> inputs, void* out, size_t count) noexcept {
  constexpr size_t kChunk = 1 << 16;
  struct Work {
    ReduceFunction function;
    std::span<const void* const> inputs;
    void* out;
    size_t count;
  } work{FunctionOf(type, op), inputs, out, count};
  const auto chunks = static_cast<int64_t>((count + kChunk - 1) / kChunk);
  parallel::For(
      chunks,
      [](void* argument, int64_t chunk) {
        const Work& part = *static_cast<const Work*>(argument);
        const size_t first = static_cast<size_t>(chunk) * kChunk;
        part.function(part.inputs.data(), part.inputs.size(), part.out, first, std::min(part.count, first + kChunk));
      },
      &work);
}

}  // namespace portacl::hccl
