// SPDX-License-Identifier: Apache-2.0
// The two phases of any operator as a client calls them, with checks that hold for every operator: tests of a room add
// only the arguments.
//
//   class Gelu : public testing::DeviceTest {};
//   EXPECT_EQ(testing::PhaseOne(aclnnGeluGetWorkspaceSize, self, out), 161002);
//   testing::RunPhases(aclnnGeluGetWorkspaceSize, aclnnGelu, self, out);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "testing/device_array.h"

namespace portacl::testing {

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS); }
  void TearDown() override { EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS); }
};

struct PhaseOneResult {
  aclnnStatus status;
  uint64_t bytes;       // size of the workspace
  std::string message;  // message of a refused call
};

// Phase 1 alone; its executor is destroyed. Checks that only a refused call leaves a message, and that it writes
// nothing.
template <class GetWorkspaceSize, class... Args>
PhaseOneResult TryPhaseOne(GetWorkspaceSize get_workspace_size, const Args&... args) {
  constexpr uint64_t kUntouched = 1;
  uint64_t bytes = kUntouched;
  aclOpExecutor* executor = nullptr;
  aclGetRecentErrMsg();  // clears the message of an earlier call
  const aclnnStatus status = get_workspace_size(args..., &bytes, &executor);
  const char* message = aclGetRecentErrMsg();
  EXPECT_EQ(message != nullptr, status != 0);
  EXPECT_EQ(executor != nullptr, status == 0);
  EXPECT_TRUE(status == 0 || bytes == kUntouched) << bytes;
  EXPECT_TRUE(executor == nullptr || aclDestroyAclOpExecutor(executor) == 0);
  return {status, bytes, message == nullptr ? "" : message};
}

// The status of phase 1 of an operator that needs no workspace.
template <class GetWorkspaceSize, class... Args>
aclnnStatus PhaseOne(GetWorkspaceSize get_workspace_size, const Args&... args) {
  const PhaseOneResult result = TryPhaseOne(get_workspace_size, args...);
  EXPECT_TRUE(result.status != 0 || result.bytes == 0) << result.bytes;
  return result.status;
}

// Both phases of an operator that needs no workspace; the status with which the device is then synchronized.
template <class GetWorkspaceSize, class Run, class... Args>
aclError StatusOfRun(GetWorkspaceSize get_workspace_size, Run run, const Args&... args) {
  uint64_t bytes = 1;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(get_workspace_size(args..., &bytes, &executor), 0) << aclGetRecentErrMsg();
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(run(nullptr, 0, executor, nullptr), 0) << aclGetRecentErrMsg();
  return aclrtSynchronizeDevice();
}

// The same where the run must succeed.
template <class GetWorkspaceSize, class Run, class... Args>
void RunPhases(GetWorkspaceSize get_workspace_size, Run run, const Args&... args) {
  ASSERT_EQ(StatusOfRun(get_workspace_size, run, args...), 0);
}

// The same with a workspace of exactly the size that phase 1 returns.
template <class GetWorkspaceSize, class Run, class... Args>
void RunPhasesInWorkspace(GetWorkspaceSize get_workspace_size, Run run, const Args&... args) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(get_workspace_size(args..., &bytes, &executor), 0) << aclGetRecentErrMsg();
  const DeviceArray<std::byte> workspace(static_cast<size_t>(bytes));
  ASSERT_EQ(run(workspace.data(), bytes, executor, nullptr), 0) << aclGetRecentErrMsg();
  ASSERT_EQ(aclrtSynchronizeDevice(), 0);
}

}  // namespace portacl::testing
