// SPDX-License-Identifier: Apache-2.0
// aclDataTypeSize(); the table itself is constexpr and lies in the header.
#include "base/dtype.h"

size_t aclDataTypeSize(aclDataType dataType) {
  const portacl::DtypeInfo* info = portacl::FindDtype(dataType);
  // The size of unknown types is 8 bytes: that is part of the contract.
  return info == nullptr ? 8 : info->bytes;
}
