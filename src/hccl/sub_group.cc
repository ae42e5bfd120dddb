// SPDX-License-Identifier: Apache-2.0
#include "hccl/sub_group.h"

#include <signal.h>

#include <exception>
#include <thread>

#include "acl/error_codes/rt_error_codes.h"
#include "hccl/exchange.h"
#include "hccl/meeting.h"

namespace portacl::hccl {
namespace {

// Uses a thread that takes no signals, like operations, as Gloo writes to sockets that may be gone.
template <class Body>
void RunWithoutSignals(const Body& body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::exception_ptr failure;
  try {
    std::thread([&] {
      try {
        body();
      } catch (...) {
        failure = std::current_exception();
      }
    }).join();
  } catch (...) {
    failure = std::current_exception();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

HcclResult JoinSubGroup(Communicator& parent, const std::vector<uint32_t>& ranks, uint64_t id, uint32_t place,
                        Deadline deadline, std::unique_ptr<Transport>* transport, std::string* why) {
  HcclRootInfo root = {};
  const bool is_first = place == 0;
  if (is_first) {
    if (const HcclResult result = OfferRoot(&root, why); result != HCCL_SUCCESS) return result;
  }
  auto* const bytes = reinterpret_cast<std::byte*>(&root);
  std::vector<Part> parts;
  for (const uint32_t peer : ranks) {
    if (peer == parent.rank() || (!is_first && peer != ranks[0])) continue;
    parts.push_back({peer, SubGroupTag(parent.NextSubGroup(peer)), {Kind::kSubGroup, 0, 0, 0, ranks[0], id}});
    if (is_first)
      parts.back().send = bytes, parts.back().send_bytes = sizeof(root);
    else
      parts.back().receive = bytes, parts.back().receive_bytes = sizeof(root);
  }
  Failure failure = parent.FirstFailure();
  if (failure.status == 0) RunWithoutSignals([&] { failure = Exchange(parent, parts, deadline); });
  if (failure.status != 0) {
    *why = failure.text;
    if (failure.status == ACL_ERROR_RT_FFTS_PLUS_TIMEOUT) return HCCL_E_TIMEOUT;
    return failure.text.find("EI0005") == std::string::npos ? HCCL_E_REMOTE : HCCL_E_PARA;
  }
  return JoinRoot(root, static_cast<uint32_t>(ranks.size()), place, deadline, transport, why);
}

}  // namespace portacl::hccl
