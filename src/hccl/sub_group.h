// SPDX-License-Identifier: Apache-2.0
// Some ranks of a communicator become one of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hccl/communicator.h"
#include "hccl/transport.h"

namespace portacl::hccl {

/// `ranks`: of the parent; each calls it, this one is the `place`th. The first makes a root info, which the others get
/// through the parent. Results as of JoinRoot; HCCL_E_PARA, too, where a rank creates another group; HCCL_E_REMOTE: the
/// parent has failed.
HcclResult JoinSubGroup(Communicator& parent, const std::vector<uint32_t>& ranks, uint64_t id, uint32_t place,
                        Deadline deadline, std::unique_ptr<Transport>* transport, std::string* why);

}  // namespace portacl::hccl
