// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel/background_thread.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>

#include "runtime/parallel/cores.h"

namespace portacl::parallel {
namespace {

constinit std::atomic<bool> g_any{false};

// `cores`: null for those of the calling thread.
bool Start(void* (*main)(void*), void* argument, const cpu_set_t* cores) noexcept {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // glibc allocates here; without memory the thread is where the system puts it.
  if (cores != nullptr) pthread_attr_setaffinity_np(&attributes, sizeof(*cores), cores);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, main, argument) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace

bool StartBackgroundThread(void* (*main)(void*), void* argument) noexcept {
  // Signals are for the client's threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // The caller may be pinned to a core of its own. The cores at the start may be forbidden by now.
  const bool started = Start(main, argument, ProcessCores()) || Start(main, argument, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) g_any.store(true, std::memory_order_relaxed);
  return started;
}

bool ForgetBackgroundThreads() noexcept { return g_any.exchange(false); }

}  // namespace portacl::parallel
