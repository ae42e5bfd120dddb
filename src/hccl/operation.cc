// SPDX-License-Identifier: Apache-2.0
#include "hccl/operation.h"
#include "base/observer.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "acl/error_codes/rt_error_codes.h"
#include "base/status.h"
#include "runtime/contexts/submit.h"

namespace portacl::hccl {
namespace {

// Runs on a thread of the library, where it may wait: the pool of the streams then starts other threads.
class Operation final : public Task {
 public:
  Operation(std::shared_ptr<Communicator> communicator, Call call)
      : Task(TaskKind::kHost), communicator_(std::move(communicator)), call_(std::move(call)) {}

  int32_t Run() noexcept override {
    try {
      failure_ = communicator_->FirstFailure();
      if (failure_.status != 0) return failure_.status;
      failure_ = RunCall(*communicator_, call_);
      if (failure_.status != 0) communicator_->Fail(failure_);
      return failure_.status;
    } catch (...) {
      return EndWithoutMemory();
    }
  }
  const char* Reason() const noexcept override { return failure_.text.c_str(); }
  // Fails the communicator, because the other ranks wait for this operation.
  void Cancel() noexcept override {
    try {
      communicator_->Fail({ACL_ERROR_RT_AICPU_EXCEPTION, std::string("EI0002: ") + NameOf(call_.kind) +
                                                             ": terminated by external request: its stream "
                                                             "dropped it"});
    } catch (...) {
      communicator_->Leave();
    }
  }
  void Finish() noexcept override { delete this; }
  void Describe(TaskNote* note) const noexcept override {
    note->name = NameOf(call_.kind);
    note->touches_all = true;
  }

 private:
  ~Operation() = default;

  int32_t EndWithoutMemory() noexcept {
    communicator_->Leave();
    return ACL_ERROR_RT_MEMORY_ALLOCATION;
  }

  const std::shared_ptr<Communicator> communicator_;
  const Call call_;
  Failure failure_;
};

struct Waiting {
  std::shared_ptr<Communicator> communicator;
  aclrtStream stream;
  Call call;
};
struct Group {
  int depth = 0;
  std::vector<Waiting> calls;
};
thread_local Group t_group;

// Whether the messages from this rank to itself pair up in their order.
bool PairsUp(const Communicator& communicator, const Call& call) {
  std::vector<const Message*> sends, receives;
  for (const Message& message : call.messages) {
    if (message.peer == communicator.rank()) (message.is_send ? sends : receives).push_back(&message);
  }
  return std::equal(sends.begin(), sends.end(), receives.begin(), receives.end(),
                    [](const Message* a, const Message* b) { return a->count == b->count && a->type == b->type; });
}

HcclResult Submit(const char* function, const std::shared_ptr<Communicator>& communicator, Call call,
                  aclrtStream stream) {
  if (const Failure failure = communicator->FirstFailure(); failure.status != 0) {
    Failf(HCCL_E_REMOTE, "{}: the communicator '{}' has failed: {}", function, communicator->name(), failure.text);
    return HCCL_E_REMOTE;
  }
  if (!PairsUp(*communicator, call)) {
    Failf(HCCL_E_PARA, "{}: expected as many sends to this rank as receives from it, of the same counts and types",
          function);
    return HCCL_E_PARA;
  }
  for (Message& message : call.messages) {
    if (message.peer != communicator->rank())
      message.number = message.is_send ? communicator->NextSend(message.peer) : communicator->NextReceive(message.peer);
  }
  if (call.kind != Kind::kMessage) call.number = communicator->NextOperation();
  auto* const operation = new Operation(communicator, std::move(call));
  const int32_t status = contexts::Submit(stream, operation, 0);
  if (status == 0) return HCCL_SUCCESS;
  operation->Cancel();
  operation->Finish();
  return HCCL_E_RUNTIME;
}

}  // namespace

bool InGroup() noexcept { return t_group.depth > 0; }

HcclResult Queue(const char* function, const std::shared_ptr<Communicator>& communicator, Call call,
                 aclrtStream stream) {
  if (!InGroup() || call.kind != Kind::kMessage) return Submit(function, communicator, std::move(call), stream);
  std::vector<Waiting>& calls = t_group.calls;
  const auto same = std::find_if(calls.begin(), calls.end(), [&](const Waiting& each) {
    return each.communicator == communicator && each.stream == stream;
  });
  if (same == calls.end())
    calls.push_back({communicator, stream, std::move(call)});
  else
    same->call.messages.insert(same->call.messages.end(), call.messages.begin(), call.messages.end());
  return HCCL_SUCCESS;
}

void BeginGroup() noexcept { ++t_group.depth; }

HcclResult EndGroup(const char* function) {
  if (t_group.depth == 0) {
    Failf(HCCL_E_PARA, "{}: expected a group that HcclGroupStart began, there is none", function);
    return HCCL_E_PARA;
  }
  if (--t_group.depth > 0) return HCCL_SUCCESS;
  HcclResult first = HCCL_SUCCESS;
  for (Waiting& each : std::exchange(t_group.calls, {})) {
    const HcclResult result = Submit(function, each.communicator, std::move(each.call), each.stream);
    if (first == HCCL_SUCCESS) first = result;
  }
  return first;
}

}  // namespace portacl::hccl
