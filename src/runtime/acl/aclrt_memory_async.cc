// SPDX-License-Identifier: Apache-2.0
// Queued copies and fills of the C API.
#include <new>

#include "base/observer.h"
#include "runtime/acl/copy_checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/streams/transfer.h"

namespace portacl {
namespace {

class FillTask final : public Task {
 public:
  FillTask(devices::Device& device, const FillArguments& fill)
      : Task(TaskKind::kControl), device_(device), fill_(fill) {}

  int32_t Run() noexcept override {
    device_.Fill(fill_.dst, fill_.value, fill_.count);
    return 0;
  }
  void Finish() noexcept override { delete this; }
  void Describe(TaskNote* note) const noexcept override { DescribeFill(fill_.dst, fill_.count, note); }

 private:
  ~FillTask() = default;

  devices::Device& device_;
  const FillArguments fill_;
};

// A copy whose addresses are read from memory.
class IndirectCopy final : public Task {
 public:
  IndirectCopy(devices::Device& device, void** dst, size_t dst_offset, const void** src, size_t src_offset,
               size_t count)
      : Task(TaskKind::kDevice),
        device_(device),
        dst_(dst),
        dst_offset_(dst_offset),
        src_(src),
        src_offset_(src_offset),
        count_(count) {}

  int32_t Run() noexcept override {
    auto* dst = static_cast<std::byte*>(*dst_);
    const auto* src = static_cast<const std::byte*>(*src_);
    if (dst == nullptr || src == nullptr || !StaysInBlock(dst, dst_offset_, count_) ||
        !StaysInBlock(src, src_offset_, count_))
      return ACL_ERROR_RT_PARAM_INVALID;
    device_.Copy(dst + dst_offset_, src + src_offset_, count_);
    return 0;
  }
  void Finish() noexcept override { delete this; }
  void Describe(TaskNote* note) const noexcept override {
    note->role = TaskRole::kCopy;
    note->name = "indirect copy";
    note->touches_all = true;  // the addresses are known only when the task runs
  }

 private:
  ~IndirectCopy() = default;

  devices::Device& device_;
  void** const dst_;
  const size_t dst_offset_;
  const void** const src_;
  const size_t src_offset_;
  const size_t count_;
};

aclError CopyAsync(const char* function, const CopyArguments& copy, aclrtStream stream,
                   streams::Pageable pageable) noexcept {
  aclError status = ACL_SUCCESS;
  if (!NeedsCopy(function, copy, &status)) return status;
  streams::Stream* live = contexts::ResolveStream(function, stream, contexts::OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  const streams::Rows rows{copy.dst, copy.count, copy.src, copy.count, copy.count, 1};
  status = CheckRows(function, rows, ACL_ERROR_RT_PARAM_INVALID);
  return status != ACL_SUCCESS ? status : streams::QueueCopy(function, *live, rows, pageable);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  const ApiCall api_call(__func__);
  return CopyAsync(__func__, {dst, destMax, src, count, EnumNumber(kind)}, stream, streams::Pageable::kWait);
}

aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                                       aclrtStream stream) {
  const ApiCall api_call(__func__);
  return CopyAsync(__func__, {dst, destMax, src, count, EnumNumber(kind)}, stream, streams::Pageable::kRefuse);
}

aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset, const void** src, size_t count,
                                    size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  if (!NeedsCopy(__func__, {dst, destMax, src, count, EnumNumber(kind)}, &status)) return status;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  auto* task = new (std::nothrow)
      IndirectCopy(devices::GetDevice(live->device()), dst, dstDataOffset, src, srcDataOffset, count);
  return streams::SubmitNew(__func__, *live, task, streams::TransferNs(2 * count));
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  const ApiCall api_call(__func__);
  const FillArguments fill{devPtr, maxCount, value, count};
  aclError status = ACL_SUCCESS;
  if (!NeedsFill(__func__, fill, &status)) return status;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  status = CheckRange(__func__, "devPtr", devPtr, count, ACL_ERROR_RT_PARAM_INVALID);
  if (status != ACL_SUCCESS) return status;
  auto* task = new (std::nothrow) FillTask(devices::GetDevice(live->device()), fill);
  return streams::SubmitNew(__func__, *live, task, streams::TransferNs(count));
}
