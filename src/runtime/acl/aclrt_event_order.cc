// SPDX-License-Identifier: Apache-2.0
// Recording of events, and streams that wait for them.
#include "base/observer.h"
#include "runtime/acl/checks.h"

namespace portacl {
namespace {

// Returns 0, or a status code with a report for a flag that this event cannot have, or that differs from its earlier
// flag.
aclError CheckGraphFlag(const char* function, events::Event& event, uint32_t flag) noexcept {
  if (flag > ACL_EVENT_RECORD_EXTERNAL)
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'flag': expected 0 or 1, got {}", function, flag);
  const bool external = flag == ACL_EVENT_RECORD_EXTERNAL;
  if (external && (event.generation() == events::EventGeneration::kFirst || !event.Has(ACL_EVENT_SYNC)))
    return NotSupported(function, "event", "an event of aclrtCreateEventExWithFlag with ACL_EVENT_SYNC");
  if (event.AgreeOnFlag(flag)) return ACL_SUCCESS;
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'flag': expected the flag this event had before, got {}",
               function, flag);
}

aclError Record(const char* function, aclrtEvent event, aclrtStream stream, uint32_t flag) noexcept {
  aclError status = ACL_SUCCESS;
  events::Event* live = ResolveEvent(function, "event", event, &status);
  if (live == nullptr) return status;
  streams::Stream* on = contexts::ResolveStream(function, stream, contexts::OtherContext::kRefuse, &status);
  if (on == nullptr) return status;
  status = CheckGraphFlag(function, *live, flag);
  return status != ACL_SUCCESS ? status : live->Record(function, on);
}

aclError WaitFor(const char* function, aclrtStream stream, aclrtEvent event, uint32_t limit_s, uint32_t flag) noexcept {
  aclError status = ACL_SUCCESS;
  events::Event* live = ResolveEvent(function, "event", event, &status);
  if (live == nullptr) return status;
  streams::Stream* on = contexts::ResolveStream(function, stream, contexts::OtherContext::kRefuse, &status);
  if (on == nullptr) return status;
  if (!live->Has(ACL_EVENT_SYNC | kOlderSync)) return NotSupported(function, "event", "an event with ACL_EVENT_SYNC");
  status = CheckGraphFlag(function, *live, flag);
  if (status != ACL_SUCCESS) return status;
  const bool first_generation = live->generation() == events::EventGeneration::kFirst;
  const bool until_first = first_generation && live->Has(ACL_EVENT_SYNC);
  if (first_generation && !until_first) {
    events::EventRecord* record = live->LastRecord();
    if (record == nullptr) {
      return Failf(ACL_ERROR_RT_PARAM_INVALID,
                   "{}: argument 'event': expected a recorded event, got one never recorded", function);
    }
    record->Drop();
  }
  return live->Wait(function, on, until_first, limit_s != 0 ? limit_s : EventWaitLimitSeconds());
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  const ApiCall api_call(__func__);
  return Record(__func__, event, stream, ACL_EVENT_RECORD_DEFAULT);
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag) {
  const ApiCall api_call(__func__);
  return Record(__func__, event, stream, flag);
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  const ApiCall api_call(__func__);
  return WaitFor(__func__, stream, event, 0, ACL_EVENT_WAIT_DEFAULT);
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  const ApiCall api_call(__func__);
  if (event == nullptr) return NullArgument(__func__, "event");
  if (timeout < 0) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'timeout': expected 0 (none) or seconds, got {}", __func__,
                 timeout);
  }
  return WaitFor(__func__, stream, event, static_cast<uint32_t>(timeout), ACL_EVENT_WAIT_DEFAULT);
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag) {
  const ApiCall api_call(__func__);
  if (flag == ACL_EVENT_WAIT_EXTERNAL && timeout != 0) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'timeout': expected 0 with ACL_EVENT_WAIT_EXTERNAL, got {}",
                 __func__, timeout);
  }
  return WaitFor(__func__, stream, event, timeout, flag);
}
