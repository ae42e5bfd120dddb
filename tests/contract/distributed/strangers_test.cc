// SPDX-License-Identifier: Apache-2.0
// Connections of unknown programs to the ports of a rank: they are closed, and block no rank.
#include <arpa/inet.h>
#include <dirent.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "adder.h"

namespace portacl::distributed {
namespace {

// A connection to the port of a root that is not from a rank.
class Stranger {
 public:
  explicit Stranger(const HcclRootInfo& root) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    uint32_t port = 0;
    std::memcpy(&port, root.internal + 96, sizeof(port));
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    inet_pton(AF_INET, root.internal, &address.sin_addr);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  ~Stranger() { close(fd_); }

  bool connected() const { return connected_; }
  void Send(const std::string& bytes) const { send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  bool IsClosed() const {
    timeval limit = {5, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    char bytes[256];
    ssize_t got = 0;
    while ((got = recv(fd_, bytes, sizeof(bytes), 0)) > 0) {
    }
    return got == 0 || errno == ECONNRESET;
  }

 private:
  int fd_;
  bool connected_;
};

std::string Header(uint32_t magic, uint16_t kind, uint32_t bytes) {
  const struct {
    uint32_t magic;
    uint16_t kind, unused;
    uint32_t argument, bytes;
  } header = {magic, kind, 0, 0, bytes};
  return {reinterpret_cast<const char*>(&header), sizeof(header)};
}

void PlayStrangers(Rank& rank) {
  const HcclRootInfo root = rank.Root("strangers root");
  if (rank.rank == 0) {
    constexpr uint32_t kMagic = 0x46434150;
    std::mt19937 random(1);
    std::vector<std::string> garbage = {
        "GET / HTTP/1.1\r\n\r\n",
        std::string(100'000, '\0'),
        std::string(100'000, '\xff'),
        Header(kMagic, 0, 0xffffffff),                   // a huge body
        Header(kMagic, 0, 8) + std::string(8, 'x'),      // a short request
        Header(kMagic, 0, 164) + std::string(164, 'x'),  // another version
        Header(kMagic, 6, 4) + "fail",                   // a message that only members may send
        Header(kMagic, 77, 0),
    };
    for (int i = 0; i < 50; ++i) {
      std::string bytes = i % 2 == 0 ? "" : Header(kMagic, static_cast<uint16_t>(i % 9), 164);
      for (int k = 0; k < 200; ++k) bytes.push_back(static_cast<char>(random()));
      garbage.push_back(bytes);
    }
    for (const std::string& bytes : garbage) {
      const Stranger stranger(root);
      rank.Expect(stranger.connected(), "a connection");
      stranger.Send(bytes);
      rank.Expect(stranger.IsClosed(), "that a stranger is sent away");
    }
    rank.Tell("done");
  }
  rank.WaitFor("done");
  // Some connections send nothing. They must not block any rank.
  std::vector<std::unique_ptr<Stranger>> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(std::make_unique<Stranger>(root));
  HcclRootInfo wrong = root;
  wrong.internal[85] ^= 1;
  HcclComm comm = nullptr;
  const HcclResult result = HcclCommInitRootInfo(rank.ranks, &wrong, rank.rank, &comm);
  rank.Expect(result == HCCL_E_NOT_FOUND,
              std::string("that a wrong key is refused, got ") + HcclGetErrorString(result));
  rank.Expect(std::string(aclGetRecentErrMsg()).find("root") != std::string::npos, "a sentence");
  Adder adder(rank);
  rank.Expect(adder.Add() == ACL_SUCCESS, "a sum after all that");
  HcclCommDestroy(adder.comm);
}
const Register kStrangers("strangers", &PlayStrangers);

TEST(Root, SendsStrangersAway) { Processes("strangers", 2).ExpectSuccess(); }

// More connections than the root keeps, none of which sends anything.
void PlayManySilent(Rank& rank) {
  const HcclRootInfo root = rank.Root("silent root");
  std::vector<std::unique_ptr<Stranger>> silent;
  if (rank.rank == 1) {
    for (int i = 0; i < 300; ++i) silent.push_back(std::make_unique<Stranger>(root));
    rank.Tell("silent");
  }
  rank.WaitFor("silent");
  Adder adder(rank);
  rank.Expect(adder.Add() == ACL_SUCCESS, "a sum beside them");
  HcclCommDestroy(adder.comm);
}
const Register kManySilent("many silent", &PlayManySilent);

TEST(Strangers, DoNotHoldUpRanksInGreatNumber) {
  Processes("many silent", 2, {{"HCCL_CONNECT_TIMEOUT", "6"}}).ExpectSuccess({}, kSoon);
}

// The ports on which this process listens.
std::vector<sockaddr_in> OwnPorts() {
  std::vector<sockaddr_in> ports;
  const std::unique_ptr<DIR, int (*)(DIR*)> descriptors(opendir("/proc/self/fd"), &closedir);
  while (const dirent* const entry = readdir(descriptors.get())) {
    const int fd = std::atoi(entry->d_name);
    int listens = 0;
    sockaddr_in at = {};
    socklen_t bytes = sizeof(listens);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes) != 0 || listens == 0) continue;
    bytes = sizeof(at);
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&at), &bytes) == 0 && at.sin_family == AF_INET) ports.push_back(at);
  }
  return ports;
}

// While groups are created, a thread connects to all ports of the process and sends data.
void PlayVisitors(Rank& rank) {
  std::atomic<bool> is_over{false};
  std::atomic<int> visits{0};
  std::thread visitor([&] {
    std::mt19937 random(rank.rank);
    std::vector<int> open;
    while (!is_over) {
      for (const sockaddr_in& at : OwnPorts()) {
        const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof(at)) == 0) ++visits;
        // Data that Gloo would accept as the beginning of a message, with plausible values, and random data.
        uint64_t words[64];
        for (uint64_t& word : words) word = visits % 2 == 0 ? random() : random() % 8;
        if (visits % 3 != 0) send(fd, words, sizeof(words), MSG_NOSIGNAL);
        open.push_back(fd);
      }
      if (open.size() > 40) {
        for (const int fd : open) close(fd);
        open.clear();
      }
    }
    for (const int fd : open) close(fd);
  });
  for (int round = 0; round < 40; ++round) {
    Adder adder(rank, 60, "root" + std::to_string(round));
    rank.Expect(adder.Add(1000) == ACL_SUCCESS, "a sum");
    HcclCommDestroy(adder.comm);
    aclrtDestroyStream(adder.stream);
  }
  is_over = true;
  visitor.join();
  rank.Expect(visits > 0, "visits");
}
const Register kVisitors("visitors", &PlayVisitors);

TEST(Strangers, DoNotGetInWhileRanksConnect) {
  Processes("visitors", 3, {{"PORTACL_SHARED_MEMORY", "0"}}).ExpectSuccess();
}

}  // namespace
}  // namespace portacl::distributed
