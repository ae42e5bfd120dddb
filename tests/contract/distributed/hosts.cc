// SPDX-License-Identifier: Apache-2.0
#include "hosts.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>

namespace portacl::distributed {
namespace {

bool Ip(const std::string& arguments) { return std::system(("ip " + arguments + " 2> /dev/null").c_str()) == 0; }

}  // namespace

Hosts::Hosts() {
  for (int i = 0; i < 2; ++i) {
    names_[i] = "portacl_" + std::to_string(getpid()) + "_" + std::to_string(i);
    if (!Ip("netns add " + names_[i])) return;
  }
  const std::string cable = kInterface;
  if (!Ip("-n " + names_[0] + " link add " + cable + " type veth peer name " + cable + " netns " + names_[1])) return;
  const char* const addresses[] = {kFirst, kSecond};
  for (int i = 0; i < 2; ++i) {
    const std::string host = "-n " + names_[i];
    if (!Ip(host + " address add " + addresses[i] + "/24 dev " + cable) || !Ip(host + " link set lo up") ||
        !Ip(host + " link set " + cable + " up"))
      return;
  }
  are_there_ = true;
}

Hosts::~Hosts() {
  for (const std::string& name : names_) {
    if (!name.empty()) Ip("netns del " + name);
  }
}

std::map<std::string, std::string> Hosts::Split(uint32_t second) const {
  return {{"HOST_FIRST", names_[0]}, {"HOST_SECOND", names_[1]}, {"HOST_SECOND_FROM", std::to_string(second)}};
}

void Hosts::CutTheCable() const { Ip("-n " + names_[0] + " link set " + kInterface + " down"); }

bool GoToHost(uint32_t rank) {
  const char* const from = std::getenv("HOST_SECOND_FROM");
  if (from == nullptr) return true;
  const bool is_second = static_cast<int>(rank) >= std::atoi(from);
  const std::string path = std::string("/run/netns/") + std::getenv(is_second ? "HOST_SECOND" : "HOST_FIRST");
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = fd >= 0 && setns(fd, CLONE_NEWNET) == 0;
  if (fd >= 0) close(fd);
  // A test may set an address, or an interface, for each host.
  const char* const address = std::getenv(is_second ? "ADDRESS_OF_SECOND" : "ADDRESS_OF_FIRST");
  if (address != nullptr) setenv("HCCL_IF_IP", address, 1);
  return done;
}

}  // namespace portacl::distributed
