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

/// One call of an operation, with copies of all arguments that the client may release when the function returns.
struct Call {
  Kind kind;
  HcclDataType type = HCCL_DATA_TYPE_RESERVED;
  HcclReduceOp op = HCCL_REDUCE_SUM;
  uint32_t root = 0;
  uint64_t count = 0;  // as in the function's argument
  std::byte* send = nullptr;
  std::byte* receive = nullptr;
  uint64_t number = 0;  // Communicator::NextOperation(); unused for kMessage

  // For kAllGatherV, kReduceScatterV and the kinds of all-to-all: elements to or from each rank, and their offsets.
  std::vector<uint64_t> send_counts = {}, send_places = {}, receive_counts = {}, receive_places = {};

  std::vector<Message> messages = {};  // for kMessage
};

/// Runs the call. When it returns without a failure, this rank's results are complete, and other ranks do not need its
/// buffers any more. Throws std::bad_alloc.
Failure RunCall(Communicator& communicator, const Call& call);

}  // namespace portacl::hccl
