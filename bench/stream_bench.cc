// SPDX-License-Identifier: Apache-2.0
// Times the stream kernels on given buffers with a given number of threads.
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "bench/stream_lanes.h"

namespace {

std::atomic<uint8_t> sink;

// The part of every stream that one thread reads and writes `passes` times.
struct Part {
  void Work(int64_t passes) const {
    for (int64_t pass = 0; pass < passes; ++pass) {
      sink.store(kernel(read.data(), write.data(), bytes), std::memory_order_relaxed);
    }
  }

  bench::StreamPass kernel;
  std::vector<const uint8_t*> read;
  std::vector<uint8_t*> write;
  size_t bytes;
};

// Pins the calling thread to the `index`-th core, from 1, of those other than `taken`: new threads start on their
// creator's core, and under other load the operating system takes longer than a sample to move them.
void LeaveCore(int taken, int64_t index) {
  cpu_set_t allowed;
  if (taken < 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (core == taken || !CPU_ISSET(core, &allowed) || --index != 0) continue;
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(core, &only);
    sched_setaffinity(0, sizeof only, &only);
    return;
  }
}

}  // namespace

/// Seconds of `passes` passes over `bytes` bytes of each stream, rounded up to whole blocks of 256 that the buffers
/// must hold. The threads share the streams, start together, and do not wait for each other between passes: no operator
/// can do better. -1 if there is no kernel with this number of streams.
extern "C" __attribute__((visibility("default"))) double BenchStream(const uint8_t* const* read, int64_t reads,
                                                                     uint8_t* const* write, int64_t writes,
                                                                     uint64_t bytes, int64_t threads,
                                                                     int64_t non_temporal, int64_t passes) {
  const bench::StreamPass kernel = bench::FindStreamPass(reads, writes, non_temporal != 0);
  if (kernel == nullptr || threads < 1) return -1;
  const uint64_t blocks = (bytes + 255) / 256;
  std::vector<Part> parts;
  for (int64_t i = 0; i < threads; ++i) {
    const uint64_t begin = blocks * static_cast<uint64_t>(i) / static_cast<uint64_t>(threads) * 256;
    const uint64_t end = blocks * static_cast<uint64_t>(i + 1) / static_cast<uint64_t>(threads) * 256;
    Part part{kernel, {}, {}, end - begin};
    for (int64_t stream = 0; stream < reads; ++stream) part.read.push_back(read[stream] + begin);
    for (int64_t stream = 0; stream < writes; ++stream) part.write.push_back(write[stream] + begin);
    parts.push_back(part);
  }

  std::atomic<int64_t> ready{0};
  std::atomic<bool> go{false};
  std::atomic<int64_t> done{0};
  const int own_core = sched_getcpu();
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < threads; ++i) {
    helpers.emplace_back([&, i] {
      LeaveCore(own_core, i);
      ready.fetch_add(1);
      while (!go.load(std::memory_order_acquire)) std::this_thread::yield();
      parts[static_cast<size_t>(i)].Work(passes);
      done.fetch_add(1, std::memory_order_release);
    });
  }
  while (ready.load() != threads - 1) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  go.store(true, std::memory_order_release);
  parts[0].Work(passes);
  while (done.load(std::memory_order_acquire) != threads - 1) std::this_thread::yield();
  const auto end = std::chrono::steady_clock::now();
  for (std::thread& helper : helpers) helper.join();
  return std::chrono::duration<double>(end - begin).count();
}
