// SPDX-License-Identifier: Apache-2.0
// Communicators: how ranks find each other, and their properties.
//
// Ranks are the threads of one process, each with its own device. Ranks in several processes need a transport between
// processes, which this version does not have: HcclCommInitRootInfo with the root info of another process returns
// HCCL_E_NOT_FOUND.
#ifndef PORTACL_INCLUDE_HCCL_HCCL_COMM_H_
#define PORTACL_INCLUDE_HCCL_HCCL_COMM_H_

#include <stdbool.h>
#include <string.h>

#include "acl/acl.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Creates the data that the ranks of a new communicator need to find each other. The root passes the bytes to the
/// others.
///
/// rootInfo  out
///
/// Returns HCCL_SUCCESS; HCCL_E_PTR (null); HCCL_E_SYSCALL (no random bytes); HCCL_E_NETWORK (no such address, or the
/// ports that the root may listen on are taken). Threads: pure.
ACL_FUNC_VISIBILITY HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo);

/// Creates a communicator. Returns when all ranks have called it, or HCCL_CONNECT_TIMEOUT (120 s) has passed.
///
/// nRanks    in   number of ranks, at least 1.
/// rootInfo  in   of HcclGetRootInfo, the same for all ranks.
/// rank      in   0 to nRanks - 1, different for each.
/// comm      out  free it with HcclCommDestroy.
///
/// Returns HCCL_SUCCESS; HCCL_E_PTR (null); HCCL_E_PARA (no such rank, a rank or a number of ranks that disagrees with
/// the others, bytes that are not a root info); HCCL_E_NOT_FOUND (a root info that its process does not know);
/// HCCL_E_TIMEOUT (the report names the missing ranks); HCCL_E_TCP_CONNECT (the root or a rank has ended);
/// HCCL_E_SYSCALL (too few descriptors); HCCL_E_NETWORK (no address); HCCL_E_OOM. Threads: pure.
ACL_FUNC_VISIBILITY HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                                    HcclComm* comm);

/// HcclCommInitRootInfo with settings.
///
/// nRanks, rootInfo, rank, comm  as there.
/// config                        in  of HcclCommConfigInit. Members beyond its own size are those of a new one.
///
/// Returns as HcclCommInitRootInfo; also HCCL_E_PARA if the settings do not start with size and magic word.
ACL_FUNC_VISIBILITY HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                                          const HcclCommConfig* config, HcclComm* comm);

/// Creates the communicators of all ranks at once, for one process with several devices. Rank i uses devices[i].
///
/// ndev     in   number of ranks, 1 to the number of devices.
/// devices  in   ndev device numbers.
/// comms    out  ndev communicators.
///
/// Returns HCCL_SUCCESS; HCCL_E_PTR (null); HCCL_E_PARA (no rank, a device that does not exist, or the same device
/// twice); HCCL_E_OOM.
ACL_FUNC_VISIBILITY HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms);

/// Creates a communicator of some ranks of another one. All of these ranks call it, in the same order for all their
/// sub-communicators; it returns when they have done so, or HCCL_CONNECT_TIMEOUT has passed.
///
/// comm           in   the communicator, which is not changed.
/// rankNum        in   number of ranks, 1 to that of `comm`.
/// rankIds        in   their ranks in comm, the same list for all. Rank i of the new one is rankIds[i].
/// subCommId      in   a number, the same for all.
/// subCommRankId  in   rank of the caller in the new one.
/// config         in   of HcclCommConfigInit.
/// subComm        out  free it with HcclCommDestroy.
///
/// Returns HCCL_SUCCESS; HCCL_E_PTR (null); HCCL_E_PARA (no communicator, ranks that do not exist, occur twice or do
/// not include the caller, invalid settings, ranks that disagree); HCCL_E_REMOTE (comm has failed); HCCL_E_TIMEOUT;
/// HCCL_E_OOM. Threads: pure.
ACL_FUNC_VISIBILITY HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds,
                                                       uint64_t subCommId, uint32_t subCommRankId,
                                                       HcclCommConfig* config, HcclComm* subComm);

/// A setting with which the communicator was created.
///
/// comm     in
/// cfgType  in   HCCL_CONFIG_TYPE_OP_EXPANSION_MODE: a uint32_t; HCCL_CONFIG_TYPE_HCCL_ALGO: a null-terminated text.
/// infoLen  in   bytes at info.
/// info     out
///
/// Returns HCCL_SUCCESS; HCCL_E_PTR (null); HCCL_E_PARA (no communicator, another type, too few bytes).
ACL_FUNC_VISIBILITY HcclResult HcclConfigGetInfo(HcclComm comm, HcclConfigType cfgType, uint32_t infoLen, void* info);

/// Destroys a communicator. Queued and running operations end with an error. It does not wait for other ranks; those
/// that still wait for this one get an error.
///
/// comm  in  NULL: does nothing.
///
/// Returns HCCL_SUCCESS; HCCL_E_PARA (no communicator).
ACL_FUNC_VISIBILITY HcclResult HcclCommDestroy(HcclComm comm);

/// Number of ranks.
///
/// comm      in
/// rankSize  out
///
/// Returns HCCL_SUCCESS; HCCL_E_PTR (null); HCCL_E_PARA (no communicator).
ACL_FUNC_VISIBILITY HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize);

/// Rank of the caller.
///
/// comm  in
/// rank  out
///
/// Returns as HcclGetRankSize.
ACL_FUNC_VISIBILITY HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank);

/// Name of the communicator: hcclCommName of its settings, or a text that is unique in the process.
///
/// comm      in
/// commName  out  COMM_NAME_MAX_LENGTH bytes, null-terminated.
///
/// Returns as HcclGetRankSize.
ACL_FUNC_VISIBILITY HcclResult HcclGetCommName(HcclComm comm, char* commName);

/// Stores always HCCL_SUCCESS: the stream of an operation reports its failure.
///
/// comm        in
/// asyncError  out
///
/// Returns as HcclGetRankSize.
ACL_FUNC_VISIBILITY HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError);

/// Name of a result, for messages; static storage. "unknown result" for an unknown value.
ACL_FUNC_VISIBILITY const char* HcclGetErrorString(HcclResult code);

/// Number of members of HcclCommConfigCapability that are supported.
ACL_FUNC_VISIBILITY uint32_t HcclGetCommConfigCapability(void);

/// Changes a setting of the process. No value affects results: reductions are always in rank order.
///
/// config       in  HCCL_DETERMINISTIC or HCCL_ACCELERATOR.
/// configValue  in
///
/// Returns HCCL_SUCCESS; HCCL_E_PARA (no such setting). Threads: pure.
ACL_FUNC_VISIBILITY HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue);

/// The value that HcclSetConfig set last, 0 at first.
///
/// config       in
/// configValue  out
///
/// Returns HCCL_SUCCESS; HCCL_E_PTR (null); HCCL_E_PARA (no such setting). Threads: pure.
ACL_FUNC_VISIBILITY HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue);

/// Starts a group: this thread's sends and receives until HcclGroupEnd are queued together, so that their order does
/// not matter. Groups nest.
///
/// Returns HCCL_SUCCESS. Threads: the calling thread's group.
ACL_FUNC_VISIBILITY HcclResult HcclGroupStart(void);

/// Ends a group; the outermost one queues its sends and receives.
///
/// Returns HCCL_SUCCESS; HCCL_E_PARA (no group was started); the result of queueing.
ACL_FUNC_VISIBILITY HcclResult HcclGroupEnd(void);

/// Whether a group of this thread was started and has not ended.
///
/// isGroup  out
///
/// Returns HCCL_SUCCESS; HCCL_E_PTR (null). Threads: the calling thread's group.
ACL_FUNC_VISIBILITY HcclResult HcclGroupStatusGet(bool* isGroup);

/// The communicator with this name; if there are several, the oldest one.
///
/// commName  in
/// comm      out
///
/// Returns HCCL_SUCCESS; HCCL_E_PTR (null); HCCL_E_NOT_FOUND.
ACL_FUNC_VISIBILITY HcclResult HcclCommGetHandleWithName(const char* commName, HcclComm* comm);

/// HCCL_COMM_STATUS_READY, or HCCL_COMM_STATUS_INVALID for a communicator that has failed or does not exist.
///
/// commName  in
/// status    out
///
/// Returns HCCL_SUCCESS; HCCL_E_PTR (null).
ACL_FUNC_VISIBILITY HcclResult HcclCommGetStatus(const char* commName, HcclCommStatus* status);

/// Rank tables (use a root info instead), suspended communicators, spare network cards, memory shared by cards and its
/// windows, and callbacks for a state that never changes: these functions return HCCL_E_NOT_SUPPORT, with a message.
ACL_FUNC_VISIBILITY HcclResult HcclCommInitClusterInfo(const char* clusterInfo, uint32_t rank, HcclComm* comm);
ACL_FUNC_VISIBILITY HcclResult HcclCommInitClusterInfoConfig(const char* clusterInfo, uint32_t rank,
                                                             HcclCommConfig* config, HcclComm* comm);
ACL_FUNC_VISIBILITY HcclResult HcclCommSuspend(HcclComm comm);
ACL_FUNC_VISIBILITY HcclResult HcclCommResume(HcclComm comm);
ACL_FUNC_VISIBILITY HcclResult HcclCommWorkingDevNicSet(HcclComm comm, uint32_t* ranks, bool* useBackup,
                                                        uint32_t nRanks);
ACL_FUNC_VISIBILITY HcclResult HcclCommRegister(HcclComm comm, void* addr, uint64_t size, void** handle, uint32_t flag);
ACL_FUNC_VISIBILITY HcclResult HcclCommDeregister(HcclComm comm, void* handle);
ACL_FUNC_VISIBILITY HcclResult HcclCommExchangeMem(HcclComm comm, void* windowHandle, uint32_t* peerRanks,
                                                   uint32_t peerRankNum);
ACL_FUNC_VISIBILITY HcclResult HcclCommSetMemoryRange(HcclComm comm, void* baseVirPtr, size_t size, size_t alignment,
                                                      uint64_t flags);
ACL_FUNC_VISIBILITY HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void* baseVirPtr);
ACL_FUNC_VISIBILITY HcclResult HcclCommActivateCommMemory(HcclComm comm, void* virPtr, size_t size, size_t offset,
                                                          aclrtDrvMemHandle handle, uint64_t flags);
ACL_FUNC_VISIBILITY HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void* virPtr);
ACL_FUNC_VISIBILITY HcclResult HcclCommSymWinRegister(HcclComm comm, void* addr, uint64_t size,
                                                      HcclCommSymWindow* winHandle, uint32_t flag);
ACL_FUNC_VISIBILITY HcclResult HcclCommSymWinDeregister(HcclCommSymWindow winHandle);
ACL_FUNC_VISIBILITY HcclResult HcclCommSymWinGet(HcclComm comm, void* ptr, size_t size, HcclCommSymWindow* winHandle,
                                                 size_t* offset);
ACL_FUNC_VISIBILITY HcclResult HcclSymWinGetPeerPointer(HcclCommSymWindow winHandle, size_t offset, uint32_t peerRank,
                                                        void** ptr);
ACL_FUNC_VISIBILITY HcclResult HcclCommRegCommStateCallback(const char* commName,
                                                            HcclResult (*callback)(HcclComm, HcclCommStatePhase, void*),
                                                            void* args);

/// Sets the default settings of a communicator. Inline, so that a program uses the struct size of the header with which
/// it was compiled.
///
/// config  out
static inline void HcclCommConfigInit(HcclCommConfig* config) {
  const size_t size = sizeof(*config);
  const uint32_t magic = HCCL_COMM_CONFIG_MAGIC_WORD;
  const uint32_t version = HCCL_COMM_CONFIG_VERSION;
  memset(config, 0, size);
  memcpy(config->reserved, &size, sizeof(size));
  memcpy(config->reserved + sizeof(size), &magic, sizeof(magic));
  memcpy(config->reserved + sizeof(size) + sizeof(magic), &version, sizeof(version));
  config->hcclBufferSize = HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET;
  config->hcclDeterministic = HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET;
  config->hcclRdmaTrafficClass = HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET;
  config->hcclRdmaServiceLevel = HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET;
  config->hcclExecTimeOut = HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET;
  config->hcclQos = HCCL_COMM_QOS_CONFIG_NOT_SET;
  config->hcclSymWinMaxMemSizePerRank = HCCL_DEFAULT_SYMMETRIC_MEMORY_STRIDE;
  config->hcclChannelSqDepth = HCCL_COMM_SQ_DEPTH_CONFIG_NOT_SET;
}

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_HCCL_HCCL_COMM_H_
