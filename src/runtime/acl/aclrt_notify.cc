// SPDX-License-Identifier: Apache-2.0
// Notifies and counting notifies of the C API.
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/observer.h"
#include "base/soc.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/events/notify.h"

namespace portacl {
namespace {

// The change of a plain notify: recording sets it to 1, and one wait resets it to 0.
constexpr events::NotifyChange kSet{ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 1};
constexpr events::NotifyChange kClear{ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0};
constexpr events::NotifyGoal kUsedUp{ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 1, true};

template <class Table>
aclError OpenNotify(Table& table, const char* function, void** handle) noexcept {
  if (contexts::ResolveContext(function) == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  auto* state = new (std::nothrow) events::NotifyState;
  if (state == nullptr) return OutOfMemory(function);
  const HandleBits bits = table.Open([state](events::Notify& slot, HandleBits) {
    const std::scoped_lock lock(slot.mutex);
    slot.state = state;
  });
  if (bits == 0) {
    state->Drop();
    return Failf(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "{}: expected room for one more notify, all are in use", function);
  }
  *handle = ToHandle(bits);
  NotifyObservers([=](Observer& each) { each.HandleMade(HandleKind::kNotify, bits); });
  return ACL_SUCCESS;
}

template <class Table>
aclError CloseNotify(Table& table, const char* function, const char* argument, void* handle) noexcept {
  if (handle == nullptr) return NullArgument(function, argument);
  events::Notify* notify = table.Close(ToBits(handle));
  if (notify == nullptr) return BadHandle(function, argument, "notify", handle);
  events::NotifyState* state = nullptr;
  {
    const std::scoped_lock lock(notify->mutex);
    state = std::exchange(notify->state, nullptr);
  }
  state->Drop();
  table.Recycle(notify);
  NotifyObservers([=](Observer& each) { each.HandleEnded(HandleKind::kNotify, ToBits(handle)); });
  return ACL_SUCCESS;
}

struct DropState {
  void operator()(events::NotifyState* state) const noexcept { state->Drop(); }
};
using HeldState = std::unique_ptr<events::NotifyState, DropState>;

// Returns the state of a handle, with a reference, or null with *status and a report.
template <class Table>
HeldState ResolveNotify(const Table& table, const char* function, const char* argument, void* handle,
                        aclError* status) noexcept {
  if (handle == nullptr) {
    *status = NullArgument(function, argument);
    return nullptr;
  }
  if (events::Notify* notify = table.Find(handle); notify != nullptr) {
    const std::scoped_lock lock(notify->mutex);
    // The thread that destroys the notify removes its state under the lock, after the handle is dead.
    if (table.Find(handle) == notify) {
      notify->state->Retain();
      return HeldState(notify->state);
    }
  }
  *status = BadHandle(function, argument, "notify", handle);
  return nullptr;
}

template <class Table>
aclError NumberOf(const Table& table, const char* function, const char* argument, void* handle,
                  uint32_t* number) noexcept {
  if (number == nullptr) return NullArgument(function, "notifyId");
  aclError status = ACL_SUCCESS;
  if (ResolveNotify(table, function, argument, handle, &status) != nullptr) *number = IndexOfHandle(ToBits(handle));
  return status;
}

template <class Table>
aclError ChangeNotify(const Table& table, const char* function, const char* argument, void* handle, aclrtStream stream,
                      const events::NotifyChange& change) noexcept {
  aclError status = ACL_SUCCESS;
  const HeldState state = ResolveNotify(table, function, argument, handle, &status);
  if (state == nullptr) return status;
  streams::Stream* on = contexts::ResolveStream(function, stream, contexts::OtherContext::kRefuse, &status);
  return on == nullptr ? status : events::QueueChange(function, state.get(), on, change);
}

template <class Table>
aclError AwaitNotify(const Table& table, const char* function, const char* argument, void* handle, aclrtStream stream,
                     const events::NotifyGoal& goal, uint32_t limit_s) noexcept {
  aclError status = ACL_SUCCESS;
  const HeldState state = ResolveNotify(table, function, argument, handle, &status);
  if (state == nullptr) return status;
  streams::Stream* on = contexts::ResolveStream(function, stream, contexts::OtherContext::kRefuse, &status);
  return on == nullptr ? status : events::QueueWait(function, state.get(), on, goal, limit_s);
}

aclError BadMode(const char* function, const char* expected, int mode) noexcept {
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'info': expected mode {}, got {}", function, expected, mode);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag) {
  const ApiCall api_call(__func__);
  if (notify == nullptr) return NullArgument(__func__, "notify");
  if (flag > ACL_NOTIFY_DEVICE_USE_ONLY)
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'flag': expected 0 or 1, got {}", __func__, flag);
  return OpenNotify(events::g_notifies, __func__, notify);
}

aclError aclrtDestroyNotify(aclrtNotify notify) {
  const ApiCall api_call(__func__);
  return CloseNotify(events::g_notifies, __func__, "notify", notify);
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream) {
  const ApiCall api_call(__func__);
  return ChangeNotify(events::g_notifies, __func__, "notify", notify, stream, kSet);
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout) {
  const ApiCall api_call(__func__);
  return AwaitNotify(events::g_notifies, __func__, "notify", notify, stream, kUsedUp, timeout);
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId) {
  const ApiCall api_call(__func__);
  return NumberOf(events::g_notifies, __func__, "notify", notify, notifyId);
}

aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num) {
  const ApiCall api_call(__func__);
  if (notifies == nullptr) return NullArgument(__func__, "notifies");
  if (num == 0 || num > events::kMostNotifies) {
    return Failf(ACL_ERROR_INVALID_PARAM,
                 "{}: argument 'num': expected 1 to {}, the most notifies there can be, got {}", __func__,
                 events::kMostNotifies, num);
  }
  aclError status = ACL_SUCCESS;
  for (size_t index = 0; index < num; ++index) {
    if (ResolveNotify(events::g_notifies, __func__, "notifies", notifies[index], &status) == nullptr) return status;
  }
  for (size_t index = 0; index < num; ++index) {
    const HeldState state = ResolveNotify(events::g_notifies, __func__, "notifies", notifies[index], &status);
    if (state != nullptr) state->Change(kClear);
  }
  return status;
}

aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag) {
  const ApiCall api_call(__func__);
  if (cntNotify == nullptr) return NullArgument(__func__, "cntNotify");
  if (CurrentSoc().family != SocFamily::kAscend950) {
    return Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "{}: expected an SoC of the family Ascend950, this is {}", __func__,
                 aclrtGetSocName());
  }
  for (const Soc& soc : kSocs) {
    if (soc.family == SocFamily::kAscend950) continue;
    NotifyObservers([&](Observer& each) {
      if (each.AsksAbout(soc.family))
        each.RefusedOn(soc, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtCntNotifyCreate: exists on Ascend950 alone");
    });
  }
  if (flag != 0) return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'flag': expected 0, got {}", __func__, flag);
  return OpenNotify(events::g_counting_notifies, __func__, cntNotify);
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify) {
  const ApiCall api_call(__func__);
  return CloseNotify(events::g_counting_notifies, __func__, "cntNotify", cntNotify);
}

aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyRecordInfo* info) {
  const ApiCall api_call(__func__);
  if (info == nullptr) return NullArgument(__func__, "info");
  const int mode = EnumNumber(info->mode);
  if (mode < 0 || mode > ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE || mode == 3)
    return BadMode(__func__, "0, 1, 2 or 4", mode);
  return ChangeNotify(events::g_counting_notifies, __func__, "cntNotify", cntNotify, stream, {mode, info->value});
}

aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyWaitInfo* info) {
  const ApiCall api_call(__func__);
  if (info == nullptr) return NullArgument(__func__, "info");
  const int mode = EnumNumber(info->mode);
  if (mode < 0 || mode > ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE) return BadMode(__func__, "0..4", mode);
  return AwaitNotify(events::g_counting_notifies, __func__, "cntNotify", cntNotify, stream,
                     {mode, info->value, info->isClear != 0}, info->timeout);
}

aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream) {
  const ApiCall api_call(__func__);
  return ChangeNotify(events::g_counting_notifies, __func__, "cntNotify", cntNotify, stream, kClear);
}

aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId) {
  const ApiCall api_call(__func__);
  return NumberOf(events::g_counting_notifies, __func__, "cntNotify", cntNotify, notifyId);
}
