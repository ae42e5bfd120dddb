// SPDX-License-Identifier: Apache-2.0
// Creates a communicator from some ranks of another.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hccl/communicator.h"
#include "hccl/transport.h"

namespace portacl::hccl {

/// `ranks`: of the parent; each of them calls this function, and this one has the index `place`. The first one creates
/// a root info, which the others get through the parent. Results as for JoinRoot; also HCCL_E_PARA where a rank creates
/// another group, and HCCL_E_REMOTE when the parent has failed.
HcclResult JoinSubGroup(Communicator& parent, const std::vector<uint32_t>& ranks, uint64_t id, uint32_t place,
                        Deadline deadline, std::unique_ptr<Transport>* transport, std::string* why);

}  // namespace portacl::hccl
