// SPDX-License-Identifier: Apache-2.0
#include "runtime/background_thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

namespace portacl {
namespace {

// The threads never end, so the library that holds their code must stay, whatever dlclose() says. Where this code is
// linked into the program itself the call fails, and nothing is to be done.
void KeepLibraryLoaded() noexcept {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&KeepLibraryLoaded), &info) == 0 || info.dli_fname == nullptr) return;
  dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace

bool StartBackgroundThread(void* (*main)(void*), void* argument) noexcept {
  static const bool kept = (KeepLibraryLoaded(), true);
  // Signals are for the client's threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const bool started = kept && pthread_create(&thread, &attributes, main, argument) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace portacl
