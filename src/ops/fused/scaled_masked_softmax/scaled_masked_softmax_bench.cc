// SPDX-License-Identifier: Apache-2.0
//
// aclnnScaledMaskedSoftmax and aclnnScaledMaskedSoftmaxBackward on contiguous tensors: rows of S2 elements, as many as
// make so many bytes of traffic: inside the second-level cache, inside the last-level cache, and from memory. S2 = 7 is
// the window of a vision transformer, 64 to 4096 the sequence lengths of language models, 1000 is odd to the registers.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_scaled_masked_softmax.h"
#include "aclnnop/aclnn_scaled_masked_softmax_backward.h"

namespace {

enum class Data { kUniform, kMasked, kPeaked };

struct Operand {
  // Values spread over (low, high); masks are true for `masked` of 8 elements.
  Operand(aclDataType dtype, const std::vector<int64_t>& shape, float low, float high, int masked = 0) {
    int64_t elements = 1;
    for (const int64_t size : shape) elements *= size;
    const size_t element = dtype == ACL_BOOL ? 1 : dtype == ACL_FLOAT ? 4 : 2;
    std::vector<char> host(static_cast<size_t>(elements) * element);
    for (int64_t i = 0; i < elements; ++i) {
      const float value = low + (high - low) * static_cast<float>(i * 7919 % 1997) / 1997;
      char* const to = &host[static_cast<size_t>(i) * element];
      if (dtype == ACL_BOOL) {
        *to = static_cast<char>(i * 7919 % 1997 % 8 < masked);
      } else if (dtype == ACL_FLOAT) {
        std::memcpy(to, &value, 4);
      } else if (dtype == ACL_BF16) {
        std::memcpy(to, reinterpret_cast<const char*>(&value) + 2, 2);
      } else {
        const aclFloat16 half = aclFloatToFloat16(value);
        std::memcpy(to, &half, 2);
      }
    }
    aclrtSetDevice(0);
    aclrtMalloc(&data, host.size(), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(data, host.size(), host.data(), host.size(), ACL_MEMCPY_HOST_TO_DEVICE);
    tensor =
        aclCreateTensor(shape.data(), shape.size(), dtype, nullptr, 0, ACL_FORMAT_ND, shape.data(), shape.size(), data);
  }
  Operand(const Operand&) = delete;
  ~Operand() {
    aclDestroyTensor(tensor);
    aclrtFree(data);
  }

  void* data = nullptr;
  aclTensor* tensor = nullptr;
};

void Measure(benchmark::State& state, aclDataType dtype, bool is_grad, Data data) {
  const int64_t columns = state.range(0);
  const int64_t bytes = (is_grad ? 3 : 2) * (dtype == ACL_FLOAT ? 4 : 2) + 1;
  const std::vector<int64_t> shape = {1, 1, std::max<int64_t>(1, state.range(1) / bytes / columns), columns};
  const float spread = data == Data::kPeaked ? 150 : 3;
  const Operand x(dtype, shape, -spread, spread);
  const Operand y(dtype, shape, 0, 2 / static_cast<float>(columns));
  const Operand mask(ACL_BOOL, shape, 0, 0, data == Data::kMasked ? 4 : 0);
  const Operand out(dtype, shape, 0, 0);
  for (auto _ : state) {
    uint64_t size;
    aclOpExecutor* executor;
    const bool planned = is_grad ? aclnnScaledMaskedSoftmaxBackwardGetWorkspaceSize(
                                       x.tensor, y.tensor, mask.tensor, 0.5, false, out.tensor, &size, &executor) == 0
                                 : aclnnScaledMaskedSoftmaxGetWorkspaceSize(x.tensor, mask.tensor, 0.5, false,
                                                                            out.tensor, &size, &executor) == 0;
    if (!planned ||
        (is_grad ? aclnnScaledMaskedSoftmaxBackward : aclnnScaledMaskedSoftmax)(nullptr, 0, executor, nullptr) != 0 ||
        aclrtSynchronizeStream(nullptr) != 0) {
      state.SkipWithError("the call failed");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * shape[2] * columns);
  state.SetBytesProcessed(state.items_processed() * bytes);
}

void Lengths(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t bytes : {int64_t{240} << 10, int64_t{7680} << 10, int64_t{400} << 20}) {
    for (const int64_t columns : {7, 16, 64, 128, 512, 1000, 2047, 2048, 4095, 4096}) benchmark->Args({columns, bytes});
  }
  benchmark->UseRealTime();
}

void InCache(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t columns : {7, 64, 1000}) benchmark->Args({columns, 240 << 10});
  benchmark->UseRealTime();
}

BENCHMARK_CAPTURE(Measure, forward_float, ACL_FLOAT, false, Data::kUniform)->Apply(Lengths);
BENCHMARK_CAPTURE(Measure, forward_bfloat16, ACL_BF16, false, Data::kUniform)->Apply(Lengths);
BENCHMARK_CAPTURE(Measure, grad_float, ACL_FLOAT, true, Data::kUniform)->Apply(Lengths);
BENCHMARK_CAPTURE(Measure, grad_bfloat16, ACL_BF16, true, Data::kUniform)->Apply(Lengths);
BENCHMARK_CAPTURE(Measure, forward_float16, ACL_FLOAT16, false, Data::kUniform)->Apply(InCache);
BENCHMARK_CAPTURE(Measure, grad_float16, ACL_FLOAT16, true, Data::kUniform)->Apply(InCache);
BENCHMARK_CAPTURE(Measure, forward_float_masked, ACL_FLOAT, false, Data::kMasked)->Apply(InCache);
BENCHMARK_CAPTURE(Measure, forward_float_peaked, ACL_FLOAT, false, Data::kPeaked)->Apply(InCache);
BENCHMARK_CAPTURE(Measure, grad_float_masked, ACL_FLOAT, true, Data::kMasked)->Apply(InCache);

}  // namespace
