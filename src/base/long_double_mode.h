// SPDX-License-Identifier: Apache-2.0
// The floating-point mode of long double, which x87 computes: DefaultFloatMode (base/float_mode.h) does not affect it.
#pragma once

#include <cstdint>

namespace portacl {

/// While it lives, x87 is in its default mode; its destructor restores the former mode and flags.
class DefaultLongDoubleMode {
#if defined(__x86_64__)
 public:
  DefaultLongDoubleMode() noexcept {
    uint16_t control = 0;
    asm volatile("fnstcw %0" : "=m"(control));
    if ((control & kControlBits) == (kDefaultControl & kControlBits)) [[likely]]
      return;
    asm volatile("fnstenv %0" : "=m"(saved_));
    asm volatile("fldcw %0" : : "m"(kDefaultControl));
    differs_ = true;
  }
  ~DefaultLongDoubleMode() {
    if (differs_) asm volatile("fldenv %0" : : "m"(saved_));
  }
  DefaultLongDoubleMode(const DefaultLongDoubleMode&) = delete;
  DefaultLongDoubleMode& operator=(const DefaultLongDoubleMode&) = delete;

 private:
  static constexpr uint16_t kDefaultControl = 0x37F;  // all exceptions masked, nearest even, 64 bits
  static constexpr uint16_t kControlBits = 0xF3F;

  struct Environment {
    uint32_t words[7];
  };
  Environment saved_;
  bool differs_ = false;
#endif
};

}  // namespace portacl
