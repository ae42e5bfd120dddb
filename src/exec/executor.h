// SPDX-License-Identifier: Apache-2.0
// A plan, and the piece of stream work that runs it. Phase 1 fills it; after that it knows nothing of the client's
// objects.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "exec/arguments.h"
#include "exec/plan.h"
#include "exec/recycled_array.h"
#include "runtime/work.h"
#include "tensor/view.h"

namespace portacl::exec {

// What phase 2 has to know of a tensor.
struct RunOperand {
  std::byte* data;    // as the client gave it
  int64_t element0;   // bytes from `data` to element 0
  ByteRange bytes;    // what the view touches, relative to `data`; empty for an absent tensor and one without elements
  std::byte* staged;  // copy of those bytes that the run reads instead; null when it reads the tensor itself
  int32_t layout;     // same number: same dtype, shape and strides. Shared only with an output
  int32_t arg;        // index into Schema::args
  int32_t element;    // place in its list
  bool written;
  bool absent;

  bool empty() const { return bytes.begin == bytes.end; }
};

class Executor final : public Work {
 public:
  explicit Executor(uint32_t table_index) : index(table_index) {}

  // Phase 1. Throws bad_alloc.
  void Begin(const Arguments& arguments);
  void SetRun(RunFunction run, const void* parameters, size_t bytes, int64_t cost_ns);
  Region Book(uint64_t bytes, size_t align);
  uint64_t workspace_size() const { return booked_ == 0 ? 0 : booked_ + workspace_align_; }

  // Takes over the plan of another executor. Throws bad_alloc.
  void CopyPlan(const Executor& plan);

  // Phase 2, rows 3 to 6: what the client passes, and where the tensors lie. 0, or a status after a report.
  aclnnStatus CheckRun(const void* workspace, uint64_t workspace_bytes) const;

  // The rest of phase 2 before the stream: addresses, and copies of inputs that an output partially overlaps.
  aclnnStatus PrepareRun(void* workspace);
  // Drops what PrepareRun() has taken.
  void DropRun() noexcept;

  int32_t Run() noexcept override;
  void Finish() noexcept override;  // in executor_pool.cc: the executor goes back to the pool

  // The tensor of an argument whose address the client may change; null when there is none.
  RunOperand* FindOperand(int arg, size_t element);

  const Schema& schema() const { return *schema_.load(std::memory_order_relaxed); }
  int64_t cost_ns() const { return cost_ns_; }

  bool repeatable = false;

  // The pool's: see executor_pool.cc.
  const uint32_t index;
  uint64_t generation = 0;
  std::atomic<uint64_t> state{0};
  const Schema* PeekSchema() const { return schema_.load(std::memory_order_relaxed); }

 private:
  aclnnStatus Stage(RunOperand& operand);

  std::atomic<const Schema*> schema_{nullptr};
  RunFunction run_ = nullptr;
  int64_t cost_ns_ = 0;
  uint64_t booked_ = 0;
  uint64_t workspace_align_ = 1;
  std::byte* workspace_ = nullptr;
  int staged_ = 0;  // operands with a copy
  RecycledArray<RunOperand, 6> operands_;
  RecycledArray<std::byte*, 6> addresses_;
  RecycledArray<std::byte, 1024> parameters_;
};

}  // namespace portacl::exec
