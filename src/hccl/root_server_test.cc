// SPDX-License-Identifier: Apache-2.0
// Two ranks that are connected to the server of the root.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hccl/hccl.h"
#include "hccl/root_client.h"

namespace portacl::hccl {
namespace {

constexpr size_t kKeyPlace = 80;
constexpr size_t kPortPlace = 96;

Deadline InAMinute() { return std::chrono::steady_clock::now() + std::chrono::seconds(60); }

struct Ranks {
  Ranks() {
    HcclRootInfo root;
    EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    uint32_t port = 0;
    std::memcpy(&port, root.internal + kPortPlace, sizeof(port));
    for (auto& client : clients) {
      client =
          std::make_unique<RootClient>(ConnectTo(root.internal, static_cast<uint16_t>(port), InAMinute()), InAMinute());
    }
    std::thread other([&] { Enter(root, 1); });
    Enter(root, 0);
    other.join();
  }

  void Enter(const HcclRootInfo& root, uint32_t rank) {
    JoinRequest request = {kJoinVersion, 2, rank, 0, {}, {}, 0};
    std::memcpy(request.key.data(), root.internal + kKeyPlace, request.key.size());
    bool is_one_host = false;
    std::string why;
    EXPECT_EQ(clients[rank]->Enter(request, &is_one_host, &why), HCCL_SUCCESS) << why;
    EXPECT_TRUE(is_one_host);
  }

  std::unique_ptr<RootClient> clients[2];
};

TEST(RootServer, GivesValuesThatRanksLeave) {
  const Ranks ranks;
  EXPECT_TRUE(ranks.clients[0]->Set("place", "here"));
  const std::string* const got = ranks.clients[1]->Get("place");
  ASSERT_NE(got, nullptr);
  EXPECT_EQ(*got, "here");
}

TEST(RootServer, EndsAConnectionThatLeavesTooManyValues) {
  const Ranks ranks;
  for (int i = 0; i < 12; ++i) EXPECT_TRUE(ranks.clients[0]->Set(std::to_string(i), "value"));
  ASSERT_NE(ranks.clients[0]->Get("11"), nullptr);
  ranks.clients[0]->Set("12", "value");
  EXPECT_EQ(ranks.clients[0]->Get("12"), nullptr);
  EXPECT_EQ(ranks.clients[0]->Reason(), "rank 0 left more values than the root keeps");
  EXPECT_FALSE(ranks.clients[0]->HasPassed());
  EXPECT_EQ(ranks.clients[1]->Get("12"), nullptr) << "the other rank is told, and does not wait";
  EXPECT_FALSE(ranks.clients[1]->HasPassed());
  EXPECT_EQ(ranks.clients[1]->Reason(), "rank 0 left more values than the root keeps");
}

TEST(RootServer, RefusesAValueLongerThanItKeepsWithTheReason) {
  const Ranks ranks;
  EXPECT_FALSE(ranks.clients[0]->Set("long", std::string(size_t{2} << 20, 'x')));
  EXPECT_NE(ranks.clients[0]->Reason().find("2097152 bytes"), std::string::npos) << ranks.clients[0]->Reason();
}

// The failure concerns the communicator, and is read only after this rank has joined it.
TEST(RootServer, KeepsTheFailureOfARankThatIsFurther) {
  const Ranks ranks;
  EXPECT_TRUE(ranks.clients[1]->Set("connected_1", ""));
  std::vector<Frame> none;
  const std::unique_ptr<FrameStream> further = ranks.clients[1]->Release(&none);
  EXPECT_TRUE(further->Send(FrameKind::kAbort, 1, "failed later"));
  EXPECT_NE(ranks.clients[0]->Get("connected_1"), nullptr);
  EXPECT_FALSE(ranks.clients[0]->AwaitReason(std::chrono::milliseconds(300)));
  std::vector<Frame> early;
  ranks.clients[0]->Release(&early);
  ASSERT_FALSE(early.empty());
  EXPECT_EQ(early[0].kind, FrameKind::kAbort);
  EXPECT_EQ(early[0].body, "failed later");
}

TEST(RootServer, TellsWhyARankHasFailed) {
  const Ranks ranks;
  ranks.clients[1]->Abort(1, "no memory");
  EXPECT_EQ(ranks.clients[0]->Get("place"), nullptr);
  EXPECT_EQ(ranks.clients[0]->Reason(), "rank 1: no memory");
}

}  // namespace
}  // namespace portacl::hccl
