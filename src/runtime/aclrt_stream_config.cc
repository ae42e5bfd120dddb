// SPDX-License-Identifier: Apache-2.0
// Streams with a priority and flags, and the end of streams that nobody waits for.
#include "runtime/arguments.h"
#include "runtime/context.h"

namespace portacl {
namespace {

constexpr uint32_t kHintFlags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_HUGE;
// Streams that the host cannot synchronize with.
constexpr uint32_t kOtherFlags = ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

aclError CreateConfigured(const char* function, aclrtStream* stream, uint32_t priority, uint64_t flags) noexcept {
  if (stream == nullptr) return NullArgument(function, "stream");
  if ((flags & ~uint64_t{kHintFlags | kOtherFlags}) != 0) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'flag': expected a mixture of the bits 0x3F, got {:#x}",
                 function, flags);
  }
  if ((flags & kOtherFlags) != 0) {
    return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                 "{}: argument 'flag': expected a mixture of the bits 0x1, 0x2 and 0x8, the only ones this device "
                 "supports, got {:#x}",
                 function, flags);
  }
  HandleBits context_handle = 0;
  const Context* context = NeedContext(function, &context_handle);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  const Stream* fresh = OpenStream(function, *context, context_handle, priority, static_cast<uint32_t>(flags));
  if (fresh == nullptr) return ACL_ERROR_RT_NO_STREAM_RESOURCE;
  *stream = ToHandle(fresh->handle());
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return CreateConfigured("aclrtCreateStreamWithConfig", stream, priority, flag);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  constexpr const char* kFunction = "aclrtDestroyStreamForce";
  if (stream == nullptr) return NullArgument(kFunction, "stream");
  int32_t status = 0;
  if (NeedOwnStream(kFunction, stream, &status) == nullptr) return status;
  return AbandonStream(ToBits(stream)) ? ACL_SUCCESS : BadHandle(kFunction, "stream", "stream", stream);
}
