// SPDX-License-Identifier: Apache-2.0
// Queued copies and fills of the C API.
#include <new>

#include "runtime/arguments.h"
#include "runtime/context.h"
#include "runtime/copy_checks.h"
#include "runtime/device.h"
#include "runtime/host_registry.h"
#include "runtime/memory.h"

namespace portacl {
namespace {

// 25 bytes a nanosecond is what one core moves from and to the caches it shares.
constexpr int64_t CostNs(size_t traffic_bytes) noexcept { return static_cast<int64_t>(traffic_bytes / 25); }

class CopyWork final : public Work {
 public:
  CopyWork(Device& device, const CopyArguments& copy) : Work(WorkKind::kControl), device_(device), copy_(copy) {}

  int32_t Run() noexcept override {
    device_.Copy(copy_.dst, copy_.src, copy_.count);
    return 0;
  }
  void Finish() noexcept override { delete this; }

 private:
  ~CopyWork() = default;

  Device& device_;
  const CopyArguments copy_;
};

class FillWork final : public Work {
 public:
  FillWork(Device& device, const FillArguments& fill) : Work(WorkKind::kControl), device_(device), fill_(fill) {}

  int32_t Run() noexcept override {
    device_.Fill(fill_.dst, fill_.value, fill_.count);
    return 0;
  }
  void Finish() noexcept override { delete this; }

 private:
  ~FillWork() = default;

  Device& device_;
  const FillArguments fill_;
};

template <class QueuedWork>
aclError Queue(const char* function, Stream& stream, QueuedWork* work, size_t traffic_bytes) noexcept {
  if (work == nullptr) return Failf(ACL_ERROR_RT_MEMORY_ALLOCATION, "{}: out of host memory", function);
  const int32_t status = stream.Submit(work, CostNs(traffic_bytes));
  if (status != 0) work->Finish();
  return status;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  constexpr const char* kFunction = "aclrtMemcpyAsync";
  const CopyArguments copy{dst, destMax, src, count, EnumNumber(kind)};
  aclError status = ACL_SUCCESS;
  if (!NeedsCopy(kFunction, copy, &status)) return status;
  Stream* live = NeedStream(kFunction, stream, OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  Block block;
  const bool to_device = FindBlock(dst, &block);
  const bool from_device = FindBlock(src, &block);
  if (!to_device && !from_device) {
    return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                 "{}: arguments 'dst' and 'src': expected device memory on one side at least, got host memory on both",
                 kFunction);
  }
  Device& device = GetDevice(live->device());
  const auto is_pinned = [&block](const void* address) {
    return FindHostBlock(address, &block) || IsRegistered(address);
  };
  const bool pageable = (!to_device && !is_pinned(dst)) || (!from_device && !is_pinned(src));
  if (pageable) {
    // The caller may reuse its buffer as soon as the call returns. An error of earlier work stays for the next
    // synchronization.
    live->WaitForAll({});
    device.Copy(dst, src, count);
    return ACL_SUCCESS;
  }
  return Queue(kFunction, *live, new (std::nothrow) CopyWork(device, copy), 2 * count);
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  constexpr const char* kFunction = "aclrtMemsetAsync";
  const FillArguments fill{devPtr, maxCount, value, count};
  aclError status = ACL_SUCCESS;
  if (!NeedsFill(kFunction, fill, &status)) return status;
  Stream* live = NeedStream(kFunction, stream, OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  return Queue(kFunction, *live, new (std::nothrow) FillWork(GetDevice(live->device()), fill), count);
}
