// SPDX-License-Identifier: Apache-2.0
// A rank that computes sums and checks their results.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "processes.h"

namespace portacl::distributed {

inline constexpr HcclDataType kFp32 = HCCL_DATA_TYPE_FP32;
inline constexpr std::chrono::seconds kSoon(20);

struct Adder {
  Adder(Rank& of, int32_t limit_s = 60, const std::string& root = "root")
      : rank(of), comm(of.Join(of.Root(root), limit_s)) {
    aclrtCreateStream(&stream);
  }

  // Queues a sum over the ranks and waits for it.
  aclError Add(size_t count = 300'000) {
    std::vector<float> data(count, 1);
    rank.Expect(HcclAllReduce(data.data(), data.data(), count, kFp32, HCCL_REDUCE_SUM, comm, stream) == HCCL_SUCCESS,
                "a sum that is queued");
    return rank.Wait(stream);
  }
  void ExpectMessage(const char* word) {
    rank.Expect(rank.message.find(word) != std::string::npos, std::string("a message with ") + word);
  }

  Rank& rank;
  HcclComm comm;
  aclrtStream stream = nullptr;
};

}  // namespace portacl::distributed
