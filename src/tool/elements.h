// SPDX-License-Identifier: Apache-2.0
// Arrays of elements on the host: conversion of dtypes, random contents, the types of .npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "acl/acl.h"
#include "tool/npy.h"

namespace portacl::tool {

// Dtypes that the tool converts: floats, integers and BOOL of at least one byte, and complex numbers, of which it reads
// the real part.
bool IsNumber(aclDataType dtype);
bool IsFloating(aclDataType dtype);

// "FLOAT16", and the names that NumPy and PyTorch use (float16, fp16, half, bf16, int64, ...), in upper or lower case.
// ACL_DT_UNDEFINED for an unknown name.
aclDataType DtypeOf(std::string_view name);
// Every name that DtypeOf() accepts in capitals.
std::vector<std::string> DtypeNames();

// Exact for floats; integers beyond 2^53 are rounded.
std::vector<double> ToDouble(aclDataType dtype, const std::vector<std::byte>& elements);

// The same values converted to another dtype, by the rules of aclnnCast. Floats round once, to nearest even. Floats are
// truncated to integers and clamped to the integer's range; INT8, UINT8 and INT16 get the low bits of the value clamped
// to INT32. Integers are narrowed to their low bits.
std::vector<std::byte> Converted(aclDataType from, const std::vector<std::byte>& elements, aclDataType to);

// Floats distributed over (0, 1), integers and BOOL 0 or 1; the same in every call.
std::vector<std::byte> RandomElements(aclDataType dtype, size_t count);

aclDataType DtypeOfNpy(const npy::Array& array);
// .npy has no BFLOAT16: it is widened to float32. Throws Failure for dtypes that .npy does not support.
npy::Array ToNpy(aclDataType dtype, const std::vector<int64_t>& shape, const std::vector<std::byte>& elements);

}  // namespace portacl::tool
