// SPDX-License-Identifier: Apache-2.0
//
// aclnnLogitGrad on contiguous tensors. Sizes are bytes of traffic (two reads, one write): inside the second-level
// cache, inside the last-level cache, and from memory; and single elements, which show the cost of the two calls.
#include <cstdint>
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_logit_grad.h"

namespace {

struct Operands {
  Operands(aclDataType dtype, int64_t elements, double dy) {
    const size_t bytes = static_cast<size_t>(elements) * (dtype == ACL_FLOAT ? 4 : 2);
    aclrtSetDevice(0);
    std::vector<char> host(bytes);
    for (int operand = 0; operand < 3; ++operand) {
      for (int64_t i = 0; i < elements; ++i) {
        // x spreads over (0, 1), dy is one value.
        const float value = operand == 0 ? static_cast<float>(i * 7919 % 997 + 1) / 999 : static_cast<float>(dy);
        const size_t index = static_cast<size_t>(i);
        if (dtype == ACL_FLOAT) {
          std::memcpy(&host[4 * index], &value, 4);
        } else if (dtype == ACL_BF16) {
          std::memcpy(&host[2 * index], reinterpret_cast<const char*>(&value) + 2, 2);
        } else {
          const aclFloat16 half = aclFloatToFloat16(value);
          std::memcpy(&host[2 * index], &half, 2);
        }
      }
      aclrtMalloc(&data[operand], bytes, ACL_MEM_MALLOC_HUGE_FIRST);
      aclrtMemcpy(data[operand], bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
      tensor[operand] = aclCreateTensor(&elements, 1, dtype, nullptr, 0, ACL_FORMAT_ND, &elements, 1, data[operand]);
    }
  }
  ~Operands() {
    for (int operand = 0; operand < 3; ++operand) {
      aclDestroyTensor(tensor[operand]);
      aclrtFree(data[operand]);
    }
  }

  void* data[3];
  aclTensor* tensor[3];
};

void Run(benchmark::State& state, aclDataType dtype, double dy) {
  const int64_t element_bytes = dtype == ACL_FLOAT ? 4 : 2;
  const int64_t elements = std::max<int64_t>(1, state.range(0) / (3 * element_bytes));
  const Operands operands(dtype, elements, dy);
  for (auto _ : state) {
    uint64_t bytes;
    aclOpExecutor* executor;
    if (aclnnLogitGradGetWorkspaceSize(operands.tensor[0], operands.tensor[1], -1, operands.tensor[2], &bytes,
                                       &executor) != 0 ||
        aclnnLogitGrad(nullptr, 0, executor, nullptr) != 0 || aclrtSynchronizeStream(nullptr) != 0) {
      state.SkipWithError("the call failed");
      break;
    }
  }
  state.SetBytesProcessed(state.iterations() * elements * element_bytes * 3);
  state.SetItemsProcessed(state.iterations() * elements);
}

void Float(benchmark::State& state) { Run(state, ACL_FLOAT, 1.5); }
void FloatTinyDy(benchmark::State& state) { Run(state, ACL_FLOAT, 2e-38); }
void Float16(benchmark::State& state) { Run(state, ACL_FLOAT16, 1.5); }
void Bfloat16(benchmark::State& state) { Run(state, ACL_BF16, 1.5); }

void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t bytes : {int64_t{12}, int64_t{768}, int64_t{240} << 10, int64_t{7680} << 10, int64_t{400} << 20}) {
    benchmark->Arg(bytes);
  }
  benchmark->UseRealTime();
}

BENCHMARK(Float)->Apply(Sizes);
BENCHMARK(FloatTinyDy)->Arg(240 << 10)->UseRealTime();
BENCHMARK(Float16)->Apply(Sizes);
BENCHMARK(Bfloat16)->Apply(Sizes);

}  // namespace
