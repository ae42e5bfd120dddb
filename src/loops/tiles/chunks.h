// SPDX-License-Identifier: Apache-2.0
//
// Runs the chunks of all engines.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/scratch.h"
#include "runtime/parallel/parallel.h"

namespace portacl::loops {

inline namespace v1 {

/// Whether elements of the output share bytes, so that only one thread may write them.
PORTACL_EXPORT bool MustBeSerial(const exec::PlanBuilder& builder, int output);

}  // namespace v1

struct Chunks {
  int64_t count = 0;
  bool is_serial = false;     // elements of an output share bytes, or the work is not worth a second thread
  int64_t scratch_bytes = 0;  // per thread
  bool differ = false;        // the chunks differ in cost: a thread takes one at a time
};

/// Calls run(first, end, scratch) for ranges that cover all chunks, in several threads unless they are serial. `run`
/// may throw only std::bad_alloc. If it does, or if there is no scratch, this function throws it too, after all threads
/// are done.
template <class F>
void RunChunks(const Chunks& chunks, const F& run) {
  struct Task {
    const F& run;
    int64_t scratch_bytes;
    std::atomic<bool> out_of_memory{false};
  } task{run, chunks.scratch_bytes};
  const auto body = [](void* argument, int64_t first, int64_t end) {
    Task& of = *static_cast<Task*>(argument);
    try {
      WithScratch(of.scratch_bytes, [&](std::byte* scratch) { of.run(first, end, scratch); });
    } catch (const std::bad_alloc&) {
      of.out_of_memory.store(true, std::memory_order_relaxed);
    }
  };
  if (chunks.count <= 1 || chunks.is_serial) {
    body(&task, 0, chunks.count);
  } else if (chunks.differ) {
    parallel::For(
        chunks.count, [](void* argument, int64_t chunk) { decltype(body){}(argument, chunk, chunk + 1); }, &task);
  } else {
    parallel::ForRuns(chunks.count, body, &task);
  }
  if (task.out_of_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
}

/// Calls run(chunk, scratch) for each chunk.
template <class F>
void ForEachChunk(const Chunks& chunks, const F& run) {
  RunChunks(chunks, [&](int64_t first, int64_t end, std::byte* scratch) {
    for (int64_t chunk = first; chunk < end; ++chunk) run(chunk, scratch);
  });
}

}  // namespace portacl::loops
