// SPDX-License-Identifier: Apache-2.0
// aclprof*: a trace of the part of a program between aclprofStart() and aclprofStop(), in the folder of aclprofInit().
//
//   <folder>/PROF_000001_20261126114051500_4711/trace.json        what PORTACL_TRACE writes, too
//   .../host/start_info                                           the clocks when it began
//   .../device_0                                                  empty; says which devices there are
//
// PyTorch's plug-in finds the folder by that name, and runs tools/profiler/bin/msprof to create its tables from it.
#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>

#include "acl/acl_prof.h"
#include "acl/acl_rt.h"
#include "base/never_destroyed.h"
#include "base/observer.h"
#include "base/process_mutex.h"
#include "base/status.h"
#include "trace/recorder.h"

namespace portacl::trace {
namespace {

constexpr uint32_t kMostDevices = 62;
constexpr int kMostFolders = 999'999;

int64_t Clock(clockid_t clock) noexcept {
  timespec now = {};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// A description is the set of its devices, so no object has to be stored and released; the last bit makes it differ
// from 0.
aclprofConfig* Describe(const uint32_t* devices, uint32_t count) noexcept {
  uintptr_t bits = 1;
  for (uint32_t i = 0; devices != nullptr && i < count; ++i) {
    if (devices[i] < kMostDevices) bits |= uintptr_t{2} << devices[i];
  }
  return reinterpret_cast<aclprofConfig*>(bits);
}

class Profile {
 public:
  void Init(std::string path) {
    const std::scoped_lock lock(mutex_);
    path_ = std::move(path);
  }

  int32_t Start(const char* function, uintptr_t devices) {
    const std::scoped_lock lock(mutex_);
    if (path_.empty()) return ACL_SUCCESS;
    if (!folder_.empty()) {
      recorder_.Resume();
      return ACL_SUCCESS;
    }
    static const int forks = pthread_atfork(nullptr, nullptr, [] { TheProfile().recorder_.BeginAnew(); });
    static_cast<void>(forks);
    std::string error = MakeFolder(devices);
    if (error.empty() && recorder_.Begin(folder_ + "/trace.json", &error)) return ACL_SUCCESS;
    folder_.clear();
    return Failf(ACL_ERROR_INVALID_FILE, "{}: expected a folder of aclprofInit that can be written, got '{}': {}",
                 function, path_, error);
  }

  void Stop() noexcept { recorder_.Pause(); }

  void Finish() noexcept {
    const std::scoped_lock lock(mutex_);
    recorder_.Finish();
    folder_.clear();
    path_.clear();
  }

  static Profile& TheProfile() noexcept {
    static NeverDestroyed<Profile> profile;
    return *profile;
  }

 private:
  // Returns the error text; "" when it succeeded.
  std::string MakeFolder(uintptr_t devices) {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error) return error.message();
    const int64_t now = Clock(CLOCK_REALTIME);
    const std::time_t seconds = now / 1'000'000'000;
    tm date = {};
    gmtime_r(&seconds, &date);
    char second[32] = {};
    std::strftime(second, sizeof(second), "%Y%m%d%H%M%S", &date);
    for (int number = 1;; ++number) {
      folder_ = fmt::format("{}/PROF_{:06}_{}{:03}_{}", path_, number, second, now / 1'000'000 % 1000, getpid());
      if (mkdir(folder_.c_str(), 0777) == 0) break;
      if (errno != EEXIST || number == kMostFolders) return std::strerror(errno);
    }
    if (devices == 1) devices |= 2;
    for (uint32_t device = 0; device < kMostDevices; ++device) {
      if ((devices >> (device + 1) & 1) != 0)
        std::filesystem::create_directory(fmt::format("{}/device_{}", folder_, device), error);
      if (error) return error.message();
    }
    std::filesystem::create_directory(folder_ + "/host", error);
    if (error) return error.message();
    const std::string text =
        fmt::format(R"({{"collectionTimeBegin": "{}.{:03}", "clockMonotonicRaw": "{}", "clockMonotonic": "{}"}})"
                    "\n",
                    now / 1000, now % 1000, Clock(CLOCK_MONOTONIC_RAW), Clock(CLOCK_MONOTONIC));
    std::FILE* const file = std::fopen((folder_ + "/host/start_info").c_str(), "we");
    if (file == nullptr) return std::strerror(errno);
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && written ? "" : "it is full";
  }

  ProcessMutex mutex_;
  std::string path_;
  std::string folder_;  // the folder of the session that has begun
  Recorder recorder_;
};

}  // namespace
}  // namespace portacl::trace

using namespace portacl;
using portacl::trace::Profile;

aclprofConfig* aclprofCreateConfig(uint32_t* deviceIdList, uint32_t deviceNums, aclprofAicoreMetrics,
                                   const aclprofAicoreEvents*, uint64_t) {
  uint32_t count = 0;
  aclrtGetDeviceCount(&count);
  if (deviceNums > count) {
    Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'deviceNums': expected at most the {} devices there are, got {}",
          __func__, count, deviceNums);
    return nullptr;
  }
  return trace::Describe(deviceIdList, deviceNums);
}

aclError aclprofDestroyConfig(const aclprofConfig*) { return ACL_SUCCESS; }

aclError aclprofInit(const char* profilerResultPath, size_t length) {
  if (profilerResultPath == nullptr) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'profilerResultPath': expected a pointer, got NULL", __func__);
  }
  return Guard(__func__, [=]() -> int32_t {
    Profile::TheProfile().Init(std::string(profilerResultPath, strnlen(profilerResultPath, length)));
    return ACL_SUCCESS;
  });
}

aclError aclprofStart(const aclprofConfig* profilerConfig) {
  const char* const function = __func__;
  if (profilerConfig == nullptr)
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'profilerConfig': expected a pointer, got NULL", function);
  return Guard(function,
               [=] { return Profile::TheProfile().Start(function, reinterpret_cast<uintptr_t>(profilerConfig)); });
}

aclError aclprofStop(const aclprofConfig* profilerConfig) {
  if (profilerConfig == nullptr)
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'profilerConfig': expected a pointer, got NULL", __func__);
  Profile::TheProfile().Stop();
  return ACL_SUCCESS;
}

aclError aclprofFinalize() {
  Profile::TheProfile().Finish();
  return ACL_SUCCESS;
}
