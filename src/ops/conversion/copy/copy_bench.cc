// SPDX-License-Identifier: Apache-2.0
//
// aclnnInplaceCopy of contiguous tensors, as a framework casts weights and activations, and of transposed ones, as it
// makes them contiguous. Sizes are bytes of traffic (the read and the write): inside the second-level cache, inside the
// last-level cache, and from memory; and single elements, which show the cost of the two calls.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <benchmark/benchmark.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_copy.h"

namespace {

// A tensor of rows x columns; transposed: its columns follow each other.
class Operand {
 public:
  Operand(aclDataType dtype, int64_t rows, int64_t columns, bool transposed) {
    const size_t bytes = static_cast<size_t>(rows * columns) * aclDataTypeSize(dtype);
    aclrtSetDevice(0);
    aclrtMalloc(&data_, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(data_, bytes, 1, bytes);
    const int64_t shape[] = {rows, columns};
    const int64_t strides[] = {transposed ? 1 : columns, transposed ? rows : 1};
    const int64_t elements = rows * columns;
    tensor_ = aclCreateTensor(shape, 2, dtype, strides, 0, ACL_FORMAT_ND, &elements, 1, data_);
  }
  Operand(const Operand&) = delete;
  ~Operand() {
    aclDestroyTensor(tensor_);
    aclrtFree(data_);
  }
  aclTensor* get() const { return tensor_; }

 private:
  void* data_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

void Measure(benchmark::State& state, const Operand& self, const Operand& src, int64_t bytes) {
  for (auto _ : state) {
    uint64_t workspace = 0;
    aclOpExecutor* executor = nullptr;
    if (aclnnInplaceCopyGetWorkspaceSize(self.get(), src.get(), &workspace, &executor) != 0 ||
        aclnnInplaceCopy(nullptr, 0, executor, nullptr) != 0 || aclrtSynchronizeStream(nullptr) != 0) {
      state.SkipWithError("the call failed");
      break;
    }
  }
  state.SetBytesProcessed(state.iterations() * bytes);
}

void Dense(benchmark::State& state, aclDataType from, aclDataType to) {
  const auto element = static_cast<int64_t>(aclDataTypeSize(from) + aclDataTypeSize(to));
  const int64_t elements = std::max<int64_t>(1, state.range(0) / element);
  const Operand self(to, 1, elements, false), src(from, 1, elements, false);
  Measure(state, self, src, elements * element);
}

void Transposed(benchmark::State& state, aclDataType from, aclDataType to) {
  const auto element = static_cast<int64_t>(aclDataTypeSize(from) + aclDataTypeSize(to));
  const auto side = static_cast<int64_t>(std::sqrt(static_cast<double>(state.range(0) / element)));
  const Operand self(to, side, side, false), src(from, side, side, true);
  Measure(state, self, src, side * side * element);
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t bytes : {int64_t{2}, int64_t{240} << 10, int64_t{7680} << 10, int64_t{400} << 20})
    benchmark->Arg(bytes);
  benchmark->UseRealTime();
}

BENCHMARK_CAPTURE(Dense, float, ACL_FLOAT, ACL_FLOAT)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, float_to_bfloat16, ACL_FLOAT, ACL_BF16)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, bfloat16_to_float, ACL_BF16, ACL_FLOAT)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, float_to_float16, ACL_FLOAT, ACL_FLOAT16)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, float16_to_float, ACL_FLOAT16, ACL_FLOAT)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, float_to_double, ACL_FLOAT, ACL_DOUBLE)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, double_to_float, ACL_DOUBLE, ACL_FLOAT)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, int64_to_float, ACL_INT64, ACL_FLOAT)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, float_to_int64, ACL_FLOAT, ACL_INT64)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, int64_to_int32, ACL_INT64, ACL_INT32)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, int32_to_float, ACL_INT32, ACL_FLOAT)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, uint8_to_float, ACL_UINT8, ACL_FLOAT)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, bool_to_float, ACL_BOOL, ACL_FLOAT)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, float_to_bool, ACL_FLOAT, ACL_BOOL)->Apply(Sizes);
// Two and three steps.
BENCHMARK_CAPTURE(Dense, bfloat16_to_float16, ACL_BF16, ACL_FLOAT16)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, int64_to_bfloat16, ACL_INT64, ACL_BF16)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, bool_to_int32, ACL_BOOL, ACL_INT32)->Apply(Sizes);
BENCHMARK_CAPTURE(Dense, float16_to_uint32, ACL_FLOAT16, ACL_UINT32)->Apply(Sizes);

BENCHMARK_CAPTURE(Transposed, int8, ACL_INT8, ACL_INT8)->Apply(Sizes);
BENCHMARK_CAPTURE(Transposed, float16, ACL_FLOAT16, ACL_FLOAT16)->Apply(Sizes);
BENCHMARK_CAPTURE(Transposed, float, ACL_FLOAT, ACL_FLOAT)->Apply(Sizes);
BENCHMARK_CAPTURE(Transposed, int64, ACL_INT64, ACL_INT64)->Apply(Sizes);
BENCHMARK_CAPTURE(Transposed, complex128, ACL_COMPLEX128, ACL_COMPLEX128)->Apply(Sizes);
BENCHMARK_CAPTURE(Transposed, float_to_bfloat16, ACL_FLOAT, ACL_BF16)->Apply(Sizes);
BENCHMARK_CAPTURE(Transposed, bfloat16_to_float, ACL_BF16, ACL_FLOAT)->Apply(Sizes);

}  // namespace
