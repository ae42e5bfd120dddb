// SPDX-License-Identifier: Apache-2.0
// Messages between this rank and others: ranks compare their calls before any data moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hccl/communicator.h"

namespace portacl::hccl {

enum class Kind : uint8_t {
  kAllReduce,
  kBroadcast,
  kAllGather,
  kAllGatherV,
  kReduceScatter,
  kReduceScatterV,
  kReduce,
  kScatter,
  kAlltoAll,
  kAlltoAllV,
  kAlltoAllVC,
  kBarrier,
  kSubGroup,
  kMessage,
};
/// The name of the function.
const char* NameOf(Kind kind) noexcept;

/// The parameters that two ranks must agree on, in the form in which they are sent.
struct Signature {
  Kind kind;
  uint8_t type = 0;  // HcclDataType
  uint8_t op = 0;    // HcclReduceOp
  uint8_t unused = 0;
  uint32_t root = 0;
  uint64_t count = 0;  // if it is the same for all ranks
};

/// The data that this rank sends to another and receives from it in one operation; either may be empty.
struct Part {
  uint32_t peer;
  uint64_t tag;  // this tag and the next one are used
  Signature signature;
  const std::byte* send = nullptr;
  size_t send_bytes = 0;
  std::byte* receive = nullptr;
  size_t receive_bytes = 0;
};

/// Tags for an operation that all ranks call, for a message and for the creation of a sub-group. A step is below 2^16.
uint64_t OperationTag(uint64_t number, uint32_t step) noexcept;
uint64_t MessageTag(uint64_t number, bool upwards) noexcept;
uint64_t SubGroupTag(uint64_t number) noexcept;

/// Exchanges the parts, all at the same time. Data may be received into memory that is sent to the same rank or to
/// another. Throws std::bad_alloc.
Failure Exchange(Communicator& communicator, std::span<const Part> parts, Deadline deadline);

/// The failure of an operation on which ranks do not agree.
Failure Disagreement(const Communicator& communicator, Kind kind, uint32_t peer, const std::string& difference);

/// The failure of a transfer that was not completed.
Failure FailureOf(Communicator& communicator, Kind kind, uint32_t peer, Outcome outcome);

}  // namespace portacl::hccl
