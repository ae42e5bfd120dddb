// SPDX-License-Identifier: Apache-2.0
// The floating-point mode of a task. A client may run with subnormals flushed to zero or with another rounding
// (-ffast-math sets this for a whole process, and threads inherit it). Results must not depend on that, and the client
// must find its mode unchanged.
#pragma once

#include <cstdint>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace portacl {

#if defined(__SSE__)
using FloatControl = uint32_t;
inline constexpr FloatControl kDefaultFloatControl = 0x1F80;  // all exceptions masked, nearest even, subnormals kept
inline constexpr FloatControl kFloatControlBits = 0xFFC0;     // the low six bits only report exceptions
inline FloatControl ReadFloatControl() noexcept { return _mm_getcsr(); }
inline void WriteFloatControl(FloatControl control) noexcept { _mm_setcsr(control); }
#elif defined(__aarch64__)
using FloatControl = uint64_t;
inline constexpr FloatControl kDefaultFloatControl = 0;
inline constexpr FloatControl kFloatControlBits = ~FloatControl{0};
inline FloatControl ReadFloatControl() noexcept {
  FloatControl control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
inline void WriteFloatControl(FloatControl control) noexcept { asm volatile("msr fpcr, %0" : : "r"(control)); }
#else
#error "float_mode.h: no access to the floating-point control register of this architecture"
#endif

// Sets the default mode while it lives, for functions that are called meanwhile: the compiler may move arithmetic of
// the same function out of it. Reading the register is cheap and writing it is not, so a thread in the default mode
// never writes it.
class DefaultFloatMode {
 public:
  DefaultFloatMode() noexcept : saved_(ReadFloatControl()) {
    if (Differs()) [[unlikely]]
      WriteFloatControl(kDefaultFloatControl);
  }
  ~DefaultFloatMode() {
    if (Differs()) [[unlikely]]
      WriteFloatControl(saved_);
  }
  DefaultFloatMode(const DefaultFloatMode&) = delete;
  DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

 private:
  bool Differs() const noexcept { return (saved_ & kFloatControlBits) != kDefaultFloatControl; }

  const FloatControl saved_;
};

}  // namespace portacl
