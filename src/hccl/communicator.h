// SPDX-License-Identifier: Apache-2.0
// A communicator, seen from one rank, and the table of live communicators.
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

/// Why an operation failed: the status that its stream reports, and a text. Status 0: it did not fail.
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

  /// The time by which an operation that begins now must be done.
  Deadline LimitFromNow() const;

  /// Numbers of operations, assigned when they are queued: of one that all ranks call, and of a message to or from a
  /// rank. They are the same on both sides, whatever streams the operations are queued on.
  uint64_t NextOperation() noexcept { return operations_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t NextSend(uint32_t to) noexcept { return sends_[to].fetch_add(1, std::memory_order_relaxed); }
  uint64_t NextReceive(uint32_t from) noexcept { return receives_[from].fetch_add(1, std::memory_order_relaxed); }

  /// The number of the next sub-group that this rank creates together with another.
  uint64_t NextSubGroup(uint32_t with) noexcept { return sub_groups_[with].fetch_add(1, std::memory_order_relaxed); }

  /// Settings that have no effect.
  uint32_t expansion_mode() const noexcept { return expansion_mode_; }
  const std::string& algorithm() const noexcept { return algorithm_; }

  /// Stores the first failure, and ends the waits of other ranks for this one.
  void Fail(const Failure& failure);
  /// Ends the messages of this rank, but not those that other ranks exchange with each other.
  void Leave();
  Failure FirstFailure() const;
  bool HasFailed() const noexcept;

 private:
  const std::unique_ptr<Transport> transport_;
  const uint32_t rank_;
  const uint32_t ranks_;
  const int64_t limit_s_;  // of an operation, in seconds; 0: none
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

/// Creates the handle of a communicator.
HcclComm Publish(std::shared_ptr<Communicator> communicator);
/// Returns null when the handle names no live communicator.
std::shared_ptr<Communicator> FindCommunicator(HcclComm handle);
/// Returns the handle of the first communicator of that name; null when there is none.
HcclComm FindHandle(std::string_view name);
/// Makes the handle dead, and returns its communicator.
std::shared_ptr<Communicator> Withdraw(HcclComm handle);

}  // namespace portacl::hccl
