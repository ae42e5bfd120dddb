// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/state_callbacks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/never_destroyed.h"
#include "base/observer.h"
#include "base/status.h"
#include "runtime/shared_list.h"

namespace portacl {
namespace {

template <class Function>
class NamedCallbacks {
 public:
  aclError Set(const char* caller, const char* name, Function function, void* argument) noexcept {
    if (name == nullptr)
      return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'regName': expected a text, got NULL", caller);
    return Guard(caller, [&]() -> int32_t {
      entries_.Change([&](auto& all) {
        std::erase_if(all, [name](const Entry& each) { return each.name == name; });
        if (function == nullptr) return;
        const auto after = std::find_if(all.begin(), all.end(), [name](const Entry& each) { return each.name > name; });
        all.insert(after, {name, function, argument});
      });
      return ACL_SUCCESS;
    });
  }

  template <class Call>
  void Each(Call&& call) noexcept {
    try {
      entries_.Each(call);
    } catch (...) {
      // A client's function threw.
    }
  }

 private:
  struct Entry {
    std::string name;  // callbacks are called in the order of names
    Function function;
    void* argument;
  };

  SharedList<Entry> entries_;
};

// Never destroyed: streams may end while the process ends.
NamedCallbacks<aclrtStreamStateCallback>& StreamCallbacks() noexcept {
  static NeverDestroyed<NamedCallbacks<aclrtStreamStateCallback>> callbacks;
  return *callbacks;
}

NamedCallbacks<aclrtDeviceStateCallback>& DeviceCallbacks() noexcept {
  static NeverDestroyed<NamedCallbacks<aclrtDeviceStateCallback>> callbacks;
  return *callbacks;
}

}  // namespace

void NotifyStreamState(aclrtStream stream, aclrtStreamState state) noexcept {
  StreamCallbacks().Each([&](const auto& entry) { entry.function(stream, state, entry.argument); });
}

void NotifyDeviceState(int32_t device, aclrtDeviceState state) noexcept {
  DeviceCallbacks().Each([&](const auto& entry) { entry.function(device, state, entry.argument); });
}

}  // namespace portacl

aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback, void* args) {
  const portacl::ApiCall api_call(__func__);
  return portacl::StreamCallbacks().Set(__func__, regName, callback, args);
}

aclError aclrtRegDeviceStateCallback(const char* regName, aclrtDeviceStateCallback callback, void* args) {
  const portacl::ApiCall api_call(__func__);
  return portacl::DeviceCallbacks().Set(__func__, regName, callback, args);
}
