// SPDX-License-Identifier: Apache-2.0
// How the ranks of a root info find each other: ranks of one process in its memory, ranks of several processes through
// the server of the root.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hccl/hccl_types.h"
#include "hccl/transport.h"
#include "hccl/wire.h"

namespace portacl::hccl {

/// Creates a root info. Returns HCCL_SUCCESS; HCCL_E_SYSCALL, HCCL_E_NETWORK or HCCL_E_NOT_SUPPORT, with the reason.
HcclResult OfferRoot(HcclRootInfo* root, std::string* why);

/// Waits until all ranks of the root info have come, and connects them. Returns HCCL_SUCCESS; HCCL_E_PARA when the
/// bytes are not a root info, or when a rank or the number of ranks contradicts the others; HCCL_E_NOT_FOUND when no
/// process knows it, or when there is no connection to other processes; HCCL_E_TCP_CONNECT when its process is gone;
/// HCCL_E_NETWORK; HCCL_E_TIMEOUT. All failures come with the reason.
HcclResult JoinRoot(const HcclRootInfo& root, uint32_t ranks, uint32_t rank, Deadline deadline,
                    std::unique_ptr<Transport>* transport, std::string* why);

/// For the server. Returns false when no root info of this process has that key, when all its ranks have come, or when
/// their number differs. Waiting ranks of this process go to the server as well.
bool AdmitOthers(const Key& key, uint32_t ranks);
/// A sentence that lists the ranks that have not come.
std::string MissingRanks(const std::vector<char>& come);
/// Called when all ranks have come.
void EndMeeting(const Key& key);

/// From now on ranks meet at the server even if they are in one process.
void MeetAtServerForTest() noexcept;

}  // namespace portacl::hccl
