// SPDX-License-Identifier: Apache-2.0
// A plan, and the task of a stream that runs it. Phase 1 fills it; from then on it does not depend on the client's
// objects.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/arguments.h"
#include "exec/plan.h"
#include "exec/recycled_array.h"
#include "runtime/task.h"
#include "tensor/view.h"

namespace portacl::exec {

// What phase 2 needs of a tensor.
struct RunOperand {
  std::byte* data;    // address as the client gave it
  ByteRange bytes;    // bytes that the view touches, relative to `data`; they start at element 0 or after it, as no
                      // stride is negative. Empty for an absent tensor and one without elements
  std::byte* staged;  // copy of those bytes that the run uses instead; null when it uses the tensor itself
  int32_t layout;     // same number: same dtype, shape and strides; shared only with an output
  int32_t element;    // index in its list
  int16_t arg;        // index into Schema::args
  uint8_t align;      // the alignment that a run needs: the size of an element, a power of two
  bool read;
  bool written;
  bool absent;

  bool empty() const { return bytes.begin == bytes.end; }
  size_t size() const { return static_cast<size_t>(bytes.end - bytes.begin); }
  std::byte* begin() const { return data + bytes.begin; }
};

// The operands that an executor holds without further memory.
inline constexpr size_t kInlineOperands = 6;
inline constexpr size_t kInlineParameterBytes = 1024;
inline constexpr size_t kInlineResults = 1;

class Executor final : public Task {
 public:
  explicit Executor(uint32_t table_index) : index(table_index) {}

  // Phase 1. Throws bad_alloc.
  void Begin(const Arguments& arguments);
  void SetRun(RunFunction run, const void* parameters, size_t bytes, int64_t cost_ns);
  Region Book(uint64_t bytes, size_t align);
  void ForbidInPlace(int operand) { operands_[static_cast<size_t>(operand)].layout = -1; }
  void ForbidRead(int operand) { operands_[static_cast<size_t>(operand)].read = false; }
  uint64_t workspace_size() const { return booked_ == 0 ? 0 : booked_ + workspace_align_; }

  // Takes over the plan of another executor. Throws bad_alloc, unless that plan needs no further memory.
  void CopyPlan(const Executor& plan);
  size_t parameter_bytes() const { return parameters_.size(); }

  // Sets the data of all operands, for a plan that is to run once more.
  void SetAddresses(std::span<void* const> addresses);

  // Phase 2 before the stream: checks the workspace and where the tensors lie, and allocates copies of inputs that an
  // output partially overlaps, and of misaligned operands. Returns 0, or a status after a report.
  aclnnStatus PrepareRun(void* workspace, uint64_t workspace_bytes);
  // Frees what PrepareRun() has allocated.
  void DropRun() noexcept;

  // Around a run that the caller of phase 2 waits for: the stream does not return the executor to the pool.
  void BeginWait() noexcept;
  void EndWait() noexcept { awaited_ = false; }
  // After such a run: sets the shapes of the client's tensors. `stream_error` is that of other tasks of the stream.
  // Returns 0, or a status after a report.
  aclnnStatus Conclude(int32_t stream_error) const noexcept;

  int32_t Run() noexcept override;
  void Describe(TaskNote* note) const noexcept override;
  void Finish() noexcept override;  // in executor_pool.cc: returns the executor to the pool

  // The tensor of an argument whose address the client may change; null when there is none.
  RunOperand* FindOperand(int arg, size_t element);

  const Schema& schema() const { return *schema_.load(std::memory_order_relaxed); }
  int64_t cost_ns() const { return cost_ns_ + staging_ns_; }

  bool repeatable = false;

  // Who owns the executor: the pool, or the plan cache of a thread, which may have lent it to a call (plan_cache.cc).
  enum class Owner : uint8_t { kPool, kCacheBusy, kCacheIdle };
  std::atomic<Owner> owner{Owner::kPool};
  Executor* next_abandoned = nullptr;

  // For the pool: see executor_pool.cc.
  const uint32_t index;
  uint64_t generation = 0;
  std::atomic<uint64_t> state{0};
  const Schema* PeekSchema() const { return schema_.load(std::memory_order_relaxed); }

 private:
  aclnnStatus RefuseWorkspace(const void* workspace, uint64_t workspace_bytes) const;
  aclnnStatus RefuseAddresses() const;
  aclnnStatus CheckAddresses(uint64_t freed_blocks);
  aclnnStatus StageOverlapped(RunOperand* first_output);
  aclnnStatus StageOverlappedByMany(RunOperand* first_output);
  aclnnStatus Stage(RunOperand& operand, const char* why);
  void NoteResults(const Arguments& arguments);
  int32_t Compute() noexcept;
  int32_t RunStaged() noexcept;

  std::atomic<const Schema*> schema_{nullptr};
  RunFunction run_ = nullptr;
  int64_t cost_ns_ = 0;
  int64_t staging_ns_ = 0;
  uint64_t booked_ = 0;
  uint64_t workspace_align_ = 1;
  std::byte* workspace_ = nullptr;  // address as the client gave it, when the plan booked workspace
  int staged_ = 0;                  // number of operands with a copy
  // The operands and the workspace have been found in live blocks, at a time when that many blocks had been freed.
  bool addresses_checked_ = false;
  uint64_t freed_blocks_ = 0;
  bool awaited_ = false;    // the caller of phase 2 waits for the run
  int32_t run_status_ = 0;  // what an awaited run has returned
  RecycledArray<RunOperand, kInlineOperands> operands_;
  RecycledArray<std::byte*, kInlineOperands> addresses_;
  RecycledArray<std::byte, kInlineParameterBytes> parameters_;
  RecycledArray<ResultShape, kInlineResults> results_;
};

}  // namespace portacl::exec
