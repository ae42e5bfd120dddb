// SPDX-License-Identifier: Apache-2.0
// Failing initialisations: each rank is told at once what has failed, and on which rank.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "adder.h"

namespace portacl::distributed {
namespace {

using Clock = std::chrono::steady_clock;

// Joins, which must soon fail with that result, and with a report that contains `words`.
void ExpectRefusal(Rank& rank, const HcclRootInfo& root, HcclResult expected, const std::string& words,
                   std::chrono::seconds soon = std::chrono::seconds(3)) {
  const auto begin = Clock::now();
  HcclComm comm = nullptr;
  const HcclResult result = HcclCommInitRootInfo(rank.ranks, &root, rank.rank, &comm);
  const char* const report = aclGetRecentErrMsg();
  const std::string message = report == nullptr ? "" : report;
  rank.Expect(result == expected, std::string("another result than ") + HcclGetErrorString(result) + ": " + message);
  rank.Expect(message.find(words) != std::string::npos, "'" + words + "' in: " + message);
  rank.Expect(Clock::now() - begin < soon, "an answer soon");
}

void PlayStayingAway(Rank& rank) {
  const HcclRootInfo root = rank.Root();
  const uint32_t last = rank.ranks - 1;
  if (rank.rank == last) return;
  ExpectRefusal(rank, root, HCCL_E_TIMEOUT,
                "timed out (HCCL_CONNECT_TIMEOUT) waiting for rank " + std::to_string(last));
  // The process of the root stays until the other ranks know the failure.
  rank.Tell("known" + std::to_string(rank.rank));
  for (uint32_t other = 1; rank.rank == 0 && other < last; ++other) rank.WaitFor("known" + std::to_string(other));
}
const Register kStayingAway("staying away", &PlayStayingAway);

TEST(Joining, NamesTheRankThatStaysAwayToAllOthers) {
  for (const uint32_t ranks : {2, 3, 4})
    Processes("staying away", ranks, {{"HCCL_CONNECT_TIMEOUT", "1"}}).ExpectSuccess({}, kSoon);
}

// The first limit that passes ends the joining for all ranks, also for those with a later limit.
void PlayLateLimit(Rank& rank) {
  const HcclRootInfo root = rank.Root();
  if (rank.rank == 2) return;
  if (rank.rank == 1) setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
  ExpectRefusal(rank, root, HCCL_E_TIMEOUT, "waiting for rank 2");
  rank.Tell("known" + std::to_string(rank.rank));
  if (rank.rank == 0) rank.WaitFor("known1");
}
const Register kLateLimit("late limit", &PlayLateLimit);

TEST(Joining, EndsForAllAtTheFirstLimit) {
  Processes("late limit", 3, {{"HCCL_CONNECT_TIMEOUT", "1"}}).ExpectSuccess({}, kSoon);
}

void PlayDeathWhileJoining(Rank& rank, uint32_t dies) {
  const HcclRootInfo root = rank.Root();
  if (rank.rank == 2) {
    // Does not join until the others know the failure.
    rank.WaitFor("known" + std::to_string(1 - dies));
    return;
  }
  if (rank.rank == dies) {
    std::thread([&] {
      HcclComm comm = nullptr;
      HcclCommInitRootInfo(rank.ranks, &root, rank.rank, &comm);
    }).detach();
    rank.WaitFor("joins");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    raise(SIGKILL);
  }
  rank.Tell("joins");
  ExpectRefusal(rank, root, HCCL_E_TCP_CONNECT, dies == 0 ? "the root has ended" : "rank 1 has ended");
  rank.Tell("known" + std::to_string(rank.rank));
}
const Register kDeath("death", [](Rank& rank) { PlayDeathWhileJoining(rank, 1); });
const Register kDeathOfRoot("death of root", [](Rank& rank) { PlayDeathWhileJoining(rank, 0); });

TEST(Joining, TellsOthersOfARankThatDies) { Processes("death", 3).ExpectSuccess({1}, kSoon); }
TEST(Joining, TellsOthersThatTheRootHasDied) { Processes("death of root", 3).ExpectSuccess({0}, kSoon); }

void PlayFewDescriptors(Rank& rank) {
  const HcclRootInfo root = rank.Root();
  if (rank.rank == 1) {
    const rlimit few = {12, 12};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ExpectRefusal(rank, root, rank.rank == 1 ? HCCL_E_SYSCALL : HCCL_E_TCP_CONNECT, "Too many open files");
  rank.Tell("known" + std::to_string(rank.rank));
  for (uint32_t other = 1; rank.rank == 0 && other < rank.ranks; ++other) rank.WaitFor("known" + std::to_string(other));
}
const Register kFewDescriptors("few descriptors", &PlayFewDescriptors);

TEST(Joining, TellsAllOfARankWithoutDescriptors) {
  Processes("few descriptors", 3, {{"PORTACL_SHARED_MEMORY", "0"}}).ExpectSuccess({}, kSoon);
}

void PlayTakenPorts(Rank& rank) {
  HcclRootInfo root;
  rank.Expect(HcclGetRootInfo(&root) == HCCL_E_NETWORK, "HCCL_E_NETWORK");
  const std::string message = aclGetRecentErrMsg();
  rank.Expect(message.find("in use") != std::string::npos, "the reason in: " + message);
  const std::string range = std::getenv("HCCL_HOST_SOCKET_PORT_RANGE");
  rank.Expect(message.find(range.substr(0, range.find('-'))) != std::string::npos, "the ports in: " + message);
}
const Register kTakenPorts("taken ports", &PlayTakenPorts);

TEST(Joining, NeedsAFreePortOfTheRange) {
  const int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at = {};
  socklen_t bytes = sizeof(at);
  at.sin_family = AF_INET;
  ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr*>(&at), sizeof(at)), 0);
  ASSERT_EQ(listen(taken, 1), 0);
  ASSERT_EQ(getsockname(taken, reinterpret_cast<sockaddr*>(&at), &bytes), 0);
  const std::string port = std::to_string(ntohs(at.sin_port));
  Processes("taken ports", 1, {{"HCCL_HOST_SOCKET_PORT_RANGE", port + "-" + port}}).ExpectSuccess({}, kSoon);
  close(taken);
}

void PlaySubGroupAlone(Rank& rank) {
  Adder adder(rank);
  if (rank.rank == 0) {
    uint32_t both[] = {0, 1};
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    HcclComm group = nullptr;
    rank.Expect(HcclCreateSubCommConfig(&adder.comm, 2, both, 1, 0, &config, &group) == HCCL_E_TIMEOUT, "a timeout");
    const std::string message = aclGetRecentErrMsg();
    rank.Expect(message.find("timed out (HCCL_CONNECT_TIMEOUT)") != std::string::npos, "the limit in: " + message);
    rank.Expect(message.find("rank 1") != std::string::npos, "the rank in: " + message);
    rank.Tell("known");
  }
  rank.WaitFor("known");
  HcclCommDestroy(adder.comm);
}
const Register kSubGroupAlone("sub group alone", &PlaySubGroupAlone);

TEST(Joining, OfASubGroupNamesItsLimit) {
  Processes("sub group alone", 2, {{"HCCL_CONNECT_TIMEOUT", "2"}, {"HCCL_EXEC_TIMEOUT", "60"}})
      .ExpectSuccess({}, kSoon);
}

}  // namespace
}  // namespace portacl::distributed
