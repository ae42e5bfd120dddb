// SPDX-License-Identifier: Apache-2.0
// Every operation on 1 to 8 ranks, compared with loops that follow the order of the ranks.
#include <cstring>
#include <numeric>
#include <vector>

#include "hccl/ranks_fixture.h"
#include "testing/sample_size.h"

namespace portacl::hccl {
namespace {

constexpr uint32_t kRanks[] = {1, 2, 3, 5, 8};
constexpr uint64_t kCounts[] = {0, 1, 7, 48, 49, 4097, 20'000, 300'001};

// The sum of these values depends on the order of addition.
float Value(uint32_t rank, size_t i) {
  return static_cast<float>((rank * 7919 + i * 104729) % 100'003) * (rank % 2 == 0 ? 1.1F : -0.37F);
}
std::vector<float> Values(uint32_t rank, size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = Value(rank, i);
  return values;
}
float SumOf(uint32_t ranks, size_t i) {
  float sum = Value(0, i);
  for (uint32_t rank = 1; rank < ranks; ++rank) sum += Value(rank, i);
  return sum;
}

// A buffer with guard elements on both sides.
class Guarded {
 public:
  explicit Guarded(size_t count, float value = -1) : values_(count + 2 * kGuard, kUntouched) {
    std::fill_n(data(), count, value);
  }
  explicit Guarded(const std::vector<float>& values) : Guarded(values.size()) {
    std::copy(values.begin(), values.end(), data());
  }
  float* data() { return values_.data() + kGuard; }
  float& operator[](size_t i) { return data()[i]; }
  ~Guarded() {
    for (size_t i = 0; i < kGuard; ++i) {
      EXPECT_EQ(values_[i], kUntouched);
      EXPECT_EQ(values_[values_.size() - 1 - i], kUntouched);
    }
  }

 private:
  static constexpr size_t kGuard = 16;
  static constexpr float kUntouched = -12345;
  std::vector<float> values_;
};

void ExpectSums(float* got, uint32_t ranks, size_t first, size_t count, const char* what) {
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(got[i], SumOf(ranks, first + i))
        << what << ": element " << i << " of " << count << ", " << ranks << " ranks";
}

// Slow builds omit the largest count on many ranks, where the comparisons take minutes.
constexpr bool IsLeftOut(uint32_t ranks, uint64_t count) {
  return testing::kTestsAreSlow && ranks > 3 && count > 100'000;
}

template <class Body>
void ForAll(const Body& body) {
  for (const uint32_t ranks : kRanks) {
    ForRanks(ranks, [&](Rank& rank) {
      for (const uint64_t count : kCounts) {
        if (!IsLeftOut(ranks, count)) body(rank, count);
      }
    });
  }
}

TEST(Collectives, AllReduceAddsInTheOrderOfTheRanks) {
  ForAll([](Rank& rank, uint64_t count) {
    Guarded send(Values(rank.rank, count));
    Guarded receive(count);
    ASSERT_EQ(
        HcclAllReduce(send.data(), receive.data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream),
        HCCL_SUCCESS);
    rank.Wait();
    ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    ExpectSums(receive.data(), rank.ranks, 0, count, "apart");
    // In place, twice in a row on the same buffer: the second operation may begin while other ranks are in the first.
    HcclAllReduce(send.data(), send.data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream);
    rank.Wait();
    ExpectSums(send.data(), rank.ranks, 0, count, "in place");
    // The send buffer begins in the middle of the receive buffer.
    std::vector<float> both(2 * count + 1);
    for (size_t i = 0; i < count; ++i) both[count / 2 + i] = Value(rank.rank, i);
    HcclAllReduce(both.data() + count / 2, both.data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm,
                  rank.stream);
    rank.Wait();
    ExpectSums(both.data(), rank.ranks, 0, count, "overlapping");
  });
}

TEST(Collectives, ReduceScatterGivesEachRankItsPart) {
  ForAll([](Rank& rank, uint64_t count) {
    const std::vector<float> values = Values(rank.rank, count * rank.ranks);
    const size_t first = rank.rank * count;
    Guarded send(values);
    Guarded receive(count);
    HcclReduceScatter(send.data(), receive.data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream);
    rank.Wait();
    ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    ExpectSums(receive.data(), rank.ranks, first, count, "apart");
    // The receive buffer lies in the send buffer: at this rank's part, then at the first part.
    HcclReduceScatter(send.data(), send.data() + first, count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm,
                      rank.stream);
    rank.Wait();
    ExpectSums(send.data() + first, rank.ranks, first, count, "at its own part");
    std::copy(values.begin(), values.end(), send.data());
    HcclReduceScatter(send.data(), send.data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream);
    rank.Wait();
    ExpectSums(send.data(), rank.ranks, first, count, "at the first part");
  });
}

TEST(Collectives, ReduceScatterVTakesPartsOfAnySize) {
  ForAll([](Rank& rank, uint64_t count) {
    std::vector<uint64_t> counts, places;
    uint64_t end = 3;
    for (uint32_t i = 0; i < rank.ranks; ++i) {
      counts.push_back(i % 2 == 1 ? 0 : count + i);
      places.push_back(end);
      end += counts.back() + 5;
    }
    Guarded send(Values(rank.rank, end));
    Guarded receive(counts[rank.rank]);
    HcclReduceScatterV(send.data(), counts.data(), places.data(), receive.data(), counts[rank.rank],
                       HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank.comm, rank.stream);
    const uint64_t own = counts[rank.rank], first = places[rank.rank];
    counts.assign(counts.size(), UINT64_MAX);  // the arguments were read before the call returned
    rank.Wait();
    ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    ExpectSums(receive.data(), rank.ranks, first, own, "part");
  });
}

TEST(Collectives, ReduceLeavesOtherRanksAlone) {
  ForAll([](Rank& rank, uint64_t count) {
    const uint32_t root = rank.ranks / 2;
    Guarded send(Values(rank.rank, count));
    Guarded receive(count);
    HcclReduce(send.data(), receive.data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, root, rank.comm, rank.stream);
    rank.Wait();
    ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    if (rank.rank == root) return ExpectSums(receive.data(), rank.ranks, 0, count, "root");
    for (size_t i = 0; i < count; ++i) ASSERT_EQ(receive[i], -1);
  });
}

TEST(Collectives, BroadcastScatterAndAllGatherMove) {
  ForAll([](Rank& rank, uint64_t count) {
    const uint32_t root = rank.ranks - 1;
    Guarded buffer(Values(rank.rank, count));
    HcclBroadcast(buffer.data(), count, HCCL_DATA_TYPE_FP32, root, rank.comm, rank.stream);
    Guarded parts(Values(rank.rank, count * rank.ranks));
    Guarded part(count);
    HcclScatter(rank.rank == root ? parts.data() : nullptr, part.data(), count, HCCL_DATA_TYPE_FP32, root, rank.comm,
                rank.stream);
    Guarded own(Values(rank.rank, count));
    Guarded all(count * rank.ranks);
    HcclAllGather(own.data(), all.data(), count, HCCL_DATA_TYPE_FP32, rank.comm, rank.stream);
    rank.Wait();
    ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(buffer[i], Value(root, i));
      ASSERT_EQ(part[i], Value(root, rank.rank * count + i));
      for (uint32_t from = 0; from < rank.ranks; ++from) ASSERT_EQ(all[from * count + i], Value(from, i));
    }
    // The send buffer lies at its own part of the receive buffer, and one element after it.
    for (const size_t shift : {0, 1}) {
      std::vector<float> both(count * rank.ranks + 1);
      float* const from = both.data() + rank.rank * count + shift;
      for (size_t i = 0; i < count; ++i) from[i] = Value(rank.rank, i);
      HcclAllGather(from, both.data(), count, HCCL_DATA_TYPE_FP32, rank.comm, rank.stream);
      rank.Wait();
      for (size_t i = 0; i < count * rank.ranks; ++i)
        ASSERT_EQ(both[i], Value(static_cast<uint32_t>(i / count), i % count)) << shift;
    }
  });
}

TEST(Collectives, AllGatherVTakesPartsOfAnySize) {
  ForAll([](Rank& rank, uint64_t count) {
    std::vector<uint64_t> counts, places;
    uint64_t end = 2;
    for (uint32_t i = 0; i < rank.ranks; ++i) {
      counts.push_back(i % 3 == 1 ? 0 : count + i);
      places.push_back(end);
      end += counts.back() + 3;
    }
    Guarded send(Values(rank.rank, counts[rank.rank]));
    Guarded receive(end);
    HcclAllGatherV(send.data(), counts[rank.rank], receive.data(), counts.data(), places.data(), HCCL_DATA_TYPE_FP32,
                   rank.comm, rank.stream);
    rank.Wait();
    ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    size_t at = 0;
    for (uint32_t from = 0; from < rank.ranks; ++from) {
      for (; at < places[from]; ++at) ASSERT_EQ(receive[at], -1) << "between the parts";
      for (size_t i = 0; i < counts[from]; ++i, ++at) ASSERT_EQ(receive[at], Value(from, i));
    }
  });
}

// The number of elements that rank `from` sends to rank `to`.
uint64_t CountBetween(uint32_t from, uint32_t to, uint64_t count) {
  return (from + to) % 3 == 0 ? 0 : count + from * 2 + to;
}

TEST(Collectives, AlltoAllMovesPartsOfAnySize) {
  ForAll([](Rank& rank, uint64_t count) {
    const uint32_t n = rank.ranks;
    Guarded send(Values(rank.rank, count * n));
    Guarded receive(count * n);
    HcclAlltoAll(send.data(), count, HCCL_DATA_TYPE_FP32, receive.data(), count, HCCL_DATA_TYPE_FP32, rank.comm,
                 rank.stream);
    rank.Wait();
    ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    for (size_t i = 0; i < count * n; ++i)
      ASSERT_EQ(receive[i], Value(static_cast<uint32_t>(i / count), rank.rank * count + i % count));

    std::vector<uint64_t> matrix(n * n), out_counts, out_places, in_counts, in_places;
    uint64_t out_end = 0, in_end = 0;
    for (uint32_t peer = 0; peer < n; ++peer) {
      for (uint32_t to = 0; to < n; ++to) matrix[peer * n + to] = CountBetween(peer, to, count);
      out_counts.push_back(CountBetween(rank.rank, peer, count));
      in_counts.push_back(CountBetween(peer, rank.rank, count));
      out_places.push_back(out_end), in_places.push_back(in_end);
      out_end += out_counts.back(), in_end += in_counts.back();
    }
    Guarded uneven(Values(rank.rank, out_end));
    Guarded from_counts(in_end), from_matrix(in_end);
    HcclAlltoAllV(uneven.data(), out_counts.data(), out_places.data(), HCCL_DATA_TYPE_FP32, from_counts.data(),
                  in_counts.data(), in_places.data(), HCCL_DATA_TYPE_FP32, rank.comm, rank.stream);
    HcclAlltoAllVC(uneven.data(), matrix.data(), HCCL_DATA_TYPE_FP32, from_matrix.data(), HCCL_DATA_TYPE_FP32,
                   rank.comm, rank.stream);
    rank.Wait();
    ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    for (uint32_t peer = 0; peer < n; ++peer) {
      uint64_t place = 0;
      for (uint32_t to = 0; to < rank.rank; ++to) place += CountBetween(peer, to, count);
      for (size_t i = 0; i < in_counts[peer]; ++i) {
        ASSERT_EQ(from_counts[in_places[peer] + i], Value(peer, place + i));
        ASSERT_EQ(from_matrix[in_places[peer] + i], Value(peer, place + i));
      }
    }
  });
}

TEST(Collectives, MessagesMatchInTheirOrder) {
  ForAll([](Rank& rank, uint64_t count) {
    const uint32_t next = (rank.rank + 1) % rank.ranks;
    const uint32_t before = (rank.rank + rank.ranks - 1) % rank.ranks;
    Guarded send(Values(rank.rank, count)), second(Values(rank.rank + 100, count));
    Guarded receive(count), receive_second(count);
    const auto item = [count](HcclSendRecvType type, Guarded& data, uint32_t peer) {
      return HcclSendRecvItem{type, data.data(), count, HCCL_DATA_TYPE_FP32, peer};
    };
    HcclSendRecvItem items[] = {item(HCCL_SEND, send, next), item(HCCL_SEND, second, next),
                                item(HCCL_RECV, receive, before), item(HCCL_RECV, receive_second, before)};
    ASSERT_EQ(HcclBatchSendRecv(items, 4, rank.comm, rank.stream), HCCL_SUCCESS);
    rank.Wait();
    ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(receive[i], Value(before, i));
      ASSERT_EQ(receive_second[i], Value(before + 100, i));
    }
    if (rank.ranks == 1) return;
    // All ranks send first: that only works in a group.
    Guarded in_group(count);
    HcclGroupStart();
    HcclGroupStart();
    HcclSend(send.data(), count, HCCL_DATA_TYPE_FP32, next, rank.comm, rank.stream);
    ASSERT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
    HcclRecv(in_group.data(), count, HCCL_DATA_TYPE_FP32, before, rank.comm, rank.stream);
    ASSERT_EQ(HcclGroupEnd(), HCCL_SUCCESS);
    // A message in one direction, followed by an operation of all ranks.
    Guarded one_way(count);
    if (rank.rank == 0) HcclSend(send.data(), count, HCCL_DATA_TYPE_FP32, 1, rank.comm, rank.stream);
    if (rank.rank == 1) HcclRecv(one_way.data(), count, HCCL_DATA_TYPE_FP32, 0, rank.comm, rank.stream);
    HcclBarrier(rank.comm, rank.stream);
    rank.Wait();
    ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(in_group[i], Value(before, i));
      ASSERT_EQ(one_way[i], rank.rank == 1 ? Value(0, i) : -1);
    }
  });
}

TEST(Collectives, OfTwoCommunicatorsRunInAnyOrderOnTwoStreams) {
  HcclRootInfo root;
  ASSERT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
  ForRanks(3, [&root](Rank& rank) {
    HcclComm other = nullptr;
    aclrtStream stream = nullptr;
    ASSERT_EQ(HcclCommInitRootInfo(3, &root, rank.rank, &other), HCCL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    for (int round = 0; round < 20; ++round) {
      Guarded first(Values(rank.rank, 1000)), second(Values(rank.rank, 1000));
      const auto reduce = [](Guarded& data, HcclComm comm, aclrtStream on) {
        HcclAllReduce(data.data(), data.data(), 1000, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, on);
      };
      if (rank.rank % 2 == 0) reduce(first, rank.comm, rank.stream);
      reduce(second, other, stream);
      if (rank.rank % 2 == 1) reduce(first, rank.comm, rank.stream);
      rank.Wait();
      ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
      ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
      ExpectSums(first.data(), 3, 0, 1000, "first");
      ExpectSums(second.data(), 3, 0, 1000, "second");
    }
    EXPECT_EQ(HcclCommDestroy(other), HCCL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  });
}

TEST(Collectives, MoveElementsOfAnyType) {
  ForRanks(2, [](Rank& rank) {
    std::vector<uint8_t> send(9, static_cast<uint8_t>(rank.rank + 1)), receive(18);
    HcclAllGather(send.data(), receive.data(), 9, HCCL_DATA_TYPE_FP8E5M2, rank.comm, rank.stream);
    std::vector<int16_t> shorts(5, static_cast<int16_t>(30'000));
    HcclAllReduce(shorts.data(), shorts.data(), 5, HCCL_DATA_TYPE_INT16, HCCL_REDUCE_SUM, rank.comm, rank.stream);
    rank.Wait();
    ASSERT_EQ(rank.status, ACL_SUCCESS) << rank.message;
    for (size_t i = 0; i < 18; ++i) EXPECT_EQ(receive[i], i / 9 + 1);
    for (const int16_t x : shorts) EXPECT_EQ(x, static_cast<int16_t>(60'000));
  });
}

}  // namespace
}  // namespace portacl::hccl
