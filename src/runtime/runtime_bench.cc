// SPDX-License-Identifier: Apache-2.0
// What the runtime itself costs: a task that does nothing, memory, synchronization, hand-over to a worker.
#include <benchmark/benchmark.h>

#include <atomic>

#include "acl/acl.h"
#include "runtime/contexts/submit.h"
#include "runtime/memory/memory.h"
#include "runtime/parallel/parallel.h"

namespace portacl {
namespace {

class EmptyTask final : public Task {
 public:
  int32_t Run() noexcept override { return 0; }
  void Finish() noexcept override {
    finished_.store(finished_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  std::atomic<uint64_t> finished_{0};
};

aclrtStream MakeStream() {
  aclrtSetDevice(0);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  return stream;
}

void BM_SubmitInline(benchmark::State& state) {
  aclrtStream stream = MakeStream();
  EmptyTask task;
  for (auto _ : state) benchmark::DoNotOptimize(contexts::Submit(stream, &task, 0));
  aclrtDestroyStream(stream);
}
BENCHMARK(BM_SubmitInline);

void BM_SubmitToWorkerAndSynchronize(benchmark::State& state) {
  aclrtStream stream = MakeStream();
  EmptyTask task;
  for (auto _ : state) {
    contexts::Submit(stream, &task, kInlineCostNs + 1);
    aclrtSynchronizeStream(stream);
  }
  aclrtDestroyStream(stream);
}
BENCHMARK(BM_SubmitToWorkerAndSynchronize)->UseRealTime();

void BM_SynchronizeIdleStream(benchmark::State& state) {
  aclrtStream stream = MakeStream();
  for (auto _ : state) benchmark::DoNotOptimize(aclrtSynchronizeStream(stream));
  aclrtDestroyStream(stream);
}
BENCHMARK(BM_SynchronizeIdleStream);

void BM_SynchronizeIdleDevice(benchmark::State& state) {
  aclrtStream stream = MakeStream();
  for (auto _ : state) benchmark::DoNotOptimize(aclrtSynchronizeDevice());
  aclrtDestroyStream(stream);
}
BENCHMARK(BM_SynchronizeIdleDevice);

void BM_MallocAndFree(benchmark::State& state) {
  aclrtSetDevice(0);
  for (auto _ : state) {
    void* block = nullptr;
    aclrtMalloc(&block, static_cast<size_t>(state.range(0)), ACL_MEM_MALLOC_HUGE_FIRST);
    benchmark::DoNotOptimize(block);
    aclrtFree(block);
  }
}
BENCHMARK(BM_MallocAndFree)->Arg(64)->Arg(4096)->Arg(1 << 20)->Arg(256 << 20);

void BM_FindBlock(benchmark::State& state) {
  aclrtSetDevice(0);
  void* memory = nullptr;
  aclrtMalloc(&memory, static_cast<size_t>(state.range(0)), ACL_MEM_MALLOC_HUGE_FIRST);
  memory::Block block;
  for (auto _ : state) benchmark::DoNotOptimize(memory::FindBlock(static_cast<char*>(memory) + 8, &block));
  aclrtFree(memory);
}
BENCHMARK(BM_FindBlock)->Arg(64)->Arg(1 << 20);

void BM_RecordEvent(benchmark::State& state) {
  aclrtStream stream = MakeStream();
  aclrtEvent event = nullptr;
  aclrtCreateEvent(&event);
  for (auto _ : state) benchmark::DoNotOptimize(aclrtRecordEvent(event, stream));
  aclrtDestroyEvent(event);
  aclrtDestroyStream(stream);
}
BENCHMARK(BM_RecordEvent);

void BM_ParallelForOfEmptyChunks(benchmark::State& state) {
  for (auto _ : state) parallel::For(16, [](void*, int64_t) {}, nullptr);
}
BENCHMARK(BM_ParallelForOfEmptyChunks)->UseRealTime();

}  // namespace
}  // namespace portacl
