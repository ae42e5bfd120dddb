// SPDX-License-Identifier: Apache-2.0
#include "tool/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tool/error.h"

namespace portacl::tool {
namespace {

constexpr std::chrono::milliseconds kDelay{2000};
constexpr std::chrono::milliseconds kFrame{100};  // between two updates of the bar

}  // namespace

Progress::Progress(std::string command) : Progress(std::move(command), stderr, isatty(STDERR_FILENO) == 1, kDelay) {}

Progress::Progress(std::string command, FILE* stream, bool is_terminal, std::chrono::milliseconds delay)
    : command_(std::move(command)), stream_(stream), is_terminal_(is_terminal), delay_(delay), watcher_([this] {
        Watch();
      }) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  watcher_.join();
  Erase();
}

void Progress::Erase() {
  if (drawn_ && is_terminal_) fmt::print(stream_, "\r\x1b[K");
  std::fflush(stream_);
}

void Progress::Stage(std::string text, double fraction) {
  const std::lock_guard lock(mutex_);
  stage_ = std::move(text);
  fraction_ = fraction;
}

void Progress::Print(const std::string& text, FILE* out) {
  const std::lock_guard lock(mutex_);
  Erase();
  fmt::print(out, "{}", text);
  if (std::fflush(out) != 0) throw Failure(std::string("standard output: ") + std::strerror(errno));
}

void Progress::Watch() {
  std::unique_lock lock(mutex_);
  auto pause = delay_;
  while (!changed_.wait_for(lock, pause, [this] { return done_; })) {
    if (!stage_.empty()) Draw();
    pause = is_terminal_ ? kFrame : delay_;
  }
}

void Progress::Draw() {
  constexpr int kWidth = 24;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const double part = std::clamp(fraction_, 0.0, 1.0);
  std::string line = fmt::format("portacl {}: {}", command_, stage_);
  if (is_terminal_ && fraction_ >= 0) {
    const int full = static_cast<int>(part * kWidth);
    line += fmt::format(" [{:#<{}}{:.<{}}]", "", full, "", kWidth - full);
  }
  if (fraction_ >= 0) line += fmt::format(" {:.0f} %", 100 * part);
  line += fmt::format(" {:.0f} s", elapsed.count());
  fmt::print(stream_, "{}{}{}", is_terminal_ ? "\r" : "", line, is_terminal_ ? "\x1b[K" : "\n");
  std::fflush(stream_);
  drawn_ = true;
}

}  // namespace portacl::tool
