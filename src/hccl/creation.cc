// SPDX-License-Identifier: Apache-2.0
#include "hccl/creation.h"

#include <algorithm>
#include <cstring>

#include "base/environment.h"
#include "hccl/guard.h"
#include "hccl/hccl_comm.h"

namespace portacl::hccl {
namespace {

constexpr int64_t kDefaultConnectLimit = 120;

}  // namespace

HcclResult ReadConfig(const char* function, const HcclCommConfig* given, HcclCommConfig* config) {
  HcclCommConfigInit(config);
  if (given == nullptr) return HCCL_SUCCESS;
  size_t size = 0;
  uint32_t magic = 0;
  std::memcpy(&size, given->reserved, sizeof(size));
  std::memcpy(&magic, given->reserved + sizeof(size), sizeof(magic));
  if (magic != HCCL_COMM_CONFIG_MAGIC_WORD || size < HCCL_COMM_CONFIG_INFO_BYTES) {
    return Refuse(HCCL_E_PARA,
                  "{}: argument 'config': expected one of HcclCommConfigInit, got magic word {:#x}, {} bytes", function,
                  magic, size);
  }
  std::memcpy(config, given, std::min(size, sizeof(*config)));
  return HCCL_SUCCESS;
}

Deadline ConnectLimit() {
  const int64_t seconds = VariableInteger(Variable::kHcclConnect, 1, 7200, kDefaultConnectLimit);
  return std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
}

}  // namespace portacl::hccl
