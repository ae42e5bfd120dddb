// SPDX-License-Identifier: Apache-2.0
// What an aclTensor holds. The fields are the ones the client gave; nothing is checked before an operator looks at
// them.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"
#include "aclnn/acl_meta.h"
#include "tensor/object_pool.h"

namespace portacl {

/// Most dims a description can hold. Operators take at most kMaxRank.
inline constexpr uint64_t kMaxDescribedRank = 25;

}  // namespace portacl

struct aclTensor final : portacl::PooledObject {
  static constexpr portacl::ObjectKind kKind = portacl::ObjectKind::kTensor;

  void* data = nullptr;
  int64_t offset = 0;  // elements
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  uint32_t rank = 0;
  uint32_t storage_rank = 0;
  int64_t shape[portacl::kMaxDescribedRank] = {};
  int64_t strides[portacl::kMaxDescribedRank] = {};  // elements
  int64_t storage[portacl::kMaxDescribedRank] = {};
};
