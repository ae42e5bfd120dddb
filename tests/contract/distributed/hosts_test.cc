// SPDX-License-Identifier: Apache-2.0
// Ranks on two hosts, and connections that end while both sides continue to run.
#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <memory>

#include "acl/error_codes/rt_error_codes.h"
#include "adder.h"
#include "hosts.h"

namespace portacl::distributed {
namespace {

#define SKIP_WITHOUT_HOSTS(hosts)                                                     \
  if (!(hosts).AreThere())                                                            \
  GTEST_SKIP() << "`ip netns add` is not allowed here: there can be no second host; " \
                  "run as root with iproute2, in a container with --privileged"

using Variables = std::map<std::string, std::string>;

Variables With(Variables all, const Variables& more) {
  all.insert(more.begin(), more.end());
  return all;
}

TEST(Hosts, ComputeTheSameBitsAsALoop) {
  const Hosts hosts;
  SKIP_WITHOUT_HOSTS(hosts);
  Processes("operations", 4, hosts.Split(2)).ExpectSuccess();
  Processes("operations", 3, With(hosts.Split(1), {{"HCCL_SOCKET_IFNAME", Hosts::kInterface}})).ExpectSuccess();
  Processes("operations", 2,
            With(hosts.Split(1), {{"ADDRESS_OF_FIRST", Hosts::kFirst}, {"ADDRESS_OF_SECOND", Hosts::kSecond}}))
      .ExpectSuccess();
}

// The root is at an address that the second host cannot reach.
void PlayWrongInterface(Rank& rank) {
  const HcclRootInfo root = rank.Root();
  const auto begin = std::chrono::steady_clock::now();
  HcclComm comm = nullptr;
  const HcclResult result = HcclCommInitRootInfo(rank.ranks, &root, rank.rank, &comm);
  rank.Expect(result == (rank.rank < 2 ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT),
              std::string("an error, got ") + HcclGetErrorString(result));
  rank.Expect(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10), "it within the limit");
  const std::string message = aclGetRecentErrMsg();
  rank.Expect(rank.rank < 2 || message.find("cannot be reached at 127.0.0.1") != std::string::npos, "a sentence");
  rank.Tell("known" + std::to_string(rank.rank));
  for (uint32_t other = 0; rank.rank == 0 && other < rank.ranks; ++other) rank.WaitFor("known" + std::to_string(other));
}
const Register kWrongInterface("wrong interface", &PlayWrongInterface);

TEST(Hosts, ThatDoNotReachEachOtherSaySo) {
  const Hosts hosts;
  SKIP_WITHOUT_HOSTS(hosts);
  Processes("wrong interface", 3, With(hosts.Split(2), {{"HCCL_SOCKET_IFNAME", "=lo"}, {"HCCL_CONNECT_TIMEOUT", "3"}}))
      .ExpectSuccess({}, kSoon);
}

// The next sum fails within the limit, with one of the given statuses.
void ExpectLoss(Adder& adder, std::initializer_list<aclError> statuses) {
  const auto begin = std::chrono::steady_clock::now();
  const aclError status = adder.Add();
  adder.rank.Expect(std::find(statuses.begin(), statuses.end(), status) != statuses.end(),
                    "an error, got " + std::to_string(status));
  adder.rank.Expect(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10), "it within the limit");
  adder.ExpectMessage("EI0002");
  adder.ExpectMessage("HcclAllReduce");
  HcclCommDestroy(adder.comm);
}

// Nothing arrives from the other host any more: each rank detects that at its limit.
void PlayCutCable(Rank& rank) {
  Adder adder(rank, 3);
  rank.Expect(adder.Add() == ACL_SUCCESS, "a sum of all");
  rank.Tell("added" + std::to_string(rank.rank));
  rank.WaitFor("cut");
  ExpectLoss(adder, {ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, ACL_ERROR_RT_AICPU_EXCEPTION});
}
const Register kCutCable("cut cable", &PlayCutCable);

TEST(Hosts, ThatLoseEachOtherSaySoWithinTheLimit) {
  const Hosts hosts;
  SKIP_WITHOUT_HOSTS(hosts);
  Processes ranks("cut cable", 3, hosts.Split(1));
  for (uint32_t rank = 0; rank < 3; ++rank) ranks.WaitForFile("added" + std::to_string(rank));
  hosts.CutTheCable();
  ranks.Tell("cut");
  ranks.ExpectSuccess({}, kSoon);
}

// All connections of rank 1 are shut down during its work.
void PlayCutConnections(Rank& rank) {
  Adder adder(rank, 20);
  rank.Expect(adder.Add() == ACL_SUCCESS, "a sum of all");
  rank.Tell("added" + std::to_string(rank.rank));
  for (uint32_t other = 0; other < rank.ranks; ++other) rank.WaitFor("added" + std::to_string(other));
  if (rank.rank == 1) {
    const std::unique_ptr<DIR, int (*)(DIR*)> descriptors(opendir("/proc/self/fd"), &closedir);
    while (const dirent* const entry = readdir(descriptors.get())) shutdown(std::atoi(entry->d_name), SHUT_RDWR);
  }
  ExpectLoss(adder, {ACL_ERROR_RT_AICPU_EXCEPTION});
}
const Register kCutConnections("cut connections", &PlayCutConnections);

TEST(Connections, ThatEndAreAnErrorOfAll) {
  Processes("cut connections", 3, {{"PORTACL_SHARED_MEMORY", "0"}}).ExpectSuccess({}, kSoon);
}

}  // namespace
}  // namespace portacl::distributed
