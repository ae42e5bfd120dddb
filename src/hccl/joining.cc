// SPDX-License-Identifier: Apache-2.0
#include "hccl/joining.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "hccl/address.h"
#include "hccl/connecting.h"
#include "hccl/gloo_library.h"
#include "hccl/gloo_transport.h"
#include "hccl/near_ranks.h"
#include "hccl/root_client.h"
#include "hccl/routed_transport.h"

namespace portacl::hccl {
namespace {

// A rank that fails or leaves at once ends connections that others may still be making. So none goes on before all have
// theirs.
bool WaitUntilAllAreConnected(RootClient& root, uint32_t rank, uint32_t ranks) {
  if (!root.Set(fmt::format("connected_{}", rank), "")) return false;
  for (uint32_t peer = 0; peer < ranks; ++peer) {
    if (root.Get(fmt::format("connected_{}", peer)) == nullptr) return false;
  }
  return true;
}

HcclResult ConnectByGloo(RootClient& root, const std::string& address, uint32_t rank, uint32_t ranks,
                         const NearRanks& near, std::unique_ptr<Transport>* transport, std::string* why) {
  const GlooTable* const gloo = OpenGloo(why);
  if (gloo == nullptr) return HCCL_E_NOT_FOUND;
  std::vector<int> sockets;
  HcclResult result = ConnectToAll(root, "small", address, rank, ranks, &sockets, why);
  if (result != HCCL_SUCCESS) return result;
  auto small = std::make_unique<SocketLink>(std::move(sockets), SpinFor(near.most_here));
  result = ConnectToAll(root, "large", address, rank, ranks, &sockets, why);
  if (result != HCCL_SUCCESS) return result;
  char error[512] = {};
  void* const mesh = gloo->connect(rank, ranks, sockets.data(), error, sizeof(error));
  if (mesh == nullptr) {
    *why = fmt::format("the ranks cannot be connected: {}", error);
    return HCCL_E_TCP_CONNECT;
  }
  if (!WaitUntilAllAreConnected(root, rank, ranks)) {
    gloo->release(mesh);
    *why = "the ranks cannot be connected: one of them has ended, or has not come in time";
    return root.HasPassed() ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
  }
  std::vector<Frame> early;
  std::unique_ptr<FrameStream> stream = root.Release(&early);
  auto link = std::make_shared<GlooLink>(std::move(stream), *gloo, rank, ranks, std::move(small), near.link);
  for (const Frame& frame : early) link->Take(frame);
  *transport = MakeGlooTransport(link, mesh);
  if (!Watch(link)) {
    transport->reset();
    *why = "the system gives no thread";
    return HCCL_E_SYSCALL;
  }
  return HCCL_SUCCESS;
}

}  // namespace

HcclResult ConnectThroughRoot(const RootAddress& at, const Key& key, uint32_t ranks, uint32_t rank, Deadline deadline,
                              std::unique_ptr<Transport>* transport, std::string* why) {
  JoinRequest request = {kJoinVersion, ranks, rank, AddressIsGiven() ? 1u : 0u, key, {}};
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
  if (!MeetNearRanks(root, rank, ranks, &near)) {
    *why = "the ranks cannot be connected: one of them has ended, or has not come in time";
    return root.HasPassed() ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
  }
  std::unique_ptr<Transport> memory;
  if (near.link != nullptr) memory = MakeMemoryTransport(near.link);
  if (near.all) {
    *transport = std::move(memory);
    return HCCL_SUCCESS;
  }
  std::unique_ptr<Transport> far;
  const HcclResult result =
      ConnectByGloo(root, is_one_host ? LoopbackAddress() : own_address, rank, ranks, near, &far, why);
  if (result != HCCL_SUCCESS) return result;
  *transport = memory == nullptr ? std::move(far)
                                 : MakeRoutedTransport(std::move(near.is_near), std::move(memory), std::move(far));
  return HCCL_SUCCESS;
}

}  // namespace portacl::hccl
