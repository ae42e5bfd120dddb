// SPDX-License-Identifier: Apache-2.0
// Collective operations. Each is queued on a stream and returns; results are there when the stream has passed it.
//
// All ranks of a communicator call the same operations in the same order, sends and receives aside. An operation that
// another rank calls with another count, type, reduction or root ends with an error on both, as does one that waits
// longer than HCCL_EXEC_TIMEOUT (1836 s, 0: no limit) for another rank: the stream reports 507018 or 507048, and the
// message of the next synchronization names operation, communicator and rank. A communicator that has failed stays
// failed.
//
// A reduction is ((x0 op x1) op x2) ... in the order of the ranks: the same bits on every rank and in every run. FP16
// and BFP16 are computed in float32 and rounded once, to nearest even; FP64 in float64; integers wrap around. MAX
// and MIN give a NaN where there is one, that of the lowest rank.
//
// send and recv may be the same buffer, but for HcclAlltoAll and its like; where they overlap, the result is as if send
// had been copied first. Counts are of elements. Arrays of counts and items are read before the call returns.
//
// Every operation returns HCCL_SUCCESS when it is queued; HCCL_E_PTR (a null pointer); HCCL_E_PARA (no communicator, a
// count above 0x7FFFFFFF, no such rank); HCCL_E_NOT_SUPPORT (a type or reduction that it does not take); HCCL_E_RUNTIME
// (no live stream of the current context); HCCL_E_REMOTE (a communicator that has failed); HCCL_E_OOM. A count of 0
// does nothing. Reductions take INT8, INT16, INT32, INT64, UINT64, FP16, FP32, FP64 and BFP16, of these PROD neither
// INT16 nor BFP16; all others move any type but INT128.
#ifndef PORTACL_INCLUDE_HCCL_HCCL_H_
#define PORTACL_INCLUDE_HCCL_HCCL_H_

#include "acl/acl.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Every rank gets the reduction of all ranks' send.
///
/// sendBuf  in   count elements.
/// recvBuf  out  count elements.
ACL_FUNC_VISIBILITY HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                                             HcclReduceOp op, HcclComm comm, aclrtStream stream);

/// Every rank gets the buffer of the root.
///
/// buf   inout  count elements.
/// root  in     rank whose buffer it is.
ACL_FUNC_VISIBILITY HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root,
                                             HcclComm comm, aclrtStream stream);

/// Every rank gets the send of all ranks, in their order.
///
/// sendBuf  in   sendCount elements.
/// recvBuf  out  sendCount elements for each rank.
ACL_FUNC_VISIBILITY HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType,
                                             HcclComm comm, aclrtStream stream);

/// HcclAllGather of parts of different sizes.
///
/// sendBuf     in   sendCount elements.
/// recvBuf     out  of rank i recvCounts[i] elements from element recvDispls[i] on.
/// recvCounts  in   uint64_t for each rank; that of this rank is sendCount.
/// recvDispls  in   uint64_t for each rank.
ACL_FUNC_VISIBILITY HcclResult HcclAllGatherV(void* sendBuf, uint64_t sendCount, void* recvBuf, const void* recvCounts,
                                              const void* recvDispls, HcclDataType dataType, HcclComm comm,
                                              aclrtStream stream);

/// Each rank gets its part of the reduction of all ranks' send.
///
/// sendBuf  in   recvCount elements for each rank.
/// recvBuf  out  recvCount elements.
ACL_FUNC_VISIBILITY HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount,
                                                 HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                                                 aclrtStream stream);

/// HcclReduceScatter of parts of different sizes. It takes neither UINT64 nor FP64.
///
/// sendBuf     in   for rank i sendCounts[i] elements from element sendDispls[i] on.
/// sendCounts  in   uint64_t for each rank, the same on all.
/// sendDispls  in   uint64_t for each rank.
/// recvBuf     out  recvCount elements, as sendCounts says of this rank.
ACL_FUNC_VISIBILITY HcclResult HcclReduceScatterV(void* sendBuf, const void* sendCounts, const void* sendDispls,
                                                  void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                                                  HcclReduceOp op, HcclComm comm, aclrtStream stream);

/// The root gets the reduction of all ranks' send.
///
/// sendBuf  in   count elements.
/// recvBuf  out  count elements on the root; not touched on others.
/// root     in   rank that gets it.
ACL_FUNC_VISIBILITY HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType,
                                          HcclReduceOp op, uint32_t root, HcclComm comm, aclrtStream stream);

/// Each rank gets its part of the root's send.
///
/// sendBuf  in   on the root recvCount elements for each rank; not read on others, NULL or not.
/// recvBuf  out  recvCount elements.
/// root     in   rank that sends.
ACL_FUNC_VISIBILITY HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType,
                                           uint32_t root, HcclComm comm, aclrtStream stream);

/// Each rank sends a part to each and gets one of each, all of one size. The buffers must not be one.
///
/// sendBuf  in   sendCount elements for each rank.
/// recvBuf  out  recvCount elements of each rank, in their order; recvCount is sendCount, recvType is sendType.
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType,
                                            const void* recvBuf, uint64_t recvCount, HcclDataType recvType,
                                            HcclComm comm, aclrtStream stream);

/// HcclAlltoAll of parts of different sizes. A buffer may be NULL where its counts are all 0.
///
/// sendBuf     in   for rank i sendCounts[i] elements from element sdispls[i] on.
/// sendCounts  in   uint64_t for each rank.
/// sdispls     in   uint64_t for each rank.
/// recvBuf     out  of rank i recvCounts[i] elements from element rdispls[i] on.
/// recvCounts  in   uint64_t for each rank.
/// rdispls     in   uint64_t for each rank.
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls,
                                             HcclDataType sendType, const void* recvBuf, const void* recvCounts,
                                             const void* rdispls, HcclDataType recvType, HcclComm comm,
                                             aclrtStream stream);

/// HcclAlltoAllV with the counts of all ranks; parts follow each other.
///
/// sendBuf          in   the parts for ranks 0, 1, ...
/// sendCountMatrix  in   uint64_t[ranks][ranks]: row i is what rank i sends to each.
/// recvBuf          out  the parts of ranks 0, 1, ...
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAllVC(const void* sendBuf, const void* sendCountMatrix, HcclDataType sendType,
                                              const void* recvBuf, HcclDataType recvType, HcclComm comm,
                                              aclrtStream stream);

/// Sends to a rank, which receives as many elements of the same type. HCCL_E_NOT_SUPPORT for this rank itself.
///
/// sendBuf   in  count elements.
/// destRank  in  rank that receives.
ACL_FUNC_VISIBILITY HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank,
                                        HcclComm comm, aclrtStream stream);

/// Receives what another rank sends. HCCL_E_NOT_SUPPORT for this rank itself.
///
/// recvBuf  out  count elements.
/// srcRank  in   rank that sends.
ACL_FUNC_VISIBILITY HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank,
                                        HcclComm comm, aclrtStream stream);

/// Several sends and receives at once. Those to and from one rank are matched in their order, those to and from this
/// rank itself, too.
///
/// sendRecvInfo  in  itemNum items.
/// itemNum       in  0: does nothing.
ACL_FUNC_VISIBILITY HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum, HcclComm comm,
                                                 aclrtStream stream);

/// The stream goes on when the streams of all ranks have come to their barrier.
ACL_FUNC_VISIBILITY HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_HCCL_HCCL_H_
