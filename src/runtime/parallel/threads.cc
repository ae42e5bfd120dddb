// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "base/environment.h"
#include "base/file_text.h"
#include "base/observer.h"
#include "runtime/devices/device.h"

namespace portacl::parallel {
namespace {

constexpr int kMostThreads = 1024;

// Read when the library is loaded, as OpenMP and BLAS libraries do: the thread that calls first may be pinned to fewer
// cores.
struct Affinity {
  Affinity() noexcept : known(sched_getaffinity(0, sizeof(mask), &mask) == 0) {}

  cpu_set_t mask;
  bool known;
};

const Affinity& ProcessAffinity() noexcept {
  static const Affinity affinity;
  return affinity;
}
[[maybe_unused]] const Affinity& g_at_load = ProcessAffinity();

int AffinityCores() noexcept {
  if (const cpu_set_t* mask = ProcessCores(); mask != nullptr) return std::max(CPU_COUNT(mask), 1);
  // There are more CPUs than the fixed-size mask can hold.
  return static_cast<int>(std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, static_cast<long>(kMostThreads)));
}

// Reads up to two integers from the beginning of a file; the word "max" (no limit) ends the reading.
int ReadNumbers(const char* path, long* first, long* second) noexcept {
  char text[64];
  return ReadFileText(path, text) ? std::sscanf(text, "%ld %ld", first, second) : 0;
}

// The number of CPUs that the quota and period of the control group (version 1 or 2) allow, rounded up; kMostThreads
// without a limit. The files are those at the root of the mounted hierarchy; inside a container that is the container's
// own group.
int QuotaCores() noexcept {
  long quota = 0;
  long period = 0;
  bool limited = ReadNumbers("/sys/fs/cgroup/cpu.max", &quota, &period) == 2;
  if (!limited) {
    long unused = 0;
    limited = ReadNumbers("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", &quota, &unused) >= 1 &&
              ReadNumbers("/sys/fs/cgroup/cpu/cpu.cfs_period_us", &period, &unused) >= 1;
  }
  if (!limited || quota <= 0 || period <= 0) return kMostThreads;
  return static_cast<int>(std::clamp((quota + period - 1) / period, 1L, static_cast<long>(kMostThreads)));
}

constinit std::atomic<bool> g_any{false};

// `cores`: null for the cores of the calling thread.
bool StartOn(void* (*main)(void*), void* argument, const cpu_set_t* cores) noexcept {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // glibc allocates here; when out of memory, the system chooses the thread's cores.
  if (cores != nullptr) pthread_attr_setaffinity_np(&attributes, sizeof(*cores), cores);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, main, argument) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace

const cpu_set_t* ProcessCores() noexcept { return ProcessAffinity().known ? &ProcessAffinity().mask : nullptr; }

int UsableCores() noexcept {
  static const int cores = [] {
    const int64_t asked = VariableInteger(Variable::kNumThreads, 1, kMostThreads, 0);
    return asked > 0 ? static_cast<int>(asked) : std::min(AffinityCores(), QuotaCores());
  }();
  return cores;
}

int CoresPerDevice() noexcept { return std::max(1, UsableCores() / std::max(1, devices::DeviceCount())); }

inline namespace v1 {

bool StartBackgroundThread(void* (*main)(void*), void* argument) noexcept {
  // Signals are delivered only to the client's threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // Strict mode protects memory, and the system ends the process if SIGSEGV is blocked in a thread that faults.
  if (Observed()) sigdelset(&all, SIGSEGV);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // The caller may be pinned to a single core, so the process's cores are set. They may be forbidden by now: then try
  // without.
  const bool started = StartOn(main, argument, ProcessCores()) || StartOn(main, argument, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) g_any.store(true, std::memory_order_relaxed);
  return started;
}

}  // namespace v1

bool ForgetBackgroundThreads() noexcept { return g_any.exchange(false); }

}  // namespace portacl::parallel
