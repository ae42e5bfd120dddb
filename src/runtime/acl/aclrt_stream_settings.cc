// SPDX-License-Identifier: Apache-2.0
// Reading and changing the settings of a live stream, and aborting its work.
#include <algorithm>

#include "base/observer.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"

namespace portacl {
namespace {

template <class Number, class Read>
aclError ReadSetting(const char* function, const char* argument, aclrtStream stream, Number* result,
                     Read&& read) noexcept {
  if (result == nullptr) return NullArgument(function, argument);
  aclError status = ACL_SUCCESS;
  const streams::Stream* live = contexts::ResolveStream(function, stream, contexts::OtherContext::kAccept, &status);
  if (live != nullptr) *result = read(*live);
  return status;
}

aclError BadSetting(const char* function, const char* argument, const char* expected, uint64_t got) noexcept {
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument '{}': expected {}, got {}", function, argument, expected, got);
}

aclError SetFailureMode(const char* function, const char* argument, aclrtStream stream, uint64_t mode) noexcept {
  if (mode > ACL_STOP_ON_FAILURE) return BadSetting(function, argument, "0 or 1", mode);
  aclError status = ACL_SUCCESS;
  streams::Stream* live = contexts::ResolveStream(function, stream, contexts::OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  const contexts::Context* context = contexts::g_contexts.Find(live->context());
  if (context != nullptr && context->default_stream() == live) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "{}: argument 'stream': expected a stream that the program made, got the default stream", function);
  }
  std::atomic<bool>& stops = live->settings.stops_on_failure;
  if (mode == ACL_CONTINUE_ON_FAILURE && stops.load(std::memory_order_acquire))
    return BadSetting(function, argument, "1, as this stream stops on failure for good", mode);
  if (mode == ACL_STOP_ON_FAILURE) stops.store(true, std::memory_order_release);
  return ACL_SUCCESS;
}

// Returns the value of a plain attribute, and its largest allowed value; null when there is no such attribute.
std::atomic<uint32_t>* PlainAttribute(streams::StreamSettings& settings, int attribute, uint32_t* most) noexcept {
  switch (attribute) {
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
      *most = 1;
      return &settings.overflow_switch;
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
      *most = UINT32_MAX;
      return &settings.custom_tag;
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
      *most = 1;
      return &settings.cache_op_info;
    case ACL_STREAM_ATTR_PRIORITY:
      *most = streams::kLeastUrgent;
      return &settings.priority;
    default:
      return nullptr;
  }
}

aclError NoAttribute(const char* function, int attribute) noexcept {
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'stmAttrType': expected 1..5, got {}", function, attribute);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  const ApiCall api_call(__func__);
  return ReadSetting(__func__, "priority", stream, priority, [](const streams::Stream& live) {
    return live.settings.priority.load(std::memory_order_relaxed);
  });
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  const ApiCall api_call(__func__);
  return ReadSetting(__func__, "flags", stream, flags,
                     [](const streams::Stream& live) { return live.settings.flags.load(std::memory_order_relaxed); });
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  const ApiCall api_call(__func__);
  return ReadSetting(__func__, "streamId", stream, streamId,
                     [](const streams::Stream& live) { return static_cast<int32_t>(IndexOfHandle(live.handle())); });
}

aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
  const ApiCall api_call(__func__);
  if (streamCount == nullptr) return NullArgument(__func__, "streamCount");
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  *streamCount = static_cast<uint32_t>(std::max(0, contexts::StreamRoom(context->device())));
  return ACL_SUCCESS;
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  const ApiCall api_call(__func__);
  return SetFailureMode(__func__, "mode", stream, mode);
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  const int attribute = EnumNumber(stmAttrType);
  if (attribute == ACL_STREAM_ATTR_FAILURE_MODE) return SetFailureMode(__func__, "value", stream, value->failureMode);
  aclError status = ACL_SUCCESS;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  uint32_t most = 0;
  std::atomic<uint32_t>* place = PlainAttribute(live->settings, attribute, &most);
  if (place == nullptr) return NoAttribute(__func__, attribute);
  const uint32_t number = value->overflowSwitch;  // each plain member is the first word of the union
  if (number > most) return BadSetting(__func__, "value", "0 to the attribute's largest value", number);
  place->store(number, std::memory_order_relaxed);
  return ACL_SUCCESS;
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
  const ApiCall api_call(__func__);
  if (value == nullptr) return NullArgument(__func__, "value");
  const int attribute = EnumNumber(stmAttrType);
  aclError status = ACL_SUCCESS;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kAccept, &status);
  if (live == nullptr) return status;
  aclrtStreamAttrValue result{};
  std::fill(std::begin(result.reserve), std::end(result.reserve), 0u);
  uint32_t most = 0;
  if (attribute == ACL_STREAM_ATTR_FAILURE_MODE) {
    result.failureMode =
        live->settings.stops_on_failure.load(std::memory_order_acquire) ? ACL_STOP_ON_FAILURE : ACL_CONTINUE_ON_FAILURE;
  } else if (const std::atomic<uint32_t>* place = PlainAttribute(live->settings, attribute, &most)) {
    result.overflowSwitch = place->load(std::memory_order_relaxed);
  } else {
    return NoAttribute(__func__, attribute);
  }
  *value = result;
  return ACL_SUCCESS;
}

aclError aclrtStreamAbort(aclrtStream stream) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  if (live != nullptr) live->Abort(ACL_ERROR_RT_STREAM_ABORT);
  return status;
}

aclError aclrtStreamStop(aclrtStream stream) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  if (contexts::ResolveStream(__func__, stream, contexts::OtherContext::kAccept, &status) == nullptr) return status;
  return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
               "aclrtStreamStop: argument 'stream': expected a stream that the device controls, there are none");
}
