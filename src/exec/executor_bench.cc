// SPDX-License-Identifier: Apache-2.0
// What a call costs beside its kernel: both phases of an operator on one element.
#include <benchmark/benchmark.h>

#include "acl/acl.h"
#include "exec/arguments.h"
#include "exec/toy_fixture.h"

namespace portacl::exec {
namespace {

struct Operands {
  Operands() {
    aclrtSetDevice(0);
    const int64_t shape[] = {1};
    for (int i = 0; i < 3; ++i) {
      aclrtMalloc(&data[i], 4, ACL_MEM_MALLOC_HUGE_FIRST);
      aclrtMemset(data[i], 4, 0, 4);
      tensors[i] = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, data[i]);
    }
  }
  ~Operands() {
    for (int i = 0; i < 3; ++i) {
      aclDestroyTensor(tensors[i]);
      aclrtFree(data[i]);
    }
  }
  aclOpExecutor* Plan() const {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    aclnnToyGetWorkspaceSize(tensors[0], tensors[1], tensors[2], &size, &executor);
    return executor;
  }

  void* data[3] = {};
  aclTensor* tensors[3] = {};
};

void BothPhases(benchmark::State& state) {
  const Operands operands;
  for (auto _ : state) aclnnToy(nullptr, 0, operands.Plan(), nullptr);
  aclrtSynchronizeStream(nullptr);
}
BENCHMARK(BothPhases);

void PhaseOneAndDestroy(benchmark::State& state) {
  const Operands operands;
  for (auto _ : state) aclDestroyAclOpExecutor(operands.Plan());
}
BENCHMARK(PhaseOneAndDestroy);

void ChecksOnly(benchmark::State& state) {
  const Operands operands;
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const Value values[] = {operands.tensors[0], operands.tensors[1], operands.tensors[2]};
  for (auto _ : state) {
    Arguments arguments(kToy, values, &size, &executor);
    bool empty = false;
    benchmark::DoNotOptimize(CheckSteps(arguments, &empty));
  }
}
BENCHMARK(ChecksOnly);

void RepeatableRun(benchmark::State& state) {
  const Operands operands;
  aclOpExecutor* executor = operands.Plan();
  aclSetAclOpExecutorRepeatable(executor);
  for (auto _ : state) aclnnToy(nullptr, 0, executor, nullptr);
  aclrtSynchronizeStream(nullptr);
  aclDestroyAclOpExecutor(executor);
}
BENCHMARK(RepeatableRun);

}  // namespace
}  // namespace portacl::exec
