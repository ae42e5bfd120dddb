// SPDX-License-Identifier: Apache-2.0
// Functions of components that are called when the library is initialised or finalized.
#pragma once

#include <algorithm>

#include "acl/acl.h"
#include "base/status.h"
#include "runtime/shared_list.h"

namespace portacl::process {

// Each component has one function; "other" stands for any number of components. The owner of the object locks.
template <class Function>
class LifeCallbacks {
 public:
  struct Entry {
    int type;
    Function function;
    void* argument;
  };

  aclError Add(const char* caller, int type, Function function, void* argument) {
    bool taken = false;
    entries_.Each([&](const Entry& e) { taken |= e.type == type && type != ACL_REG_TYPE_OTHER; });
    if (taken) {
      return Failf(ACL_ERROR_INTERNAL_ERROR, "{}: argument 'type': expected a component without a function, got {}",
                   caller, type);
    }
    entries_.Change([&](auto& all) { all.push_back({type, function, argument}); });
    return ACL_SUCCESS;
  }

  aclError Remove(const char* caller, int type, Function function) {
    bool found = false;
    entries_.Each([&](const Entry& e) { found |= e.type == type && e.function == function; });
    if (!found) {
      return Failf(ACL_ERROR_INTERNAL_ERROR,
                   "{}: argument 'cbFunc': expected the function of component {}, got another", caller, type);
    }
    entries_.Change([&](auto& all) {
      all.erase(std::find_if(all.begin(), all.end(),
                             [&](const Entry& e) { return e.type == type && e.function == function; }));
    });
    return ACL_SUCCESS;
  }

  // A called function may add and remove functions.
  template <class Visit>
  void Each(Visit&& visit) const {
    entries_.Each(visit);
  }

 private:
  SharedList<Entry> entries_;
};

}  // namespace portacl::process
