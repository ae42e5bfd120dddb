// SPDX-License-Identifier: Apache-2.0
// A list of a client's functions, which may add and remove functions while they are called. A change makes a new list;
// calling the functions allocates nothing.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/process_mutex.h"

namespace portacl {

template <class Entry>
class SharedList {
 public:
  using Entries = std::vector<Entry>;

  // Changes a copy of the list, and replaces the list by it. Throws bad_alloc; the list is then unchanged.
  template <class Function>
  void Change(Function&& change) {
    const std::scoped_lock lock(mutex_);
    auto fresh = entries_ == nullptr ? std::make_shared<Entries>() : std::make_shared<Entries>(*entries_);
    change(*fresh);
    entries_ = std::move(fresh);
  }

  // Calls visit(entry) for every entry that is in the list at the time of the call.
  template <class Visit>
  void Each(Visit&& visit) const {
    std::shared_ptr<const Entries> entries;
    {
      const std::scoped_lock lock(mutex_);
      entries = entries_;
    }
    if (entries == nullptr) return;
    for (const Entry& entry : *entries) visit(entry);
  }

 private:
  mutable ProcessMutex mutex_;
  std::shared_ptr<const Entries> entries_;
};

}  // namespace portacl
