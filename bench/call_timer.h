// SPDX-License-Identifier: Apache-2.0
// The timed loops that every contestant called from C++ runs in.
#ifndef PORTACL_BENCH_CALL_TIMER_H_
#define PORTACL_BENCH_CALL_TIMER_H_

#include <chrono>
#include <cstdint>

/// Seconds that `calls` calls of `call` take together; -1 as soon as one says that it failed.
template <class Call>
double TimeCalls(const Call& call, int64_t calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < calls; ++i) {
    if (!call()) return -1;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The same, but the seconds of each call apart: seconds[0 .. calls).
template <class Call>
double TimeEachCall(const Call& call, int64_t calls, double* seconds) {
  double total = 0;
  for (int64_t i = 0; i < calls; ++i) {
    seconds[i] = TimeCalls(call, 1);
    if (seconds[i] < 0) return -1;
    total += seconds[i];
  }
  return total;
}

#endif  // PORTACL_BENCH_CALL_TIMER_H_
