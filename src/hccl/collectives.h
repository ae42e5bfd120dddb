// SPDX-License-Identifier: Apache-2.0
// The operations, as messages between ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hccl/exchange.h"

namespace portacl::hccl {

/// One send or receive of a batch.
struct Message {
  bool is_send;
  uint32_t peer;
  HcclDataType type;
  uint64_t count;
  std::byte* data;
  uint64_t number;  // among the messages from this rank to the peer, or from the peer to this rank
};

/// One call, with all that its client may take back when the call returns.
struct Call {
  Kind kind;
  HcclDataType type = HCCL_DATA_TYPE_RESERVED;
  HcclReduceOp op = HCCL_REDUCE_SUM;
  uint32_t root = 0;
  uint64_t count = 0;  // as the function's argument
  std::byte* send = nullptr;
  std::byte* receive = nullptr;
  uint64_t number = 0;  // Communicator::NextOperation(); not of kMessage

  // For kAllGatherV, kReduceScatterV and the kinds of all-to-all: elements to or from each rank, and their offsets.
  std::vector<uint64_t> send_counts = {}, send_places = {}, receive_counts = {}, receive_places = {};

  std::vector<Message> messages = {};  // of kMessage
};

/// Runs the call: when it returns without a failure this rank's results are there, and its buffers are not needed any
/// more by others. Throws std::bad_alloc.
Failure RunCall(Communicator& communicator, const Call& call);

}  // namespace portacl::hccl
