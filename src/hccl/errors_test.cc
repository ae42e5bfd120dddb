// SPDX-License-Identifier: Apache-2.0
// What happens when ranks disagree, leave or do not come, and which arguments are refused.
#include <algorithm>
#include <cstring>
#include <vector>

#include "acl/error_codes/rt_error_codes.h"
#include "hccl/ranks_fixture.h"

namespace portacl::hccl {
namespace {

constexpr uintptr_t kUnreadable = 64;  // an address in the first page, which is not mapped

HcclResult AddAll(Rank& rank, std::vector<float>& data, HcclReduceOp op = HCCL_REDUCE_SUM) {
  return HcclAllReduce(data.data(), data.data(), data.size(), HCCL_DATA_TYPE_FP32, op, rank.comm, rank.stream);
}

void ExpectFailure(const Rank& rank, const char* word) {
  EXPECT_EQ(rank.status, ACL_ERROR_RT_AICPU_EXCEPTION);
  EXPECT_NE(rank.message.find(word), std::string::npos) << "rank " << rank.rank << ": " << rank.message;
}

TEST(Disagreement, IsAnErrorOfEveryRankThatNamesWhatDiffers) {
  const struct {
    const char* word;
    const char* first;  // names of the calls of ranks 0 and 1; empty: `word` is specific enough
    const char* second;
    void (*call)(Rank& rank, std::vector<float>& data);
  } cases[] = {{"count", "", "",
                [](Rank& rank, std::vector<float>& data) { data.resize(data.size() + rank.rank), AddAll(rank, data); }},
               {"reduction", "SUM", "MAX",
                [](Rank& rank, std::vector<float>& data) {
                  AddAll(rank, data, rank.rank == 0 ? HCCL_REDUCE_SUM : HCCL_REDUCE_MAX);
                }},
               {"type", "FP32", "INT32",
                [](Rank& rank, std::vector<float>& data) {
                  HcclAllGather(data.data(), data.data(), 1,
                                rank.rank == 0 ? HCCL_DATA_TYPE_FP32 : HCCL_DATA_TYPE_INT32, rank.comm, rank.stream);
                }},
               {"Hccl", "", "",
                [](Rank& rank, std::vector<float>& data) {
                  if (rank.rank == 0)
                    HcclBarrier(rank.comm, rank.stream);
                  else
                    AddAll(rank, data);
                }},
               {"bytes", "", "", [](Rank& rank, std::vector<float>& data) {
                  std::vector<uint64_t> sends(rank.ranks, 1 + rank.rank), receives(rank.ranks, 1),
                      places(rank.ranks, 0);
                  sends[rank.rank] = 1;
                  HcclAlltoAllV(data.data(), sends.data(), places.data(), HCCL_DATA_TYPE_FP32, data.data() + 100,
                                receives.data(), places.data(), HCCL_DATA_TYPE_FP32, rank.comm, rank.stream);
                }}};
  for (const auto& each : cases) {
    for (const size_t size : {200, 100'000}) {
      for (const uint32_t ranks : {2, 3}) {
        ForRanks(ranks, [&](Rank& rank) {
          std::vector<float> data(size, 1);
          each.call(rank, data);
          rank.Wait();
          ExpectFailure(rank, "EI0005");
          ExpectFailure(rank, each.word);
          // A rank above 1 makes the same call as rank 1, and may get either failure.
          if (ranks == 2) {
            ExpectFailure(rank, each.first);
            ExpectFailure(rank, each.second);
          }
          // The communicator stays failed, and reports that at once.
          EXPECT_EQ(AddAll(rank, data), HCCL_E_REMOTE);
        });
      }
    }
  }
}

TEST(Disagreement, OnPartsThatMoveInPiecesIsAnErrorOfEveryRank) {
  ForRanks(3, [](Rank& rank) {
    std::vector<float> data(3'000'000, 1);
    // Rank 1 expects a shorter part of its own than the other ranks do.
    const uint64_t counts[] = {900'000, 800'000u - rank.rank % 2, 400'000}, places[] = {0, 900'000, 1'700'000};
    HcclReduceScatterV(data.data(), counts, places, data.data(), counts[rank.rank], HCCL_DATA_TYPE_FP32,
                       HCCL_REDUCE_SUM, rank.comm, rank.stream);
    rank.Wait();
    ExpectFailure(rank, "EI0005");
    ExpectFailure(rank, "elements");
  });
}

TEST(Disagreement, OfRootsIsAnErrorWithinTheLimit) {
  ForRanks(
      2,
      [](Rank& rank) {
        std::vector<float> data(10);
        HcclBroadcast(data.data(), 10, HCCL_DATA_TYPE_FP32, rank.rank, rank.comm, rank.stream);
        rank.Wait();
        ExpectFailure(rank, "root");
      },
      5);
}

TEST(Loss, OfARankEndsTheOthersWithItsName) {
  std::atomic<int> added{0};
  ForRanks(3, [&added](Rank& rank) {
    std::vector<float> data(300'000, 1);
    AddAll(rank, data);
    rank.Wait();
    EXPECT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    // The first rank that sees the end tells the others, which may not have finished yet.
    ++added;
    while (added != 3) std::this_thread::yield();
    if (rank.rank == 1) {
      HcclCommDestroy(rank.comm);
      rank.comm = nullptr;
      return;
    }
    AddAll(rank, data);
    rank.Wait();
    ExpectFailure(rank, "EI0002");
    ExpectFailure(rank, "rank 1");
    ExpectFailure(rank, "HcclAllReduce");
  });
}

TEST(Loss, OfARankThatHasFinishedDisturbsNobody) {
  for (int round = 0; round < 20; ++round) {
    ForRanks(4, [](Rank& rank) {
      std::vector<float> data(100'000, 1);
      AddAll(rank, data);
      rank.Wait();
      EXPECT_EQ(rank.status, ACL_SUCCESS) << rank.message;
      EXPECT_EQ(data[99'999], 4);
      HcclCommDestroy(rank.comm);
      rank.comm = nullptr;
    });
  }
}

TEST(Limit, EndsAnOperationThatWaits) {
  ForRanks(
      2,
      [](Rank& rank) {
        std::vector<float> data(10, 1);
        if (rank.rank == 1) return;  // it does not take part, but does not leave either
        AddAll(rank, data);
        rank.Wait();
        EXPECT_EQ(rank.status, ACL_ERROR_RT_FFTS_PLUS_TIMEOUT);
        EXPECT_NE(rank.message.find("EI0002"), std::string::npos) << rank.message;
        EXPECT_NE(rank.message.find("rank 1"), std::string::npos) << rank.message;
      },
      1);
}

TEST(Destruction, EndsWhatRuns) {
  ForRanks(2, [](Rank& rank) {
    std::vector<float> data(10, 1);
    if (rank.rank == 1) return;
    AddAll(rank, data);
    HcclComm const comm = rank.comm;
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
    rank.Wait();
    ExpectFailure(rank, "terminated by external request");
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_E_PARA);
    uint32_t size = 0;
    EXPECT_EQ(HcclGetRankSize(comm, &size), HCCL_E_PARA);
    rank.comm = nullptr;
  });
}

TEST(Creation, RefusesWhatIsNoGroup) {
  HcclRootInfo root;
  HcclComm comm = nullptr;
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  EXPECT_NE(root.internal[0], '\0') << "an address comes first";
  EXPECT_EQ(HcclGetRootInfo(nullptr), HCCL_E_PTR);
  EXPECT_EQ(HcclCommInitRootInfo(1, nullptr, 0, &comm), HCCL_E_PTR);
  EXPECT_EQ(HcclCommInitRootInfo(1, &root, 0, nullptr), HCCL_E_PTR);
  EXPECT_EQ(HcclCommInitRootInfo(0, &root, 0, &comm), HCCL_E_PARA);
  EXPECT_EQ(HcclCommInitRootInfo(2, &root, 2, &comm), HCCL_E_PARA);
  HcclRootInfo foreign = root;
  foreign.internal[90] ^= 1;  // so that it is the key of another process
  EXPECT_EQ(HcclCommInitRootInfo(1, &foreign, 0, &comm), HCCL_E_NOT_FOUND);
  std::memset(&foreign, 7, sizeof(foreign));
  EXPECT_EQ(HcclCommInitRootInfo(1, &foreign, 0, &comm), HCCL_E_PARA);
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  config.reserved[8] ^= 1;
  EXPECT_EQ(HcclCommInitRootInfoConfig(1, &root, 0, &config, &comm), HCCL_E_PARA);
  EXPECT_EQ(HcclCommInitRootInfoConfig(1, &root, 0, nullptr, &comm), HCCL_E_PTR);
  EXPECT_EQ(HcclCommDestroy(nullptr), HCCL_SUCCESS);
  int wild = 0;
  EXPECT_EQ(HcclCommDestroy(&wild), HCCL_E_PARA);
  EXPECT_EQ(comm, nullptr);
}

TEST(Creation, ReadsSettingsOfOlderHeaders) {
  HcclRootInfo root;
  HcclComm comm = nullptr;
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  std::strcpy(config.hcclCommName, "of the settings");
  ASSERT_EQ(HcclCommInitRootInfoConfig(1, &root, 0, &config, &comm), HCCL_SUCCESS);
  char name[COMM_NAME_MAX_LENGTH];
  EXPECT_EQ(HcclGetCommName(comm, name), HCCL_SUCCESS);
  EXPECT_STREQ(name, "of the settings");
  HcclComm found = nullptr;
  EXPECT_EQ(HcclCommGetHandleWithName("of the settings", &found), HCCL_SUCCESS);
  EXPECT_EQ(found, comm);
  EXPECT_EQ(HcclCommGetHandleWithName("of nobody", &found), HCCL_E_NOT_FOUND);
  HcclCommStatus status = HCCL_COMM_STATUS_RESERVED;
  EXPECT_EQ(HcclCommGetStatus("of the settings", &status), HCCL_SUCCESS);
  EXPECT_EQ(status, HCCL_COMM_STATUS_READY);
  EXPECT_EQ(HcclCommGetStatus("of nobody", &status), HCCL_SUCCESS);
  EXPECT_EQ(status, HCCL_COMM_STATUS_INVALID);
  EXPECT_EQ(HcclCommSuspend(comm), HCCL_E_NOT_SUPPORT);
  uint32_t size = 0, rank = 7;
  EXPECT_EQ(HcclGetRankSize(comm, &size), HCCL_SUCCESS);
  EXPECT_EQ(HcclGetRankId(comm, &rank), HCCL_SUCCESS);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(rank, 0u);
  HcclResult error = HCCL_E_INTERNAL;
  EXPECT_EQ(HcclGetCommAsyncError(comm, &error), HCCL_SUCCESS);
  EXPECT_EQ(error, HCCL_SUCCESS);
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  const size_t short_size = 32;  // the size of a header that ends before the name
  std::memcpy(config.reserved, &short_size, sizeof(short_size));
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  ASSERT_EQ(HcclCommInitRootInfoConfig(1, &root, 0, &config, &comm), HCCL_SUCCESS);
  EXPECT_EQ(HcclGetCommName(comm, name), HCCL_SUCCESS);
  EXPECT_STRNE(name, "of the settings");
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
}

TEST(Creation, OfAllRanksAtOnceGivesEachItsNumber) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  int32_t device = 0;
  HcclComm comm = nullptr;
  ASSERT_EQ(HcclCommInitAll(1, &device, &comm), HCCL_SUCCESS);
  uint32_t rank = 7;
  EXPECT_EQ(HcclGetRankId(comm, &rank), HCCL_SUCCESS);
  EXPECT_EQ(rank, 0u);
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommInitAll(0, &device, &comm), HCCL_E_PARA);
  EXPECT_EQ(HcclCommInitAll(65, reinterpret_cast<int32_t*>(kUnreadable), &comm), HCCL_E_PARA);
  device = 99;
  EXPECT_EQ(HcclCommInitAll(1, &device, &comm), HCCL_E_PARA);
}

TEST(SubGroup, OfSomeRanksIsACommunicatorOfItsOwn) {
  ForRanks(4, [](Rank& rank) {
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    std::strcpy(config.hcclAlgo, "level0:NA");
    config.hcclOpExpansionMode = HCCL_OP_EXPANSION_MODE_HOST;
    // Overlapping groups, the second with its ranks in another order.
    uint32_t first[] = {0, 1, 3}, second[] = {3, 2, 0};
    for (uint32_t* const members : {first, second}) {
      const auto* const place = std::find(members, members + 3, rank.rank);
      if (place == members + 3) continue;
      HcclComm group = nullptr;
      ASSERT_EQ(HcclCreateSubCommConfig(&rank.comm, 3, members, members[0], place - members, &config, &group),
                HCCL_SUCCESS)
          << aclGetRecentErrMsg();
      std::vector<float> data(100'000, static_cast<float>(rank.rank + 1));
      EXPECT_EQ(HcclAllReduce(data.data(), data.data(), data.size(), HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, group,
                              rank.stream),
                HCCL_SUCCESS);
      rank.Wait();
      EXPECT_EQ(rank.status, ACL_SUCCESS) << rank.message;
      EXPECT_EQ(data[99'999], members == first ? 7 : 8);
      uint32_t mode = 0;
      char algorithm[10];
      EXPECT_EQ(HcclConfigGetInfo(group, HCCL_CONFIG_TYPE_OP_EXPANSION_MODE, sizeof(mode), &mode), HCCL_SUCCESS);
      EXPECT_EQ(mode, static_cast<uint32_t>(HCCL_OP_EXPANSION_MODE_HOST));
      EXPECT_EQ(HcclConfigGetInfo(group, HCCL_CONFIG_TYPE_HCCL_ALGO, sizeof(algorithm), algorithm), HCCL_SUCCESS);
      EXPECT_STREQ(algorithm, "level0:NA");
      EXPECT_EQ(HcclConfigGetInfo(group, HCCL_CONFIG_TYPE_HCCL_ALGO, 9, algorithm), HCCL_E_PARA);
      EXPECT_EQ(HcclConfigGetInfo(group, HCCL_CONFIG_TYPE_INVALID, 9, algorithm), HCCL_E_PARA);
      EXPECT_EQ(HcclConfigGetInfo(group, HCCL_CONFIG_TYPE_HCCL_ALGO, 9, nullptr), HCCL_E_PTR);
      EXPECT_EQ(HcclCommDestroy(group), HCCL_SUCCESS);
    }
    std::vector<float> data(10, 1);
    AddAll(rank, data);
    rank.Wait();
    EXPECT_EQ(data[9], 4) << "the parent stays";
  });
}

TEST(SubGroup, RefusesRanksThatAreNoneAndOthersThanItsOwn) {
  ForRanks(2, [](Rank& rank) {
    HcclCommConfig config;
    HcclCommConfigInit(&config);
    HcclComm group = nullptr;
    HcclComm* const comm = &rank.comm;
    uint32_t both[] = {0, 1, 2}, twice[] = {0, 0};
    EXPECT_EQ(HcclCreateSubCommConfig(nullptr, 2, both, 1, rank.rank, &config, &group), HCCL_E_PTR);
    EXPECT_EQ(HcclCreateSubCommConfig(comm, 2, nullptr, 1, rank.rank, &config, &group), HCCL_E_PTR);
    EXPECT_EQ(HcclCreateSubCommConfig(comm, 2, both, 1, rank.rank, nullptr, &group), HCCL_E_PTR);
    EXPECT_EQ(HcclCreateSubCommConfig(comm, 2, both, 1, rank.rank, &config, nullptr), HCCL_E_PTR);
    EXPECT_EQ(HcclCreateSubCommConfig(comm, 0, both, 1, 0, &config, &group), HCCL_E_PARA);
    EXPECT_EQ(HcclCreateSubCommConfig(comm, 3, both, 1, rank.rank, &config, &group), HCCL_E_PARA);
    EXPECT_EQ(HcclCreateSubCommConfig(comm, 3, reinterpret_cast<uint32_t*>(kUnreadable), 1, rank.rank, &config, &group),
              HCCL_E_PARA);
    EXPECT_EQ(HcclCreateSubCommConfig(comm, 2, twice, 1, 0, &config, &group), HCCL_E_PARA);
    EXPECT_EQ(HcclCreateSubCommConfig(comm, 2, both, 1, 1 - rank.rank, &config, &group), HCCL_E_PARA);
    // Each rank passes a different identifier.
    EXPECT_EQ(HcclCreateSubCommConfig(comm, 2, both, rank.rank, rank.rank, &config, &group), HCCL_E_PARA);
    EXPECT_NE(std::strstr(aclGetRecentErrMsg(), "EI0005"), nullptr);
    EXPECT_EQ(group, nullptr);
    EXPECT_EQ(HcclCommInitClusterInfo("ranks.json", 0, &group), HCCL_E_NOT_SUPPORT);
    EXPECT_EQ(HcclCommInitClusterInfoConfig("ranks.json", 0, &config, &group), HCCL_E_NOT_SUPPORT);
    std::vector<float> data(10, 1);
    AddAll(rank, data);
    rank.Wait();
    EXPECT_EQ(data[9], 2) << "the parent stays: " << rank.message;
  });
}

TEST(Arguments, AreCheckedInOrder) {
  ForRanks(2, [](Rank& rank) {
    float data[4] = {};
    HcclComm const comm = rank.comm;
    aclrtStream const stream = rank.stream;
    constexpr HcclDataType kFloat = HCCL_DATA_TYPE_FP32;
    constexpr HcclReduceOp kSum = HCCL_REDUCE_SUM;
    constexpr uint64_t kTooMany = 0x80000000;
    EXPECT_EQ(HcclAllReduce(nullptr, nullptr, 0, kFloat, kSum, nullptr, nullptr), HCCL_SUCCESS);
    EXPECT_EQ(HcclAllReduce(data, data, 1, kFloat, kSum, comm, nullptr), HCCL_E_PTR);
    EXPECT_EQ(HcclAllReduce(data, data, 1, kFloat, kSum, nullptr, stream), HCCL_E_PTR);
    EXPECT_EQ(HcclAllReduce(nullptr, data, 1, kFloat, kSum, comm, stream), HCCL_E_PTR);
    EXPECT_EQ(HcclAllReduce(data, nullptr, 1, kFloat, kSum, comm, stream), HCCL_E_PTR);
    EXPECT_EQ(HcclAllReduce(data, data, kTooMany, HCCL_DATA_TYPE_INT128, kSum, comm, stream), HCCL_E_PARA);
    EXPECT_EQ(HcclAllReduce(data, data, 1, HCCL_DATA_TYPE_INT128, kSum, comm, stream), HCCL_E_NOT_SUPPORT);
    EXPECT_EQ(HcclAllReduce(data, data, 1, HCCL_DATA_TYPE_UINT8, kSum, comm, stream), HCCL_E_NOT_SUPPORT);
    EXPECT_EQ(HcclAllReduce(data, data, 1, HCCL_DATA_TYPE_BFP16, HCCL_REDUCE_PROD, comm, stream), HCCL_E_NOT_SUPPORT);
    EXPECT_EQ(HcclAllReduce(data, data, 1, kFloat, kSum, comm, data), HCCL_E_RUNTIME) << "no stream";
  });
  ForRanks(2, [](Rank& rank) {
    float data[4] = {};
    const uint64_t counts[2] = {1, 1}, places[2] = {0, 1}, many[2] = {uint64_t{1} << 40, 1};
    HcclComm const comm = rank.comm;
    aclrtStream const stream = rank.stream;
    constexpr HcclDataType kFloat = HCCL_DATA_TYPE_FP32;
    EXPECT_EQ(HcclBroadcast(data, 1, kFloat, 2, comm, stream), HCCL_E_PARA);
    EXPECT_EQ(HcclBroadcast(nullptr, 1, kFloat, 0, comm, stream), HCCL_E_PTR);
    EXPECT_EQ(HcclBroadcast(data, 0, kFloat, 0, comm, stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclBroadcast(nullptr, 0, kFloat, 0, comm, stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclReduce(data, data, 1, kFloat, HCCL_REDUCE_RESERVED, 0, comm, stream), HCCL_E_NOT_SUPPORT);
    EXPECT_EQ(HcclReduce(data, data, 1, kFloat, HCCL_REDUCE_SUM, 2, comm, stream), HCCL_E_PARA);
    EXPECT_EQ(HcclScatter(nullptr, data, 1, kFloat, rank.rank, comm, stream), HCCL_E_PTR);
    EXPECT_EQ(HcclAlltoAll(data, 1, kFloat, data + 2, 2, kFloat, comm, stream), HCCL_E_PARA);
    EXPECT_EQ(HcclAlltoAll(data, 1, kFloat, data + 2, 1, HCCL_DATA_TYPE_INT32, comm, stream), HCCL_E_PARA);
    EXPECT_EQ(HcclAlltoAll(data, 1, kFloat, data, 1, kFloat, comm, stream), HCCL_E_PARA);
    EXPECT_EQ(HcclAlltoAllV(data, counts, places, kFloat, data, counts, places, kFloat, comm, stream), HCCL_E_PARA);
    EXPECT_EQ(HcclAlltoAllV(nullptr, counts, places, kFloat, data, counts, places, kFloat, comm, stream), HCCL_E_PTR);
    EXPECT_EQ(HcclAlltoAllV(data, many, places, kFloat, data + 2, counts, places, kFloat, comm, stream), HCCL_E_PARA);
    EXPECT_EQ(HcclAlltoAllVC(data, nullptr, kFloat, data + 2, kFloat, comm, stream), HCCL_E_PTR);
    EXPECT_EQ(HcclReduceScatterV(data, counts, places, data, 1, HCCL_DATA_TYPE_FP64, HCCL_REDUCE_SUM, comm, stream),
              HCCL_E_NOT_SUPPORT);
    EXPECT_EQ(HcclReduceScatterV(data, counts, places, data, 2, kFloat, HCCL_REDUCE_SUM, comm, stream), HCCL_E_PARA);
    EXPECT_EQ(HcclAllGatherV(data, 2, data, counts, places, kFloat, comm, stream), HCCL_E_PARA);
    EXPECT_EQ(HcclSend(nullptr, 0, kFloat, 0, nullptr, nullptr), HCCL_SUCCESS);
    EXPECT_EQ(HcclSend(data, 1, kFloat, rank.rank, comm, stream), HCCL_E_NOT_SUPPORT);
    EXPECT_EQ(HcclRecv(data, 1, kFloat, 2, comm, stream), HCCL_E_PARA);
    HcclSendRecvItem alone = {HCCL_SEND, data, 1, kFloat, rank.rank};
    EXPECT_EQ(HcclBatchSendRecv(&alone, 1, comm, stream), HCCL_E_PARA);
    EXPECT_EQ(HcclBatchSendRecv(&alone, 0, comm, stream), HCCL_SUCCESS);
    EXPECT_EQ(HcclGroupEnd(), HCCL_E_PARA);
    bool is_group = true;
    EXPECT_EQ(HcclGroupStatusGet(&is_group), HCCL_SUCCESS);
    EXPECT_FALSE(is_group);
    EXPECT_EQ(HcclBarrier(comm, stream), HCCL_SUCCESS);  // none of the calls above queued an operation
    rank.Wait();
    EXPECT_EQ(rank.status, ACL_SUCCESS) << rank.message;
  });
}

TEST(Settings, AreKeptAndHaveNoEffect) {
  HcclConfigValue value{1};
  EXPECT_EQ(HcclSetConfig(HCCL_DETERMINISTIC, value), HCCL_SUCCESS);
  value.value = 0;
  EXPECT_EQ(HcclGetConfig(HCCL_DETERMINISTIC, &value), HCCL_SUCCESS);
  EXPECT_EQ(value.value, 1);
  EXPECT_EQ(HcclSetConfig(HCCL_CONFIG_RESERVED, value), HCCL_E_PARA);
  EXPECT_EQ(HcclGetConfig(HCCL_DETERMINISTIC, nullptr), HCCL_E_PTR);
  EXPECT_EQ(HcclGetCommConfigCapability(), 12u);
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_TIMEOUT), "HCCL_E_TIMEOUT");
  EXPECT_STREQ(HcclGetErrorString(static_cast<HcclResult>(500)), "unknown result");
}

}  // namespace
}  // namespace portacl::hccl
