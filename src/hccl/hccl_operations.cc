// SPDX-License-Identifier: Apache-2.0
// The C functions that queue operations. Each function checks its arguments in CANN's order.
#include <numeric>
#include <utility>
#include <vector>

#include "base/observer.h"
#include "hccl/guard.h"
#include "hccl/hccl.h"
#include "hccl/operation.h"
#include "hccl/reduce.h"
#include "runtime/arguments.h"

namespace portacl::hccl {
namespace {

using Ranks = std::shared_ptr<Communicator>;

constexpr uint64_t kMostElements = 0x7FFFFFFF;

struct Pointer {
  const char* argument;
  const void* value;
};

// Reports the name of the first null pointer.
bool AnyNull(const char* function, std::initializer_list<Pointer> pointers) noexcept {
  for (const Pointer& pointer : pointers) {
    if (pointer.value != nullptr) continue;
    RefuseNull(function, pointer.argument);
    return true;
  }
  return false;
}

HcclResult CheckCount(const char* function, const char* argument, uint64_t count) noexcept {
  if (count <= kMostElements) return HCCL_SUCCESS;
  return Refuse(HCCL_E_PARA, "{}: argument '{}': expected at most {} elements, got {}", function, argument,
                kMostElements, count);
}

HcclResult CheckType(const char* function, HcclDataType type) noexcept {
  const int number = EnumNumber(type);
  if (ElementBytes(type) != 0 && number != HCCL_DATA_TYPE_INT128) return HCCL_SUCCESS;
  return Refuse(HCCL_E_NOT_SUPPORT, "{}: argument 'dataType': expected a type that can be moved, got {}", function,
                number);
}

HcclResult CheckReduction(const char* function, HcclDataType type, HcclReduceOp op) noexcept {
  if (const HcclResult result = CheckType(function, type); result != HCCL_SUCCESS) return result;
  if (CanReduce(type, op)) return HCCL_SUCCESS;
  return Refuse(HCCL_E_NOT_SUPPORT,
                "{}: arguments 'dataType' and 'op': expected a type with this reduction, got type {} and reduction {}",
                function, EnumNumber(type), EnumNumber(op));
}

HcclResult CheckRank(const char* function, const char* argument, uint32_t rank, const Communicator& ranks) noexcept {
  if (rank < ranks.ranks()) return HCCL_SUCCESS;
  return Refuse(HCCL_E_PARA, "{}: argument '{}': expected a rank below {}, got {}", function, argument, ranks.ranks(),
                rank);
}

std::byte* Bytes(const void* buffer) noexcept { return static_cast<std::byte*>(const_cast<void*>(buffer)); }

Call CallOf(Kind kind, HcclDataType type, const void* send, const void* receive) {
  return {.kind = kind, .type = type, .send = Bytes(send), .receive = Bytes(receive)};
}

std::vector<uint64_t> CopyOf(const void* counts, size_t n) {
  const auto* const begin = static_cast<const uint64_t*>(counts);
  return {begin, begin + n};
}

// The offsets of consecutive parts of these lengths.
std::vector<uint64_t> PlacesOf(const std::vector<uint64_t>& counts) {
  std::vector<uint64_t> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), uint64_t{0});
  return places;
}

HcclResult CheckCounts(const char* function, const char* argument, const std::vector<uint64_t>& counts,
                       const std::vector<uint64_t>& places) noexcept {
  for (size_t rank = 0; rank < counts.size(); ++rank) {
    if (counts[rank] > kMostElements || places[rank] > UINT64_MAX / 32) {
      return Refuse(HCCL_E_PARA, "{}: argument '{}': expected at most {} elements for a rank, got {} at {} for rank {}",
                    function, argument, kMostElements, counts[rank], places[rank], rank);
    }
  }
  return HCCL_SUCCESS;
}

bool AllZero(const std::vector<uint64_t>& counts) noexcept {
  for (const uint64_t count : counts) {
    if (count != 0) return false;
  }
  return true;
}

#define PORTACL_CHECK(expression) \
  if (const HcclResult checked = (expression); checked != HCCL_SUCCESS) return checked

// AllReduce, ReduceScatter, AllGather; `op` of the last is null.
HcclResult QueueEven(const char* function, Kind kind, void* send, void* receive, uint64_t count, HcclDataType type,
                     const HcclReduceOp* op, HcclComm comm, aclrtStream stream) noexcept {
  if (count == 0) return HCCL_SUCCESS;
  if (AnyNull(function, {{"stream", stream}, {"comm", comm}, {"sendBuf", send}, {"recvBuf", receive}}))
    return HCCL_E_PTR;
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    PORTACL_CHECK(CheckCount(function, "count", count));
    PORTACL_CHECK(op == nullptr ? CheckType(function, type) : CheckReduction(function, type, *op));
    Call call = CallOf(kind, type, send, receive);
    call.count = count;
    if (op != nullptr) call.op = *op;
    return Queue(function, ranks, std::move(call), stream);
  });
}

// Both kinds of all-to-all that take counts.
HcclResult QueueAlltoAll(const char* function, const Ranks& ranks, Call call, HcclDataType receive_type,
                         aclrtStream stream) {
  if (call.send == call.receive && call.send != nullptr)
    return Refuse(HCCL_E_PARA, "{}: argument 'recvBuf': expected another buffer than sendBuf", function);
  if (call.send == nullptr && !AllZero(call.send_counts)) return RefuseNull(function, "sendBuf");
  if (call.receive == nullptr && !AllZero(call.receive_counts)) return RefuseNull(function, "recvBuf");
  if (EnumNumber(call.type) != EnumNumber(receive_type)) {
    return Refuse(HCCL_E_PARA, "{}: argument 'recvType': expected that of sendType, {}, got {}", function,
                  EnumNumber(call.type), EnumNumber(receive_type));
  }
  PORTACL_CHECK(CheckCounts(function, "sendCounts", call.send_counts, call.send_places));
  PORTACL_CHECK(CheckCounts(function, "recvCounts", call.receive_counts, call.receive_places));
  PORTACL_CHECK(CheckType(function, call.type));
  return Queue(function, ranks, std::move(call), stream);
}

HcclResult QueueMessage(const char* function, bool is_send, const char* buffer_name, void* buffer, uint64_t count,
                        HcclDataType type, const char* peer_name, uint32_t peer, HcclComm comm,
                        aclrtStream stream) noexcept {
  if (count == 0) return HCCL_SUCCESS;
  if (AnyNull(function, {{"comm", comm}, {buffer_name, buffer}, {"stream", stream}})) return HCCL_E_PTR;
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    PORTACL_CHECK(CheckCount(function, "count", count));
    PORTACL_CHECK(CheckType(function, type));
    if (peer == ranks->rank()) {
      return Refuse(HCCL_E_NOT_SUPPORT, "{}: argument '{}': expected another rank than this one, got {}", function,
                    peer_name, peer);
    }
    PORTACL_CHECK(CheckRank(function, peer_name, peer, *ranks));
    Call call{.kind = Kind::kMessage};
    call.messages.push_back({is_send, peer, type, count, Bytes(buffer), 0});
    return Queue(function, ranks, std::move(call), stream);
  });
}

}  // namespace
}  // namespace portacl::hccl

using namespace portacl;
using namespace portacl::hccl;

HcclResult HcclAllReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                         HcclComm comm, aclrtStream stream) {
  const ApiCall api_call(__func__);
  return QueueEven(__func__, Kind::kAllReduce, sendBuf, recvBuf, count, dataType, &op, comm, stream);
}

HcclResult HcclReduceScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType, HcclReduceOp op,
                             HcclComm comm, aclrtStream stream) {
  const ApiCall api_call(__func__);
  return QueueEven(__func__, Kind::kReduceScatter, sendBuf, recvBuf, recvCount, dataType, &op, comm, stream);
}

HcclResult HcclAllGather(void* sendBuf, void* recvBuf, uint64_t sendCount, HcclDataType dataType, HcclComm comm,
                         aclrtStream stream) {
  const ApiCall api_call(__func__);
  return QueueEven(__func__, Kind::kAllGather, sendBuf, recvBuf, sendCount, dataType, nullptr, comm, stream);
}

HcclResult HcclBroadcast(void* buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
                         aclrtStream stream) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  // PyTorch's all_gather of tensors of different sizes sends empty tensors this way, and their address is NULL.
  const void* const needed = count == 0 ? comm : buf;
  if (AnyNull(function, {{"comm", comm}, {"buf", needed}, {"stream", stream}})) return HCCL_E_PTR;
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    PORTACL_CHECK(CheckRank(function, "root", root, *ranks));
    PORTACL_CHECK(CheckCount(function, "count", count));
    PORTACL_CHECK(CheckType(function, dataType));
    if (count == 0) return HCCL_SUCCESS;
    Call call{.kind = Kind::kBroadcast, .type = dataType, .root = root, .count = count};
    call.send = call.receive = Bytes(buf);
    return Queue(function, ranks, std::move(call), stream);
  });
}

HcclResult HcclReduce(void* sendBuf, void* recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
                      uint32_t root, HcclComm comm, aclrtStream stream) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (AnyNull(function, {{"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}, {"stream", stream}}))
    return HCCL_E_PTR;
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    PORTACL_CHECK(CheckRank(function, "root", root, *ranks));
    PORTACL_CHECK(CheckCount(function, "count", count));
    PORTACL_CHECK(CheckReduction(function, dataType, op));
    if (count == 0) return HCCL_SUCCESS;
    Call call = CallOf(Kind::kReduce, dataType, sendBuf, recvBuf);
    call.op = op;
    call.root = root;
    call.count = count;
    return Queue(function, ranks, std::move(call), stream);
  });
}

HcclResult HcclScatter(void* sendBuf, void* recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
                       HcclComm comm, aclrtStream stream) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (AnyNull(function, {{"comm", comm}, {"recvBuf", recvBuf}})) return HCCL_E_PTR;
  if (recvCount == 0) return HCCL_SUCCESS;
  if (stream == nullptr) return RefuseNull(function, "stream");
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    if (root == ranks->rank() && sendBuf == nullptr) return RefuseNull(function, "sendBuf");
    PORTACL_CHECK(CheckRank(function, "root", root, *ranks));
    PORTACL_CHECK(CheckCount(function, "recvCount", recvCount));
    PORTACL_CHECK(CheckType(function, dataType));
    Call call = CallOf(Kind::kScatter, dataType, sendBuf, recvBuf);
    call.root = root;
    call.count = recvCount;
    return Queue(function, ranks, std::move(call), stream);
  });
}

HcclResult HcclAllGatherV(void* sendBuf, uint64_t sendCount, void* recvBuf, const void* recvCounts,
                          const void* recvDispls, HcclDataType dataType, HcclComm comm, aclrtStream stream) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (AnyNull(function, {{"comm", comm}, {"recvCounts", recvCounts}, {"recvDispls", recvDispls}, {"stream", stream}}))
    return HCCL_E_PTR;
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    Call call = CallOf(Kind::kAllGatherV, dataType, sendBuf, recvBuf);
    call.count = sendCount;
    call.receive_counts = CopyOf(recvCounts, ranks->ranks());
    call.receive_places = CopyOf(recvDispls, ranks->ranks());
    if (sendBuf == nullptr && sendCount != 0) return RefuseNull(function, "sendBuf");
    if (recvBuf == nullptr && !AllZero(call.receive_counts)) return RefuseNull(function, "recvBuf");
    PORTACL_CHECK(CheckCounts(function, "recvCounts", call.receive_counts, call.receive_places));
    PORTACL_CHECK(CheckType(function, dataType));
    if (call.receive_counts[ranks->rank()] != sendCount) {
      return Refuse(HCCL_E_PARA, "{}: argument 'recvCounts': expected sendCount, {}, of this rank, got {}", function,
                    sendCount, call.receive_counts[ranks->rank()]);
    }
    if (AllZero(call.receive_counts)) return HCCL_SUCCESS;
    return Queue(function, ranks, std::move(call), stream);
  });
}

HcclResult HcclReduceScatterV(void* sendBuf, const void* sendCounts, const void* sendDispls, void* recvBuf,
                              uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
                              aclrtStream stream) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (AnyNull(function, {{"comm", comm}, {"sendCounts", sendCounts}, {"sendDispls", sendDispls}, {"stream", stream}}))
    return HCCL_E_PTR;
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    Call call = CallOf(Kind::kReduceScatterV, dataType, sendBuf, recvBuf);
    call.op = op;
    call.count = recvCount;
    call.send_counts = CopyOf(sendCounts, ranks->ranks());
    call.send_places = CopyOf(sendDispls, ranks->ranks());
    if (sendBuf == nullptr && !AllZero(call.send_counts)) return RefuseNull(function, "sendBuf");
    if (recvBuf == nullptr && recvCount != 0) return RefuseNull(function, "recvBuf");
    PORTACL_CHECK(CheckCounts(function, "sendCounts", call.send_counts, call.send_places));
    const int number = EnumNumber(dataType);
    if (number == HCCL_DATA_TYPE_UINT64 || number == HCCL_DATA_TYPE_FP64) {
      return Refuse(HCCL_E_NOT_SUPPORT, "{}: argument 'dataType': expected neither UINT64 nor FP64, got {}", function,
                    number);
    }
    PORTACL_CHECK(CheckReduction(function, dataType, op));
    if (call.send_counts[ranks->rank()] != recvCount) {
      return Refuse(HCCL_E_PARA, "{}: argument 'recvCount': expected what sendCounts says of this rank, {}, got {}",
                    function, call.send_counts[ranks->rank()], recvCount);
    }
    if (AllZero(call.send_counts)) return HCCL_SUCCESS;
    return Queue(function, ranks, std::move(call), stream);
  });
}

HcclResult HcclAlltoAll(const void* sendBuf, uint64_t sendCount, HcclDataType sendType, const void* recvBuf,
                        uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (AnyNull(function, {{"comm", comm}, {"sendBuf", sendBuf}, {"recvBuf", recvBuf}})) return HCCL_E_PTR;
  if (sendCount != recvCount) {
    return Refuse(HCCL_E_PARA, "{}: argument 'recvCount': expected sendCount, {}, got {}", function, sendCount,
                  recvCount);
  }
  if (EnumNumber(sendType) != EnumNumber(recvType)) {
    return Refuse(HCCL_E_PARA, "{}: argument 'recvType': expected that of sendType, {}, got {}", function,
                  EnumNumber(sendType), EnumNumber(recvType));
  }
  if (stream == nullptr) return RefuseNull(function, "stream");
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    Call call = CallOf(Kind::kAlltoAll, sendType, sendBuf, recvBuf);
    call.count = sendCount;
    call.send_counts.assign(ranks->ranks(), sendCount);
    call.receive_counts = call.send_counts;
    call.send_places = call.receive_places = PlacesOf(call.send_counts);
    if (sendCount == 0) return HCCL_SUCCESS;
    return QueueAlltoAll(function, ranks, std::move(call), recvType, stream);
  });
}

HcclResult HcclAlltoAllV(const void* sendBuf, const void* sendCounts, const void* sdispls, HcclDataType sendType,
                         const void* recvBuf, const void* recvCounts, const void* rdispls, HcclDataType recvType,
                         HcclComm comm, aclrtStream stream) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (AnyNull(function, {{"comm", comm},
                         {"sendCounts", sendCounts},
                         {"sdispls", sdispls},
                         {"recvCounts", recvCounts},
                         {"rdispls", rdispls},
                         {"stream", stream}}))
    return HCCL_E_PTR;
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    Call call = CallOf(Kind::kAlltoAllV, sendType, sendBuf, recvBuf);
    call.send_counts = CopyOf(sendCounts, ranks->ranks());
    call.send_places = CopyOf(sdispls, ranks->ranks());
    call.receive_counts = CopyOf(recvCounts, ranks->ranks());
    call.receive_places = CopyOf(rdispls, ranks->ranks());
    return QueueAlltoAll(function, ranks, std::move(call), recvType, stream);
  });
}

HcclResult HcclAlltoAllVC(const void* sendBuf, const void* sendCountMatrix, HcclDataType sendType, const void* recvBuf,
                          HcclDataType recvType, HcclComm comm, aclrtStream stream) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (AnyNull(function, {{"comm", comm}, {"sendCountMatrix", sendCountMatrix}, {"stream", stream}})) return HCCL_E_PTR;
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    const size_t n = ranks->ranks();
    const std::vector<uint64_t> matrix = CopyOf(sendCountMatrix, n * n);
    Call call = CallOf(Kind::kAlltoAllVC, sendType, sendBuf, recvBuf);
    for (size_t peer = 0; peer < n; ++peer) {
      call.send_counts.push_back(matrix[ranks->rank() * n + peer]);
      call.receive_counts.push_back(matrix[peer * n + ranks->rank()]);
    }
    call.send_places = PlacesOf(call.send_counts);
    call.receive_places = PlacesOf(call.receive_counts);
    return QueueAlltoAll(function, ranks, std::move(call), recvType, stream);
  });
}

HcclResult HcclSend(void* sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
                    aclrtStream stream) {
  const ApiCall api_call(__func__);
  return QueueMessage(__func__, true, "sendBuf", sendBuf, count, dataType, "destRank", destRank, comm, stream);
}

HcclResult HcclRecv(void* recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
                    aclrtStream stream) {
  const ApiCall api_call(__func__);
  return QueueMessage(__func__, false, "recvBuf", recvBuf, count, dataType, "srcRank", srcRank, comm, stream);
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo, uint32_t itemNum, HcclComm comm, aclrtStream stream) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (AnyNull(function, {{"stream", stream}, {"comm", comm}, {"sendRecvInfo", sendRecvInfo}})) return HCCL_E_PTR;
  if (itemNum == 0) return HCCL_SUCCESS;
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    Call call{.kind = Kind::kMessage};
    for (const HcclSendRecvItem* item = sendRecvInfo; item < sendRecvInfo + itemNum; ++item) {
      PORTACL_CHECK(CheckCount(function, "sendRecvInfo", item->count));
      PORTACL_CHECK(CheckType(function, item->dataType));
      PORTACL_CHECK(CheckRank(function, "sendRecvInfo", item->remoteRank, *ranks));
      const int direction = EnumNumber(item->sendRecvType);
      if (direction != HCCL_SEND && direction != HCCL_RECV) {
        return Refuse(HCCL_E_PARA, "{}: argument 'sendRecvInfo': expected sends (0) and receives (1), got {}", function,
                      direction);
      }
      if (item->count == 0) continue;
      if (item->buf == nullptr) return RefuseNull(function, "sendRecvInfo");
      call.messages.push_back(
          {direction == HCCL_SEND, item->remoteRank, item->dataType, item->count, Bytes(item->buf), 0});
    }
    return Queue(function, ranks, std::move(call), stream);
  });
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  if (AnyNull(function, {{"comm", comm}, {"stream", stream}})) return HCCL_E_PTR;
  return WithCommunicator(function, comm, [&](const Ranks& ranks) -> int32_t {
    return Queue(function, ranks, {.kind = Kind::kBarrier, .type = HCCL_DATA_TYPE_UINT8}, stream);
  });
}
