// SPDX-License-Identifier: Apache-2.0
// Allocators that a framework attaches to streams. They are stored and can be read back; operators of this library do
// not use them.
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

/// Allocates `size` bytes; returns the block.
typedef void* (*aclrtAllocatorAllocFunc)(aclrtAllocator allocator, size_t size);
/// Frees a block.
typedef void (*aclrtAllocatorFreeFunc)(aclrtAllocator allocator, aclrtAllocatorBlock block);
/// Allocates `size` bytes, at `addr` if possible; returns the block.
typedef void* (*aclrtAllocatorAllocAdviseFunc)(aclrtAllocator allocator, size_t size, aclrtAllocatorAddr addr);
/// Address of a block.
typedef void* (*aclrtAllocatorGetAddrFromBlockFunc)(aclrtAllocatorBlock block);

/// Creates an empty description of an allocator.
///
/// Returns it, NULL when out of memory; aclrtAllocatorDestroyDesc frees it. Threads: pure.
ACL_FUNC_VISIBILITY aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);

/// Frees a description. Streams that use it have a copy.
///
/// allocatorDesc  in  of aclrtAllocatorCreateDesc.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_HANDLE (freed, or no description).
/// Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc);

/// Stores the allocator in a description.
///
/// allocatorDesc  inout  of aclrtAllocatorCreateDesc.
/// allocator      in     passed to the functions unchanged.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_HANDLE (freed, or no description).
/// Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator);

/// Stores the function that allocates a block.
///
/// allocatorDesc  inout  of aclrtAllocatorCreateDesc.
/// func           in     called with the allocator of the description.
///
/// Returns as aclrtAllocatorSetObjToDesc. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                              aclrtAllocatorAllocFunc func);

/// Stores the function that frees a block.
///
/// allocatorDesc  inout  of aclrtAllocatorCreateDesc.
/// func           in     called with the allocator of the description.
///
/// Returns as aclrtAllocatorSetObjToDesc. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                             aclrtAllocatorFreeFunc func);

/// Stores the function that allocates a block at an address if possible. This function is optional.
///
/// allocatorDesc  inout  of aclrtAllocatorCreateDesc.
/// func           in     called with the allocator of the description.
///
/// Returns as aclrtAllocatorSetObjToDesc. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                                    aclrtAllocatorAllocAdviseFunc func);

/// Stores the function that returns the address of a block.
///
/// allocatorDesc  inout  of aclrtAllocatorCreateDesc.
/// func           in     called with the block.
///
/// Returns as aclrtAllocatorSetObjToDesc. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                                         aclrtAllocatorGetAddrFromBlockFunc func);

/// Attaches a copy of a description to a stream and replaces an older one. It is removed with the stream.
///
/// stream         in  not NULL.
/// allocatorDesc  in  complete except for the optional function.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, incomplete); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_INVALID_HANDLE (either). Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc);

/// Returns the allocator that is attached to a stream.
///
/// stream           in   not NULL.
/// other arguments  out  the attached description and its members.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, nothing is attached). Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc* allocatorDesc,
                                                       aclrtAllocator* allocator, aclrtAllocatorAllocFunc* allocFunc,
                                                       aclrtAllocatorFreeFunc* freeFunc,
                                                       aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,
                                                       aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc);

/// Detaches the allocator of a stream.
///
/// stream  in  not NULL.
///
/// Returns ACL_SUCCESS, even if none was attached; ACL_ERROR_INVALID_PARAM (null). Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorUnregister(aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_RT_ALLOCATOR_H_
