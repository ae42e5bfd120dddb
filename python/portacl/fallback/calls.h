// SPDX-License-Identifier: Apache-2.0
//
// Counts and times of calls, for PORTACL_FALLBACK=report.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portacl {

inline constexpr const char *kNative = "native", *kOnCpu = "on the CPU";

// The calls of an operator in one place, for the lifetime of the process.
struct Calls {
  Calls(std::string its_name, const char* its_place) : name(std::move(its_name)), place(its_place) {
    All().push_back(this);
  }

  static std::vector<Calls*>& All() {
    static auto* const all = new std::vector<Calls*>;
    return *all;
  }
  static inline const bool are_counted = [] {
    const char* const mode = std::getenv("PORTACL_FALLBACK");
    return mode != nullptr && std::string_view(mode) == "report";
  }();

  // Counts the enclosing scope as a call, unless an exception leaves it: a refused call ran nowhere. The time is that
  // of the calling thread: an asynchronous native operator counts only with the time to start it.
  class Timer {
   public:
    explicit Timer(Calls* calls) {
      if (are_counted) [[unlikely]]
        Start(calls);
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() {
      if (calls_ != nullptr) [[unlikely]]
        Stop();
    }

   private:
    [[gnu::noinline]] void Start(Calls* calls) {
      calls_ = calls;
      exceptions_ = std::uncaught_exceptions();
      begin_ = std::chrono::steady_clock::now();
    }
    [[gnu::noinline]] void Stop() const {
      if (std::uncaught_exceptions() != exceptions_) return;
      const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - begin_;
      calls_->nanoseconds += static_cast<uint64_t>(time.count());
      ++calls_->count;
    }

    Calls* calls_ = nullptr;
    int exceptions_;
    std::chrono::steady_clock::time_point begin_;
  };

  const std::string name;
  const char* const place;
  std::atomic<uint64_t> count{0};
  std::atomic<uint64_t> nanoseconds{0};
};

}  // namespace portacl
