// SPDX-License-Identifier: Apache-2.0
// Properties of element types, for C++.
#ifndef PORTACL_INCLUDE_ACLNN_OPDEV_DATA_TYPE_UTILS_H_
#define PORTACL_INCLUDE_ACLNN_OPDEV_DATA_TYPE_UTILS_H_

#ifdef __cplusplus

#include <cstddef>

#include "acl/acl_base.h"
#include "aclnn/opdev/data_type.h"

namespace op {

/// Whether the values are real numbers: integers of 8 bits and more, and floating types. BOOL is none.
inline bool IsBasicType(DataType type) {
  switch (type) {
    case DataType::DT_FLOAT:
    case DataType::DT_FLOAT16:
    case DataType::DT_BF16:
    case DataType::DT_DOUBLE:
    case DataType::DT_INT8:
    case DataType::DT_INT16:
    case DataType::DT_INT32:
    case DataType::DT_INT64:
    case DataType::DT_UINT8:
    case DataType::DT_UINT16:
    case DataType::DT_UINT32:
    case DataType::DT_UINT64:
      return true;
    default:
      return false;
  }
}

/// Bytes of one element; 0 for types without a size.
inline size_t TypeSize(DataType type) {
  return type == DataType::DT_UNDEFINED ? 0 : aclDataTypeSize(static_cast<aclDataType>(type));
}

}  // namespace op

#endif  // __cplusplus

#endif  // PORTACL_INCLUDE_ACLNN_OPDEV_DATA_TYPE_UTILS_H_
