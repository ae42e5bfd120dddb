// SPDX-License-Identifier: Apache-2.0
#include "hccl/joining.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "hccl/address.h"
#include "hccl/connecting.h"
#include "hccl/gloo_library.h"
#include "hccl/gloo_transport.h"
#include "hccl/near_ranks.h"
#include "hccl/peer_ends.h"
#include "hccl/root_client.h"
#include "hccl/routed_transport.h"

namespace portacl::hccl {
namespace {

// How long a rank whose connections end waits for the reason.
constexpr std::chrono::milliseconds kReasonLimit{1000};

uint32_t MillisecondsTo(Deadline deadline) {
  if (!deadline) return 0;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now()).count();
  return static_cast<uint32_t>(std::clamp<int64_t>(left, 1, UINT32_MAX));
}

// A rank that fails or leaves at once ends connections that other ranks may still be creating. So no rank continues
// before all ranks have all connections.
bool WaitUntilAllAreConnected(RootClient& root, uint32_t rank, uint32_t ranks) {
  if (!root.Set(fmt::format("connected_{}", rank), "")) return false;
  for (uint32_t peer = 0; peer < ranks; ++peer) {
    if (root.Get(fmt::format("connected_{}", peer)) == nullptr) return false;
  }
  return true;
}

// Gloo and the system report a missing descriptor in many ways, and so do the ranks at the other ends. So this checks
// beforehand that there are enough: two connections with each rank, for long messages another pair of sockets while the
// connections are created, and a few for shared uses.
bool HasDescriptors(uint32_t ranks, std::string* why) {
  const size_t needed = size_t{4} * ranks + 8;
  std::vector<int> taken;
  while (taken.size() < needed) {
    const int fd = eventfd(0, EFD_CLOEXEC);
    if (fd < 0) break;
    taken.push_back(fd);
  }
  const int error = errno;
  for (const int fd : taken) close(fd);
  if (taken.size() == needed) return true;
  *why =
      fmt::format("expected {} more file descriptors for connections of {} ranks (ulimit -n limits them), got {}: {}",
                  needed, ranks, taken.size(), std::strerror(error));
  return false;
}

HcclResult LostIn(const RootClient& root, std::string* why) {
  *why = fmt::format("the ranks cannot be connected: {}",
                     root.Reason().empty() ? "one of them has ended, or did not connect in time" : root.Reason());
  return root.HasPassed() ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
}

HcclResult ConnectByGloo(RootClient& root, const std::string& address, uint32_t rank, uint32_t ranks,
                         const NearRanks& near, std::unique_ptr<Transport>* transport, std::string* why) {
  if (!HasDescriptors(ranks, why)) return HCCL_E_SYSCALL;
  const GlooTable* const gloo = OpenGloo(why);
  if (gloo == nullptr) return HCCL_E_NOT_FOUND;
  std::vector<int> sockets;
  HcclResult result = ConnectToAll(root, "small", address, rank, ranks, &sockets, why);
  if (result != HCCL_SUCCESS) return result;
  const std::vector<int> ends = sockets;
  auto small = std::make_unique<SocketLink>(std::move(sockets), SpinFor(near.most_here));
  result = ConnectToAll(root, "large", address, rank, ranks, &sockets, why);
  if (result != HCCL_SUCCESS) return result;
  char error[512] = {};
  void* const mesh = gloo->connect(rank, ranks, sockets.data(), error, sizeof(error));
  if (mesh == nullptr) {
    // Usually another rank has ended the connection, and sends the reason.
    if (root.AwaitReason(kReasonLimit)) return LostIn(root, why);
    *why = fmt::format("the ranks cannot be connected: {}", error);
    return HCCL_E_TCP_CONNECT;
  }
  if (!WaitUntilAllAreConnected(root, rank, ranks)) {
    gloo->release(mesh);
    return LostIn(root, why);
  }
  std::vector<Frame> early;
  std::unique_ptr<FrameStream> stream = root.Release(&early);
  auto link = std::make_shared<GlooLink>(std::move(stream), *gloo, rank, ranks, std::move(small), near.link);
  for (const Frame& frame : early) link->Take(frame);
  *transport = MakeGlooTransport(link, mesh);
  const std::shared_ptr<Watched> watched_ends = WatchEnds(ends, link);
  if (watched_ends == nullptr || !Watch(link) || !Watch(watched_ends)) {
    transport->reset();
    *why = "the system refused a thread or a file descriptor";
    return HCCL_E_SYSCALL;
  }
  return HCCL_SUCCESS;
}

}  // namespace

HcclResult ConnectThroughRoot(const RootAddress& at, const Key& key, uint32_t ranks, uint32_t rank, Deadline deadline,
                              std::unique_ptr<Transport>* transport, std::string* why) {
  JoinRequest request = {kJoinVersion, ranks, rank, AddressIsGiven() ? 1u : 0u, key, {}, MillisecondsTo(deadline)};
  HostName().copy(request.host, sizeof(request.host) - 1);
  const std::string own_address = OwnAddress(why);
  if (own_address.empty()) return HCCL_E_NETWORK;

  const int fd = ConnectTo(at.address, at.port, deadline);
  if (fd < 0) {
    const int error = errno;
    *why = fmt::format("the process of the root cannot be reached at {}, port {}: {}", at.address, at.port,
                       std::strerror(error));
    return error == ETIMEDOUT ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
  }
  RootClient root(fd, deadline);
  bool is_one_host = false;
  if (const HcclResult result = root.Enter(request, &is_one_host, why); result != HCCL_SUCCESS) return result;
  NearRanks near;
  if (!MeetNearRanks(root, rank, ranks, &near)) return LostIn(root, why);
  std::unique_ptr<Transport> memory;
  if (near.link != nullptr) memory = MakeMemoryTransport(near.link);
  if (near.all) {
    *transport = std::move(memory);
    return HCCL_SUCCESS;
  }
  std::unique_ptr<Transport> far;
  const HcclResult result =
      ConnectByGloo(root, is_one_host ? LoopbackAddress() : own_address, rank, ranks, near, &far, why);
  if (result != HCCL_SUCCESS) {
    // Other ranks, which wait for this one or see its connections end, are told the reason. It is not a failure of
    // their own.
    if (root.Reason().empty()) root.Abort(rank, *why);
    return result;
  }
  *transport = memory == nullptr ? std::move(far)
                                 : MakeRoutedTransport(std::move(near.is_near), std::move(memory), std::move(far));
  return HCCL_SUCCESS;
}

}  // namespace portacl::hccl
