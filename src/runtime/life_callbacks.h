// SPDX-License-Identifier: Apache-2.0
// Functions of components that want to know when the library opens or closes.
#pragma once

#include <algorithm>
#include <vector>

#include "acl/acl.h"
#include "base/status.h"

namespace portacl {

// Each component has one function; "other" stands for any number of components. The owner locks.
template <class Function>
class LifeCallbacks {
 public:
  struct Entry {
    int type;
    Function function;
    void* argument;
  };

  aclError Add(const char* caller, int type, Function function, void* argument) {
    const bool taken = type != ACL_REG_TYPE_OTHER &&
                       std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.type == type; });
    if (taken) {
      return Failf(ACL_ERROR_INTERNAL_ERROR, "{}: argument 'type': expected a component without a function, got {}",
                   caller, type);
    }
    entries_.push_back({type, function, argument});
    return ACL_SUCCESS;
  }

  aclError Remove(const char* caller, int type, Function function) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& e) { return e.type == type && e.function == function; });
    if (found == entries_.end()) {
      return Failf(ACL_ERROR_INTERNAL_ERROR,
                   "{}: argument 'cbFunc': expected the function of component {}, got another", caller, type);
    }
    entries_.erase(found);
    return ACL_SUCCESS;
  }

  // To be called one by one: a function may add and remove functions.
  std::vector<Entry> Copy() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace portacl
