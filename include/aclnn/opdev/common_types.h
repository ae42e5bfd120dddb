// SPDX-License-Identifier: Apache-2.0
// The objects of acl_meta.h as C++ classes, for clients that call their members. The classes have no data: objects are
// created and destroyed by the functions of acl_meta.h. The members are in libnnopbase.
#ifndef PORTACL_INCLUDE_ACLNN_OPDEV_COMMON_TYPES_H_
#define PORTACL_INCLUDE_ACLNN_OPDEV_COMMON_TYPES_H_

#include "aclnn/acl_meta.h"

#ifdef __cplusplus

#include <complex>
#include <cstdint>

#include "aclnn/opdev/ascend_string.h"
#include "aclnn/opdev/bfloat16.h"
#include "aclnn/opdev/data_type.h"
#include "aclnn/opdev/fp16_t.h"

/// A view of device memory.
class aclTensor {
 public:
  aclTensor() = delete;
  aclTensor(const aclTensor&) = delete;
  aclTensor& operator=(const aclTensor&) = delete;

  /// Address of the first element: the storage's, and the offset in bytes. NULL without storage.
  void* GetData() const;
  /// Address of the storage.
  void* GetStorageAddr() const;
};

/// One value of any element type. Conversions are those of C++, except that a real number beyond 64 bits becomes the
/// nearest limit and NaN 0; of a complex number the real part counts. FLOAT16 and BFLOAT16 are exact. Types narrower
/// than 16 bits that are no integers give 0.
class aclScalar {
 public:
  aclScalar() = delete;
  aclScalar(const aclScalar&) = delete;
  aclScalar& operator=(const aclScalar&) = delete;

  /// Address of the value in its own type, aligned to 16 bytes.
  const void* GetData() const;
  op::DataType GetDataType() const;

  float ToFloat() const;
  double ToDouble() const;
  bool ToBool() const;
  int8_t ToInt8() const;
  int16_t ToInt16() const;
  int32_t ToInt32() const;
  int64_t ToInt64() const;
  uint8_t ToUint8() const;
  uint16_t ToUint16() const;
  uint32_t ToUint32() const;
  uint64_t ToUint64() const;
  std::complex<float> ToComplex64() const;
  std::complex<double> ToComplex128() const;
  /// The value as text: 3, 2.5, (1,2); BOOL 0 or 1.
  ge::AscendString ToString() const;
};

/// An array of int64_t, float or bool.
template <class T>
class aclArray {
 public:
  aclArray() = delete;
  aclArray(const aclArray&) = delete;
  aclArray& operator=(const aclArray&) = delete;

  /// The values, until the array is destroyed.
  const T* GetData() const;
  uint64_t Size() const;
};

class aclIntArray : public aclArray<int64_t> {};
class aclFloatArray : public aclArray<float> {};
class aclBoolArray : public aclArray<bool> {};

#endif  // __cplusplus

#endif  // PORTACL_INCLUDE_ACLNN_OPDEV_COMMON_TYPES_H_
