// SPDX-License-Identifier: Apache-2.0
// Two hosts on this machine: network namespaces that are connected by a virtual cable.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace portacl::distributed {

class Hosts {
 public:
  Hosts();
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;
  ~Hosts();

  /// Returns false when the system does not allow namespaces.
  bool AreThere() const { return are_there_; }
  /// Variables for Processes: ranks from `second` on run on the second host.
  std::map<std::string, std::string> Split(uint32_t second) const;
  void CutTheCable() const;

  static constexpr char kInterface[] = "cable";
  static constexpr char kFirst[] = "192.0.2.1";
  static constexpr char kSecond[] = "192.0.2.2";

 private:
  std::string names_[2];
  bool are_there_ = false;
};

/// Moves the process of a rank to its host, if there are any, before it has threads. Returns false when that fails.
bool GoToHost(uint32_t rank);

}  // namespace portacl::distributed
