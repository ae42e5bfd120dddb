// SPDX-License-Identifier: Apache-2.0
// Types of stream-ordered memory pools. This version exports no function for them.
#ifndef PORTACL_INCLUDE_ACL_ACL_RT_MEMORY_SOMA_H_
#define PORTACL_INCLUDE_ACL_ACL_RT_MEMORY_SOMA_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: a stream-ordered pool.
typedef void* aclrtMemPool;
/// Opaque: what a pool is made of.
typedef struct aclrtMemPoolProps aclrtMemPoolProps;

/// What can be set on or read from a pool.
typedef enum aclrtMemPoolAttr {
  ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
  ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC = 2,
  ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
  ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD = 4,
  ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 5,
  ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 6,
  ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT = 7,
  ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH = 8
} aclrtMemPoolAttr;

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_RT_MEMORY_SOMA_H_
