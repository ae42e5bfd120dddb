// SPDX-License-Identifier: Apache-2.0
#include "hccl/gloo_connect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "hccl/address.h"
#include "hccl/gloo_library.h"
#include "hccl/gloo_transport.h"

namespace portacl::hccl {
namespace {

constexpr size_t kMostFrameBytes = size_t{1} << 20;

// The rank's side of the server while it connects.
struct Joining {
  FrameStream& stream;
  Deadline deadline;
  std::string value = {};
  std::vector<Frame> early = {};  // of ranks that are further
};

bool SetValue(void* self, const char* key, const char* data, size_t bytes) {
  std::string body(key);
  body.push_back('\0');
  body.append(data, bytes);
  return static_cast<Joining*>(self)->stream.Send(FrameKind::kSet, 0, body);
}

const char* GetValue(void* self, const char* key, size_t* bytes) {
  auto* const joining = static_cast<Joining*>(self);
  if (!joining->stream.Send(FrameKind::kGet, 0, key)) return nullptr;
  Frame frame;
  while (WaitForFrame(joining->stream, &frame, joining->deadline)) {
    if (frame.kind == FrameKind::kValue) {
      joining->value = std::move(frame.body);
      *bytes = joining->value.size();
      return joining->value.data();
    }
    if (frame.kind == FrameKind::kEnded) return nullptr;
    joining->early.push_back(frame);
  }
  return nullptr;
}

// A rank that fails or leaves at once ends connections that others may still be making. So none goes on before all have
// theirs.
bool WaitUntilAllAreConnected(Joining& joining, uint32_t rank, uint32_t ranks) {
  size_t bytes = 0;
  if (!SetValue(&joining, fmt::format("connected_{}", rank).c_str(), "", 0)) return false;
  for (uint32_t peer = 0; peer < ranks; ++peer) {
    if (GetValue(&joining, fmt::format("connected_{}", peer).c_str(), &bytes) == nullptr) return false;
  }
  return true;
}

bool HasPassed(Deadline deadline) { return deadline && std::chrono::steady_clock::now() >= *deadline; }

// Until the server says that all ranks have come.
HcclResult EnterGroup(FrameStream& stream, const JoinRequest& request, Deadline deadline, Frame* answer,
                      std::string* why) {
  std::string body(sizeof(request), '\0');
  std::memcpy(body.data(), &request, sizeof(request));
  stream.Send(FrameKind::kJoin, 0, body);
  if (!WaitForFrame(stream, answer, deadline)) {
    *why =
        HasPassed(deadline) ? "some ranks did not come within HCCL_CONNECT_TIMEOUT" : "the root closed the connection";
    return HasPassed(deadline) ? HCCL_E_TIMEOUT : HCCL_E_TCP_TRANSFER;
  }
  if (answer->kind == FrameKind::kReady) return HCCL_SUCCESS;
  *why = answer->kind == FrameKind::kRefused ? answer->body : "the root sent what is no answer";
  const bool is_result = answer->kind == FrameKind::kRefused && answer->argument < HCCL_E_OOM;
  return is_result ? static_cast<HcclResult>(answer->argument) : HCCL_E_TCP_TRANSFER;
}

}  // namespace

HcclResult ConnectThroughRoot(const RootAddress& root, const Key& key, uint32_t ranks, uint32_t rank, Deadline deadline,
                              std::unique_ptr<Transport>* transport, std::string* why) {
  const GlooTable* const gloo = OpenGloo(why);
  if (gloo == nullptr) return HCCL_E_NOT_FOUND;
  JoinRequest request = {kJoinVersion, ranks, rank, AddressIsGiven() ? 1u : 0u, key, {}};
  HostName().copy(request.host, sizeof(request.host) - 1);
  std::string own_address = OwnAddress(why);
  if (own_address.empty()) return HCCL_E_NETWORK;

  const int fd = ConnectTo(root.address, root.port, deadline);
  if (fd < 0) {
    const int error = errno;
    *why = fmt::format("the process of the root cannot be reached at {}, port {}: {}", root.address, root.port,
                       std::strerror(error));
    return error == ETIMEDOUT ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
  }
  auto stream = std::make_unique<FrameStream>(fd, kMostFrameBytes);
  Frame answer;
  if (const HcclResult result = EnterGroup(*stream, request, deadline, &answer, why); result != HCCL_SUCCESS)
    return result;
  if (answer.argument == 1) own_address = LoopbackAddress();

  Joining joining{*stream, deadline};
  const GlooStore store = {&joining, &SetValue, &GetValue};
  const auto left =
      deadline
          ? std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now()).count()
          : int64_t{INT32_MAX};
  char error[512] = {};
  void* const mesh =
      gloo->connect(own_address.c_str(), rank, ranks, std::max<int64_t>(left, 1), &store, error, sizeof(error));
  if (mesh == nullptr) {
    *why = fmt::format("the ranks cannot be connected, this one at {}: {}", own_address, error);
    return HasPassed(deadline) ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
  }
  if (!WaitUntilAllAreConnected(joining, rank, ranks)) {
    gloo->release(mesh);
    *why = "the ranks cannot be connected: one of them has ended, or has not come in time";
    return HasPassed(deadline) ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
  }
  auto link = std::make_shared<GlooLink>(std::move(stream), *gloo, rank, ranks);
  for (const Frame& frame : joining.early) link->Take(frame);
  *transport = MakeGlooTransport(link, mesh);
  if (!Watch(link)) {
    transport->reset();
    *why = "the system gives no thread";
    return HCCL_E_SYSCALL;
  }
  return HCCL_SUCCESS;
}

}  // namespace portacl::hccl
