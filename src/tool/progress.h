// SPDX-License-Identifier: Apache-2.0
// Shows the progress of a command that takes longer than two seconds: a bar on a terminal, otherwise a plain line every
// two seconds. Writes to the standard error, so that results stay clean.
//
//   Progress progress("bench");
//   progress.Stage("aclnnGelu FLOAT, L2", 0.25);
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace portacl::tool {

class Progress {
 public:
  explicit Progress(std::string command);
  // For tests: another stream, and a delay below two seconds.
  Progress(std::string command, FILE* stream, bool is_terminal, std::chrono::milliseconds delay);
  Progress(const Progress&) = delete;
  // Removes the bar.
  ~Progress();

  // Sets the current step, and the completed fraction; negative if unknown.
  void Stage(std::string text, double fraction = -1);

  // Writes a result, such as a row of a table, to the standard output or `out` without mixing it with the bar. Throws
  // Failure.
  void Print(const std::string& text, FILE* out = stdout);

 private:
  void Watch();
  void Draw();
  void Erase();

  const std::string command_;
  FILE* const stream_;
  const bool is_terminal_;
  const std::chrono::milliseconds delay_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  std::string stage_;
  double fraction_ = -1;
  bool done_ = false;
  bool drawn_ = false;
  std::thread watcher_;
};

}  // namespace portacl::tool
