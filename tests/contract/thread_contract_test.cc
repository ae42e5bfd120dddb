// SPDX-License-Identifier: Apache-2.0
// The number of threads of the library.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "contract_support.h"

namespace contract {
namespace {

constexpr int kAlwaysKept = 4;  // at most

// The number of threads that run streams.
int Workers() {
  int workers = 0;
  std::error_code gone;  // threads end while they are listed
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", gone)) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name == "portacl") ++workers;
  }
  return workers;
}

void AwaitFewWorkers() {
  for (int tenths = 0; tenths < 600 && Workers() > kAlwaysKept; ++tenths)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LE(Workers(), kAlwaysKept);
}

TEST_F(OnDevice, ThereAreAboutAsManyThreadsAsStreamsWithWork) {
  constexpr int kStreams = 16;
  AwaitFewWorkers();
  std::vector<aclrtStream> streams(kStreams);
  for (aclrtStream& stream : streams) ASSERT_EQ(aclrtCreateStream(&stream), kOk);
  std::atomic<bool> flag = false;
  int most = 0;
  for (int round = 0; round < 20; ++round) {
    for (int call = 0; call < 500; ++call) {
      for (aclrtStream stream : streams) ASSERT_EQ(aclrtLaunchHostFunc(stream, Raise, &flag), kOk);
    }
    most = std::max(most, Workers());
    EXPECT_EQ(aclrtSynchronizeDevice(), kOk);
  }
  EXPECT_LE(most, kStreams + kAlwaysKept);
  AwaitFewWorkers();
  for (aclrtStream stream : streams) EXPECT_EQ(aclrtDestroyStream(stream), kOk);
}

}  // namespace
}  // namespace contract
