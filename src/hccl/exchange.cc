// SPDX-License-Identifier: Apache-2.0
#include "hccl/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "acl/error_codes/rt_error_codes.h"

namespace portacl::hccl {
namespace {

constexpr uint64_t kGreetingMagic = 0x50414331;  // "PAC1"
constexpr size_t kInlineBytes = 192;
// How long a rank that has found a disagreement waits until the others have read its greeting, in which they find it as
// well.
constexpr std::chrono::seconds kMostPatience{1};

// The first message of each part. It always has this size, so that a rank which calls another operation can read it.
struct Greeting {
  uint64_t magic;
  Signature signature;
  uint64_t send_bytes;
  uint64_t receive_bytes;
  std::byte content[kInlineBytes];  // the data itself, if it fits
};
static_assert(kTravelsWhole<Greeting>);

std::string Title(const Communicator& communicator, Kind kind) {
  return fmt::format("{} of communicator '{}', rank {} of {}", NameOf(kind), communicator.name(), communicator.rank(),
                     communicator.ranks());
}

// The names of hccl_types.h, without their prefix.
std::string TypeName(uint8_t type) {
  static constexpr const char* kNames[] = {"INT8",   "INT16", "INT32",  "FP16",    "FP32",    "INT64",
                                           "UINT64", "UINT8", "UINT16", "UINT32",  "FP64",    "BFP16",
                                           "INT128", nullptr, "HIF8",   "FP8E4M3", "FP8E5M2", "FP8E8M0"};
  const char* const name = type < std::size(kNames) ? kNames[type] : nullptr;
  return name == nullptr ? fmt::format("{}", type) : name;
}

std::string ReductionName(uint8_t op) {
  static constexpr const char* kNames[] = {"SUM", "PROD", "MAX", "MIN"};
  return op < std::size(kNames) ? kNames[op] : fmt::format("{}", op);
}

// Returns an empty text when both ranks make the same call.
std::string Difference(const Part& part, const Greeting& theirs) {
  const Signature& mine = part.signature;
  const Signature& other = theirs.signature;
  if (theirs.magic != kGreetingMagic) return "sent a message of another version of this library";
  if (other.kind != mine.kind)
    return other.kind <= Kind::kMessage ? fmt::format("called {}", NameOf(other.kind)) : "called something unknown";
  if (other.type != mine.type)
    return fmt::format("expected type {}, this rank {}", TypeName(other.type), TypeName(mine.type));
  if (other.op != mine.op)
    return fmt::format("expected reduction {}, this rank {}", ReductionName(other.op), ReductionName(mine.op));
  if (other.root != mine.root) return fmt::format("expected root {}, this rank {}", other.root, mine.root);
  if (other.count != mine.count) return fmt::format("expected count {}, this rank {}", other.count, mine.count);
  if (theirs.receive_bytes != part.send_bytes)
    return fmt::format("expected {} bytes from this rank, which sends {}", theirs.receive_bytes, part.send_bytes);
  if (theirs.send_bytes != part.receive_bytes)
    return fmt::format("sends {} bytes to this rank, which expected {}", theirs.send_bytes, part.receive_bytes);
  return {};
}

using Transfers = std::vector<std::unique_ptr<Transfer>>;

Failure WaitForAll(Communicator& communicator, std::span<const Part> parts, const Transfers& transfers,
                   Deadline deadline) {
  for (size_t i = 0; i < transfers.size(); ++i) {
    if (transfers[i] == nullptr) continue;
    const Outcome outcome = transfers[i]->Wait(deadline);
    if (outcome != Outcome::kDone) return FailureOf(communicator, parts[i].signature.kind, parts[i].peer, outcome);
  }
  return {};
}

}  // namespace

const char* NameOf(Kind kind) noexcept {
  static constexpr const char* kNames[] = {"HcclAllReduce",
                                           "HcclBroadcast",
                                           "HcclAllGather",
                                           "HcclAllGatherV",
                                           "HcclReduceScatter",
                                           "HcclReduceScatterV",
                                           "HcclReduce",
                                           "HcclScatter",
                                           "HcclAlltoAll",
                                           "HcclAlltoAllV",
                                           "HcclAlltoAllVC",
                                           "HcclBarrier",
                                           "HcclCreateSubCommConfig",
                                           "HcclSend or HcclRecv"};
  return kNames[static_cast<size_t>(kind)];
}

uint64_t OperationTag(uint64_t number, uint32_t step) noexcept { return number << 16 | step; }

uint64_t MessageTag(uint64_t number, bool upwards) noexcept { return uint64_t{upwards ? 3u : 2u} << 62 | number << 16; }

uint64_t SubGroupTag(uint64_t number) noexcept { return uint64_t{3} << 61 | number << 16; }

Failure Disagreement(const Communicator& communicator, Kind kind, uint32_t peer, const std::string& difference) {
  return {ACL_ERROR_RT_AICPU_EXCEPTION,
          fmt::format("EI0005: {}: rank {} {}", Title(communicator, kind), peer, difference)};
}

Failure FailureOf(Communicator& communicator, Kind kind, uint32_t peer, Outcome outcome) {
  const std::string title = Title(communicator, kind);
  if (outcome == Outcome::kTimedOut) {
    return {ACL_ERROR_RT_FFTS_PLUS_TIMEOUT,
            fmt::format("EI0002: {}: timed out ({}) waiting for rank {}", title,
                        kind == Kind::kSubGroup ? "HCCL_CONNECT_TIMEOUT" : "HCCL_EXEC_TIMEOUT", peer)};
  }
  if (const Failure earlier = communicator.FirstFailure(); earlier.status != 0) return earlier;
  const std::string reason = communicator.transport().Reason();
  return {ACL_ERROR_RT_AICPU_EXCEPTION, reason.empty()
                                            ? fmt::format("EI0002: {}: rank {} has left the communicator", title, peer)
                                            : fmt::format("EI0002: {}: the communicator failed: {}", title, reason)};
}

Failure Exchange(Communicator& communicator, std::span<const Part> parts, Deadline deadline) {
  Transport& transport = communicator.transport();
  // Declared before the transfers, which must be destroyed first.
  std::vector<Greeting> mine(parts.size());
  std::vector<Greeting> theirs(parts.size());
  Transfers receives(parts.size());
  Transfers sends(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    Greeting& greeting = mine[i];
    greeting = {kGreetingMagic, part.signature, part.send_bytes, part.receive_bytes, {}};
    if (part.send_bytes != 0 && part.send_bytes <= kInlineBytes)
      std::memcpy(greeting.content, part.send, part.send_bytes);
    receives[i] = transport.Receive(part.peer, part.tag, &theirs[i], sizeof(Greeting));
    sends[i] = transport.Send(part.peer, part.tag, &greeting, sizeof(Greeting));
  }
  Failure failure = WaitForAll(communicator, parts, receives, deadline);
  if (failure.status != 0) return failure;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string difference = Difference(parts[i], theirs[i]);
    if (difference.empty()) continue;
    failure = Disagreement(communicator, parts[i].signature.kind, parts[i].peer, difference);
    break;
  }
  if (failure.status != 0) {
    const std::chrono::steady_clock::time_point patience = std::chrono::steady_clock::now() + kMostPatience;
    WaitForAll(communicator, parts, sends, deadline ? std::min(*deadline, patience) : patience);
    return failure;
  }
  failure = WaitForAll(communicator, parts, sends, deadline);
  if (failure.status != 0) return failure;

  std::fill(receives.begin(), receives.end(), nullptr);
  std::fill(sends.begin(), sends.end(), nullptr);
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (part.receive_bytes > kInlineBytes)
      receives[i] = transport.Receive(part.peer, part.tag + 1, part.receive, part.receive_bytes);
    if (part.send_bytes > kInlineBytes) sends[i] = transport.Send(part.peer, part.tag + 1, part.send, part.send_bytes);
  }
  failure = WaitForAll(communicator, parts, receives, deadline);
  if (failure.status == 0) failure = WaitForAll(communicator, parts, sends, deadline);
  if (failure.status != 0) return failure;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].receive_bytes != 0 && parts[i].receive_bytes <= kInlineBytes)
      std::memcpy(parts[i].receive, theirs[i].content, parts[i].receive_bytes);
  }
  return {};
}

}  // namespace portacl::hccl
