// SPDX-License-Identifier: Apache-2.0
// The C functions for communicators.
#include "hccl/hccl_comm.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/observer.h"
#include "hccl/creation.h"
#include "hccl/guard.h"
#include "hccl/in_process.h"
#include "hccl/meeting.h"
#include "hccl/operation.h"
#include "hccl/sub_group.h"
#include "runtime/arguments.h"

namespace portacl::hccl {
namespace {

constinit std::atomic<int32_t> settings[HCCL_CONFIG_RESERVED] = {};

HcclResult Init(const char* function, uint32_t ranks, const HcclRootInfo* root, uint32_t rank,
                const HcclCommConfig* given, HcclComm* comm) noexcept {
  if (comm == nullptr) return RefuseNull(function, "comm");
  if (root == nullptr) return RefuseNull(function, "rootInfo");
  if (ranks == 0 || rank >= ranks) {
    return Refuse(HCCL_E_PARA, "{}: argument 'rank': expected a rank below nRanks, got {} of {}", function, rank,
                  ranks);
  }
  return static_cast<HcclResult>(Guard(
      function,
      [&]() -> int32_t {
        HcclCommConfig config;
        if (const HcclResult result = ReadConfig(function, given, &config); result != HCCL_SUCCESS) return result;
        std::unique_ptr<Transport> transport;
        std::string why;
        const HcclResult result = JoinRoot(*root, ranks, rank, ConnectLimit(), &transport, &why);
        if (result != HCCL_SUCCESS) {
          return Refuse(result, "{}: rank {} of {} does not join, argument 'rootInfo': {}", function, rank, ranks, why);
        }
        *comm = Publish(std::make_shared<Communicator>(std::move(transport), rank, ranks, config));
        return HCCL_SUCCESS;
      },
      HCCL_E_OOM, HCCL_E_INTERNAL));
}

// The setting; NULL with a report when there is none.
std::atomic<int32_t>* SettingOf(const char* function, HcclConfig config) noexcept {
  const int number = EnumNumber(config);
  if (number >= 0 && number < HCCL_CONFIG_RESERVED) return &settings[number];
  Failf(HCCL_E_PARA, "{}: argument 'config': expected 0 or 1, got {}", function, number);
  return nullptr;
}

}  // namespace
}  // namespace portacl::hccl

using namespace portacl;
using namespace portacl::hccl;

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
  const ApiCall api_call(__func__);
  if (rootInfo == nullptr) return RefuseNull(__func__, "rootInfo");
  return static_cast<HcclResult>(Guard(
      __func__,
      [&]() -> int32_t {
        std::string why;
        const HcclResult result = OfferRoot(rootInfo, &why);
        return result == HCCL_SUCCESS ? result : Refuse(result, "{}: {}", "HcclGetRootInfo", why);
      },
      HCCL_E_OOM, HCCL_E_INTERNAL));
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank, HcclComm* comm) {
  const ApiCall api_call(__func__);
  return Init(__func__, nRanks, rootInfo, rank, nullptr, comm);
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank,
                                      const HcclCommConfig* config, HcclComm* comm) {
  const ApiCall api_call(__func__);
  if (config == nullptr) return RefuseNull(__func__, "config");
  return Init(__func__, nRanks, rootInfo, rank, config, comm);
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms) {
  const ApiCall api_call(__func__);
  if (devices == nullptr) return RefuseNull(__func__, "devices");
  if (comms == nullptr) return RefuseNull(__func__, "comms");
  uint32_t count = 0;
  aclrtGetDeviceCount(&count);
  if (ndev == 0 || ndev > count) {
    return Refuse(HCCL_E_PARA, "{}: argument 'ndev': expected 1 to {}, the devices there are, got {}", __func__, count,
                  ndev);
  }
  for (uint32_t i = 0; i < ndev; ++i) {
    if (devices[i] < 0 || static_cast<uint32_t>(devices[i]) >= count ||
        std::find(devices, devices + i, devices[i]) != devices + i) {
      return Refuse(HCCL_E_PARA, "{}: argument 'devices': expected numbers below {}, each once, got {} at {}", __func__,
                    count, devices[i], i);
    }
  }
  return static_cast<HcclResult>(Guard(
      __func__,
      [&]() -> int32_t {
        HcclCommConfig config;
        HcclCommConfigInit(&config);
        std::vector<std::unique_ptr<Transport>> transports = ConnectInProcess(ndev);
        for (uint32_t rank = 0; rank < ndev; ++rank)
          comms[rank] = Publish(std::make_shared<Communicator>(std::move(transports[rank]), rank, ndev, config));
        return HCCL_SUCCESS;
      },
      HCCL_E_OOM, HCCL_E_INTERNAL));
}

HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds, uint64_t subCommId,
                                   uint32_t subCommRankId, HcclCommConfig* config, HcclComm* subComm) {
  const ApiCall api_call(__func__);
  if (comm == nullptr) return RefuseNull(__func__, "comm");
  if (rankIds == nullptr) return RefuseNull(__func__, "rankIds");
  if (config == nullptr) return RefuseNull(__func__, "config");
  if (subComm == nullptr) return RefuseNull(__func__, "subComm");
  return WithCommunicator(__func__, *comm, [&](const std::shared_ptr<Communicator>& parent) -> int32_t {
    const char* const function = "HcclCreateSubCommConfig";
    if (rankNum > parent->ranks()) {
      return Refuse(HCCL_E_PARA, "{}: argument 'rankNum': expected at most the {} ranks of 'comm', got {}", function,
                    parent->ranks(), rankNum);
    }
    const std::vector<uint32_t> ranks(rankIds, rankIds + rankNum);
    std::vector<char> is_in(parent->ranks());
    for (const uint32_t rank : ranks) {
      if (rank >= is_in.size() || std::exchange(is_in[rank], 1) != 0) {
        return Refuse(HCCL_E_PARA, "{}: argument 'rankIds': expected ranks below {}, each once, got {}", function,
                      is_in.size(), rank);
      }
    }
    if (subCommRankId >= rankNum || ranks[subCommRankId] != parent->rank()) {
      return Refuse(
          HCCL_E_PARA,
          "{}: argument 'subCommRankId': expected the place of this rank, {}, among the {} of rankIds, got {}",
          function, parent->rank(), rankNum, subCommRankId);
    }
    HcclCommConfig read;
    if (const HcclResult result = ReadConfig(function, config, &read); result != HCCL_SUCCESS) return result;
    std::unique_ptr<Transport> transport;
    std::string why;
    const HcclResult result = JoinSubGroup(*parent, ranks, subCommId, subCommRankId, ConnectLimit(), &transport, &why);
    if (result != HCCL_SUCCESS)
      return Refuse(result, "{}: rank {} of {} does not join: {}", function, subCommRankId, rankNum, why);
    *subComm = Publish(std::make_shared<Communicator>(std::move(transport), subCommRankId, rankNum, read));
    return HCCL_SUCCESS;
  });
}

HcclResult HcclConfigGetInfo(HcclComm comm, HcclConfigType cfgType, uint32_t infoLen, void* info) {
  const ApiCall api_call(__func__);
  if (info == nullptr) return RefuseNull(__func__, "info");
  return WithCommunicator(__func__, comm, [&](const std::shared_ptr<Communicator>& communicator) -> int32_t {
    const int type = EnumNumber(cfgType);
    const uint32_t mode = communicator->expansion_mode();
    const std::string& algorithm = communicator->algorithm();
    const bool is_mode = type == HCCL_CONFIG_TYPE_OP_EXPANSION_MODE;
    if (!is_mode && type != HCCL_CONFIG_TYPE_HCCL_ALGO) {
      return Refuse(HCCL_E_PARA, "{}: argument 'cfgType': expected 0 or 1, got {}", "HcclConfigGetInfo", type);
    }
    const void* const from = is_mode ? static_cast<const void*>(&mode) : algorithm.c_str();
    const size_t bytes = is_mode ? sizeof(mode) : algorithm.size() + 1;
    if (infoLen < bytes) {
      return Refuse(HCCL_E_PARA, "{}: argument 'infoLen': expected at least {}, got {}", "HcclConfigGetInfo", bytes,
                    infoLen);
    }
    std::memcpy(info, from, bytes);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclCommDestroy(HcclComm comm) {
  const ApiCall api_call(__func__);
  if (comm == nullptr) return HCCL_SUCCESS;
  return WithCommunicator(__func__, comm, [comm](const std::shared_ptr<Communicator>&) -> int32_t {
    if (const std::shared_ptr<Communicator> mine = Withdraw(comm)) mine->Leave();
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  const ApiCall api_call(__func__);
  if (rankSize == nullptr) return RefuseNull(__func__, "rankSize");
  return WithCommunicator(__func__, comm, [rankSize](const std::shared_ptr<Communicator>& communicator) -> int32_t {
    *rankSize = communicator->ranks();
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  const ApiCall api_call(__func__);
  if (rank == nullptr) return RefuseNull(__func__, "rank");
  return WithCommunicator(__func__, comm, [rank](const std::shared_ptr<Communicator>& communicator) -> int32_t {
    *rank = communicator->rank();
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetCommName(HcclComm comm, char* commName) {
  const ApiCall api_call(__func__);
  if (commName == nullptr) return RefuseNull(__func__, "commName");
  return WithCommunicator(__func__, comm, [commName](const std::shared_ptr<Communicator>& communicator) -> int32_t {
    std::memset(commName, 0, COMM_NAME_MAX_LENGTH);
    communicator->name().copy(commName, COMM_NAME_MAX_LENGTH - 1);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
  const ApiCall api_call(__func__);
  if (asyncError == nullptr) return RefuseNull(__func__, "asyncError");
  return WithCommunicator(__func__, comm, [asyncError](const std::shared_ptr<Communicator>&) -> int32_t {
    *asyncError = HCCL_SUCCESS;
    return HCCL_SUCCESS;
  });
}

const char* HcclGetErrorString(HcclResult code) {
  static constexpr const char* kNames[] = {"HCCL_SUCCESS",
                                           "HCCL_E_PARA",
                                           "HCCL_E_PTR",
                                           "HCCL_E_MEMORY",
                                           "HCCL_E_INTERNAL",
                                           "HCCL_E_NOT_SUPPORT",
                                           "HCCL_E_NOT_FOUND",
                                           "HCCL_E_UNAVAIL",
                                           "HCCL_E_SYSCALL",
                                           "HCCL_E_TIMEOUT",
                                           "HCCL_E_OPEN_FILE_FAILURE",
                                           "HCCL_E_TCP_CONNECT",
                                           "HCCL_E_ROCE_CONNECT",
                                           "HCCL_E_TCP_TRANSFER",
                                           "HCCL_E_ROCE_TRANSFER",
                                           "HCCL_E_RUNTIME",
                                           "HCCL_E_DRV",
                                           "HCCL_E_PROFILING",
                                           "HCCL_E_CCE",
                                           "HCCL_E_NETWORK",
                                           "HCCL_E_AGAIN",
                                           "HCCL_E_REMOTE",
                                           "HCCL_E_SUSPENDING",
                                           "HCCL_E_OPRETRY_FAIL",
                                           "HCCL_E_OOM"};
  const int number = EnumNumber(code);
  if (number >= 0 && number < static_cast<int>(std::size(kNames))) return kNames[number];
  return number == HCCL_E_IN_STATUS ? "HCCL_E_IN_STATUS" : "unknown result";
}

uint32_t HcclGetCommConfigCapability(void) { return HCCL_COMM_CONFIG_RESERVED; }

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue) {
  const ApiCall api_call(__func__);
  std::atomic<int32_t>* const setting = SettingOf(__func__, config);
  if (setting == nullptr) return HCCL_E_PARA;
  *setting = configValue.value;
  return HCCL_SUCCESS;
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue) {
  const ApiCall api_call(__func__);
  if (configValue == nullptr) return RefuseNull(__func__, "configValue");
  const std::atomic<int32_t>* const setting = SettingOf(__func__, config);
  if (setting == nullptr) return HCCL_E_PARA;
  configValue->value = *setting;
  return HCCL_SUCCESS;
}

HcclResult HcclGroupStart(void) {
  const ApiCall api_call(__func__);
  BeginGroup();
  return HCCL_SUCCESS;
}

HcclResult HcclGroupEnd(void) {
  const ApiCall api_call(__func__);
  return static_cast<HcclResult>(
      Guard(__func__, []() -> int32_t { return EndGroup("HcclGroupEnd"); }, HCCL_E_OOM, HCCL_E_INTERNAL));
}

HcclResult HcclGroupStatusGet(bool* isGroup) {
  const ApiCall api_call(__func__);
  if (isGroup == nullptr) return RefuseNull(__func__, "isGroup");
  *isGroup = InGroup();
  return HCCL_SUCCESS;
}

HcclResult HcclCommGetHandleWithName(const char* commName, HcclComm* comm) {
  const ApiCall api_call(__func__);
  if (commName == nullptr) return RefuseNull(__func__, "commName");
  if (comm == nullptr) return RefuseNull(__func__, "comm");
  HcclComm const found = FindHandle(commName);
  if (found == nullptr) {
    return Refuse(HCCL_E_NOT_FOUND, "{}: argument 'commName': expected the name of a communicator, got '{}'", __func__,
                  commName);
  }
  *comm = found;
  return HCCL_SUCCESS;
}

HcclResult HcclCommGetStatus(const char* commName, HcclCommStatus* status) {
  const ApiCall api_call(__func__);
  if (commName == nullptr) return RefuseNull(__func__, "commName");
  if (status == nullptr) return RefuseNull(__func__, "status");
  const std::shared_ptr<Communicator> communicator = FindCommunicator(FindHandle(commName));
  *status = communicator != nullptr && !communicator->HasFailed() ? HCCL_COMM_STATUS_READY : HCCL_COMM_STATUS_INVALID;
  return HCCL_SUCCESS;
}
