// SPDX-License-Identifier: Apache-2.0
// How many cores the operators of a device, a stream or a thread are to use. Operators here divide their work by its
// shape, so the numbers are kept and given back, and change nothing.
#ifndef PORTACL_INCLUDE_ACL_RT_CORE_LIMIT_H_
#define PORTACL_INCLUDE_ACL_RT_CORE_LIMIT_H_

#include "acl/rt/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The core limit of a device: what was set, else all its cores.
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

/// Gives a device all its cores again.
///
/// deviceId  in  0 .. count - 1.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_INVALID_DEVICEID. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);

/// The core limit of a stream: what was set, else that of its device.
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

/// Gives a stream the limits of its device again.
///
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE. Threads: object.
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);

/// From now on this thread has the limits of a stream.
///
/// stream  in  NULL is the default stream.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE. Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);

/// From now on this thread has the limits of its device again, when it has those of a stream.
///
/// stream  in  that of aclrtUseStreamResInCurrentThread; any other changes nothing.
///
/// Returns ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_INVALID_HANDLE. Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/// The core limit in force for this thread.
///
/// type   in   as for aclrtGetDeviceResLimit.
/// value  out  that of the stream in use, else that of the current device.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null); ACL_ERROR_RT_PARAM_INVALID (type); ACL_ERROR_RT_CONTEXT_NULL.
/// Threads: thread.
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_RT_CORE_LIMIT_H_
