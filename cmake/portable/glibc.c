// SPDX-License-Identifier: Apache-2.0
// What the project and the static libstdc++ call in the C library that glibc 2.28 does not have, for portable builds
// (cmake/Portable.cmake). Hidden: a library defines it for itself alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// 2.32: libstdc++ counts references without atomic instructions while it is set. Here they are always atomic.
char __libc_single_threaded = 0;

// 2.30
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// 2.36
uint32_t arc4random(void) {
  uint32_t value;
  if (getrandom(&value, sizeof(value), 0) != sizeof(value)) abort();
  return value;
}

// 2.33: these were macros over functions that take the version of the structure.
#ifdef __x86_64__
enum { STAT_VERSION = 1 };
#else
enum { STAT_VERSION = 0 };
#endif
int __xstat(int version, const char* path, struct stat* result);
int __lxstat(int version, const char* path, struct stat* result);
int __fxstat(int version, int file, struct stat* result);
int __fxstatat(int version, int folder, const char* path, struct stat* result, int flags);

int stat(const char* path, struct stat* result) { return __xstat(STAT_VERSION, path, result); }
int lstat(const char* path, struct stat* result) { return __lxstat(STAT_VERSION, path, result); }
int fstat(int file, struct stat* result) { return __fxstat(STAT_VERSION, file, result); }
int fstatat(int folder, const char* path, struct stat* result, int flags) {
  return __fxstatat(STAT_VERSION, folder, path, result, flags);
}
int stat64(const char* path, struct stat64* result) { return stat(path, (struct stat*)result); }
int lstat64(const char* path, struct stat64* result) { return lstat(path, (struct stat*)result); }
int fstat64(int file, struct stat64* result) { return fstat(file, (struct stat*)result); }
int fstatat64(int folder, const char* path, struct stat64* result, int flags) {
  return fstatat(folder, path, (struct stat*)result, flags);
}
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one structure on 64-bit machines");

// 2.30: waits until a time of any clock. An older library only knows the clock of the condition variable, which is that
// of the calendar; as in libstdc++ there, a change of the date moves the end of the wait.
typedef int ClockWait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
static union {
  void* address;
  ClockWait* call;
} system_clock_wait;

// Not at the first call: dlsym() waits while another thread loads a library.
__attribute__((constructor)) static void find_clock_wait(void) {
  system_clock_wait.address = dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  if (system_clock_wait.call != NULL) return system_clock_wait.call(condition, mutex, clock, until);
  struct timespec now, date;
  if (clock_gettime(clock, &now) != 0) return EINVAL;
  clock_gettime(CLOCK_REALTIME, &date);
  date.tv_sec += until->tv_sec - now.tv_sec;
  date.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (date.tv_nsec < 0) {
    date.tv_nsec += 1000000000;
    --date.tv_sec;
  } else if (date.tv_nsec >= 1000000000) {
    date.tv_nsec -= 1000000000;
    ++date.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &date);
}
