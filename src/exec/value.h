// SPDX-License-Identifier: Apache-2.0
// One argument of an operator as the client passed it: a tagged union, so that one engine can read any signature.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "aclnn/acl_meta.h"

namespace portacl::exec {

enum class ValueKind : uint8_t {
  kTensor,
  kTensorList,
  kScalar,
  kScalarList,
  kIntArray,
  kFloatArray,
  kBoolArray,
  kDouble,
  kFloat,
  kInt64,
  kUInt64,
  kInt32,
  kInt8,
  kBool,
  kDtype,
  kString,
};

constexpr bool IsPointer(ValueKind kind) noexcept {
  return kind <= ValueKind::kBoolArray || kind == ValueKind::kString;
}
constexpr bool IsTensor(ValueKind kind) noexcept { return kind <= ValueKind::kTensorList; }

template <class T>
inline constexpr bool kNoSuchValue = false;

// The kind that corresponds to a parameter type of a C prototype.
template <class T>
constexpr ValueKind ValueKindOf() {
  using Pointee = std::remove_const_t<std::remove_pointer_t<std::remove_const_t<T>>>;
  if constexpr (std::is_pointer_v<T>) {
    if constexpr (std::is_same_v<Pointee, aclTensor>)
      return ValueKind::kTensor;
    else if constexpr (std::is_same_v<Pointee, aclTensorList>)
      return ValueKind::kTensorList;
    else if constexpr (std::is_same_v<Pointee, aclScalar>)
      return ValueKind::kScalar;
    else if constexpr (std::is_same_v<Pointee, aclScalarList>)
      return ValueKind::kScalarList;
    else if constexpr (std::is_same_v<Pointee, aclIntArray>)
      return ValueKind::kIntArray;
    else if constexpr (std::is_same_v<Pointee, aclFloatArray>)
      return ValueKind::kFloatArray;
    else if constexpr (std::is_same_v<Pointee, aclBoolArray>)
      return ValueKind::kBoolArray;
    else if constexpr (std::is_same_v<Pointee, char>)
      return ValueKind::kString;
    else
      static_assert(kNoSuchValue<T>, "no operator takes a pointer of this type");
  } else {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Plain, double>)
      return ValueKind::kDouble;
    else if constexpr (std::is_same_v<Plain, float>)
      return ValueKind::kFloat;
    else if constexpr (std::is_same_v<Plain, int64_t>)
      return ValueKind::kInt64;
    else if constexpr (std::is_same_v<Plain, uint64_t>)
      return ValueKind::kUInt64;
    else if constexpr (std::is_same_v<Plain, int32_t>)
      return ValueKind::kInt32;
    else if constexpr (std::is_same_v<Plain, int8_t>)
      return ValueKind::kInt8;
    else if constexpr (std::is_same_v<Plain, bool>)
      return ValueKind::kBool;
    else if constexpr (std::is_same_v<Plain, aclDataType>)
      return ValueKind::kDtype;
    else
      static_assert(kNoSuchValue<T>, "no operator takes an attribute of this type");
  }
}

class Value {
 public:
  template <class T>
  constexpr Value(T value) noexcept
      : kind_(ValueKindOf<T>()) {  // NOLINT(google-explicit-constructor): a call lists values
    if constexpr (std::is_pointer_v<T>)
      bits_.pointer = value;
    else if constexpr (std::is_same_v<T, float>)
      bits_.single = value;  // widened when it is read: the caller's float mode may flush a subnormal to 0
    else if constexpr (std::is_same_v<T, double>)
      bits_.real = value;
    else
      bits_.integer = static_cast<int64_t>(value);
  }

  constexpr ValueKind kind() const noexcept { return kind_; }

  // The value as the type of a C parameter; the kind must be that of `T`.
  template <class T>
  constexpr T As() const noexcept {
    if constexpr (std::is_pointer_v<T>) {
      // Outputs are const in some prototypes and not in others; the object itself is never a constant.
      return static_cast<T>(const_cast<void*>(bits_.pointer));
    } else if constexpr (std::is_same_v<T, float>) {
      return bits_.single;
    } else if constexpr (std::is_same_v<T, double>) {
      return bits_.real;
    } else {
      return static_cast<T>(bits_.integer);
    }
  }

  constexpr bool IsNull() const noexcept { return IsPointer(kind_) && bits_.pointer == nullptr; }
  constexpr double real() const noexcept {  // kDouble, kFloat
    return kind_ == ValueKind::kFloat ? static_cast<double>(bits_.single) : bits_.real;
  }
  uint64_t word() const noexcept { return std::bit_cast<uint64_t>(bits_); }  // equal for equal values
  constexpr int64_t integer() const noexcept { return bits_.integer; }       // the other attributes

 private:
  union Bits {
    const void* pointer;
    double real;
    float single;
    int64_t integer;
  } bits_ = {nullptr};
  ValueKind kind_;
};

}  // namespace portacl::exec
