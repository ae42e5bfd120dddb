// SPDX-License-Identifier: Apache-2.0
// Fills with 32-bit words, and copies of rows.
#include <algorithm>
#include <array>
#include <new>

#include "base/observer.h"
#include "runtime/acl/copy_checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/memory/memory.h"
#include "runtime/streams/transfer.h"

namespace portacl {
namespace {

struct WordFill {
  void* dst;
  uint32_t value;
  size_t words;
};

// Devices copy and fill bytes, so the words are written as copies of a small pattern.
void FillWords(devices::Device& device, const WordFill& fill) noexcept {
  std::array<uint32_t, 1024> pattern;
  pattern.fill(fill.value);
  auto* dst = static_cast<uint32_t*>(fill.dst);
  for (size_t left = fill.words; left > 0;) {
    const size_t words = std::min(left, pattern.size());
    device.Copy(dst, pattern.data(), words * sizeof(uint32_t));
    dst += words;
    left -= words;
  }
}

class WordFillTask final : public Task {
 public:
  WordFillTask(devices::Device& device, const WordFill& fill)
      : Task(TaskKind::kControl), device_(device), fill_(fill) {}

  int32_t Run() noexcept override {
    FillWords(device_, fill_);
    return 0;
  }
  void Finish() noexcept override { delete this; }
  void Describe(TaskNote* note) const noexcept override {
    DescribeFill(fill_.dst, fill_.words * sizeof(uint32_t), note);
  }

 private:
  ~WordFillTask() = default;

  devices::Device& device_;
  const WordFill fill_;
};

// Returns false when the call has ended with *status.
bool NeedsWords(const char* function, void* dst, size_t room, size_t words, aclError* status) noexcept {
  *status = ACL_SUCCESS;
  if (words == 0) return false;
  if (dst == nullptr) {
    *status = NullArgument(function, "ptr");
    return false;
  }
  memory::Block block;
  if (reinterpret_cast<uintptr_t>(dst) % sizeof(uint32_t) != 0 ||
      (!memory::FindBlock(dst, &block) && !memory::FindHostBlock(dst, &block))) {
    *status = Failf(ACL_ERROR_INVALID_PARAM,
                    "{}: argument 'ptr': expected a multiple of 4 in memory of aclrtMalloc or aclrtMallocHost, got {}",
                    function, dst);
    return false;
  }
  if (words > room / sizeof(uint32_t)) {
    *status = Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'N': expected at most memSize / 4 = {}, got {}", function,
                    room / sizeof(uint32_t), words);
    return false;
  }
  *status = CheckRange(function, "ptr", dst, words * sizeof(uint32_t), ACL_ERROR_INVALID_PARAM);
  return *status == ACL_SUCCESS;
}

bool NeedsRows(const char* function, const streams::Rows& rows, int kind, aclError* status) noexcept {
  *status = ACL_SUCCESS;
  if (rows.width == 0 || rows.height == 0) return false;
  if (rows.dst == nullptr || rows.src == nullptr) {
    *status = NullArgument(function, rows.dst == nullptr ? "dst" : "src");
    return false;
  }
  if (rows.width > rows.dst_pitch || rows.width > rows.src_pitch) {
    *status = Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'width': expected at most the pitches {} and {}, got {}",
                    function, rows.dst_pitch, rows.src_pitch, rows.width);
    return false;
  }
  if (kind < ACL_MEMCPY_HOST_TO_DEVICE || kind > ACL_MEMCPY_DEFAULT) {
    *status = Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'kind': expected 1..4, got {}", function, kind);
    return false;
  }
  *status = CheckRows(function, rows, ACL_ERROR_INVALID_PARAM);
  return *status == ACL_SUCCESS;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  if (!NeedsWords(__func__, ptr, memSize, N, &status)) return status;
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  NotifyOfFill(ptr, N * sizeof(uint32_t));
  FillWords(devices::GetDevice(context->device()), {ptr, value, N});
  return ACL_SUCCESS;
}

aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  if (!NeedsWords(__func__, ptr, memSize, N, &status)) return status;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  auto* task = new (std::nothrow) WordFillTask(devices::GetDevice(live->device()), {ptr, value, N});
  return streams::SubmitNew(__func__, *live, task, streams::TransferNs(N * sizeof(uint32_t)));
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  const ApiCall api_call(__func__);
  const streams::Rows rows{dst, dpitch, src, spitch, width, height};
  aclError status = ACL_SUCCESS;
  if (!NeedsRows(__func__, rows, EnumNumber(kind), &status)) return status;
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  streams::NotifyOfCopy(rows);
  streams::CopyRows(devices::GetDevice(context->device()), rows);
  return ACL_SUCCESS;
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream) {
  const ApiCall api_call(__func__);
  const streams::Rows rows{dst, dpitch, src, spitch, width, height};
  aclError status = ACL_SUCCESS;
  if (!NeedsRows(__func__, rows, EnumNumber(kind), &status)) return status;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  return live == nullptr ? status : streams::QueueCopy(__func__, *live, rows, streams::Pageable::kWait);
}
