// SPDX-License-Identifier: Apache-2.0
// The types of functions, statuses and handles, checked by the compiler.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"

static_assert(std::is_same<aclError, int>::value && std::is_same<aclnnStatus, int32_t>::value, "statuses");
static_assert(std::is_same<aclFloat16, uint16_t>::value, "float16 bits");
static_assert(sizeof(aclrtStream) == 8 && sizeof(aclrtEvent) == 8 && sizeof(aclrtContext) == 8, "handles are pointers");
static_assert(sizeof(aclTensor*) == 8 && sizeof(aclOpExecutor*) == 8, "64-bit addresses");
static_assert(std::is_same<decltype(ACL_SUCCESS), const int>::value, "a program may take its address");
static_assert(std::is_same<decltype(ACL_ERROR_GE_PARAM_INVALID), const uint32_t>::value, "graph engine codes");
#if !defined(ACL_RT_SUCCESS) || !defined(ACL_ERROR_RT_PARAM_INVALID) || defined(ACL_SUCCESS)
#error "programs test runtime codes with #ifdef"
#endif

// Programs take these addresses, for deleters and function tables, so the types must be exactly these.
#define EXPECT_PROTOTYPE(function, ...) \
  static_assert(std::is_same<decltype(function), __VA_ARGS__>::value, "the prototype of " #function " changed")

// The runtime.
EXPECT_PROTOTYPE(aclInit, aclError(const char*));
EXPECT_PROTOTYPE(aclFinalize, aclError());
EXPECT_PROTOTYPE(aclFinalizeReference, aclError(uint64_t*));
EXPECT_PROTOTYPE(aclGetRecentErrMsg, const char*());
EXPECT_PROTOTYPE(aclrtGetSocName, const char*());
EXPECT_PROTOTYPE(aclrtGetVersion, aclError(int32_t*, int32_t*, int32_t*));
EXPECT_PROTOTYPE(aclrtSetDevice, aclError(int32_t));
EXPECT_PROTOTYPE(aclrtResetDevice, aclError(int32_t));
EXPECT_PROTOTYPE(aclrtResetDeviceForce, aclError(int32_t));
EXPECT_PROTOTYPE(aclrtGetDevice, aclError(int32_t*));
EXPECT_PROTOTYPE(aclrtGetDeviceCount, aclError(uint32_t*));
EXPECT_PROTOTYPE(aclrtGetRunMode, aclError(aclrtRunMode*));
EXPECT_PROTOTYPE(aclrtSynchronizeDevice, aclError());
EXPECT_PROTOTYPE(aclrtSynchronizeDeviceWithTimeout, aclError(int32_t));
EXPECT_PROTOTYPE(aclrtCreateContext, aclError(aclrtContext*, int32_t));
EXPECT_PROTOTYPE(aclrtDestroyContext, aclError(aclrtContext));
EXPECT_PROTOTYPE(aclrtSetCurrentContext, aclError(aclrtContext));
EXPECT_PROTOTYPE(aclrtGetCurrentContext, aclError(aclrtContext*));
EXPECT_PROTOTYPE(aclrtCreateStream, aclError(aclrtStream*));
EXPECT_PROTOTYPE(aclrtDestroyStream, aclError(aclrtStream));
EXPECT_PROTOTYPE(aclrtSynchronizeStream, aclError(aclrtStream));
EXPECT_PROTOTYPE(aclrtSynchronizeStreamWithTimeout, aclError(aclrtStream, int32_t));
EXPECT_PROTOTYPE(aclrtMalloc, aclError(void**, size_t, aclrtMemMallocPolicy));
EXPECT_PROTOTYPE(aclrtMallocAlign32, aclError(void**, size_t, aclrtMemMallocPolicy));
EXPECT_PROTOTYPE(aclrtFree, aclError(void*));
EXPECT_PROTOTYPE(aclrtMallocHost, aclError(void**, size_t));
EXPECT_PROTOTYPE(aclrtFreeHost, aclError(void*));
EXPECT_PROTOTYPE(aclrtMemcpy, aclError(void*, size_t, const void*, size_t, aclrtMemcpyKind));
EXPECT_PROTOTYPE(aclrtMemcpyAsync, aclError(void*, size_t, const void*, size_t, aclrtMemcpyKind, aclrtStream));
EXPECT_PROTOTYPE(aclrtMemset, aclError(void*, size_t, int32_t, size_t));
EXPECT_PROTOTYPE(aclrtMemsetAsync, aclError(void*, size_t, int32_t, size_t, aclrtStream));
EXPECT_PROTOTYPE(aclDataTypeSize, size_t(aclDataType));
EXPECT_PROTOTYPE(aclFloatToFloat16, aclFloat16(float));
EXPECT_PROTOTYPE(aclFloat16ToFloat, float(aclFloat16));
EXPECT_PROTOTYPE(aclrtGetLastError, aclError(aclrtLastErrLevel));
EXPECT_PROTOTYPE(aclrtPeekAtLastError, aclError(aclrtLastErrLevel));
EXPECT_PROTOTYPE(aclrtSetSysParamOpt, aclError(aclSysParamOpt, int64_t));
EXPECT_PROTOTYPE(aclrtGetSysParamOpt, aclError(aclSysParamOpt, int64_t*));
EXPECT_PROTOTYPE(aclrtCtxSetSysParamOpt, aclError(aclSysParamOpt, int64_t));
EXPECT_PROTOTYPE(aclrtCtxGetSysParamOpt, aclError(aclSysParamOpt, int64_t*));
EXPECT_PROTOTYPE(aclrtCreateEvent, aclError(aclrtEvent*));
EXPECT_PROTOTYPE(aclrtCreateEventWithFlag, aclError(aclrtEvent*, uint32_t));
EXPECT_PROTOTYPE(aclrtCreateEventExWithFlag, aclError(aclrtEvent*, uint32_t));
EXPECT_PROTOTYPE(aclrtDestroyEvent, aclError(aclrtEvent));
EXPECT_PROTOTYPE(aclrtRecordEvent, aclError(aclrtEvent, aclrtStream));
EXPECT_PROTOTYPE(aclrtResetEvent, aclError(aclrtEvent, aclrtStream));
EXPECT_PROTOTYPE(aclrtStreamWaitEvent, aclError(aclrtStream, aclrtEvent));
EXPECT_PROTOTYPE(aclrtSynchronizeEvent, aclError(aclrtEvent));
EXPECT_PROTOTYPE(aclrtSynchronizeEventWithTimeout, aclError(aclrtEvent, int32_t));
EXPECT_PROTOTYPE(aclrtQueryEventStatus, aclError(aclrtEvent, aclrtEventRecordedStatus*));
EXPECT_PROTOTYPE(aclrtEventElapsedTime, aclError(float*, aclrtEvent, aclrtEvent));
EXPECT_PROTOTYPE(aclrtLaunchHostFunc, aclError(aclrtStream, aclrtHostFunc, void*));
EXPECT_PROTOTYPE(aclrtCtxGetCurrentDefaultStream, aclError(aclrtStream*));
EXPECT_PROTOTYPE(aclrtStreamQuery, aclError(aclrtStream, aclrtStreamStatus*));

// The operator base.
EXPECT_PROTOTYPE(aclnnInit, aclnnStatus(const char*));
EXPECT_PROTOTYPE(aclnnFinalize, aclnnStatus());
EXPECT_PROTOTYPE(aclCreateTensor, aclTensor*(const int64_t*, uint64_t, aclDataType, const int64_t*, int64_t, aclFormat,
                                             const int64_t*, uint64_t, void*));
EXPECT_PROTOTYPE(aclInitTensor, aclnnStatus(aclTensor*, const int64_t*, uint64_t, aclDataType, const int64_t*, int64_t,
                                            aclFormat, const int64_t*, uint64_t, void*));
EXPECT_PROTOTYPE(aclCreateScalar, aclScalar*(void*, aclDataType));
EXPECT_PROTOTYPE(aclCreateIntArray, aclIntArray*(const int64_t*, uint64_t));
EXPECT_PROTOTYPE(aclCreateFloatArray, aclFloatArray*(const float*, uint64_t));
EXPECT_PROTOTYPE(aclCreateBoolArray, aclBoolArray*(const bool*, uint64_t));
EXPECT_PROTOTYPE(aclCreateTensorList, aclTensorList*(const aclTensor* const*, uint64_t));
EXPECT_PROTOTYPE(aclCreateScalarList, aclScalarList*(const aclScalar* const*, uint64_t));
EXPECT_PROTOTYPE(aclDestroyTensor, aclnnStatus(const aclTensor*));
EXPECT_PROTOTYPE(aclDestroyScalar, aclnnStatus(const aclScalar*));
EXPECT_PROTOTYPE(aclDestroyIntArray, aclnnStatus(const aclIntArray*));
EXPECT_PROTOTYPE(aclDestroyFloatArray, aclnnStatus(const aclFloatArray*));
EXPECT_PROTOTYPE(aclDestroyBoolArray, aclnnStatus(const aclBoolArray*));
EXPECT_PROTOTYPE(aclDestroyTensorList, aclnnStatus(const aclTensorList*));
EXPECT_PROTOTYPE(aclDestroyScalarList, aclnnStatus(const aclScalarList*));
EXPECT_PROTOTYPE(aclGetViewShape, aclnnStatus(const aclTensor*, int64_t**, uint64_t*));
EXPECT_PROTOTYPE(aclGetStorageShape, aclnnStatus(const aclTensor*, int64_t**, uint64_t*));
EXPECT_PROTOTYPE(aclGetViewStrides, aclnnStatus(const aclTensor*, int64_t**, uint64_t*));
EXPECT_PROTOTYPE(aclGetViewOffset, aclnnStatus(const aclTensor*, int64_t*));
EXPECT_PROTOTYPE(aclGetFormat, aclnnStatus(const aclTensor*, aclFormat*));
EXPECT_PROTOTYPE(aclGetDataType, aclnnStatus(const aclTensor*, aclDataType*));
EXPECT_PROTOTYPE(aclGetIntArraySize, aclnnStatus(const aclIntArray*, uint64_t*));
EXPECT_PROTOTYPE(aclGetFloatArraySize, aclnnStatus(const aclFloatArray*, uint64_t*));
EXPECT_PROTOTYPE(aclGetBoolArraySize, aclnnStatus(const aclBoolArray*, uint64_t*));
EXPECT_PROTOTYPE(aclGetTensorListSize, aclnnStatus(const aclTensorList*, uint64_t*));
EXPECT_PROTOTYPE(aclGetScalarListSize, aclnnStatus(const aclScalarList*, uint64_t*));
EXPECT_PROTOTYPE(aclGetRawTensorAddr, aclnnStatus(const aclTensor*, void**));
EXPECT_PROTOTYPE(aclSetRawTensorAddr, aclnnStatus(aclTensor*, void*));
EXPECT_PROTOTYPE(aclSetAclOpExecutorRepeatable, aclnnStatus(aclOpExecutor*));
EXPECT_PROTOTYPE(aclDestroyAclOpExecutor, aclnnStatus(aclOpExecutor*));
EXPECT_PROTOTYPE(aclSetInputTensorAddr, aclnnStatus(aclOpExecutor*, size_t, aclTensor*, void*));
EXPECT_PROTOTYPE(aclSetOutputTensorAddr, aclnnStatus(aclOpExecutor*, size_t, aclTensor*, void*));
EXPECT_PROTOTYPE(aclSetTensorAddr, aclnnStatus(aclOpExecutor*, size_t, aclTensor*, void*));
EXPECT_PROTOTYPE(aclSetDynamicInputTensorAddr, aclnnStatus(aclOpExecutor*, size_t, size_t, aclTensorList*, void*));
EXPECT_PROTOTYPE(aclSetDynamicOutputTensorAddr, aclnnStatus(aclOpExecutor*, size_t, size_t, aclTensorList*, void*));
EXPECT_PROTOTYPE(aclSetDynamicTensorAddr, aclnnStatus(aclOpExecutor*, size_t, size_t, aclTensorList*, void*));
EXPECT_PROTOTYPE(AclSetInputTensorAddr, aclnnStatus(aclOpExecutor*, size_t, aclTensor*, void*));
EXPECT_PROTOTYPE(AclSetOutputTensorAddr, aclnnStatus(aclOpExecutor*, size_t, aclTensor*, void*));
EXPECT_PROTOTYPE(AclSetTensorAddr, aclnnStatus(aclOpExecutor*, size_t, aclTensor*, void*));
EXPECT_PROTOTYPE(AclSetDynamicInputTensorAddr, aclnnStatus(aclOpExecutor*, size_t, size_t, aclTensorList*, void*));
EXPECT_PROTOTYPE(AclSetDynamicOutputTensorAddr, aclnnStatus(aclOpExecutor*, size_t, size_t, aclTensorList*, void*));
EXPECT_PROTOTYPE(AclSetDynamicTensorAddr, aclnnStatus(aclOpExecutor*, size_t, size_t, aclTensorList*, void*));
EXPECT_PROTOTYPE(aclDumpOpTensors, aclnnStatus(const char*, const char*, aclTensor**, size_t, size_t, aclrtStream));
