// SPDX-License-Identifier: Apache-2.0
// How long an exchange waits, with a transport that moves no data and stores the deadlines that it is given.
#include "hccl/exchange.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "acl/error_codes/rt_error_codes.h"
#include "hccl/hccl.h"

namespace portacl::hccl {
namespace {

using std::chrono::steady_clock;

// A transport that receives only zeros, which no rank sends, and never finishes a send.
class Deaf final : public Transport {
 public:
  explicit Deaf(std::optional<Deadline>* wait_to_send) : wait_to_send_(wait_to_send) {}

  std::unique_ptr<Transfer> Send(uint32_t, uint64_t, const void*, size_t) override {
    return std::make_unique<Way>(Outcome::kTimedOut, wait_to_send_);
  }
  std::unique_ptr<Transfer> Receive(uint32_t, uint64_t, void*, size_t) override {
    return std::make_unique<Way>(Outcome::kDone, nullptr);
  }
  void Leave() noexcept override {}
  void Abort(const std::string&) override {}
  std::string Reason() override { return {}; }

 private:
  class Way final : public Transfer {
   public:
    Way(Outcome outcome, std::optional<Deadline>* seen) : outcome_(outcome), seen_(seen) {}
    Outcome Wait(Deadline deadline) override {
      if (seen_ != nullptr) *seen_ = deadline;
      return outcome_;
    }

   private:
    const Outcome outcome_;
    std::optional<Deadline>* const seen_;
  };

  std::optional<Deadline>* const wait_to_send_;
};

// The time until which a rank that has found a disagreement waits for others to read its greeting.
Deadline PatienceAfterDisagreement(Deadline limit) {
  std::optional<Deadline> seen;
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  Communicator communicator(std::make_unique<Deaf>(&seen), 0, 2, config);
  const Part part = {1, OperationTag(0, 0), {Kind::kBarrier}};
  const Failure failure = Exchange(communicator, {&part, 1}, limit);
  EXPECT_EQ(failure.status, ACL_ERROR_RT_AICPU_EXCEPTION);
  EXPECT_NE(failure.text.find("EI0005"), std::string::npos) << failure.text;
  EXPECT_TRUE(seen.has_value()) << "the others were not waited for";
  return seen.value_or(std::nullopt);
}

TEST(Exchange, WaitsASecondForOthersToSeeADisagreement) {
  for (const Deadline limit : {Deadline(), Deadline(steady_clock::now() + std::chrono::hours(1))}) {
    const steady_clock::time_point begin = steady_clock::now();
    const Deadline patience = PatienceAfterDisagreement(limit);
    ASSERT_TRUE(patience.has_value()) << "it would wait for ever";
    EXPECT_GE(*patience, begin + std::chrono::seconds(1));
    EXPECT_LE(*patience, steady_clock::now() + std::chrono::seconds(1));
  }
}

TEST(Exchange, WaitsForNobodyBeyondTheLimitOfItsOperation) {
  for (const std::chrono::milliseconds rest : {std::chrono::milliseconds(-5), std::chrono::milliseconds(300)}) {
    const Deadline limit = steady_clock::now() + rest;
    const Deadline patience = PatienceAfterDisagreement(limit);
    ASSERT_TRUE(patience.has_value());
    EXPECT_EQ(*patience, *limit);
  }
}

}  // namespace
}  // namespace portacl::hccl
