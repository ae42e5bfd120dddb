// SPDX-License-Identifier: Apache-2.0
//
// aclnnSwiGlu and aclnnSwiGluGrad on contiguous tensors. Sizes are bytes of traffic: one element, inside the
// second-level cache, inside the last-level cache, and from memory; and the gate and up projections of a 7B Llama layer
// for 4,096 tokens (2 x 11008 columns), split along either axis.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"

namespace {

constexpr int64_t kColumns = 22016;

struct Operand {
  Operand(aclDataType dtype, const std::vector<int64_t>& shape, float scale) {
    int64_t elements = 1;
    for (const int64_t size : shape) elements *= size;
    const size_t element = dtype == ACL_FLOAT ? 4 : 2;
    std::vector<char> host(static_cast<size_t>(elements) * element);
    for (int64_t i = 0; i < elements; ++i) {
      // Spread over (-scale, scale).
      const float value = scale * (static_cast<float>(i * 7919 % 1997) / 998.5f - 1);
      char* const to = &host[static_cast<size_t>(i) * element];
      if (dtype == ACL_FLOAT) {
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

void Measure(benchmark::State& state, aclDataType dtype, bool is_grad, const std::vector<int64_t>& shape, int64_t dim,
             float scale) {
  std::vector<int64_t> half = shape;
  half[static_cast<size_t>(dim)] /= 2;
  const Operand x(dtype, shape, scale);
  const Operand grad(dtype, half, 1);  // the output of the forward operator
  const Operand out(dtype, is_grad ? shape : half, 0);
  for (auto _ : state) {
    uint64_t bytes;
    aclOpExecutor* executor;
    const bool planned =
        is_grad ? aclnnSwiGluGradGetWorkspaceSize(grad.tensor, x.tensor, dim, out.tensor, &bytes, &executor) == 0
                : aclnnSwiGluGetWorkspaceSize(x.tensor, dim, out.tensor, &bytes, &executor) == 0;
    if (!planned || (is_grad ? aclnnSwiGluGrad : aclnnSwiGlu)(nullptr, 0, executor, nullptr) != 0 ||
        aclrtSynchronizeStream(nullptr) != 0) {
      state.SkipWithError("the call failed");
      break;
    }
  }
  int64_t elements = 1;
  for (const int64_t size : half) elements *= size;
  state.SetItemsProcessed(state.iterations() * elements);
  state.SetBytesProcessed(state.items_processed() * (is_grad ? 5 : 3) * (dtype == ACL_FLOAT ? 4 : 2));
}

void Flat(benchmark::State& state, aclDataType dtype, bool is_grad, float scale) {
  const int64_t bytes = (is_grad ? 5 : 3) * (dtype == ACL_FLOAT ? 4 : 2);
  Measure(state, dtype, is_grad, {2 * std::max<int64_t>(1, state.range(0) / bytes)}, 0, scale);
}

void Llama(benchmark::State& state, aclDataType dtype, bool is_grad) {
  Measure(state, dtype, is_grad, {4096, kColumns}, state.range(0), 4);
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t bytes : {int64_t{12}, int64_t{240} << 10, int64_t{7680} << 10, int64_t{400} << 20})
    benchmark->Arg(bytes);
  benchmark->UseRealTime();
}

BENCHMARK_CAPTURE(Flat, forward_float, ACL_FLOAT, false, 4)->Apply(Sizes);
BENCHMARK_CAPTURE(Flat, forward_float16, ACL_FLOAT16, false, 4)->Apply(Sizes);
BENCHMARK_CAPTURE(Flat, forward_bfloat16, ACL_BF16, false, 4)->Apply(Sizes);
BENCHMARK_CAPTURE(Flat, grad_float, ACL_FLOAT, true, 4)->Apply(Sizes);
BENCHMARK_CAPTURE(Flat, grad_float16, ACL_FLOAT16, true, 4)->Apply(Sizes);
BENCHMARK_CAPTURE(Flat, grad_bfloat16, ACL_BF16, true, 4)->Apply(Sizes);
// A third of the sigmoids are less than a normal float32.
BENCHMARK_CAPTURE(Flat, forward_float_shut, ACL_FLOAT, false, 200)->Arg(240 << 10)->UseRealTime();
BENCHMARK_CAPTURE(Flat, grad_float_shut, ACL_FLOAT, true, 200)->Arg(240 << 10)->UseRealTime();
BENCHMARK_CAPTURE(Llama, forward_float, ACL_FLOAT, false)->Arg(1)->Arg(0)->UseRealTime();
BENCHMARK_CAPTURE(Llama, grad_float, ACL_FLOAT, true)->Arg(1)->Arg(0)->UseRealTime();
BENCHMARK_CAPTURE(Llama, grad_bfloat16, ACL_BF16, true)->Arg(1)->UseRealTime();

}  // namespace
