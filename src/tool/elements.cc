// SPDX-License-Identifier: Apache-2.0
#include "tool/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <random>

#include "base/bfloat16.h"
#include "base/dtype.h"
#include "base/float16.h"
#include "calls/element.h"
#include "tool/error.h"

namespace portacl::tool {
namespace {

__extension__ typedef __int128 Int128;

// A dtype: how an element is stored, and how it is read as a C++ number.
template <class Stored, class Number, Number (*kLoad)(Stored)>
struct Element {
  using Storage = Stored;
  static Number Load(Stored stored) { return kLoad(stored); }
};

template <class T>
T Same(T value) {
  return value;
}
template <class T>
using Native = Element<T, T, Same<T>>;
bool LoadBool(uint8_t stored) { return stored != 0; }
using Bool = Element<uint8_t, bool, LoadBool>;
using Float16 = Element<uint16_t, float, Float16ToFloat>;
using Bfloat16 = Element<uint16_t, float, Bfloat16ToFloat>;

// Only the real part is used as a number.
template <class T>
struct Complex {
  T real;
  T imaginary;
};
template <class T>
T LoadComplex(Complex<T> stored) {
  return stored.real;
}
template <class T>
using ComplexOf = Element<Complex<T>, T, LoadComplex<T>>;

// Calls `use` with the Element of the dtype; false if it is not a number.
template <class Use>
bool With(aclDataType dtype, Use use) {
  switch (dtype) {
    case ACL_FLOAT:
      return use(Native<float>()), true;
    case ACL_DOUBLE:
      return use(Native<double>()), true;
    case ACL_FLOAT16:
      return use(Float16()), true;
    case ACL_BF16:
      return use(Bfloat16()), true;
    case ACL_BOOL:
      return use(Bool()), true;
    case ACL_INT8:
      return use(Native<int8_t>()), true;
    case ACL_UINT8:
      return use(Native<uint8_t>()), true;
    case ACL_INT16:
      return use(Native<int16_t>()), true;
    case ACL_UINT16:
      return use(Native<uint16_t>()), true;
    case ACL_INT32:
      return use(Native<int32_t>()), true;
    case ACL_UINT32:
      return use(Native<uint32_t>()), true;
    case ACL_INT64:
      return use(Native<int64_t>()), true;
    case ACL_UINT64:
      return use(Native<uint64_t>()), true;
    case ACL_COMPLEX64:
      return use(ComplexOf<float>()), true;
    case ACL_COMPLEX128:
      return use(ComplexOf<double>()), true;
    default:
      return false;
  }
}

bool IsInteger(aclDataType dtype) {
  const DtypeInfo* info = FindDtype(dtype);
  return info != nullptr && (info->kind == DtypeKind::kSigned || info->kind == DtypeKind::kUnsigned);
}

struct Alias {
  std::string_view name;
  aclDataType dtype;
};
constexpr Alias kAliases[] = {
    {"FP32", ACL_FLOAT}, {"FLOAT32", ACL_FLOAT}, {"FP16", ACL_FLOAT16},   {"HALF", ACL_FLOAT16},
    {"BF16", ACL_BF16},  {"FP64", ACL_DOUBLE},   {"FLOAT64", ACL_DOUBLE},
};

struct NpyType {
  const char* type;
  aclDataType dtype;
};
constexpr NpyType kNpyTypes[] = {{"f2", ACL_FLOAT16},   {"f4", ACL_FLOAT},      {"f8", ACL_DOUBLE}, {"b1", ACL_BOOL},
                                 {"u1", ACL_UINT8},     {"u2", ACL_UINT16},     {"u4", ACL_UINT32}, {"u8", ACL_UINT64},
                                 {"i1", ACL_INT8},      {"i2", ACL_INT16},      {"i4", ACL_INT32},  {"i8", ACL_INT64},
                                 {"c8", ACL_COMPLEX64}, {"c16", ACL_COMPLEX128}};

}  // namespace

bool IsNumber(aclDataType dtype) {
  return With(dtype, [](auto) {});
}

bool IsFloating(aclDataType dtype) {
  const DtypeInfo* info = FindDtype(dtype);
  return info != nullptr && info->kind == DtypeKind::kFloating;
}

aclDataType DtypeOf(std::string_view name) {
  std::string capitals(name);
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const Alias& alias : kAliases) {
    if (alias.name == capitals) return alias.dtype;
  }
  for (const DtypeInfo& info : kDtypes) {
    if (info.name == capitals) return info.dtype;
  }
  return ACL_DT_UNDEFINED;
}

std::vector<std::string> DtypeNames() {
  std::vector<std::string> names;
  for (const DtypeInfo& info : kDtypes) names.emplace_back(info.name);
  for (const Alias& alias : kAliases) names.emplace_back(alias.name);
  return names;
}

std::vector<double> ToDouble(aclDataType dtype, const std::vector<std::byte>& elements) {
  std::vector<double> numbers;
  With(dtype, [&](auto element) {
    using Storage = typename decltype(element)::Storage;
    numbers.resize(elements.size() / sizeof(Storage));
    for (size_t i = 0; i < numbers.size(); ++i) {
      Storage stored;
      std::memcpy(&stored, &elements[i * sizeof(Storage)], sizeof(Storage));
      numbers[i] = static_cast<double>(element.Load(stored));
    }
  });
  return numbers;
}

std::vector<std::byte> Converted(aclDataType from, const std::vector<std::byte>& elements, aclDataType to) {
  if (from == to || !IsNumber(from) || !IsNumber(to)) return from == to ? elements : std::vector<std::byte>();
  const size_t from_bytes = aclDataTypeSize(from), to_bytes = aclDataTypeSize(to);
  std::vector<std::byte> converted(elements.size() / from_bytes * to_bytes);
  for (size_t i = 0; i * from_bytes < elements.size(); ++i) {
    const std::byte* const element = &elements[i * from_bytes];
    const long double number = calls::LoadElement(from, element);
    if (IsInteger(from) && IsInteger(to)) {
      const Int128 whole = static_cast<Int128>(number);
      std::memcpy(&converted[i * to_bytes], &whole, to_bytes);  // the low bits: the machine is little-endian
    } else {
      calls::StoreElement(to, number, &converted[i * to_bytes]);
    }
  }
  return converted;
}

std::vector<std::byte> RandomElements(aclDataType dtype, size_t count) {
  constexpr size_t kPeriod = 65521;  // a prime, so that no row of a tensor repeats the one before
  const bool floating = IsFloating(dtype);
  std::mt19937_64 random(1);
  std::vector<std::byte> period(std::min(count, kPeriod) * sizeof(double));
  for (size_t i = 0; i < period.size() / sizeof(double); ++i) {
    const double uniform = static_cast<double>((random() >> 42) * 2 + 1) * 0x1p-23;  // never 0 or 1, and exact in FLOAT
    const double value = floating ? uniform : std::round(uniform);
    std::memcpy(&period[i * sizeof(double)], &value, sizeof(double));
  }
  period = Converted(ACL_DOUBLE, period, dtype);
  std::vector<std::byte> elements(count * aclDataTypeSize(dtype));
  for (size_t at = 0; at < elements.size(); at += period.size()) {
    std::memcpy(&elements[at], period.data(), std::min(period.size(), elements.size() - at));
  }
  return elements;
}

aclDataType DtypeOfNpy(const npy::Array& array) {
  for (const NpyType& type : kNpyTypes) {
    if (array.type == type.type) return type.dtype;
  }
  return ACL_DT_UNDEFINED;
}

npy::Array ToNpy(aclDataType dtype, const std::vector<int64_t>& shape, const std::vector<std::byte>& elements) {
  if (dtype == ACL_BF16) return ToNpy(ACL_FLOAT, shape, Converted(ACL_BF16, elements, ACL_FLOAT));
  for (const NpyType& type : kNpyTypes) {
    if (type.dtype != dtype) continue;
    npy::Array array{type.type, shape, {}};
    array.bytes.resize(elements.size());
    if (!elements.empty()) std::memcpy(array.bytes.data(), elements.data(), elements.size());
    return array;
  }
  throw Failure(fmt::format(".npy files cannot hold {}; run without a file for this output", DtypeName(dtype)));
}

}  // namespace portacl::tool
