// SPDX-License-Identifier: Apache-2.0
// How the ranks of a root info find each other: those of one process here, those of several through the server of the
// root.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hccl/hccl_types.h"
#include "hccl/transport.h"
#include "hccl/wire.h"

namespace portacl::hccl {

/// Makes a root info. HCCL_SUCCESS; HCCL_E_SYSCALL, HCCL_E_NETWORK or HCCL_E_NOT_SUPPORT, and why.
HcclResult OfferRoot(HcclRootInfo* root, std::string* why);

/// Waits until all ranks of the root info have come, and connects them. HCCL_SUCCESS; HCCL_E_PARA: bytes that are no root
/// info, or a rank or number of ranks that disagrees with the others; HCCL_E_NOT_FOUND: nobody knows it, or there is no
/// way to other processes; HCCL_E_TCP_CONNECT: its process is gone; HCCL_E_NETWORK; HCCL_E_TIMEOUT. And why.
HcclResult JoinRoot(const HcclRootInfo& root, uint32_t ranks, uint32_t rank, Deadline deadline,
                    std::unique_ptr<Transport>* transport, std::string* why);

/// For the server. False: no root info of this process has that key, all its ranks have come, or they are another number.
/// Ranks of this process that wait for others go to the server, too.
bool AdmitOthers(const Key& key, uint32_t ranks);
/// A sentence on the ranks without a mark.
std::string MissingRanks(const std::vector<char>& come);
/// All have come.
void EndMeeting(const Key& key);

/// From now on ranks meet at the server although they are of one process.
void MeetAtServerForTest() noexcept;

}  // namespace portacl::hccl
