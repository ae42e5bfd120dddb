// SPDX-License-Identifier: Apache-2.0
#include "runtime/streams/transfer.h"
#include "base/observer.h"

#include <new>

#include "base/no_cancel.h"
#include "runtime/arguments.h"
#include "runtime/memory/memory.h"

namespace portacl::streams {
namespace {

void DescribeCopy(const Rows& rows, TaskNote* note) noexcept {
  note->role = TaskRole::kCopy;
  note->name = "copy";
  note->Add(rows.src, rows.width, false, rows.src_pitch, rows.height);
  note->Add(rows.dst, rows.width, true, rows.dst_pitch, rows.height);
}

class CopyTask final : public Task {
 public:
  CopyTask(devices::Device& device, const Rows& rows) : Task(TaskKind::kControl), device_(device), rows_(rows) {}

  int32_t Run() noexcept override {
    CopyRows(device_, rows_);
    return 0;
  }
  void Finish() noexcept override { delete this; }
  void Describe(TaskNote* note) const noexcept override { DescribeCopy(rows_, note); }

 private:
  ~CopyTask() = default;

  devices::Device& device_;
  const Rows rows_;
};

bool IsPinned(const void* address) noexcept {
  memory::Block block;
  return memory::FindHostBlock(address, &block) || memory::IsRegistered(address);
}

}  // namespace

void NotifyOfCopy(const Rows& rows) noexcept {
  if (!Observed()) [[likely]]
    return;
  TaskNote note;
  note.task = &rows;
  DescribeCopy(rows, &note);
  ForEachObserver([&](Observer& each) { each.TaskQueued(note); });
}

void CopyRows(devices::Device& device, const Rows& rows) noexcept {
  if (rows.height == 1 || (rows.width == rows.dst_pitch && rows.width == rows.src_pitch)) {
    device.Copy(rows.dst, rows.src, rows.width * rows.height);
    return;
  }
  auto* dst = static_cast<std::byte*>(rows.dst);
  const auto* src = static_cast<const std::byte*>(rows.src);
  for (size_t row = 0; row < rows.height; ++row, dst += rows.dst_pitch, src += rows.src_pitch) {
    device.Copy(dst, src, rows.width);
  }
}

int32_t QueueCopy(const char* function, Stream& stream, const Rows& rows, Pageable pageable) noexcept {
  memory::Block block;
  const bool to_device = memory::FindBlock(rows.dst, &block);
  const bool from_device = memory::FindBlock(rows.src, &block);
  if (!to_device && !from_device) {
    return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                 "{}: arguments 'dst' and 'src': expected device memory on one side at least, got host memory on both",
                 function);
  }
  devices::Device& device = devices::GetDevice(stream.device());
  if ((!to_device && !IsPinned(rows.dst)) || (!from_device && !IsPinned(rows.src))) {
    if (pageable == Pageable::kRefuse) {
      return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "{}: arguments 'dst' and 'src': expected page-locked host memory (aclrtMallocHost or "
                   "aclrtHostRegister), got other",
                   function);
    }
    // The caller may reuse its buffer as soon as the call returns. An error of earlier tasks is kept for the next
    // synchronization.
    const NoCancel no_cancel;
    stream.WaitForAll({});
    NotifyOfCopy(rows);
    CopyRows(device, rows);
    return 0;
  }
  return SubmitNew(function, stream, new (std::nothrow) CopyTask(device, rows),
                   TransferNs(2 * rows.width * rows.height));
}

}  // namespace portacl::streams
