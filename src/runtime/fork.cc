// SPDX-License-Identifier: Apache-2.0
// What becomes of the library in a child of fork().
//
// The child has one thread. Memory, tensors and executors are there as before, and all functions work. Contexts,
// streams, events and notifies are gone if the parent had threads of the library, or work in flight: nobody would run
// what is queued. The child may set a device anew; until then it has no context.
#include <pthread.h>

#include <new>

#include "base/process_mutex.h"
#include "runtime/background_thread.h"
#include "runtime/callback_service.h"
#include "runtime/context.h"
#include "runtime/helpers.h"
#include "runtime/init.h"
#include "runtime/notify.h"
#include "runtime/watch.h"
#include "runtime/worker.h"

namespace portacl {
namespace {

bool AnyStreamWorks() noexcept {
  bool any = false;
  g_streams.ForEach([&any](Stream& stream, HandleBits) { any |= !stream.Idle(); });
  return any;
}

void Prepare() noexcept { ProcessMutex::LockAll(); }

void InParent() noexcept { ProcessMutex::UnlockAll(); }

void InChild() noexcept {
  ProcessMutex::RenewAll();
  TheProcessLife().RenewMutex();
  if (!ForgetBackgroundThreads() && !AnyStreamWorks()) return;
  ForgetContexts();
  g_notifies.Forget();
  g_counting_notifies.Forget();
  for (int device = 0; device < kMaxDevices; ++device) new (&DeviceWorkers(device)) WorkerPool(device);
  ForgetWatch();
  new (&Callbacks()) CallbackService;
  new (&HostFunctions()) CallbackService;
  ForgetHelpers();
}

[[maybe_unused]] const int g_handled = pthread_atfork(&Prepare, &InParent, &InChild);

}  // namespace
}  // namespace portacl
