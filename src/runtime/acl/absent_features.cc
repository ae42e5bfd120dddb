// SPDX-License-Identifier: Apache-2.0
// Functions of features that this device does not have. Some do nothing and succeed, because clients call them
// unconditionally. The others refuse, so that a client which probes for the feature falls back to another method.
//
// The definitions read no argument and so have no parameters, whatever the headers declare: in the calling conventions
// of Linux the caller removes the arguments. This file therefore includes none of those headers. Checks of function
// types (Clang's -fsanitize=function and cfi-icall) would abort calls to these functions: packages are built without
// them.
#include <cstdint>

#include "acl/error_codes/rt_error_codes.h"
#include "base/status.h"

namespace {

int32_t Refuse(const char* function) noexcept {
  return portacl::Failf(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "{}: not supported by this device", function);
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

#define SUCCEED(name) \
  EXPORT uint64_t name() { return 0; }

// Defines a function that returns a status code.
#define REFUSE(name) \
  EXPORT int32_t name() { return Refuse(#name); }

// Defines a function that returns a value or an address: 0 or NULL.
#define REFUSE_RESULT(name) \
  EXPORT uint64_t name() {  \
    Refuse(#name);          \
    return 0;               \
  }

// Dumps, profiling settings and markers, cache maintenance, overflow flags: nothing to do.
SUCCEED(aclmdlInitDump)
SUCCEED(aclmdlSetDump)
SUCCEED(aclmdlFinalizeDump)
SUCCEED(aclopStartDumpArgs)
SUCCEED(aclopStopDumpArgs)
SUCCEED(aclopDestroyHandle)
SUCCEED(acldumpRegCallback)
SUCCEED(acldumpUnregCallback)
SUCCEED(aclprofSetConfig)
SUCCEED(aclprofWarmup)
SUCCEED(aclprofRegisterDeviceCallback)
SUCCEED(aclprofGetStepTimestamp)
SUCCEED(aclprofDestroyStepInfo)
SUCCEED(aclprofMarkEx)
SUCCEED(aclprofRangePushEx)
SUCCEED(aclprofRangePop)
SUCCEED(aclprofStr2Id)
SUCCEED(aclprofDestroyStamp)
SUCCEED(aclprofPush)
SUCCEED(aclprofPop)
SUCCEED(aclprofRangeStart)
SUCCEED(aclprofRangeStop)
SUCCEED(aclprofSetStampTraceMessage)
SUCCEED(aclprofMark)
SUCCEED(aclrtProfTrace)
SUCCEED(aclrtSetDeviceTaskAbortCallback)
SUCCEED(aclrtPersistentTaskClean)
SUCCEED(aclrtDeviceL2CacheFlush)
SUCCEED(aclrtCmoAsync)
SUCCEED(aclrtCmoAsyncWithBarrier)
SUCCEED(aclrtCmoWaitBarrier)
SUCCEED(aclrtResetFloatOverflowStatus)
SUCCEED(aclrtNpuClearFloatOverFlowStatus)

// Captured graphs of tasks.
REFUSE(aclmdlRICaptureBegin)
REFUSE(aclmdlRICaptureEnd)
REFUSE(aclmdlRICaptureTaskGrpBegin)
REFUSE(aclmdlRICaptureTaskGrpEnd)
REFUSE(aclmdlRICaptureTaskUpdateBegin)
REFUSE(aclmdlRICaptureTaskUpdateEnd)
REFUSE(aclmdlRICaptureToModelRIBegin)
REFUSE(aclmdlRIExecute)
REFUSE(aclmdlRIExecuteAsync)
REFUSE(aclmdlRIDestroy)
REFUSE(aclmdlRIAbort)
REFUSE(aclmdlRIUpdate)
REFUSE(aclmdlRIDebugPrint)
REFUSE(aclmdlRIDebugJsonPrint)
REFUSE(aclmdlRIBuildBegin)
REFUSE(aclmdlRIBuildEnd)
REFUSE(aclmdlRIBindStream)
REFUSE(aclmdlRIUnbindStream)
REFUSE(aclmdlRIEndTask)
REFUSE(aclmdlRISetName)
REFUSE(aclmdlRIGetName)
REFUSE(aclmdlRIGetId)
REFUSE(aclmdlRIGetStreams)
REFUSE(aclmdlRIGetTasksByStream)
REFUSE(aclmdlRITaskGetType)
REFUSE(aclmdlRITaskGetSeqId)
REFUSE(aclmdlRITaskGetParams)
REFUSE(aclmdlRITaskSetParams)
REFUSE(aclmdlRITaskDisable)
REFUSE(aclmdlRIKernelTaskGetAttribute)
REFUSE(aclmdlRIDestroyRegisterCallback)
REFUSE(aclmdlRIDestroyUnregisterCallback)
REFUSE(aclmdlRICondHandleCreate)
REFUSE(aclmdlRICondHandleGetCondPtr)
REFUSE(aclmdlRIAddCondTask)

// Memory, events and notifies of other processes.
REFUSE(aclrtIpcMemGetExportKey)
REFUSE(aclrtIpcMemClose)
REFUSE(aclrtIpcMemImportByKey)
REFUSE(aclrtIpcMemSetImportPid)
REFUSE(aclrtIpcMemSetAttr)
REFUSE(aclrtIpcMemImportPidInterServer)
REFUSE(aclrtIpcGetEventHandle)
REFUSE(aclrtIpcOpenEventHandle)
REFUSE(aclrtNotifyGetExportKey)
REFUSE(aclrtNotifyImportByKey)
REFUSE(aclrtNotifySetImportPid)
REFUSE(aclrtNotifySetImportPidInterServer)
REFUSE(aclrtMemExportToShareableHandle)
REFUSE(aclrtMemExportToShareableHandleV2)
REFUSE(aclrtMemImportFromShareableHandle)
REFUSE(aclrtMemImportFromShareableHandleV2)
REFUSE(aclrtMemSetPidToShareableHandle)
REFUSE(aclrtMemSetPidToShareableHandleV2)

// Managed memory, mappings of peers, stream-ordered pools.
REFUSE(aclrtMemAllocManaged)
REFUSE(aclrtMemManagedGetAttr)
REFUSE(aclrtMemManagedGetAttrs)
REFUSE(aclrtMemManagedAdvise)
REFUSE(aclrtMemManagedPrefetchAsync)
REFUSE(aclrtMemManagedPrefetchBatchAsync)
REFUSE(aclrtMemMapNoAccess)
REFUSE(aclrtMemMapSelectedLink)
REFUSE(aclrtMemMapSetLink)
REFUSE(aclrtMemP2PMap)
REFUSE(aclrtReserveMemAddressNoUCMemory)
REFUSE(aclrtMemPoolCreate)
REFUSE(aclrtMemPoolDestroy)
REFUSE(aclrtMemPoolSetAttr)
REFUSE(aclrtMemPoolGetAttr)
REFUSE(aclrtMemPoolMallocAsync)
REFUSE(aclrtMemPoolFreeAsync)
REFUSE(aclrtMemPoolTrimTo)

// Binaries of kernels, their launches and variables.
REFUSE_RESULT(aclrtCreateBinary)
REFUSE(aclrtDestroyBinary)
REFUSE(aclrtBinaryLoad)
REFUSE(aclrtBinaryLoadFromFile)
REFUSE(aclrtBinaryLoadFromData)
REFUSE(aclrtBinaryUnLoad)
REFUSE(aclrtBinaryGetFunction)
REFUSE(aclrtBinaryGetFunctionByEntry)
REFUSE(aclrtBinaryGetDevAddress)
REFUSE(aclrtBinaryGetGlobal)
REFUSE(aclrtBinarySetExceptionCallback)
REFUSE(aclrtGetFuncBySymbol)
REFUSE(aclrtGetFunctionAddr)
REFUSE(aclrtGetFunctionSize)
REFUSE(aclrtGetFunctionName)
REFUSE(aclrtGetFunctionAttribute)
REFUSE(aclrtFunctionGetBinary)
REFUSE(aclrtFunctionGetParamCount)
REFUSE(aclrtFunctionGetParamInfo)
REFUSE(aclrtFunctionGetAvailDynUbufPerBlock)
REFUSE(aclrtRegisterCpuFunc)
REFUSE(aclrtLaunchKernel)
REFUSE(aclrtLaunchKernelV2)
REFUSE(aclrtLaunchKernelWithConfig)
REFUSE(aclrtLaunchKernelWithHostArgs)
REFUSE(aclrtLaunchKernelWithArgsArray)
REFUSE(aclrtLaunchSIMTKernelWithArgsArray)
REFUSE(aclrtLaunchSIMTKernelWithHostArgs)
REFUSE(aclrtKernelArgsInit)
REFUSE(aclrtKernelArgsInitByUserMem)
REFUSE(aclrtKernelArgsGetHandleMemSize)
REFUSE(aclrtKernelArgsGetMemSize)
REFUSE(aclrtKernelArgsAppend)
REFUSE(aclrtKernelArgsAppendPlaceHolder)
REFUSE(aclrtKernelArgsGetPlaceHolderBuffer)
REFUSE(aclrtKernelArgsParaUpdate)
REFUSE(aclrtKernelArgsFinalize)
REFUSE(aclrtTaskUpdateAsync)
REFUSE(aclrtGetArgsFromExceptionInfo)
REFUSE(aclrtGetFuncHandleFromExceptionInfo)
REFUSE(aclrtGetSymbolAddress)
REFUSE(aclrtGetSymbolSize)
REFUSE(aclrtMemcpyFromSymbol)
REFUSE(aclrtMemcpyFromSymbolAsync)
REFUSE(aclrtMemcpyToSymbol)
REFUSE(aclrtMemcpyToSymbolAsync)

// Labels, control of streams, tasks of special engines.
REFUSE(aclrtCreateLabel)
REFUSE(aclrtSetLabel)
REFUSE(aclrtDestroyLabel)
REFUSE(aclrtCreateLabelList)
REFUSE(aclrtDestroyLabelList)
REFUSE(aclrtSwitchLabelByIndex)
REFUSE(aclrtActiveStream)
REFUSE(aclrtSwitchStream)
REFUSE(aclrtReduceAsync)
REFUSE(aclrtRandomNumAsync)
REFUSE(aclrtGetMemcpyDescSize)
REFUSE(aclrtSetMemcpyDesc)
REFUSE(aclrtMemcpyAsyncWithDesc)
REFUSE(aclrtCmoGetDescSize)
REFUSE(aclrtCmoSetDesc)
REFUSE(aclrtCmoAsyncWithDesc)
REFUSE(aclrtGetHardwareSyncAddr)
REFUSE(aclrtCtxGetFloatOverflowAddr)
REFUSE(aclrtGetFloatOverflowStatus)
REFUSE(aclrtNpuGetFloatOverFlowStatus)
REFUSE(aclrtDeviceGetHostAtomicCapabilities)
REFUSE(aclrtDeviceGetP2PAtomicCapabilities)

// Groups of cores.
REFUSE(aclrtSetGroup)
REFUSE(aclrtGetGroupCount)
REFUSE_RESULT(aclrtCreateGroupInfo)
REFUSE(aclrtDestroyGroupInfo)
REFUSE(aclrtGetAllGroupInfo)
REFUSE(aclrtGetGroupInfoDetail)

// Repair of faults, snapshots.
REFUSE(aclrtGetMemUceInfo)
REFUSE(aclrtMemUceRepair)
REFUSE(aclrtDeviceTaskAbort)
REFUSE(aclrtRepairError)
REFUSE(aclrtSnapShotProcessLock)
REFUSE(aclrtSnapShotProcessUnlock)
REFUSE(aclrtSnapShotProcessBackup)
REFUSE(aclrtSnapShotProcessRestore)
REFUSE(aclrtSnapShotCallbackRegister)
REFUSE(aclrtSnapShotCallbackUnregister)

// Message buffers.
REFUSE(aclrtAllocBuf)
REFUSE(aclrtFreeBuf)
REFUSE(aclrtGetBufData)
REFUSE(aclrtGetBufDataLen)
REFUSE(aclrtSetBufDataLen)
REFUSE(aclrtGetBufUserData)
REFUSE(aclrtSetBufUserData)
REFUSE(aclrtCopyBufRef)
REFUSE(aclrtAppendBufChain)
REFUSE(aclrtGetBufChainNum)
REFUSE(aclrtGetBufFromChain)

// Dumps and profiling whose output a client wants to read.
REFUSE_RESULT(acldumpGetPath)
REFUSE(acldumpSaveExceptionInfo)
REFUSE(acldumpGetExceptionInfoPath)
REFUSE(aclprofModelSubscribe)
REFUSE(aclprofModelUnSubscribe)
REFUSE_RESULT(aclprofCreateSubscribeConfig)
REFUSE(aclprofDestroySubscribeConfig)
REFUSE(aclprofGetOpDescSize)
REFUSE(aclprofGetOpNum)
REFUSE(aclprofGetOpTypeLen)
REFUSE(aclprofGetOpType)
REFUSE(aclprofGetOpNameLen)
REFUSE(aclprofGetOpName)
REFUSE_RESULT(aclprofGetOpStart)
REFUSE_RESULT(aclprofGetOpEnd)
REFUSE_RESULT(aclprofGetOpDuration)
REFUSE_RESULT(aclprofGetModelId)
REFUSE_RESULT(aclprofGetOpFlag)
REFUSE_RESULT(aclprofGetOpAttriValue)

// Operators by name: compiled, loaded, chosen, run.
REFUSE(aclopSetModelDir)
REFUSE(aclopLoad)
REFUSE(aclopCompile)
REFUSE(aclopExecute)
REFUSE(aclopExecuteV2)
REFUSE(aclopCreateHandle)
REFUSE(aclopExecWithHandle)
REFUSE(aclopCast)
REFUSE(aclopInferShape)
REFUSE(aclGenGraphAndDumpForOp)

// Functions below this interface, to which plug-ins refer when they are loaded.
REFUSE(rtDevBinaryRegister)
REFUSE(rtFunctionRegister)
REFUSE(rtGetC2cCtrlAddr)
REFUSE(rtKernelLaunch)
REFUSE(rtGetDeviceInfo)
REFUSE(rtGetTaskIdAndStreamID)
REFUSE(rtIpcSetMemoryName)
REFUSE(rtIpcOpenMemory)
REFUSE(rtIpcCloseMemory)

// Functions with which plug-ins report to the profiler.
SUCCEED(MsprofGetHashId)
SUCCEED(MsprofRegisterCallback)
SUCCEED(MsprofReportAdditionalInfo)
SUCCEED(MsprofReportApi)
SUCCEED(MsprofReportCompactInfo)
SUCCEED(MsprofSysCycleTime)
