// SPDX-License-Identifier: Apache-2.0
// The ceiling: how many bytes a second this machine reads and writes when nothing is computed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

// A copy that reads and writes `bytes` together, split over so many cores. Each copies its share again and again, so
// that starting threads does not count.
inline double CopySpeed(size_t bytes, unsigned cores) {
  const size_t share = std::max<size_t>(1, bytes / 2 / cores);
  const size_t rounds = 1 + (64 << 20) / bytes;
  std::vector<std::vector<unsigned char>> from(cores, std::vector<unsigned char>(share, 1)), to(from);
  const auto copy = [&](unsigned core) {
    for (size_t round = 0; round < rounds; ++round) {
      std::memcpy(to[core].data(), from[core].data(), share);
      asm volatile("" ::: "memory");  // each copy is made
    }
  };
  double best = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (unsigned core = 1; core < cores; ++core) threads.emplace_back(copy, core);
    copy(0);
    for (std::thread& thread : threads) thread.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * static_cast<double>(share * cores * rounds) / took.count());
  }
  return best;
}

// One core may be faster than all of them, on a machine that has other work.
inline double CopySpeed(size_t bytes) {
  return std::max(CopySpeed(bytes, 1), CopySpeed(bytes, std::max(1u, std::thread::hardware_concurrency())));
}
