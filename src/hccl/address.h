// SPDX-License-Identifier: Apache-2.0
// The address at which ranks of other processes reach this one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace portacl::hccl {

struct Interface {
  std::string name;
  std::string address;
  bool is_v6 = false;
};

/// The values of the variables.
struct AddressWishes {
  std::string address;     // HCCL_IF_IP
  std::string interfaces;  // HCCL_SOCKET_IFNAME
  std::string family;      // HCCL_SOCKET_FAMILY
};

/// The address of the first interface that the wishes allow. Without wishes: of the first interface by name that is
/// neither the loopback nor Docker's, else of Docker's, else of the loopback. Empty: no interface matches, and `why`
/// names the wishes.
std::string ChooseAddress(const AddressWishes& wishes, const std::vector<Interface>& interfaces, std::string* why);

/// Like ChooseAddress(), with the variables and the interfaces of this host.
std::string OwnAddress(std::string* why);
/// Whether a variable sets the address or its interface.
bool AddressIsGiven();
/// The loopback's address, of the requested family.
std::string LoopbackAddress();
/// The name of this host; equal for two processes if and only if the loopback connects them.
std::string HostName();

struct PortRange {
  uint16_t first = 0;  // 0: any free port
  uint16_t last = 0;
};
PortRange RootPorts();

}  // namespace portacl::hccl
