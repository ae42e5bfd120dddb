// SPDX-License-Identifier: Apache-2.0
// Runs a planned call and measures it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "calls/call.h"

namespace portacl::tool {

// Seconds of one run.
struct Timing {
  double median = 0;
  double low = 0;   // the lower quartile
  double high = 0;  // the upper quartile
  size_t runs = 0;
};

// Repeats `run` for about `seconds`, at least 3 times, or exactly `repeat` times; `before` precedes each run and is not
// measured.
Timing Measure(
    double seconds, int64_t repeat, const std::function<void()>& run, const std::function<void()>& before = [] {});

// Runs both phases of a call on the default stream, and waits for the result. The aclnn objects are created once.
class Launcher {
 public:
  explicit Launcher(const calls::Call& call);
  Launcher(const Launcher&) = delete;
  ~Launcher();

  // Throws Failure with the library's message.
  void Run();
  // Gives data-dependent outputs of the call the shapes of the last run.
  void ReadShapes(calls::Call& call) const { calls::ReadShapes(objects_, call); }

 private:
  const calls::Call& call_;
  calls::CallObjects objects_;
  void* workspace_ = nullptr;
  uint64_t workspace_bytes_ = 0;
};

// Throws Failure with the library's message unless `status` is 0.
void Check(std::string_view function, int32_t status);

// Makes device 0 current; throws Failure.
void UseDevice();

}  // namespace portacl::tool
