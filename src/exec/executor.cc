// SPDX-License-Identifier: Apache-2.0
#include "exec/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "acl/error_codes/rt_error_codes.h"
#include "base/dtype.h"
#include "base/observer.h"
#include "base/status.h"
#include "exec/shape_text.h"
#include "runtime/contexts/submit.h"
#include "runtime/memory/memory.h"
#include "tensor/argument.h"
#include "tensor/tensor.h"

namespace portacl::exec {
namespace {

constexpr uintptr_t kStagingAlign = 64;
constexpr int64_t kStagingBytesPerNs = 10;  // bytes read and written; half of the 25 GB/s that cost estimates assume

bool SameLayout(const View& a, const View& b) {
  if (a.dtype != b.dtype || a.rank != b.rank) return false;
  for (int axis = 0; axis < a.rank; ++axis) {
    if (a.shape[axis] != b.shape[axis]) return false;
    if (a.strides[axis] != b.strides[axis] && a.shape[axis] != 1) return false;
  }
  return true;
}

uintptr_t AddressOf(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

// `align` is a power of two.
uint64_t RoundUp(uint64_t value, uint64_t align) { return (value + align - 1) & ~(align - 1); }

// False when there is no address, when it lies in the library's memory but in no live block, or when the bytes extend
// past the block or the address space. Sets `in_blocks` to false for memory that is not the library's: the library does
// not learn when that is unmapped.
bool LiesInLiveMemory(const std::byte* data, uint64_t bytes, bool* in_blocks) {
  uintptr_t end = 0;
  if (data == nullptr || __builtin_add_overflow(AddressOf(data), bytes, &end)) return false;
  memory::Block block;
  const memory::Located located = memory::Locate(data, &block);
  if (located == memory::Located::kBlock) return end <= block.begin + block.usable;
  *in_blocks = false;
  return located == memory::Located::kForeign;
}

bool LiesInLiveMemory(const RunOperand& operand, bool* in_blocks) {
  return operand.empty() || LiesInLiveMemory(operand.data, static_cast<uint64_t>(operand.bytes.end), in_blocks);
}

// `range` says which part of the `bytes` bytes has to lie in one block.
aclnnStatus RefuseAddress(const char* api, const std::string& argument, const char* range, const std::byte* data,
                          uint64_t bytes) {
  memory::Block block;
  const memory::Located located = memory::Locate(data, &block);
  if (located == memory::Located::kNoBlock) {
    return Failf(kInvalid, "{}: argument '{}': expected an address in a live block, got {}", api, argument,
                 fmt::ptr(data));
  }
  if (located == memory::Located::kForeign || AddressOf(data) + bytes < AddressOf(data)) {
    return Failf(kInvalid, "{}: argument '{}': expected {} within the address space, got one of {} bytes at {}", api,
                 argument, range, bytes, fmt::ptr(data));
  }
  return Failf(kInvalid,
               "{}: argument '{}': expected {} within its block, which ends {} bytes after the address, got one of {} "
               "bytes (PORTACL_BLOCK_SLACK makes the blocks of aclrtMalloc larger)",
               api, argument, range, block.begin + block.usable - AddressOf(data), bytes);
}

bool Overlap(const RunOperand& a, const RunOperand& b) {
  return a.data + a.bytes.begin < b.data + b.bytes.end && b.data + b.bytes.begin < a.data + a.bytes.end;
}

// Whether the input is the output element by element, so that a kernel reads each element before it writes it. Tensors
// of lists must have the same index in both lists: otherwise another output may be written first.
bool IsExactAlias(const RunOperand& input, const RunOperand& output) {
  return input.layout >= 0 && input.element == output.element && input.layout == output.layout &&
         input.data + input.bytes.begin == output.data + output.bytes.begin;
}

bool IsAligned(uintptr_t address, const RunOperand& operand) { return (address & (operand.align - 1u)) == 0; }

// Copies all bytes from the first to the last of the view, so that the copy has the same strides. A second copy lies
// beside that of an output; WriteBack() compares with it to find what the run has written.
void CopyIn(const RunOperand& operand) {
  std::memcpy(operand.staged, operand.begin(), operand.size());
  if (operand.written) std::memcpy(operand.staged + operand.size(), operand.staged, operand.size());
}

// Writes only the elements that have changed: the bytes between them may belong to another output, or change meanwhile.
void WriteBack(const RunOperand& operand) {
  const std::byte* const before = operand.staged + operand.size();
  for (size_t at = 0; at < operand.size(); at += operand.align) {
    if (std::memcmp(operand.staged + at, before + at, operand.align) != 0)
      std::memcpy(operand.begin() + at, operand.staged + at, operand.align);
  }
}

std::string OperandName(const Schema& schema, const RunOperand& operand) {
  const Arg& arg = schema.args[static_cast<size_t>(operand.arg)];
  if (arg.kind == ValueKind::kTensor) return arg.name;
  return fmt::format("{}[{}]", arg.name, operand.element);
}

}  // namespace

void Executor::Begin(const Arguments& arguments) {
  const Schema& schema = arguments.schema();
  const auto count = static_cast<size_t>(arguments.operand_count());
  RunOperand* operands = operands_.Resize(count);
  addresses_.Resize(count);
  size_t number = 0;
  size_t first_output = count;
  for (int arg : schema.tensors) {
    const bool read = schema.args[static_cast<size_t>(arg)].read();
    const bool written = schema.args[static_cast<size_t>(arg)].written();
    if (written) first_output = std::min(first_output, number);
    int32_t element = 0;
    for (const Operand& source : arguments.Operands(arg)) {
      // Written field by field: GCC would build an aggregate elsewhere first, and copying that in wider pieces stalls.
      RunOperand& operand = operands[number++];
      operand.data = static_cast<std::byte*>(source.view.data);
      operand.bytes = source.bytes;
      operand.staged = nullptr;
      operand.layout = -1;
      operand.arg = static_cast<int16_t>(arg);
      operand.align = static_cast<uint8_t>(std::max<size_t>(ElementBytes(source.view.dtype), 1));
      operand.element = element++;
      operand.read = read;
      operand.written = written;
      operand.absent = source.tensor == nullptr;
    }
  }
  for (size_t output = first_output; output < count; ++output) {
    const View& out = arguments.operand(static_cast<int>(output)).view;
    // Where elements of an output share bytes, a write may overwrite an element of the input that is still to be read.
    if (MayOverlapItself(out)) continue;
    for (const int arg : schema.tensors) {
      const int element = operands[output].element;  // only tensors with the same index in their lists are compared
      const int i = arguments.First(arg) + element;
      if (element >= arguments.Count(arg) || operands[i].layout >= 0) continue;
      if (SameLayout(arguments.operand(i).view, out)) operands[i].layout = static_cast<int>(output);
    }
  }
  results_.Resize(schema.data_dependent);
  if (schema.data_dependent != 0) [[unlikely]]
    NoteResults(arguments);
  schema_.store(&schema, std::memory_order_relaxed);
  addresses_checked_ = false;
  run_ = nullptr;
  cost_ns_ = 0;
  booked_ = 0;
  workspace_align_ = 1;
  repeatable = false;
  parameters_.Resize(0);
}

void Executor::NoteResults(const Arguments& arguments) {
  ResultShape* result = results_.begin();
  for (const int arg : arguments.schema().tensors) {
    if (!arguments.schema().args[static_cast<size_t>(arg)].data_dependent) continue;
    const int number = arguments.First(arg);
    const Operand& output = arguments.operand(number);
    *result = {output.tensor, 0, number, 0, true, {}};
    if (output.tensor != nullptr) result->generation = output.tensor->generation();
    CountElements(output.view.dims(), &result->capacity);
    ++result;
  }
}

void Executor::SetRun(RunFunction run, const void* parameters, size_t bytes, int64_t cost_ns) {
  std::memcpy(parameters_.Resize(bytes), parameters, bytes);
  run_ = run;
  cost_ns_ = cost_ns;
}

Region Executor::Book(uint64_t bytes, size_t align) {
  // Leaves room for the alignment of regions: the client's workspace may have any alignment.
  constexpr uint64_t kLimit = uint64_t{1} << 62;
  const uint64_t offset = RoundUp(booked_, align);
  if (bytes > kLimit || offset > kLimit - bytes) throw std::bad_array_new_length();
  booked_ = offset + bytes;
  workspace_align_ = std::max<uint64_t>(workspace_align_, align);
  return {offset, bytes};
}

void Executor::CopyPlan(const Executor& plan) {
  operands_.Assign(plan.operands_);
  addresses_.Resize(plan.operands_.size());
  parameters_.Assign(plan.parameters_);
  results_.Assign(plan.results_);
  schema_.store(&plan.schema(), std::memory_order_relaxed);
  addresses_checked_ = false;
  run_ = plan.run_;
  cost_ns_ = plan.cost_ns_;
  booked_ = plan.booked_;
  workspace_align_ = plan.workspace_align_;
  repeatable = false;
}

void Executor::SetAddresses(std::span<void* const> addresses) {
  RunOperand* operand = operands_.begin();
  for (void* address : addresses) {
    auto* data = static_cast<std::byte*>(address);
    addresses_checked_ &= operand->data == data;
    (operand++)->data = data;
  }
}

aclnnStatus Executor::RefuseWorkspace(const void* workspace, uint64_t workspace_bytes) const {
  if (workspace == nullptr && workspace_bytes > 0) {
    return Failf(kNullPointer, "{}: argument 'workspace': expected a pointer to {} bytes, got NULL", schema().api,
                 workspace_bytes);
  }
  return Failf(kInvalid, "{}: argument 'workspaceSize': expected at least {}, got {}", schema().api, workspace_size(),
               workspace_bytes);
}

// Reports the first null address, or else the first that lies in no live block.
aclnnStatus Executor::RefuseAddresses() const {
  const char* api = schema().api;
  for (const RunOperand& operand : operands_) {
    if (operand.data != nullptr || operand.empty()) continue;
    return Failf(kNullPointer, "{}: argument '{}': expected the address of {} bytes, got NULL", api,
                 OperandName(schema(), operand), operand.bytes.end - operand.bytes.begin);
  }
  bool in_blocks = true;
  for (const RunOperand& operand : operands_) {
    if (LiesInLiveMemory(operand, &in_blocks)) continue;
    return RefuseAddress(api, OperandName(schema(), operand), "a view", operand.data,
                         static_cast<uint64_t>(operand.bytes.end));
  }
  if (booked_ != 0 && !LiesInLiveMemory(workspace_, workspace_size(), &in_blocks))
    return RefuseAddress(api, "workspace", "a range", workspace_, workspace_size());
  return kSuccess;  // meanwhile another thread's free or allocation has made the address valid
}

aclnnStatus Executor::PrepareRun(void* workspace, uint64_t workspace_bytes) {
  if (workspace_bytes < workspace_size() || (workspace == nullptr && workspace_bytes > 0)) [[unlikely]]
    return RefuseWorkspace(workspace, workspace_bytes);
  if (booked_ != 0 && workspace != workspace_) [[unlikely]] {
    addresses_checked_ = false;
    workspace_ = static_cast<std::byte*>(workspace);
  }
  staged_ = 0;
  staging_ns_ = 0;
  const uint64_t freed_blocks = memory::FreedBlocks();
  if (addresses_checked_ && freed_blocks == freed_blocks_) return kSuccess;
  return CheckAddresses(freed_blocks);
}

aclnnStatus Executor::CheckAddresses(uint64_t freed_blocks) {
  RunOperand* const end = operands_.end();
  RunOperand* first_output = end;
  std::byte** address = addresses_.data();
  addresses_checked_ = false;
  bool in_blocks = true;
  bool aligned = true;
  bool all_live = booked_ == 0 || LiesInLiveMemory(workspace_, workspace_size(), &in_blocks);
  for (RunOperand* operand = operands_.begin(); operand != end; ++operand) {
    if (operand->written && first_output == end) first_output = operand;
    all_live &= LiesInLiveMemory(*operand, &in_blocks);
    // As an integer: the address of an invalid operand may overflow.
    const uintptr_t element0 = AddressOf(operand->data) + static_cast<uintptr_t>(operand->bytes.begin);
    aligned &= operand->empty() || IsAligned(element0, *operand);
    *address++ = operand->empty() ? nullptr : reinterpret_cast<std::byte*>(element0);
  }
  if (!all_live) [[unlikely]] {
    if (const aclnnStatus status = RefuseAddresses()) return status;
  }
  if (!aligned) [[unlikely]] {
    for (RunOperand& operand : operands_) {
      if (operand.empty() || IsAligned(AddressOf(operand.begin()), operand)) continue;
      if (const aclnnStatus status = Stage(operand, "it is not aligned to its elements")) return status;
    }
  }
  if (const aclnnStatus status = StageOverlapped(first_output)) return status;
  addresses_checked_ = all_live && in_blocks && staged_ == 0;
  freed_blocks_ = freed_blocks;
  return kSuccess;
}

// Copies the inputs that an output overlaps, unless they are that output.
aclnnStatus Executor::StageOverlapped(RunOperand* first_output) {
  constexpr ptrdiff_t kFewOutputs = 8;
  RunOperand* const end = operands_.end();
  if (end - first_output > kFewOutputs) return StageOverlappedByMany(first_output);
  for (RunOperand* output = first_output; output != end; ++output) {
    if (output->empty()) continue;
    for (RunOperand* input = operands_.begin(); input != first_output; ++input) {
      if (input->empty() || !Overlap(*input, *output) || input->staged != nullptr || IsExactAlias(*input, *output))
        continue;
      if (const aclnnStatus status = Stage(*input, "an output overlaps it")) return status;
    }
  }
  return kSuccess;
}

// The same for long lists: outputs are sorted by their addresses, so that each input is compared with few of them.
aclnnStatus Executor::StageOverlappedByMany(RunOperand* first_output) {
  std::vector<const RunOperand*> outputs;
  for (const RunOperand* output = first_output; output != operands_.end(); ++output) {
    if (!output->empty()) outputs.push_back(output);
  }
  std::ranges::sort(outputs, {}, &RunOperand::begin);
  std::vector<const std::byte*> ends;  // the largest end up to each output
  for (const RunOperand* output : outputs) {
    const std::byte* const own = output->data + output->bytes.end;
    ends.push_back(ends.empty() ? own : std::max(own, ends.back()));
  }
  for (RunOperand* input = operands_.begin(); input != first_output; ++input) {
    if (input->empty() || input->staged != nullptr) continue;
    const std::byte* const input_end = input->data + input->bytes.end;
    const auto after = std::ranges::lower_bound(outputs, input_end, {}, &RunOperand::begin);
    for (auto i = static_cast<size_t>(after - outputs.begin()); i-- > 0 && ends[i] > input->begin();) {
      if (!Overlap(*input, *outputs[i]) || IsExactAlias(*input, *outputs[i])) continue;
      if (const aclnnStatus status = Stage(*input, "an output overlaps it")) return status;
      break;
    }
  }
  return kSuccess;
}

aclnnStatus Executor::Stage(RunOperand& operand, const char* why) {
  // The copy keeps the address modulo 64, rounded down to the alignment of elements: a kernel finds the alignment that
  // it would have had.
  const uint64_t skipped = AddressOf(operand.begin()) % kStagingAlign / operand.align * operand.align;
  const uint64_t bytes = operand.written ? 2 * operand.size() : operand.size();
  auto* block = static_cast<std::byte*>(contexts::AllocateScratch(bytes + kStagingAlign));
  if (block == nullptr) {
    return Failf(kRuntimeError, "{}: argument '{}': expected {} bytes of device memory for a copy ({}), got none",
                 schema().api, OperandName(schema(), operand), bytes, why);
  }
  operand.staged = block + skipped;
  addresses_[static_cast<size_t>(&operand - operands_.begin())] = operand.staged;
  ++staged_;
  staging_ns_ += static_cast<int64_t>(bytes) / kStagingBytesPerNs;
  return kSuccess;
}

void Executor::DropRun() noexcept {
  if (staged_ == 0) return;
  for (RunOperand& operand : operands_) {
    // The scratch block is 64-byte aligned, and the copy starts within its first 64 bytes.
    if (operand.staged != nullptr) contexts::FreeScratch(operand.staged - AddressOf(operand.staged) % kStagingAlign);
    operand.staged = nullptr;
  }
  staged_ = 0;
}

void Executor::Describe(TaskNote* note) const noexcept {
  note->role = TaskRole::kOperator;
  note->name = schema().api;
  int number = 0;
  for (const RunOperand& operand : operands_) {
    if (!operand.empty() && run_ != nullptr) {
      const size_t bytes = operand.size();
      if (operand.read) note->Add(operand.begin(), bytes, false, bytes, 1, number);
      if (operand.written) note->Add(operand.begin(), bytes, true, bytes, 1, number);
      const bool partly = schema().args[static_cast<size_t>(operand.arg)].data_dependent;
      if (partly && !note->touches.empty()) note->touches.back().partly = true;
    }
    ++number;
  }
  if (booked_ != 0) note->Add(workspace_, workspace_size(), true);
}

int32_t Executor::Run() noexcept {
  const int32_t status = run_ == nullptr ? 0 : staged_ == 0 ? Compute() : RunStaged();
  if (awaited_) [[unlikely]]
    run_status_ = status;
  return status;
}

int32_t Executor::RunStaged() noexcept {
  for (const RunOperand& operand : operands_) {
    if (operand.staged != nullptr) CopyIn(operand);
  }
  const int32_t status = Compute();
  for (const RunOperand& operand : operands_) {
    if (operand.staged != nullptr && operand.written) WriteBack(operand);
  }
  return status;
}

int32_t Executor::Compute() noexcept {
  try {
    auto* const workspace =
        booked_ == 0 ? nullptr : reinterpret_cast<std::byte*>(RoundUp(AddressOf(workspace_), workspace_align_));
    return run_(RunContext(parameters_.data(), addresses_.data(), workspace, {results_.begin(), results_.size()}));
  } catch (const std::bad_alloc&) {
    return ACL_ERROR_RT_MEMORY_ALLOCATION;
  } catch (...) {
    return ACL_ERROR_RT_AICORE_EXCEPTION;
  }
}

void Executor::BeginWait() noexcept {
  for (ResultShape& result : results_) result.fits = true;
  run_status_ = ACL_ERROR_RT_STREAM_ABORT;  // stays where the stream drops the task
  awaited_ = true;
}

aclnnStatus Executor::Conclude(int32_t stream_error) const noexcept {
  const char* const api = schema().api;
  for (const ResultShape& result : results_) {
    if (result.fits) continue;
    return Failf(kRuntimeError, "{}: argument '{}': expected room for {}, got {} elements", api,
                 OperandName(schema(), operands_[static_cast<size_t>(result.operand)]), ShapeText(result.shape.span()),
                 result.capacity);
  }
  if (run_status_ != 0) return Failf(kRuntimeError, "{}: the task failed with runtime error {}", api, run_status_);
  if (stream_error != 0) {
    return Failf(kRuntimeError, "{}: argument 'stream': expected one whose tasks succeeded, got runtime error {}", api,
                 stream_error);
  }
  for (const ResultShape& result : results_) {
    if (result.tensor == nullptr) continue;
    const RunOperand& operand = operands_[static_cast<size_t>(result.operand)];
    int64_t count = 0;
    CountElements(result.shape.span(), &count);
    NotifyObservers([&](Observer& each) { each.Wrote(operand.begin(), static_cast<size_t>(count) * operand.align); });
    if (result.tensor->generation() == result.generation) {
      SetRealShape(const_cast<aclTensor*>(result.tensor), result.shape.span());
    } else {
      NotifyOfDeadObject(api, result.tensor);
    }
  }
  return kSuccess;
}

RunOperand* Executor::FindOperand(int arg, size_t element) {
  addresses_checked_ = false;
  for (RunOperand& operand : operands_) {
    if (operand.arg == arg && static_cast<size_t>(operand.element) == element)
      return operand.absent ? nullptr : &operand;
  }
  return nullptr;
}

}  // namespace portacl::exec
