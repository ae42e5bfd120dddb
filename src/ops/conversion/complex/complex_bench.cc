// SPDX-License-Identifier: Apache-2.0
//
// aclnnComplex of contiguous parts. Sizes are bytes of traffic (both reads and the write): inside the second-level
// cache, inside the last-level cache, and from memory; and single elements, which show the cost of the two calls.
#include <algorithm>
#include <cstdint>

#include <benchmark/benchmark.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_complex.h"

namespace {

void Complex(benchmark::State& state, aclDataType part, aclDataType whole) {
  const auto element = static_cast<int64_t>(2 * aclDataTypeSize(part) + aclDataTypeSize(whole));
  const int64_t elements = std::max<int64_t>(1, state.range(0) / element);
  const aclDataType dtypes[] = {part, part, whole};
  void* data[3] = {};
  aclTensor* tensor[3] = {};
  aclrtSetDevice(0);
  for (int i = 0; i < 3; ++i) {
    const size_t bytes = static_cast<size_t>(elements) * aclDataTypeSize(dtypes[i]);
    aclrtMalloc(&data[i], bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(data[i], bytes, 1, bytes);
    tensor[i] = aclCreateTensor(&elements, 1, dtypes[i], nullptr, 0, ACL_FORMAT_ND, &elements, 1, data[i]);
  }
  for (auto _ : state) {
    uint64_t workspace = 0;
    aclOpExecutor* executor = nullptr;
    if (aclnnComplexGetWorkspaceSize(tensor[0], tensor[1], tensor[2], &workspace, &executor) != 0 ||
        aclnnComplex(nullptr, 0, executor, nullptr) != 0 || aclrtSynchronizeStream(nullptr) != 0) {
      state.SkipWithError("the call failed");
      break;
    }
  }
  for (int i = 0; i < 3; ++i) {
    aclDestroyTensor(tensor[i]);
    aclrtFree(data[i]);
  }
  state.SetBytesProcessed(state.iterations() * elements * element);
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t bytes : {int64_t{16}, int64_t{240} << 10, int64_t{7680} << 10, int64_t{400} << 20})
    benchmark->Arg(bytes);
  benchmark->UseRealTime();
}

BENCHMARK_CAPTURE(Complex, half, ACL_FLOAT16, ACL_COMPLEX32)->Apply(Sizes);
BENCHMARK_CAPTURE(Complex, float, ACL_FLOAT, ACL_COMPLEX64)->Apply(Sizes);
BENCHMARK_CAPTURE(Complex, double, ACL_DOUBLE, ACL_COMPLEX128)->Apply(Sizes);

}  // namespace
