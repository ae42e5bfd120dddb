// SPDX-License-Identifier: Apache-2.0
//
// aclnnLogit and aclnnLogitGrad on contiguous tensors. Sizes are bytes of traffic (all reads and the write): inside the
// second-level cache, inside the last-level cache, and from memory; and single elements, which show the cost of the two
// calls.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_logit.h"
#include "aclnnop/aclnn_logit_grad.h"

namespace {

// x, dy if there is a third operand, and the output.
class Operands {
 public:
  Operands(aclDataType dtype, int count, int64_t elements, double dy) : count_(count) {
    const size_t bytes = static_cast<size_t>(elements) * (dtype == ACL_FLOAT ? 4 : 2);
    aclrtSetDevice(0);
    std::vector<char> host(bytes);
    for (int operand = 0; operand < count_; ++operand) {
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
      aclrtMalloc(&data_[operand], bytes, ACL_MEM_MALLOC_HUGE_FIRST);
      aclrtMemcpy(data_[operand], bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
      tensor_[operand] = aclCreateTensor(&elements, 1, dtype, nullptr, 0, ACL_FORMAT_ND, &elements, 1, data_[operand]);
    }
  }
  Operands(const Operands&) = delete;
  ~Operands() {
    for (int operand = 0; operand < count_; ++operand) {
      aclDestroyTensor(tensor_[operand]);
      aclrtFree(data_[operand]);
    }
  }
  const aclTensor* operator[](int operand) const { return tensor_[operand]; }

 private:
  int count_;
  void* data_[3];
  aclTensor* tensor_[3];
};

int64_t Elements(const benchmark::State& state, aclDataType dtype, int operands) {
  return std::max<int64_t>(1, state.range(0) / (operands * (dtype == ACL_FLOAT ? 4 : 2)));
}

// `plan` is phase 1, `run` phase 2.
template <class Plan, class Run>
void Measure(benchmark::State& state, int64_t elements, const Plan& plan, const Run& run) {
  for (auto _ : state) {
    uint64_t bytes;
    aclOpExecutor* executor;
    if (plan(&bytes, &executor) != 0 || run(nullptr, 0, executor, nullptr) != 0 ||
        aclrtSynchronizeStream(nullptr) != 0) {
      state.SkipWithError("the call failed");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * elements);
  state.SetBytesProcessed(state.items_processed() * state.range(0) / elements);
}

void Logit(benchmark::State& state, aclDataType dtype, double eps) {
  const int64_t elements = Elements(state, dtype, 2);
  const Operands operands(dtype, 2, elements, 0);
  Measure(
      state, elements,
      [&](uint64_t* bytes, aclOpExecutor** executor) {
        return aclnnLogitGetWorkspaceSize(operands[0], eps, operands[1], bytes, executor);
      },
      aclnnLogit);
}

void LogitGrad(benchmark::State& state, aclDataType dtype, double dy) {
  const int64_t elements = Elements(state, dtype, 3);
  const Operands operands(dtype, 3, elements, dy);
  Measure(
      state, elements,
      [&](uint64_t* bytes, aclOpExecutor** executor) {
        return aclnnLogitGradGetWorkspaceSize(operands[0], operands[1], -1, operands[2], bytes, executor);
      },
      aclnnLogitGrad);
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t bytes : {int64_t{12}, int64_t{768}, int64_t{240} << 10, int64_t{7680} << 10, int64_t{400} << 20}) {
    benchmark->Arg(bytes);
  }
  benchmark->UseRealTime();
}

BENCHMARK_CAPTURE(Logit, float, ACL_FLOAT, -1)->Apply(Sizes);
BENCHMARK_CAPTURE(Logit, float16, ACL_FLOAT16, -1)->Apply(Sizes);
BENCHMARK_CAPTURE(Logit, bfloat16, ACL_BF16, -1)->Apply(Sizes);
// Limits that hardly any element reaches, and limits that every second one does.
BENCHMARK_CAPTURE(Logit, float_few_limited, ACL_FLOAT, 1e-6)->Arg(240 << 10)->UseRealTime();
BENCHMARK_CAPTURE(Logit, float_half_limited, ACL_FLOAT, 0.25)->Arg(240 << 10)->UseRealTime();

BENCHMARK_CAPTURE(LogitGrad, float, ACL_FLOAT, 1.5)->Apply(Sizes);
BENCHMARK_CAPTURE(LogitGrad, float16, ACL_FLOAT16, 1.5)->Apply(Sizes);
BENCHMARK_CAPTURE(LogitGrad, bfloat16, ACL_BF16, 1.5)->Apply(Sizes);
// Subnormal operands.
BENCHMARK_CAPTURE(LogitGrad, float_tiny_dy, ACL_FLOAT, 2e-38)->Arg(240 << 10)->UseRealTime();

}  // namespace
