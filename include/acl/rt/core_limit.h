// SPDX-License-Identifier: Apache-2.0
// How many cores the operators of a device, a stream or a thread are to use. Operators of this library divide their
// work by its shape, so that the limits are stored and returned, but have no effect.
#ifndef PORTACL_INCLUDE_ACL_RT_CORE_LIMIT_H_
#define PORTACL_INCLUDE_ACL_RT_CORE_LIMIT_H_

#include "acl/rt/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The core limit of a device; all its cores if none was set.
///
/// deviceId  in   0 .. count - 1.
/// type      in   ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// value     out  cores.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (type);
/// ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value);

/// Sets the core limit of a device.
///
/// deviceId  in  a device that is set.
/// type      in  ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE.
/// value     in  1 to the number of cores.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (type, value); ACL_ERROR_RT_INVALID_DEVICEID;
/// ACL_ERROR_RT_INTERNAL_ERROR (the device is not set). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value);

/// Resets the core limit of a device to all its cores.
///
/// deviceId  in  0 .. count - 1.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);

/// The core limit of a stream; that of its device if none was set.
///
/// stream  in   NULL is the default stream.
/// type    in   as for aclrtGetDeviceResLimit.
/// value   out  cores.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null value); ACL_ERROR_RT_PARAM_INVALID (type);
/// ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value);

/// Sets the core limit of a stream.
///
/// stream  in  NULL is the default stream.
/// type    in  as for aclrtGetDeviceResLimit.
/// value   in  1 to the number of cores.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID (type, value); ACL_ERROR_RT_CONTEXT_NULL;
/// ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value);

/// Resets the core limit of a stream to that of its device.
///
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);

/// Applies the limits of a stream to this thread from now on.
///
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE. Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);

/// Applies the limits of its device to this thread again, if it uses those of the stream.
///
/// stream  in  the stream of aclrtUseStreamResInCurrentThread; another has no effect.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE. Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/// The core limit in force for this thread.
///
/// type   in   as for aclrtGetDeviceResLimit.
/// value  out  limit of the stream in use, otherwise that of the current device.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (type); ACL_ERROR_RT_CONTEXT_NULL.
/// Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_CORE_LIMIT_H_
