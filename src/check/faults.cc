// SPDX-License-Identifier: Apache-2.0
// Handles a thread's access to closed pages.
//
// The thread runs code of the client, or code of the library while it holds no lock of strict mode: so the handler can
// make the report itself, with allocations and locks. It runs on the thread's own stack, because alternate stacks are
// small.
#include "check/faults.h"

#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "check/guard.h"

namespace portacl::check {
namespace {

constinit std::atomic<Guard*> g_guard{nullptr};
struct sigaction g_before;  // NOLINT: written before the handler is installed

void* CodeOf(const void* context) noexcept {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<void*>(registers.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(registers.pc);
#else
  static_cast<void>(registers);
  return nullptr;
#endif
}

void Handle(int signal, siginfo_t* info, void* context) {
  const int number = errno;
  Guard* const guard = g_guard.load(std::memory_order_acquire);
  const bool ours =
      info->si_code == SEGV_ACCERR && guard->Fault(reinterpret_cast<uintptr_t>(info->si_addr), CodeOf(context));
  errno = number;
  if (ours) return;
  if ((g_before.sa_flags & SA_SIGINFO) != 0 && g_before.sa_sigaction != nullptr)
    return g_before.sa_sigaction(signal, info, context);
  if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) return g_before.sa_handler(signal);
  // The instruction faults again; a signal that another process sent arrives again.
  sigaction(signal, &g_before, nullptr);
  if (info->si_code <= 0) raise(signal);
}

}  // namespace

bool CatchFaults(Guard& guard) noexcept {
  static const bool caught = [&] {
    g_guard.store(&guard, std::memory_order_release);
    if (sigaction(SIGSEGV, nullptr, &g_before) != 0) return false;
    struct sigaction action = {};
    action.sa_sigaction = Handle;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSEGV, &action, nullptr) == 0;
  }();
  return caught;
}

}  // namespace portacl::check
