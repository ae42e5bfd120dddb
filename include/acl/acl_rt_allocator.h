// SPDX-License-Identifier: Apache-2.0
// Types of an allocator that a framework attaches to a stream. This version exports no function for them.
#ifndef PORTACL_INCLUDE_ACL_ACL_RT_ALLOCATOR_H_
#define PORTACL_INCLUDE_ACL_ACL_RT_ALLOCATOR_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: description of an allocator, the allocator, one of its blocks, an address in a block.
typedef void* aclrtAllocatorDesc;
typedef void* aclrtAllocator;
typedef void* aclrtAllocatorBlock;
typedef void* aclrtAllocatorAddr;

/// Takes `size` bytes from the allocator; returns the block.
typedef void* (*aclrtAllocatorAllocFunc)(aclrtAllocator allocator, size_t size);
/// Gives a block back.
typedef void (*aclrtAllocatorFreeFunc)(aclrtAllocator allocator, aclrtAllocatorBlock block);
/// Takes `size` bytes, at `addr` if possible; returns the block.
typedef void* (*aclrtAllocatorAllocAdviseFunc)(aclrtAllocator allocator, size_t size, aclrtAllocatorAddr addr);
/// Address of a block.
typedef void* (*aclrtAllocatorGetAddrFromBlockFunc)(aclrtAllocatorBlock block);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_RT_ALLOCATOR_H_
