// SPDX-License-Identifier: Apache-2.0
// The state of the library in a child of fork().
//
// The child has one thread. Memory, tensors and executors are there as before, and all functions work. Contexts,
// streams, events and notifies are dead if the parent had threads of the library, or unfinished tasks: no thread would
// run the queued tasks. The child may set a device again; until then it has no context.
#include <pthread.h>

#include <new>

#include "base/process_mutex.h"
#include "runtime/contexts/context.h"
#include "runtime/events/callback_service.h"
#include "runtime/events/notify.h"
#include "runtime/events/wait_monitor.h"
#include "runtime/parallel/helpers.h"
#include "runtime/parallel/threads.h"
#include "runtime/process/init.h"
#include "runtime/streams/worker.h"

namespace portacl::process {
namespace {

bool AnyStreamWorks() noexcept {
  bool any = false;
  contexts::g_streams.ForEach([&any](streams::Stream& stream, HandleBits) { any |= !stream.Idle(); });
  return any;
}

void Prepare() noexcept { ProcessMutex::LockAll(); }

void InParent() noexcept { ProcessMutex::UnlockAll(); }

void InChild() noexcept {
  ProcessMutex::RenewAll();
  TheProcessLife().RenewMutex();
  if (!parallel::ForgetBackgroundThreads() && !AnyStreamWorks()) return;
  contexts::ForgetContexts();
  events::g_notifies.Forget();
  events::g_counting_notifies.Forget();
  for (int device = 0; device < devices::kMaxDevices; ++device)
    new (&streams::DeviceWorkers(device)) streams::WorkerPool(device);
  events::ForgetWaitMonitor();
  new (&events::Callbacks()) events::CallbackService;
  new (&events::HostFunctions()) events::CallbackService;
  parallel::ForgetHelpers();
}

[[maybe_unused]] const int g_handled = pthread_atfork(&Prepare, &InParent, &InChild);

}  // namespace
}  // namespace portacl::process
