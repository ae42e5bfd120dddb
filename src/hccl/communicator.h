// SPDX-License-Identifier: Apache-2.0
// A communicator, seen from one rank, and the table of those that are alive.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "hccl/hccl_types.h"
#include "hccl/transport.h"

namespace portacl::hccl {

/// Why an operation failed: the status that its stream reports, and a text. 0: it did not fail.
struct Failure {
  int32_t status = 0;
  std::string text;
};

class Communicator {
 public:
  Communicator(std::unique_ptr<Transport> transport, uint32_t rank, uint32_t ranks, const HcclCommConfig& config);

  uint32_t rank() const noexcept { return rank_; }
  uint32_t ranks() const noexcept { return ranks_; }
  const std::string& name() const noexcept { return name_; }
  Transport& transport() noexcept { return *transport_; }

  /// Until when an operation that begins now must be done.
  Deadline LimitFromNow() const;

  /// Numbers of operations, given when they are queued: of one that all ranks call, and of a message to or from a rank.
  /// The same on both sides, whatever streams they are queued on.
  uint64_t NextOperation() noexcept { return operations_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t NextSend(uint32_t to) noexcept { return sends_[to].fetch_add(1, std::memory_order_relaxed); }
  uint64_t NextReceive(uint32_t from) noexcept { return receives_[from].fetch_add(1, std::memory_order_relaxed); }

  /// The number of a sub-group that the rank and another make.
  uint64_t NextSubGroup(uint32_t with) noexcept { return sub_groups_[with].fetch_add(1, std::memory_order_relaxed); }

  /// Settings that have no effect.
  uint32_t expansion_mode() const noexcept { return expansion_mode_; }
  const std::string& algorithm() const noexcept { return algorithm_; }

  /// Remembers the first failure, and ends what other ranks wait for.
  void Fail(const Failure& failure);
  /// Ends what this rank does, and nothing that others do with each other.
  void Leave();
  Failure FirstFailure() const;
  bool HasFailed() const noexcept;

 private:
  const std::unique_ptr<Transport> transport_;
  const uint32_t rank_;
  const uint32_t ranks_;
  const int64_t limit_s_;  // of an operation; 0: none
  std::string name_;
  const uint32_t expansion_mode_;
  const std::string algorithm_;
  std::atomic<uint64_t> operations_{0};
  std::vector<std::atomic<uint64_t>> sends_;
  std::vector<std::atomic<uint64_t>> receives_;
  std::vector<std::atomic<uint64_t>> sub_groups_;
  mutable std::mutex mutex_;  // guards failure_
  Failure failure_;
};

/// Makes the handle of a communicator.
HcclComm Publish(std::shared_ptr<Communicator> communicator);
/// Null: no live communicator.
std::shared_ptr<Communicator> FindCommunicator(HcclComm handle);
/// The handle of the first communicator of that name, null: there is none.
HcclComm FindHandle(std::string_view name);
/// Makes the handle dead.
std::shared_ptr<Communicator> Withdraw(HcclComm handle);

}  // namespace portacl::hccl
