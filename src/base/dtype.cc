// SPDX-License-Identifier: Apache-2.0
// aclDataTypeSize(); the table itself is constexpr and stands in the header.
#include "base/dtype.h"

size_t aclDataTypeSize(aclDataType dataType) {
  const portacl::DtypeInfo* info = portacl::FindDtype(dataType);
  // Types the table does not know have 8 bytes: part of the contract.
  return info == nullptr ? 8 : info->bytes;
}
