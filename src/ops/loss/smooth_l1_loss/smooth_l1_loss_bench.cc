// SPDX-License-Identifier: Apache-2.0
//
// aclnnSmoothL1LossBackward and the mean of aclnnSmoothL1Loss on contiguous and broadcast tensors. Sizes are bytes of
// traffic: inside the second-level cache, inside the last-level cache, and from memory; and single elements, which show
// the cost of the two calls.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"

namespace {

// A contiguous tensor; the bytes are those of ordinary numbers in every float dtype.
class Operand {
 public:
  Operand(aclDataType dtype, const std::vector<int64_t>& shape) {
    size_t bytes = aclDataTypeSize(dtype);
    for (const int64_t size : shape) bytes *= static_cast<size_t>(size);
    std::vector<uint16_t> host(bytes / 2);
    for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<uint16_t>(0x3C00 + i * 7919 % 997);
    aclrtSetDevice(0);
    aclrtMalloc(&data_, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(data_, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    tensor_ = aclCreateTensor(shape.data(), shape.size(), dtype, nullptr, 0, ACL_FORMAT_ND, shape.data(), shape.size(),
                              data_);
  }
  Operand(const Operand&) = delete;
  ~Operand() {
    aclDestroyTensor(tensor_);
    aclrtFree(data_);
  }
  aclTensor* get() const { return tensor_; }

 private:
  void* data_;
  aclTensor* tensor_;
};

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

int64_t Elements(const benchmark::State& state, aclDataType dtype, int64_t operands) {
  return std::max<int64_t>(1, state.range(0) / (operands * static_cast<int64_t>(aclDataTypeSize(dtype))));
}

constexpr int64_t kColumns = 1024;

enum class Shapes { kDense, kRowTarget, kColumnTarget, kOneGradient };

void Backward(benchmark::State& state, aclDataType dtype, aclDataType grad_dtype, Shapes shapes, int64_t reduction) {
  const int64_t elements = Elements(state, dtype, shapes == Shapes::kDense ? 4 : 3);
  const int64_t columns = std::min(elements, kColumns), rows = elements / columns;
  const std::vector<int64_t> whole = {rows, columns};
  const Operand grad_out(grad_dtype, shapes == Shapes::kOneGradient ? std::vector<int64_t>{1} : whole);
  const Operand self(dtype, whole), grad_input(dtype, whole);
  const Operand target(dtype, shapes == Shapes::kRowTarget      ? std::vector<int64_t>{1, columns}
                              : shapes == Shapes::kColumnTarget ? std::vector<int64_t>{rows, 1}
                                                                : whole);
  Measure(
      state, elements,
      [&](uint64_t* bytes, aclOpExecutor** executor) {
        return aclnnSmoothL1LossBackwardGetWorkspaceSize(grad_out.get(), self.get(), target.get(), reduction, 1,
                                                         grad_input.get(), bytes, executor);
      },
      aclnnSmoothL1LossBackward);
}

void Mean(benchmark::State& state, aclDataType dtype, float beta) {
  const int64_t elements = Elements(state, dtype, 2);
  const Operand self(dtype, {elements}), target(dtype, {elements}), result(dtype, {});
  Measure(
      state, elements,
      [&](uint64_t* bytes, aclOpExecutor** executor) {
        return aclnnSmoothL1LossGetWorkspaceSize(self.get(), target.get(), 1, beta, result.get(), bytes, executor);
      },
      aclnnSmoothL1Loss);
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t bytes :
       {int64_t{16}, int64_t{1} << 10, int64_t{240} << 10, int64_t{7680} << 10, int64_t{400} << 20})
    benchmark->Arg(bytes);
  benchmark->UseRealTime();
}

BENCHMARK_CAPTURE(Backward, float, ACL_FLOAT, ACL_FLOAT, Shapes::kDense, 0)->Apply(Sizes);
BENCHMARK_CAPTURE(Backward, float16, ACL_FLOAT16, ACL_FLOAT16, Shapes::kDense, 0)->Apply(Sizes);
BENCHMARK_CAPTURE(Backward, bfloat16, ACL_BF16, ACL_BF16, Shapes::kDense, 0)->Apply(Sizes);
// As a framework calls it: one element of gradOut; in mixed precision it is a FLOAT.
BENCHMARK_CAPTURE(Backward, float_mean, ACL_FLOAT, ACL_FLOAT, Shapes::kOneGradient, 1)->Apply(Sizes);
BENCHMARK_CAPTURE(Backward, bfloat16_mean_float_grad, ACL_BF16, ACL_FLOAT, Shapes::kOneGradient, 1)->Apply(Sizes);
BENCHMARK_CAPTURE(Backward, float_row_target, ACL_FLOAT, ACL_FLOAT, Shapes::kRowTarget, 0)->Apply(Sizes);
BENCHMARK_CAPTURE(Backward, float_column_target, ACL_FLOAT, ACL_FLOAT, Shapes::kColumnTarget, 0)->Apply(Sizes);

BENCHMARK_CAPTURE(Mean, float, ACL_FLOAT, 1)->Apply(Sizes);
BENCHMARK_CAPTURE(Mean, float_other_beta, ACL_FLOAT, 1.3f)->Apply(Sizes);
BENCHMARK_CAPTURE(Mean, float16, ACL_FLOAT16, 1)->Apply(Sizes);
BENCHMARK_CAPTURE(Mean, bfloat16, ACL_BF16, 1)->Apply(Sizes);

}  // namespace
