// SPDX-License-Identifier: Apache-2.0
// The collective operations of libhccl.so that `bench hccl` measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace portacl::tool {

// Finds the functions at run time, so that the other commands do not need libhccl.so. Throws Failure.
struct HcclFunctions {
  HcclFunctions();

  decltype(&HcclGetRootInfo) get_root_info;
  decltype(&HcclCommInitRootInfo) init;
  decltype(&HcclCommDestroy) destroy;
  decltype(&HcclAllReduce) all_reduce;
  decltype(&HcclBroadcast) broadcast;
  decltype(&HcclAllGather) all_gather;
  decltype(&HcclAllGatherV) all_gather_v;
  decltype(&HcclReduceScatter) reduce_scatter;
  decltype(&HcclReduceScatterV) reduce_scatter_v;
  decltype(&HcclReduce) reduce;
  decltype(&HcclScatter) scatter;
  decltype(&HcclAlltoAll) all_to_all;
  decltype(&HcclAlltoAllV) all_to_all_v;
  decltype(&HcclAlltoAllVC) all_to_all_vc;
  decltype(&HcclBatchSendRecv) batch_send_recv;
  decltype(&HcclBarrier) barrier;
};

// One rank of a communicator, with two buffers.
struct CollectiveRank {
  const HcclFunctions& hccl;
  HcclComm comm;
  aclrtStream stream;
  uint32_t rank;
  uint32_t ranks;
  void* send;
  void* receive;
};

struct Collective {
  const char* name;
  // Queues the operation. `count`: elements of FP32 in its larger buffer, a multiple of the number of ranks.
  HcclResult (*queue)(const CollectiveRank& rank, uint64_t count);
};

const std::vector<Collective>& Collectives();

}  // namespace portacl::tool
