// SPDX-License-Identifier: Apache-2.0
//
// The right answer for one element: the bytes of one part, then those of the other.
#pragma once

#include <cstddef>
#include <cstring>

namespace portacl::ops::complex {

inline void ComplexReference(size_t part_bytes, const std::byte* real, const std::byte* imag, std::byte* out) {
  std::memcpy(out, real, part_bytes);
  std::memcpy(out + part_bytes, imag, part_bytes);
}

}  // namespace portacl::ops::complex
