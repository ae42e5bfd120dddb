// SPDX-License-Identifier: Apache-2.0
// Collective operations. Each call queues the operation on a stream and returns; results are available when the stream
// has completed it.
//
// All ranks of a communicator call the same operations in the same order, except sends and receives. An operation that
// another rank calls with another count, type, reduction or root ends with an error on both, as does one that waits
// longer than HCCL_EXEC_TIMEOUT (1836 s, 0: no limit) for another rank: the stream reports 507018 or 507048, and the
// message of the next synchronization names operation, communicator and rank. A failed communicator cannot be used
// again.
//
// A reduction is ((x0 op x1) op x2) ... in the order of the ranks: the same bits on every rank and in every run. FP16
// and BFP16 are computed in float32 and rounded once, to nearest even; FP64 in float64; integers wrap around. MAX and
// MIN return a NaN if there is one, that of the lowest rank.
//
// send and recv may be the same buffer, except for HcclAlltoAll and its variants. If they overlap, the result is as if
// send had been copied first. Counts are numbers of elements. Arrays of counts and items are read before the call
// returns.
//
// Every operation returns HCCL_SUCCESS when it is queued; HCCL_E_PTR (a null pointer); HCCL_E_PARA (no communicator, a
// count above 0x7FFFFFFF, no such rank); HCCL_E_NOT_SUPPORT (a type or reduction that it does not support);
// HCCL_E_RUNTIME (no live stream of the current context); HCCL_E_REMOTE (a failed communicator); HCCL_E_OOM. A count of
// 0 does nothing. Reductions support INT8, INT16, INT32, INT64, UINT64, FP16, FP32, FP64 and BFP16, except PROD for
// INT16 and BFP16; all other operations support any type except INT128.
#ifndef PORTACL_INCLUDE_HCCL_HCCL_H_
#define PORTACL_INCLUDE_HCCL_HCCL_H_

#include "acl/acl.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Every rank receives the reduction of all ranks' send.
///
/// sendBuf  in   count elements.
/// recvBuf  out  count elements.
ACL_FUNC_VISIBILITY HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                                             HcclReduceOp op, HcclComm comm, aclrtStream stream);

/// Every rank receives the buffer of the root.
///
/// buf   inout  count elements.
/// root  in     rank whose buffer it is.
ACL_FUNC_VISIBILITY HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root,
                                             HcclComm comm, aclrtStream stream);

/// Every rank receives the send of all ranks, in rank order.
///
/// sendBuf  in   sendCount elements.
/// recvBuf  out  sendCount elements for each rank.
ACL_FUNC_VISIBILITY HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType,
                                             HcclComm comm, aclrtStream stream);

/// HcclAllGather with parts of different sizes.
///
/// sendBuf     in   sendCount elements.
/// recvBuf     out  recvCounts[i] elements from rank i, at element recvDispls[i].
/// recvCounts  in   uint64_t for each rank; sendCount for this rank.
/// recvDispls  in   uint64_t for each rank.
ACL_FUNC_VISIBILITY HcclResult HcclAllGatherV(void* sendBuf, uint64_t sendCount, void* recvBuf, const void* recvCounts,
                                              const void* recvDispls, HcclDataType dataType, HcclComm comm,
                                              aclrtStream stream);

/// Each rank receives its part of the reduction of all ranks' send.
///
/// sendBuf  in   recvCount elements for each rank.
/// recvBuf  out  recvCount elements.
ACL_FUNC_VISIBILITY HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                                                 HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                                                 aclrtStream stream);

/// HcclReduceScatter with parts of different sizes. It supports neither UINT64 nor FP64.
///
/// sendBuf     in   sendCounts[i] elements for rank i, at element sendDispls[i].
/// sendCounts  in   uint64_t for each rank, the same on all.
/// sendDispls  in   uint64_t for each rank.
/// recvBuf     out  recvCount elements, the value in sendCounts for this rank.
ACL_FUNC_VISIBILITY HcclResult HcclReduceScatterV(void* sendBuf, const void* sendCounts, const void* sendDispls,
                                                  void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                                                  HcclReduceOp op, HcclComm comm, aclrtStream stream);

/// The root receives the reduction of all ranks' send.
///
/// sendBuf  in   count elements.
/// recvBuf  out  count elements on the root; unused on others.
/// root     in   rank that receives it.
ACL_FUNC_VISIBILITY HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                                          HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream);

/// Each rank receives its part of the root's send.
///
/// sendBuf  in   on the root recvCount elements for each rank; not read on others, may be NULL.
/// recvBuf  out  recvCount elements.
/// root     in   rank that sends.
ACL_FUNC_VISIBILITY HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                                           uint32_t root, HcclComm comm, aclrtStream stream);

/// Each rank sends a part to each rank and receives one from each, all of the same size. The buffers must be different.
///
/// sendBuf  in   sendCount elements for each rank.
/// recvBuf  out  recvCount elements from each rank, in rank order; recvCount is sendCount, recvType is sendType.
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType,
                                            const void* recvBuf, uint64_t recvCount, HcclDataType recvType,
                                            HcclComm comm, aclrtStream stream);

/// HcclAlltoAll with parts of different sizes. A buffer may be NULL if its counts are all 0.
///
/// sendBuf     in   sendCounts[i] elements for rank i, at element sdispls[i].
/// sendCounts  in   uint64_t for each rank.
/// sdispls     in   uint64_t for each rank.
/// recvBuf     out  recvCounts[i] elements from rank i, at element rdispls[i].
/// recvCounts  in   uint64_t for each rank.
/// rdispls     in   uint64_t for each rank.
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls,
                                             HcclDataType sendType, const void* recvBuf, const void* recvCounts,
                                             const void* rdispls, HcclDataType recvType, HcclComm comm,
                                             aclrtStream stream);

/// HcclAlltoAllV with the counts of all ranks; parts are contiguous.
///
/// sendBuf          in   the parts for ranks 0, 1, ...
/// sendCountMatrix  in   uint64_t[ranks][ranks]: row i has the counts that rank i sends to each.
/// recvBuf          out  the parts of ranks 0, 1, ...
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAllVC(const void* sendBuf, const void* sendCountMatrix, HcclDataType sendType,
                                              const void* recvBuf, HcclDataType recvType, HcclComm comm,
                                              aclrtStream stream);

/// Sends to a rank, which receives the same number of elements of the same type. HCCL_E_NOT_SUPPORT if it is the
/// calling rank.
///
/// sendBuf   in  count elements.
/// destRank  in  rank that receives.
ACL_FUNC_VISIBILITY HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank,
                                        HcclComm comm, aclrtStream stream);

/// Receives from another rank. HCCL_E_NOT_SUPPORT if it is the calling rank.
///
/// recvBuf  out  count elements.
/// srcRank  in   rank that sends.
ACL_FUNC_VISIBILITY HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank,
                                        HcclComm comm, aclrtStream stream);

/// Several sends and receives at once. Sends and receives between the same two ranks are matched in order, also those
/// of a rank with itself.
///
/// sendRecvInfo  in  itemNum items.
/// itemNum       in  0: does nothing.
ACL_FUNC_VISIBILITY HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum, HcclComm comm,
                                                 aclrtStream stream);

/// The stream continues when the streams of all ranks have reached their barrier.
ACL_FUNC_VISIBILITY HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_HCCL_HCCL_H_
