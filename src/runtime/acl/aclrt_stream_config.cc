// SPDX-License-Identifier: Apache-2.0
// Streams with a priority and flags.
#include <cstring>

#include "base/observer.h"
#include "runtime/acl/state_callbacks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/object_store.h"

namespace portacl {
namespace {

constexpr uint32_t kHintFlags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_HUGE;
// Flags of streams that the host cannot synchronize with.
constexpr uint32_t kOtherFlags = ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

// The struct is public, so a client may also pass one that it created itself.
constinit ObjectStore<aclrtStreamConfigHandle> g_stream_configs;

aclError BadConfig(const char* function, const void* handle) noexcept {
  return BadHandle(function, "handle", "stream configuration", handle);
}

aclError CreateConfigured(const char* function, aclrtStream* stream, uint32_t priority, uint64_t flags) noexcept {
  if (stream == nullptr) return NullArgument(function, "stream");
  if ((flags & ~uint64_t{kHintFlags | kOtherFlags}) != 0) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "{}: argument 'flag': expected a combination of the flags ACL_STREAM_* (bits 0x3f), got {:#x}",
                 function, flags);
  }
  if ((flags & kOtherFlags) != 0) {
    return Failf(
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
        "{}: argument 'flag': expected a combination of ACL_STREAM_FAST_LAUNCH (0x1), ACL_STREAM_FAST_SYNC (0x2) "
        "and ACL_STREAM_HUGE (0x8), the only flags this device supports, got {:#x}",
        function, flags);
  }
  HandleBits context_handle = 0;
  if (contexts::ResolveContext(function, &context_handle) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  streams::Stream* fresh = nullptr;
  const aclError status =
      contexts::OpenStream(function, context_handle, &fresh, priority, static_cast<uint32_t>(flags));
  if (status != ACL_SUCCESS) return status;
  NotifyObservers([=](Observer& each) { each.HandleMade(HandleKind::kStream, fresh->handle()); });
  *stream = ToHandle(fresh->handle());
  NotifyStreamState(*stream, ACL_RT_STREAM_STATE_CREATE_POST);
  return ACL_SUCCESS;
}

template <class Field>
aclError StoreField(const char* function, Field* field, const void* value, size_t bytes) noexcept {
  if (bytes != sizeof(Field)) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'valueSize': expected {}, got {}", function, sizeof(Field),
                 bytes);
  }
  std::memcpy(field, value, sizeof(Field));
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  const ApiCall api_call(__func__);
  return CreateConfigured(__func__, stream, priority, flag);
}

aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle) {
  const ApiCall api_call(__func__);
  const aclrtStreamConfigHandle defaults{};
  if (handle == nullptr) handle = &defaults;
  if (g_stream_configs.Dead(handle)) return BadConfig(__func__, handle);
  return CreateConfigured(__func__, stream, handle->priority, handle->flag);
}

aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle(void) { return g_stream_configs.Make({}); }

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  const ApiCall api_call(__func__);
  if (handle == nullptr) return NullArgument(__func__, "handle");
  return g_stream_configs.Destroy(handle) ? ACL_SUCCESS : BadConfig(__func__, handle);
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr, const void* attrValue,
                                 size_t valueSize) {
  const ApiCall api_call(__func__);
  if (handle == nullptr) return NullArgument(__func__, "handle");
  if (attrValue == nullptr) return NullArgument(__func__, "attrValue");
  if (g_stream_configs.Dead(handle)) return BadConfig(__func__, handle);
  switch (EnumNumber(attr)) {
    case ACL_RT_STREAM_WORK_ADDR_PTR:
      return StoreField(__func__, &handle->workptr, attrValue, valueSize);
    case ACL_RT_STREAM_WORK_SIZE:
      return StoreField(__func__, &handle->workSize, attrValue, valueSize);
    case ACL_RT_STREAM_FLAG:
      return StoreField(__func__, &handle->flag, attrValue, valueSize);
    case ACL_RT_STREAM_PRIORITY:
      return StoreField(__func__, &handle->priority, attrValue, valueSize);
    default:
      return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'attr': expected 0..3, got {}", __func__, EnumNumber(attr));
  }
}
