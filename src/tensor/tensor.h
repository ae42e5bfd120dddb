// SPDX-License-Identifier: Apache-2.0
// The content of an aclTensor. The members have the client's values; they are checked only when an operator uses them.
#pragma once

#include <cstdint>
#include <span>

#include "acl/acl_base_rt.h"
#include "aclnn/acl_meta.h"
#include "tensor/object_pool.h"

namespace portacl {

/// The largest number of dims of a description. Operators take at most kMaxRank.
inline constexpr uint64_t kMaxDescribedRank = 25;

}  // namespace portacl

struct aclTensor final : portacl::PooledObject {
  static constexpr portacl::ObjectKind kKind = portacl::ObjectKind::kTensor;

  void* data = nullptr;
  int64_t offset = 0;  // in elements
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  uint32_t rank = 0;
  uint32_t storage_rank = 0;
  int64_t shape[portacl::kMaxDescribedRank] = {};
  int64_t strides[portacl::kMaxDescribedRank] = {};  // in elements
  int64_t storage[portacl::kMaxDescribedRank] = {};
};

namespace portacl {

/// Makes the tensor a contiguous one of this shape, view and storage alike.
void SetRealShape(aclTensor* tensor, std::span<const int64_t> dims) noexcept;

/// Whether the description of a FRACTAL_NZ tensor says that its storage consists of blocks of 16 x 16 or 16 x 32
/// elements.
inline bool IsStoredInBlocks(const aclTensor& tensor) noexcept {
  if (tensor.format != ACL_FORMAT_FRACTAL_NZ || tensor.storage_rank < 4) return false;
  const int64_t* const last = tensor.storage + tensor.storage_rank - 1;
  return last[-1] == 16 && (last[0] == 16 || last[0] == 32);
}

}  // namespace portacl
