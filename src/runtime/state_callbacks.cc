// SPDX-License-Identifier: Apache-2.0
#include "runtime/state_callbacks.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "base/process_mutex.h"
#include "base/status.h"

namespace portacl {
namespace {

template <class Function>
class NamedCallbacks {
 public:
  struct Entry {
    Function function;
    void* argument;
  };

  aclError Set(const char* caller, const char* name, Function function, void* argument) noexcept {
    if (name == nullptr)
      return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'regName': expected a text, got NULL", caller);
    return Guard(caller, [&]() -> int32_t {
      const std::scoped_lock lock(mutex_);
      if (function == nullptr) {
        entries_.erase(name);
      } else {
        entries_[name] = {function, argument};
      }
      count_.store(entries_.size(), std::memory_order_release);
      return ACL_SUCCESS;
    });
  }

  // A copy, as a function may add and remove functions. Without memory nobody is told.
  template <class Call>
  void Each(Call&& call) noexcept {
    if (count_.load(std::memory_order_acquire) == 0) return;
    try {
      std::map<std::string, Entry> all;
      {
        const std::scoped_lock lock(mutex_);
        all = entries_;
      }
      for (const auto& [name, entry] : all) call(entry);
    } catch (...) {
    }
  }

 private:
  std::atomic<size_t> count_{0};
  ProcessMutex mutex_;
  std::map<std::string, Entry> entries_;
};

// Never destroyed: streams may end while the process does.
NamedCallbacks<aclrtStreamStateCallback>& StreamCallbacks() noexcept {
  static auto& callbacks = *new NamedCallbacks<aclrtStreamStateCallback>;
  return callbacks;
}

NamedCallbacks<aclrtDeviceStateCallback>& DeviceCallbacks() noexcept {
  static auto& callbacks = *new NamedCallbacks<aclrtDeviceStateCallback>;
  return callbacks;
}

}  // namespace

void TellStreamState(aclrtStream stream, aclrtStreamState state) noexcept {
  StreamCallbacks().Each([&](const auto& entry) { entry.function(stream, state, entry.argument); });
}

void TellDeviceState(int32_t device, aclrtDeviceState state) noexcept {
  DeviceCallbacks().Each([&](const auto& entry) { entry.function(device, state, entry.argument); });
}

}  // namespace portacl

aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback, void* args) {
  return portacl::StreamCallbacks().Set("aclrtRegStreamStateCallback", regName, callback, args);
}

aclError aclrtRegDeviceStateCallback(const char* regName, aclrtDeviceStateCallback callback, void* args) {
  return portacl::DeviceCallbacks().Set("aclrtRegDeviceStateCallback", regName, callback, args);
}
