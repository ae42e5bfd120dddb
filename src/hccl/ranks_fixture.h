// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of a test.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace portacl::hccl {

struct Rank {
  uint32_t rank;
  uint32_t ranks;
  HcclComm comm;
  aclrtStream stream;
  aclError status = ACL_SUCCESS;  // result of the last Wait()
  std::string message;            // its reports

  /// Waits for all queued operations.
  void Wait() {
    status = aclrtSynchronizeStream(stream);
    const char* const text = status == ACL_SUCCESS ? nullptr : aclGetRecentErrMsg();
    message = text == nullptr ? "" : text;
  }
};

/// Runs body(rank) in a thread for each rank of a new communicator, each with its own stream. The communicator ends
/// after all bodies have returned.
inline void ForRanks(uint32_t ranks, const std::function<void(Rank&)>& body, int32_t limit_s = 300) {
  HcclRootInfo root;
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  std::atomic<uint32_t> returned{0};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < ranks; ++i) {
    threads.emplace_back([&, i] {
      ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      Rank rank{i, ranks, nullptr, nullptr, ACL_SUCCESS, {}};
      ASSERT_EQ(aclrtCreateStream(&rank.stream), ACL_SUCCESS);
      HcclCommConfig config;
      HcclCommConfigInit(&config);
      config.hcclExecTimeOut = limit_s;
      ASSERT_EQ(HcclCommInitRootInfoConfig(ranks, &root, i, &config, &rank.comm), HCCL_SUCCESS) << aclGetRecentErrMsg();
      body(rank);
      aclrtSynchronizeStream(rank.stream);
      ++returned;
      while (returned != ranks) std::this_thread::yield();
      EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
      EXPECT_EQ(aclrtDestroyStream(rank.stream), ACL_SUCCESS);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace portacl::hccl
