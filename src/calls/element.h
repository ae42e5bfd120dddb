// SPDX-License-Identifier: Apache-2.0
// One element of a tensor as a number and back, by dtype. Written with exact wide arithmetic and shared with no kernel
// and no conversion of the library, so that the tests do not trust what they test.
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
  int min_exponent;  // of the smallest normal number
  int max_exponent;  // of the largest finite number
};

// Null for a dtype that is no float format known here.
const FloatFormat* FindFloatFormat(aclDataType dtype);

size_t ElementBytes(aclDataType dtype);

// What a complex element is made of, two of them; another dtype itself.
aclDataType PartDtype(aclDataType dtype);

// Exact for every dtype of at most 64 bits that is a float or an integer; of a complex element the real part.
long double LoadElement(aclDataType dtype, const void* element);

// Both parts; a real element has the imaginary part 0.
std::complex<long double> LoadComplex(aclDataType dtype, const void* element);

// Floats round once, to nearest even, and overflow to infinity; integers truncate, within their range, INT8, INT16 and
// UINT8 within that of INT32 before they keep their low bits, and NaN becomes 0; BOOL stores value != 0; complex ones
// get the imaginary part 0.
void StoreElement(aclDataType dtype, long double value, void* element);

// Elements that hold these values, rounded to the dtype, and the values of elements: of complex ones the real parts.
// For both parts, one after the other, give their dtype (PartDtype).
std::vector<std::byte> Encode(aclDataType dtype, const std::vector<double>& values);
std::vector<double> Decode(aclDataType dtype, const std::vector<std::byte>& bytes);

// The same bits, but for those of a NaN.
bool SameElement(aclDataType dtype, const void* a, const void* b);

uint64_t ElementBits(aclDataType dtype, const void* element);

// "0x3f800000 (1)"; of complex numbers both parts
std::string DescribeElement(aclDataType dtype, const void* element);

}  // namespace portacl::calls
