// SPDX-License-Identifier: Apache-2.0
#include "hccl/communicator.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <utility>

#include "acl/error_codes/rt_error_codes.h"
#include "base/environment.h"
#include "base/never_destroyed.h"

namespace portacl::hccl {
namespace {

constexpr int64_t kDefaultLimit = 1836;

std::string NameOf(const HcclCommConfig& config) {
  const size_t length = strnlen(config.hcclCommName, sizeof(config.hcclCommName) - 1);
  if (length != 0) return {config.hcclCommName, length};
  static std::atomic<uint64_t> count{0};
  return fmt::format("portacl_comm_{}", count.fetch_add(1, std::memory_order_relaxed));
}

int64_t LimitOf(const HcclCommConfig& config) {
  if (config.hcclExecTimeOut != HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET) return config.hcclExecTimeOut;
  return VariableInteger(Variable::kHcclExec, 0, INT32_MAX, kDefaultLimit);
}

struct Table {
  std::mutex mutex;  // guards all members below
  uintptr_t last = 0;
  std::map<uintptr_t, std::shared_ptr<Communicator>> live;
};

Table& TheTable() {
  static NeverDestroyed<Table> table;
  return *table;
}

// A tag above the addresses of user space: no pointer is ever mistaken for a communicator. Handles are never reused.
constexpr uintptr_t kTag = uintptr_t{0x4363} << 48;

}  // namespace

Communicator::Communicator(std::unique_ptr<Transport> transport, uint32_t rank, uint32_t ranks,
                           const HcclCommConfig& config)
    : transport_(std::move(transport)),
      rank_(rank),
      ranks_(ranks),
      limit_s_(LimitOf(config)),
      name_(NameOf(config)),
      expansion_mode_(config.hcclOpExpansionMode),
      algorithm_(config.hcclAlgo, strnlen(config.hcclAlgo, sizeof(config.hcclAlgo))),
      sends_(ranks),
      receives_(ranks),
      sub_groups_(ranks) {}

Deadline Communicator::LimitFromNow() const {
  if (limit_s_ <= 0) return std::nullopt;
  return std::chrono::steady_clock::now() + std::chrono::seconds(limit_s_);
}

void Communicator::Fail(const Failure& failure) {
  {
    const std::scoped_lock lock(mutex_);
    if (failure_.status == 0) failure_ = failure;
  }
  transport_->Abort(fmt::format("rank {}: {}", rank_, failure.text));
}

void Communicator::Leave() {
  {
    const std::scoped_lock lock(mutex_);
    if (failure_.status == 0)
      failure_ = {ACL_ERROR_RT_AICPU_EXCEPTION,
                  fmt::format("EI0002: communicator '{}': terminated by external request: it was destroyed", name_)};
  }
  transport_->Leave();
}

Failure Communicator::FirstFailure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

bool Communicator::HasFailed() const noexcept {
  const std::scoped_lock lock(mutex_);
  return failure_.status != 0;
}

HcclComm Publish(std::shared_ptr<Communicator> communicator) {
  Table& table = TheTable();
  const std::scoped_lock lock(table.mutex);
  const uintptr_t handle = kTag | ++table.last;
  table.live.emplace(handle, std::move(communicator));
  return reinterpret_cast<HcclComm>(handle);  // NOLINT(performance-no-int-to-ptr): a handle, not an address
}

std::shared_ptr<Communicator> FindCommunicator(HcclComm handle) {
  Table& table = TheTable();
  const std::scoped_lock lock(table.mutex);
  const auto found = table.live.find(reinterpret_cast<uintptr_t>(handle));
  return found == table.live.end() ? nullptr : found->second;
}

HcclComm FindHandle(std::string_view name) {
  Table& table = TheTable();
  const std::scoped_lock lock(table.mutex);
  for (const auto& [handle, communicator] : table.live) {
    if (communicator->name() == name)
      return reinterpret_cast<HcclComm>(handle);  // NOLINT(performance-no-int-to-ptr): a handle, not an address
  }
  return nullptr;
}

std::shared_ptr<Communicator> Withdraw(HcclComm handle) {
  Table& table = TheTable();
  const std::scoped_lock lock(table.mutex);
  const auto found = table.live.find(reinterpret_cast<uintptr_t>(handle));
  if (found == table.live.end()) return nullptr;
  std::shared_ptr<Communicator> communicator = std::move(found->second);
  table.live.erase(found);
  return communicator;
}

}  // namespace portacl::hccl
