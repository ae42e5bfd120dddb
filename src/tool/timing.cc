// SPDX-License-Identifier: Apache-2.0
#include "tool/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "tool/error.h"

namespace portacl::tool {
namespace {

// The library's message without the process id and the time at its beginning.
std::string RecentMessage() {
  const char* recent = aclGetRecentErrMsg();
  std::string message = recent == nullptr ? "" : recent;
  if (message.rfind("[PID:", 0) == 0) {
    const size_t time = message.find("] ");
    const size_t text = time == std::string::npos ? time : message.find(' ', time + 2);
    if (text != std::string::npos) message.erase(0, text + 1);
  }
  return message.substr(0, message.find('\n'));
}

}  // namespace

void Check(std::string_view function, int32_t status) {
  if (status == 0) return;
  const std::string message = RecentMessage();
  throw Failure(fmt::format("{} returned {}{}{}", function, status, message.empty() ? "" : ": ", message));
}

Timing Measure(double seconds, int64_t repeat, const std::function<void()>& run, const std::function<void()>& before) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t kMinRuns = 3;
  constexpr size_t kMaxRuns = 1'000'000;
  std::vector<double> taken;
  const auto start = Clock::now();
  const auto enough = [&] {
    if (repeat > 0) return taken.size() >= static_cast<size_t>(repeat);
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    return taken.size() >= kMaxRuns || (taken.size() >= kMinRuns && elapsed.count() >= seconds);
  };
  while (!enough()) {
    before();
    const auto begin = Clock::now();
    run();
    taken.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(taken.begin(), taken.end());
  const size_t last = taken.size() - 1;
  return {taken[last / 2], taken[last / 4], taken[last - last / 4], taken.size()};
}

Launcher::Launcher(const calls::Call& call) : call_(call), objects_(call.schema(), call.arguments()) {}

Launcher::~Launcher() {
  if (workspace_ != nullptr) aclrtFree(workspace_);
}

void Launcher::Run() {
  const std::string api = call_.schema().api;
  // A run leaves its tensors with room for its result alone.
  if (call_.schema().data_dependent != 0) objects_ = calls::CallObjects(call_.schema(), call_.arguments());
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const aclnnStatus planned = call_.entry().plan(objects_.values(), &bytes, &executor);
  if (planned != 0) Check(api + "GetWorkspaceSize", planned);
  if (bytes > workspace_bytes_) {
    if (workspace_ != nullptr) aclrtFree(workspace_);
    workspace_ = nullptr;
    Check("aclrtMalloc", aclrtMalloc(&workspace_, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    workspace_bytes_ = bytes;
  }
  const aclnnStatus launched = call_.entry().run(workspace_, bytes, executor, nullptr);
  if (launched != 0) Check(api, launched);
  const aclError finished = aclrtSynchronizeStream(nullptr);
  if (finished != 0) Check("aclrtSynchronizeStream", finished);
}

void UseDevice() { Check("aclrtSetDevice", aclrtSetDevice(0)); }

}  // namespace portacl::tool
