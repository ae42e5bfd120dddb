// SPDX-License-Identifier: Apache-2.0
// Queries about memory: how much there is, and what a pointer points to.
#ifndef PORTACL_INCLUDE_ACL_RT_MEMORY_INFO_H_
#define PORTACL_INCLUDE_ACL_RT_MEMORY_INFO_H_

#include "acl/rt/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Free and total memory of the current device.
///
/// attr   in   kind of memory. The device has one: all kinds with HBM in the name and those without a name answer with
///             it; kinds of DDR do so where the SoC has no HBM, else they give 0.
/// free   out  bytes that can still be allocated.
/// total  out  bytes.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_INVALID_MEMORY_TYPE (no such kind);
/// ACL_ERROR_RT_CONTEXT_NULL. Threads: context.
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total);

/// Memory of a device in use, by component. There is one component, the pool of aclrtMalloc.
///
/// deviceId      in   0 .. count - 1.
/// memUsageInfo  out  at most `inputNum` records.
/// inputNum      in   not 0.
/// outputNum     out  records written.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (inputNum 0);
/// ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo, size_t inputNum,
                                                  size_t* outputNum);

/// The location that a pointer points to.
///
/// ptr         in   any address.
/// attributes  out  ACL_MEM_LOCATION_TYPE_DEVICE with the device; ACL_MEM_LOCATION_TYPE_HOST for page-locked and
///                  registered memory; else ACL_MEM_LOCATION_TYPE_UNREGISTERED.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes);

/// The block that contains an address.
///
/// ptr    in   any byte of a live block.
/// pbase  out  its beginning.
/// psize  out  the requested bytes.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (null, in no block). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize);

/// Whether addresses are in memory of a certain use.
///
/// addrList     in   `size` addresses.
/// size         in   not 0.
/// memType      in   mask of ACL_RT_MEM_TYPE_DEV, ACL_RT_MEM_TYPE_DVPP, ACL_RT_MEM_TYPE_RSVD. All memory is DEV here.
/// checkResult  out  1 when each address is, else 0.
/// reserve      in   0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (null, size 0, mask, reserve). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType, uint32_t* checkResult,
                                               uint32_t reserve);

/// Writes cached bytes back, so that the other side sees what this one wrote. Memory is coherent: nothing is done.
///
/// devPtr  in  address.
/// size    in  bytes, not 0.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, size 0). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtMemFlush(void* devPtr, size_t size);

/// Discards cached bytes, so that this side sees what the other one wrote. Memory is coherent: nothing is done.
///
/// devPtr, size  in  as for aclrtMemFlush.
///
/// Returns as there. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtMemInvalidate(void* devPtr, size_t size);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_MEMORY_INFO_H_
