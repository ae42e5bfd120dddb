// SPDX-License-Identifier: Apache-2.0
#include "processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "hosts.h"

namespace portacl::distributed {
namespace {

constexpr char kPlay[] = "--play";
constexpr std::chrono::milliseconds kPause(2);
constexpr std::chrono::seconds kPatience(60);

std::map<std::string_view, Scenario>& Scenarios() {
  static std::map<std::string_view, Scenario> scenarios;
  return scenarios;
}

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool WaitForPath(const std::string& path) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!std::filesystem::exists(path)) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace

Register::Register(const char* name, Scenario scenario) { Scenarios()[name] = scenario; }

void Rank::Tell(const std::string& name, const std::string& text) const {
  const std::string path = folder + "/" + name;
  // The file gets its final name only when it is complete.
  std::ofstream(path + ".new", std::ios::binary) << text;
  std::filesystem::rename(path + ".new", path);
}

std::string Rank::WaitFor(const std::string& name) const {
  return WaitForPath(folder + "/" + name) ? Read(folder + "/" + name) : "";
}

HcclRootInfo Rank::Root(const std::string& name) {
  HcclRootInfo root = {};
  if (rank == 0) {
    Expect(HcclGetRootInfo(&root) == HCCL_SUCCESS, "a root info");
    Tell(name, std::string(root.internal, sizeof(root.internal)));
  } else {
    const std::string bytes = WaitFor(name);
    std::memcpy(root.internal, bytes.data(), std::min(bytes.size(), sizeof(root.internal)));
  }
  return root;
}

HcclComm Rank::Join(const HcclRootInfo& root, int32_t limit_s) {
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  config.hcclExecTimeOut = limit_s;
  HcclComm comm = nullptr;
  const HcclResult result = HcclCommInitRootInfoConfig(ranks, &root, rank, &config, &comm);
  Expect(result == HCCL_SUCCESS, std::string("joining: ") + HcclGetErrorString(result));
  return comm;
}

void Rank::Expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  const char* const report = aclGetRecentErrMsg();
  std::fprintf(stderr, "rank %u of %u: expected %s\n%s%s", rank, ranks, what.c_str(), message.c_str(),
               report == nullptr ? "" : report);
}

aclError Rank::Wait(aclrtStream stream) {
  const aclError status = aclrtSynchronizeStream(stream);
  const char* const report = status == ACL_SUCCESS ? nullptr : aclGetRecentErrMsg();
  message = report == nullptr ? "" : report;
  return status;
}

int PlayIfAsked(int argc, char** argv) {
  if (argc != 6 || std::strcmp(argv[1], kPlay) != 0) return -1;
  Rank rank{static_cast<uint32_t>(std::atoi(argv[3])), static_cast<uint32_t>(std::atoi(argv[4])), argv[5], {}};
  // Ranks from that number on do not share memory, as if they were on another host.
  const char* const far = std::getenv("FAR_FROM");
  if (far != nullptr && static_cast<int>(rank.rank) >= std::atoi(far)) setenv("PORTACL_SHARED_MEMORY", "0", 1);
  if (!GoToHost(rank.rank)) return 3;
  const auto found = Scenarios().find(argv[2]);
  if (found == Scenarios().end() || aclrtSetDevice(0) != ACL_SUCCESS) return 3;
  found->second(rank);
  return rank.failures == 0 ? 0 : 1;
}

Processes::Processes(const char* scenario, uint32_t ranks, const std::map<std::string, std::string>& variables) {
  char pattern[] = "/tmp/portacl_ranks_XXXXXX";
  folder_ = mkdtemp(pattern);
  std::vector<std::string> words;
  for (const auto& [name, value] : variables) words.push_back(name + "=" + value);
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view word = *each;
    if (variables.find(std::string(word.substr(0, word.find('=')))) == variables.end()) words.emplace_back(word);
  }
  std::vector<char*> environment;
  for (std::string& word : words) environment.push_back(word.data());
  environment.push_back(nullptr);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    std::string arguments[] = {"ranks", kPlay, scenario, std::to_string(rank), std::to_string(ranks), folder_};
    char* argv[7] = {};
    std::transform(std::begin(arguments), std::end(arguments), argv, [](std::string& word) { return word.data(); });
    pid_t pid = -1;
    EXPECT_EQ(posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, argv, environment.data()), 0);
    pids_.push_back(pid);
  }
}

Processes::~Processes() {
  for (const int pid : pids_) {
    if (pid <= 0) continue;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Processes::WaitForFile(const std::string& name) const { EXPECT_TRUE(WaitForPath(folder_ + "/" + name)) << name; }

void Processes::Tell(const std::string& name) const { std::ofstream(folder_ + "/" + name) << "x"; }

void Processes::ExpectSuccess(std::vector<uint32_t> but_for, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (uint32_t rank = 0; rank < pids_.size(); ++rank) {
    if (std::find(but_for.begin(), but_for.end(), rank) != but_for.end()) continue;
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(pids_[rank], &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(kPause);
    ASSERT_NE(ended, 0) << "rank " << rank << " hangs";
    EXPECT_TRUE(WIFEXITED(status)) << "rank " << rank << ": signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "rank " << rank;
    pids_[rank] = -1;
  }
}

}  // namespace portacl::distributed
