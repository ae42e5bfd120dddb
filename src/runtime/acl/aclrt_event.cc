// SPDX-License-Identifier: Apache-2.0
// Event functions of the C API.
#include "runtime/events/event.h"

#include <memory>

#include "base/float_mode.h"
#include "base/observer.h"
#include "runtime/acl/checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"

namespace portacl {
namespace {

constexpr uint32_t kCombinable = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | kOlderSync | ACL_EVENT_TIME_LINE;

// aclrtCreateEvent: for waiting, querying and timing.
constexpr uint32_t kDefaultFlags = ACL_EVENT_CAPTURE_STREAM_PROGRESS | kOlderSync | ACL_EVENT_TIME_LINE;

void NotifyHostIsAfter(const events::EventRecord* record) noexcept {
  NotifyObservers([=](Observer& each) { each.Ordered(Order::kHostAfterMoment, record->stream_handle, record); });
}

bool IsCombination(uint32_t flag) noexcept { return flag != 0 && (flag & ~kCombinable) == 0; }

// `alone`: the flags that may be given only by themselves.
aclError BadFlag(const char* function, uint32_t flag, const char* alone = "") noexcept {
  return Failf(ACL_ERROR_RT_PARAM_INVALID,
               "{}: argument 'flag': expected a combination of ACL_EVENT_SYNC (0x1), ACL_EVENT_CAPTURE_STREAM_PROGRESS "
               "(0x2), 0x4 and ACL_EVENT_TIME_LINE (0x8){}, got {:#x}",
               function, alone, flag);
}

aclError Create(const char* function, aclrtEvent* event, events::EventGeneration generation, uint32_t flags) noexcept {
  HandleBits context = 0;
  if (contexts::ResolveContext(function, &context) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  HandleBits handle = 0;
  const aclError status = contexts::OpenEvent(function, context, generation, flags, &handle);
  if (status != ACL_SUCCESS) return status;
  *event = ToHandle(handle);
  NotifyObservers([=](Observer& each) { each.HandleMade(HandleKind::kEvent, handle); });
  return ACL_SUCCESS;
}

constexpr const char* kHostUse = "an event that the host may use (made without ACL_EVENT_EXTERNAL)";

// Returns the live event of the first generation that the host may use, or null with *status and a report.
events::Event* ResolveFirstGeneration(const char* function, aclrtEvent handle, aclError* status) noexcept {
  events::Event* event = ResolveEvent(function, "event", handle, status);
  if (event == nullptr) return nullptr;
  const bool first = event->generation() == events::EventGeneration::kFirst;
  if (first && !event->Has(ACL_EVENT_EXTERNAL)) return event;
  *status =
      NotSupported(function, "event", first ? kHostUse : "an event of aclrtCreateEvent or aclrtCreateEventWithFlag");
  return nullptr;
}

aclError AwaitEvent(const char* function, aclrtEvent handle, streams::Deadline deadline) {
  aclError status = ACL_SUCCESS;
  events::Event* event = ResolveEvent(function, "event", handle, &status);
  if (event == nullptr) return status;
  if (event->Has(ACL_EVENT_EXTERNAL)) return NotSupported(function, "event", kHostUse);
  const auto drop = [](events::EventRecord* last) { last->Drop(); };
  const std::unique_ptr<events::EventRecord, decltype(drop)> record(event->LastRecord(), drop);
  if (record == nullptr) return ACL_SUCCESS;
  const bool in_time = record->stream.load()->WaitFor(*record, deadline);
  if (in_time) NotifyHostIsAfter(record.get());
  streams::Stream* stream = contexts::g_streams.Find(record->stream_handle);
  if (!in_time) {
    return Failf(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                 "{}: argument 'event': expected its record to happen in time, it is still queued", function);
  }
  const int32_t error = stream == nullptr ? 0 : stream->TakeError();
  return error == 0 ? ACL_SUCCESS : contexts::ReportAsynchronous(function, error, *stream);
}

// Not inlined, so that it is computed after the caller has set the floating-point mode.
[[gnu::noinline]] float Milliseconds(int64_t ns) noexcept { return static_cast<float>(static_cast<double>(ns) * 1e-6); }

// Reads the time of the start or end event. Returns 0, or a status code with a report.
aclError ReadTime(const char* function, const char* argument, aclrtEvent handle, aclError never_recorded,
                  int64_t* time_ns) noexcept {
  aclError status = ACL_SUCCESS;
  events::Event* event = ResolveEvent(function, argument, handle, &status);
  if (event == nullptr) return status;
  if (event->Has(ACL_EVENT_EXTERNAL)) return NotSupported(function, argument, kHostUse);
  events::EventRecord* record = event->LastRecord();
  if (record == nullptr) {
    return Failf(never_recorded, "{}: argument '{}': expected a recorded event, got one never recorded", function,
                 argument);
  }
  const bool fired = record->Fired();
  if (fired) NotifyHostIsAfter(record);
  if (fired) *time_ns = record->TimeNs();
  record->Drop();
  if (fired) return ACL_SUCCESS;
  return Failf(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
               "{}: argument '{}': expected an event whose record has happened, it is still queued", function,
               argument);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtCreateEvent(aclrtEvent* event) {
  const ApiCall api_call(__func__);
  if (event == nullptr) return NullArgument(__func__, "event");
  return Create(__func__, event, events::EventGeneration::kFirst, kDefaultFlags);
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  const ApiCall api_call(__func__);
  if (event == nullptr) return NullArgument(__func__, "event");
  if (!IsCombination(flag) && flag != ACL_EVENT_EXTERNAL && flag != ACL_EVENT_DEVICE_USE_ONLY) {
    return BadFlag(__func__, flag, ", or ACL_EVENT_DEVICE_USE_ONLY (0x10) or ACL_EVENT_EXTERNAL (0x20) alone");
  }
  return Create(__func__, event, events::EventGeneration::kFirst, flag);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  const ApiCall api_call(__func__);
  if (event == nullptr) return NullArgument(__func__, "event");
  if (flag == ACL_EVENT_IPC) {
    return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                 "{}: argument 'flag': expected no ACL_EVENT_IPC, which this device does not support", __func__);
  }
  if (!IsCombination(flag)) return BadFlag(__func__, flag);
  return Create(__func__, event, events::EventGeneration::kSecond, flag);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  const ApiCall api_call(__func__);
  if (event == nullptr) return NullArgument(__func__, "event");
  if (!contexts::CloseEvent(ToBits(event))) return BadHandle(__func__, "event", "event", event);
  NotifyObservers([=](Observer& each) { each.HandleEnded(HandleKind::kEvent, ToBits(event)); });
  return ACL_SUCCESS;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  events::Event* live = ResolveEvent(__func__, "event", event, &status);
  if (live == nullptr) return status;
  if (live->generation() == events::EventGeneration::kSecond || !live->Has(ACL_EVENT_SYNC | kOlderSync)) {
    return NotSupported(__func__, "event",
                        "an event of aclrtCreateEvent or aclrtCreateEventWithFlag with ACL_EVENT_SYNC");
  }
  streams::Stream* on = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  return on == nullptr ? status : live->Reset(__func__, on);
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  const ApiCall api_call(__func__);
  return AwaitEvent(__func__, event, {});
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  const ApiCall api_call(__func__);
  if (event == nullptr) return NullArgument(__func__, "event");
  streams::Deadline deadline;
  const aclError status = ReadTimeout(__func__, timeout, &deadline);
  return status != ACL_SUCCESS ? status : AwaitEvent(__func__, event, deadline);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  const ApiCall api_call(__func__);
  aclError code = ACL_SUCCESS;
  if (status == nullptr) return NullArgument(__func__, "status");
  events::Event* live = ResolveEvent(__func__, "event", event, &code);
  if (live == nullptr) return code;
  if (live->Has(ACL_EVENT_EXTERNAL)) return NotSupported(__func__, "event", kHostUse);
  events::EventRecord* record = live->LastRecord();
  const bool complete = record == nullptr ? live->generation() == events::EventGeneration::kSecond : record->Fired();
  if (record != nullptr && complete) NotifyHostIsAfter(record);
  if (record != nullptr) record->Drop();
  *status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  const ApiCall api_call(__func__);
  if (ms == nullptr) return NullArgument(__func__, "ms");
  int64_t start = 0;
  int64_t end = 0;
  aclError status = ReadTime(__func__, "startEvent", startEvent, ACL_ERROR_RT_INTERNAL_ERROR, &start);
  if (status == ACL_SUCCESS) status = ReadTime(__func__, "endEvent", endEvent, ACL_ERROR_RT_INTERNAL_ERROR, &end);
  const DefaultFloatMode mode;
  if (status == ACL_SUCCESS) *ms = Milliseconds(end - start);
  return status;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  const ApiCall api_call(__func__);
  if (status == nullptr) return NullArgument(__func__, "status");
  aclError code = ACL_SUCCESS;
  events::Event* live = ResolveFirstGeneration(__func__, event, &code);
  if (live == nullptr) return code;
  events::EventRecord* record = live->LastRecord();
  const bool complete = record != nullptr && record->Fired();
  if (complete) NotifyHostIsAfter(record);
  *status = complete ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
  if (record != nullptr) record->Drop();
  return ACL_SUCCESS;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  const ApiCall api_call(__func__);
  if (status == nullptr) return NullArgument(__func__, "status");
  aclError code = ACL_SUCCESS;
  events::Event* live = ResolveFirstGeneration(__func__, event, &code);
  if (live == nullptr) return code;
  *status = live->Awaited() ? ACL_EVENT_WAIT_STATUS_NOT_READY : ACL_EVENT_WAIT_STATUS_COMPLETE;
  return ACL_SUCCESS;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  const ApiCall api_call(__func__);
  if (timestamp == nullptr) return NullArgument(__func__, "timestamp");
  int64_t time_ns = 0;
  const aclError status = ReadTime(__func__, "event", event, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, &time_ns);
  if (status == ACL_SUCCESS) *timestamp = static_cast<uint64_t>(time_ns / 1000);
  return status;
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  const ApiCall api_call(__func__);
  if (eventId == nullptr) return NullArgument(__func__, "eventId");
  aclError status = ACL_SUCCESS;
  if (ResolveEvent(__func__, "event", event, &status) != nullptr) *eventId = IndexOfHandle(ToBits(event));
  return status;
}

aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  const ApiCall api_call(__func__);
  if (eventCount == nullptr) return NullArgument(__func__, "eventCount");
  if (contexts::ResolveContext(__func__) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  *eventCount = contexts::g_events.Room();
  return ACL_SUCCESS;
}
