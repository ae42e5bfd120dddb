// SPDX-License-Identifier: Apache-2.0
//
// Pieces of work that a room cuts itself, each with scratch of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include "base/visibility.h"
#include "exec/plan.h"
#include "loops/tiles/scratch.h"
#include "runtime/contexts/submit.h"
#include "runtime/parallel/parallel.h"

namespace portacl::loops {

inline namespace v1 {

/// Whether elements of the output share bytes, so that only one thread may write them.
PORTACL_EXPORT bool MustBeSerial(const exec::PlanBuilder& builder, int output);

}  // namespace v1

/// Calls run(number, scratch) for each number below `pieces`, with so many bytes of scratch at the begin of a line; in
/// several threads unless `is_serial`. Throws std::bad_alloc where there is no memory. `run` must not throw.
template <class F>
void RunPieces(int64_t pieces, int64_t scratch_bytes, bool is_serial, const F& run) {
  struct Task {
    const F& run;
    int64_t scratch_bytes;
    std::atomic<bool> out_of_memory{false};
  } task{run, scratch_bytes};
  const auto body = [](void* argument, int64_t number) {
    Task& of = *static_cast<Task*>(argument);
    if (!WithScratch(of.scratch_bytes, [&](void* scratch) { of.run(number, scratch); }))
      of.out_of_memory.store(true, std::memory_order_relaxed);
  };
  if (!is_serial) {
    parallel::For(pieces, body, &task);
  } else {
    for (int64_t number = 0; number < pieces; ++number) body(&task, number);
  }
  if (task.out_of_memory.load(std::memory_order_relaxed)) throw std::bad_alloc();
}

/// Scratch that all pieces share.
class SharedScratch {
 public:
  explicit SharedScratch(int64_t bytes) : scratch_(contexts::AllocateScratch(static_cast<size_t>(bytes))) {
    if (scratch_ == nullptr) throw std::bad_alloc();
  }
  SharedScratch(const SharedScratch&) = delete;
  ~SharedScratch() { contexts::FreeScratch(scratch_); }

  template <class T>
  T* As() const {
    return static_cast<T*>(scratch_);
  }

 private:
  void* scratch_;
};

}  // namespace portacl::loops
