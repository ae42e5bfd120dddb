// SPDX-License-Identifier: Apache-2.0
// An object in static storage that lives until the process ends: clients call from destructors of their own static
// objects. Unlike an object allocated with new, it is always available, even when memory is exhausted.
//
//   static NeverDestroyed<Registry> registry;
//   return *registry;
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace portacl {

template <class T>
class NeverDestroyed {
 public:
  template <class... Arguments>
  explicit NeverDestroyed(Arguments&&... arguments) {
    ::new (storage_) T(std::forward<Arguments>(arguments)...);
  }

  T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(storage_)); }

 private:
  alignas(T) std::byte storage_[sizeof(T)];
};

}  // namespace portacl
