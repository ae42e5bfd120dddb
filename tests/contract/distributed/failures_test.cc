// SPDX-License-Identifier: Apache-2.0
// Processes that end, stop, do not come or disagree: the others get an error within the limit, and none hangs.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "acl/error_codes/rt_error_codes.h"
#include "adder.h"

namespace portacl::distributed {
namespace {

// One rank ends in the given way while the others compute sums.
void PlayLossOf(uint32_t lost, Rank& rank) {
  Adder adder(rank, 5);
  rank.Expect(adder.Add() == ACL_SUCCESS, "a sum of all");
  const std::string how = std::getenv("HOW");
  rank.Tell("added" + std::to_string(rank.rank));
  if (rank.rank == lost) {
    // The first rank that sees the end tells the others, which may not have finished yet.
    for (uint32_t other = 0; other < rank.ranks; ++other) rank.WaitFor("added" + std::to_string(other));
    if (how == "kill") raise(SIGKILL);
    if (how == "stop") raise(SIGSTOP);
    if (how == "exit") std::exit(0);
    if (how == "leave") HcclCommDestroy(adder.comm);
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  const aclError status = adder.Add();
  const auto took = std::chrono::steady_clock::now() - begin;
  // A rank that waits for the stopped rank reports a timeout; another rank may get the failure from that one.
  rank.Expect(status == ACL_ERROR_RT_AICPU_EXCEPTION || (how == "stop" && status == ACL_ERROR_RT_FFTS_PLUS_TIMEOUT),
              "an error, got " + std::to_string(status));
  adder.ExpectMessage("EI0002");
  adder.ExpectMessage("HcclAllReduce");
  adder.ExpectMessage(("rank " + std::to_string(lost)).c_str());
  rank.Expect(took < std::chrono::seconds(how == "stop" ? 9 : 4), "an error soon");
  float x = 1;
  rank.Expect(HcclAllReduce(&x, &x, 1, kFp32, HCCL_REDUCE_SUM, adder.comm, adder.stream) == HCCL_E_REMOTE,
              "that it stays failed");
  HcclCommDestroy(adder.comm);
}
const Register kLoss("loss", [](Rank& rank) { PlayLossOf(rank.ranks - 1, rank); });
const Register kNearLoss("near loss", [](Rank& rank) { PlayLossOf(1, rank); });

TEST(Loss, OfAProcessIsAnErrorOfAllOthers) {
  for (const char* how : {"kill", "exit", "leave"}) {
    for (const uint32_t ranks : {2, 4}) {
      SCOPED_TRACE(how);
      Processes("loss", ranks, {{"HOW", how}}).ExpectSuccess({ranks - 1}, kSoon);
    }
  }
}

// The lost rank is on another host, or shares memory with others.
TEST(Loss, OfAProcessIsAnErrorOfAllOthersWhereSomeShareMemory) {
  for (const char* how : {"kill", "exit", "leave"}) {
    SCOPED_TRACE(how);
    Processes("loss", 4, {{"HOW", how}, {"FAR_FROM", "3"}}).ExpectSuccess({3}, kSoon);
    Processes("near loss", 4, {{"HOW", how}, {"FAR_FROM", "2"}}).ExpectSuccess({1}, kSoon);
  }
}

TEST(Loss, OfAProcessThatStopsIsAnErrorWithinTheLimit) {
  Processes("loss", 3, {{"HOW", "stop"}}).ExpectSuccess({2}, kSoon);
}

// Reads a value that the library may be writing; ThreadSanitizer need not report that race.
__attribute__((noinline, no_sanitize("thread"))) bool HasCome(const volatile float* number) { return *number != 0; }

// The sender of a long message ends after its first bytes have arrived, but before the last ones can have.
void PlayLossInMessage(Rank& rank) {
  constexpr size_t kCount = size_t{64} << 20;
  Adder adder(rank, 60);
  std::vector<float> data(kCount, static_cast<float>(rank.rank));
  rank.Expect(HcclBroadcast(data.data(), kCount, kFp32, 1, adder.comm, adder.stream) == HCCL_SUCCESS, "a broadcast");
  if (rank.rank == 1) {
    rank.WaitFor("begun");
    raise(SIGKILL);
  }
  while (!HasCome(data.data())) usleep(100);
  rank.Tell("begun");
  const auto begin = std::chrono::steady_clock::now();
  const aclError status = rank.Wait(adder.stream);
  rank.Expect(status == ACL_ERROR_RT_AICPU_EXCEPTION, "an error, got " + std::to_string(status));
  rank.Expect(std::chrono::steady_clock::now() - begin < std::chrono::seconds(3), "an error soon");
  adder.ExpectMessage("EI0002");
  adder.ExpectMessage("rank 1");
  HcclCommDestroy(adder.comm);
}
const Register kLossInMessage("loss in message", &PlayLossInMessage);

TEST(Loss, OfTheSenderOfALongMessageIsAnErrorAtOnce) {
  for (int round = 0; round < 2; ++round) Processes("loss in message", 2).ExpectSuccess({1}, kSoon);
}

// The lost process is that of the root.
void PlayRootLoss(Rank& rank) {
  Adder adder(rank, 5);
  rank.Expect(adder.Add() == ACL_SUCCESS, "a sum of all");
  if (rank.rank == 0) raise(SIGKILL);
  rank.Expect(adder.Add() == ACL_ERROR_RT_AICPU_EXCEPTION, "an error");
  adder.ExpectMessage("EI0002");
  HcclCommDestroy(adder.comm);
}
const Register kRootLoss("root loss", &PlayRootLoss);

TEST(Loss, OfTheRootIsAnErrorOfAllOthers) { Processes("root loss", 3).ExpectSuccess({0}, kSoon); }

// The root leaves first; the other ranks continue in a group of their own.
void PlayRootEnd(Rank& rank) {
  HcclComm const world = rank.Join(rank.Root("world"));
  if (rank.rank != 0) {
    Rank inner = rank;
    --inner.rank, --inner.ranks;
    Adder adder(inner);
    inner.Expect(adder.Add() == ACL_SUCCESS, "a sum without the root of the world");
    HcclCommDestroy(adder.comm);
    rank.failures += inner.failures;
  }
  HcclCommDestroy(world);
}
const Register kRootEnd("root end", &PlayRootEnd);

TEST(Processes, WorkOnWhenTheRootHasLeft) { Processes("root end", 3).ExpectSuccess({}, kSoon); }

void PlayDisagreement(Rank& rank) {
  Adder adder(rank, 10);
  aclrtStream other = nullptr;
  aclrtEvent event = nullptr;
  aclrtCreateStream(&other);
  aclrtCreateEvent(&event);
  aclrtSetStreamFailureMode(adder.stream, ACL_STOP_ON_FAILURE);
  const std::string on = std::getenv("ON");
  std::vector<float> data(1000, 1);
  const bool is_last = rank.rank == rank.ranks - 1;
  HcclResult queued = HCCL_SUCCESS;
  if (is_last && on == "HcclBroadcast")
    queued = HcclBroadcast(data.data(), 1000, kFp32, 0, adder.comm, adder.stream);
  else
    queued = HcclAllReduce(data.data(), data.data(), is_last && on == "count" ? 999 : 1000,
                           is_last && on == "type" ? HCCL_DATA_TYPE_INT32 : kFp32,
                           is_last && on == "reduction" ? HCCL_REDUCE_MAX : HCCL_REDUCE_SUM, adder.comm, adder.stream);
  rank.Expect(queued == HCCL_SUCCESS, "an operation that is queued");
  const aclError status = rank.Wait(adder.stream);
  rank.Expect(status == ACL_ERROR_RT_AICPU_EXCEPTION, "an error, got " + std::to_string(status));
  adder.ExpectMessage("EI0005");
  adder.ExpectMessage(is_last && on == "HcclBroadcast" ? "HcclAllReduce" : on.c_str());
  // The calls that such a stream now refuses report the reason, and so do those on the streams that have stopped with
  // it.
  for (aclrtStream stream : {adder.stream, other}) {
    rank.Expect(aclrtRecordEvent(event, stream) == ACL_ERROR_RT_AICPU_EXCEPTION, "a stream that has stopped");
    rank.message = aclGetRecentErrMsg();
    adder.ExpectMessage("EI0005");
  }
  HcclCommDestroy(adder.comm);
}
const Register kDisagreement("disagreement", &PlayDisagreement);

TEST(Disagreement, OfProcessesIsAnErrorOfEach) {
  for (const char* on : {"count", "type", "reduction", "HcclBroadcast"}) {
    SCOPED_TRACE(on);
    for (const uint32_t ranks : {2, 3}) Processes("disagreement", ranks, {{"ON", on}}).ExpectSuccess({}, kSoon);
  }
}

void PlayAbsence(Rank& rank) {
  const HcclRootInfo root = rank.Root();
  if (rank.rank == rank.ranks - 1) return;
  HcclComm comm = nullptr;
  rank.Expect(HcclCommInitRootInfo(rank.ranks, &root, rank.rank, &comm) == HCCL_E_TIMEOUT, "HCCL_E_TIMEOUT");
  // The process of the root stays until the other ranks know the failure.
  rank.Tell("known" + std::to_string(rank.rank));
  if (rank.rank == 0 && rank.ranks > 2) rank.WaitFor("known1");
}
const Register kAbsence("absence", &PlayAbsence);

TEST(Limit, EndsTheWaitForAProcessThatDoesNotCome) {
  for (const uint32_t ranks : {2, 3})
    Processes("absence", ranks, {{"HCCL_CONNECT_TIMEOUT", "1"}}).ExpectSuccess({}, kSoon);
}

TEST(Address, ThatNoInterfaceHasIsRefused) {
  Processes("refused address", 1, {{"HCCL_SOCKET_IFNAME", "=nothing"}}).ExpectSuccess({}, kSoon);
  Processes("refused address", 1, {{"HCCL_IF_IP", "192.0.2.1"}}).ExpectSuccess({}, kSoon);
}
const Register kRefusedAddress("refused address", [](Rank& rank) {
  HcclRootInfo root;
  rank.Expect(HcclGetRootInfo(&root) == HCCL_E_NETWORK, "HCCL_E_NETWORK");
});

const Register kRefusedList("refused list", [](Rank& rank) {
  HcclRootInfo root;
  rank.Expect(HcclGetRootInfo(&root) == HCCL_E_NOT_SUPPORT, "HCCL_E_NOT_SUPPORT");
});

TEST(Address, ListsOfHostsAreRefused) {
  Processes("refused list", 1, {{"HCCL_WHITELIST_DISABLE", "0"}}).ExpectSuccess({}, kSoon);
}

// A rank that joins twice, and a rank that gives a different number of ranks.
void PlayDuplicates(Rank& rank) {
  const HcclRootInfo root = rank.Root();
  HcclComm comm = nullptr;
  if (rank.rank == 2) {
    rank.WaitFor("waiting");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    rank.Expect(HcclCommInitRootInfo(2, &root, 1, &comm) == HCCL_E_PARA, "that rank 1 has come");
    rank.Expect(HcclCommInitRootInfo(3, &root, 0, &comm) != HCCL_SUCCESS, "another number of ranks");
    rank.Tell("tried");
    return;
  }
  if (rank.rank == 0) rank.WaitFor("tried");
  if (rank.rank == 1) rank.Tell("waiting");
  rank.Expect(HcclCommInitRootInfo(2, &root, rank.rank, &comm) == HCCL_SUCCESS, "a group of two");
  HcclCommDestroy(comm);
}
const Register kDuplicates("duplicates", &PlayDuplicates);

TEST(Root, RefusesARankThatHasCome) { Processes("duplicates", 3).ExpectSuccess({}, kSoon); }

}  // namespace
}  // namespace portacl::distributed
