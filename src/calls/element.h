// SPDX-License-Identifier: Apache-2.0
// One element of a tensor as a number and back, by dtype. Uses exact wide arithmetic and shares no code with the
// library's kernels and conversions, so that the tests do not rely on the code that they test.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace portacl::calls {

// A binary floating-point format: `significand_bits` counts the hidden bit.
struct FloatFormat {
  int bytes;
  int significand_bits;
  int min_exponent;  // exponent of the smallest normal number
  int max_exponent;  // exponent of the largest finite number
};

// Null for a dtype that is not a known float format.
const FloatFormat* FindFloatFormat(aclDataType dtype);

size_t ElementBytes(aclDataType dtype);

// The dtype of the two parts of a complex element; for another dtype, that dtype.
aclDataType PartDtype(aclDataType dtype);

// Exact for every float or integer dtype of at most 64 bits; for a complex element, the real part.
long double LoadElement(aclDataType dtype, const void* element);

// Both parts; a real element has the imaginary part 0.
std::complex<long double> LoadComplex(aclDataType dtype, const void* element);

// Floats round once, to nearest even, and overflow to infinity; integers truncate and are clamped to their range (INT8,
// INT16 and UINT8 to that of INT32, of which they keep the low bits), and NaN becomes 0; BOOL stores value != 0;
// complex ones get the imaginary part 0.
void StoreElement(aclDataType dtype, long double value, void* element);

// Elements with these values, rounded to the dtype, and the values of elements: for complex elements the real parts. To
// handle both parts, one after the other, pass their dtype (PartDtype).
std::vector<std::byte> Encode(aclDataType dtype, const std::vector<double>& values);
std::vector<double> Decode(aclDataType dtype, const std::vector<std::byte>& bytes);

// The same bits, or both NaN.
bool SameElement(aclDataType dtype, const void* a, const void* b);

uint64_t ElementBits(aclDataType dtype, const void* element);

// "0x3f800000 (1)"; both parts for complex numbers
std::string DescribeElement(aclDataType dtype, const void* element);

}  // namespace portacl::calls
