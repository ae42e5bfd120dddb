// SPDX-License-Identifier: Apache-2.0
// Values in device memory as signals between streams.
#include <atomic>
#include <new>

#include "base/observer.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/events/wait_monitor.h"

namespace portacl {
namespace {

// Any code may write the value at any time, also with a plain copy; ThreadSanitizer need not report that race.
[[gnu::no_sanitize_thread]] uint64_t LookAt(const void* address) noexcept {
  return __atomic_load_n(static_cast<const uint64_t*>(address), __ATOMIC_ACQUIRE);
}

class ValueWrite final : public Task {
 public:
  ValueWrite(void* address, uint64_t value) : Task(TaskKind::kDevice), address_(address), value_(value) {}

  int32_t Run() noexcept override {
    std::atomic_ref<uint64_t>(*static_cast<uint64_t*>(address_)).store(value_, std::memory_order_release);
    events::TheWaitMonitor().Look();
    return 0;
  }
  void Finish() noexcept override { delete this; }
  void Describe(TaskNote* note) const noexcept override {
    note->role = TaskRole::kRecord;
    note->name = "value write";
    note->number = address_;
  }

 private:
  ~ValueWrite() = default;

  void* const address_;
  const uint64_t value_;
};

class ValueWait final : public Task, private events::WatchedValue {
 public:
  ValueWait(const void* place, uint64_t value, uint32_t comparison, streams::Stream* on)
      : Task(TaskKind::kWait), events::WatchedValue(place, on), value_(value), comparison_(comparison) {}

  int32_t Run() noexcept override {
    switch (events::TheWaitMonitor().Await(this)) {
      case events::WaitMonitor::Found::kSatisfied:
        return 0;
      case events::WaitMonitor::Found::kNotYet:
        return kParkStream;
      case events::WaitMonitor::Found::kNoMemory:
        break;
    }
    return ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW;
  }
  bool Unpark() noexcept override { return events::TheWaitMonitor().Remove(this); }
  void Finish() noexcept override { delete this; }
  void Describe(TaskNote* note) const noexcept override {
    note->role = TaskRole::kWait;
    note->name = "value wait";
    note->number = address;
  }

 private:
  ~ValueWait() = default;

  bool Satisfied() const noexcept override {
    const uint64_t number = LookAt(address);
    switch (comparison_) {
      case ACL_STREAM_WAIT_VALUE_EQ:
        return number == value_;
      case ACL_STREAM_WAIT_VALUE_AND:
        return (number & value_) != 0;
      case ACL_STREAM_WAIT_VALUE_NOR:
        return ~(number | value_) != 0;
      default:
        return static_cast<int64_t>(number - value_) >= 0;
    }
  }

  const uint64_t value_;
  const uint32_t comparison_;
};

aclError CheckPlace(const char* function, const void* address, uint32_t flag, uint32_t most_flag) noexcept {
  if (address == nullptr) return NullArgument(function, "devAddr");
  if (flag > most_flag) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'flag': expected at most {}, got {}", function, most_flag,
                 flag);
  }
  if (reinterpret_cast<uintptr_t>(address) % sizeof(uint64_t) == 0 && events::LiesInLiveBlock(address))
    return ACL_SUCCESS;
  return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'devAddr': expected 8 aligned bytes of device memory, got {}",
               function, address);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  const ApiCall api_call(__func__);
  aclError status = CheckPlace(__func__, devAddr, flag, 0);
  if (status != ACL_SUCCESS) return status;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  return streams::SubmitNew(__func__, *live, new (std::nothrow) ValueWrite(devAddr, value), 0);
}

aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  const ApiCall api_call(__func__);
  aclError status = CheckPlace(__func__, devAddr, flag, ACL_STREAM_WAIT_VALUE_NOR);
  if (status != ACL_SUCCESS) return status;
  streams::Stream* live = contexts::ResolveStream(__func__, stream, contexts::OtherContext::kRefuse, &status);
  if (live == nullptr) return status;
  status = events::TheWaitMonitor().Start(__func__);
  if (status != ACL_SUCCESS) return status;
  return streams::SubmitNew(__func__, *live, new (std::nothrow) ValueWait(devAddr, value, flag, live), 0);
}
