// SPDX-License-Identifier: Apache-2.0
// Two hosts on this machine: network namespaces with a cable between them.
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

  /// False: the system allows no namespaces.
  bool AreThere() const { return are_there_; }
  /// Variables for Processes: ranks from `second` on are on the second host.
  std::map<std::string, std::string> Split(uint32_t second) const;
  void CutTheCable() const;

  static constexpr char kInterface[] = "cable";
  static constexpr char kFirst[] = "192.0.2.1";
  static constexpr char kSecond[] = "192.0.2.2";

 private:
  std::string names_[2];
  bool are_there_ = false;
};

/// For a rank, before it has threads: goes to its host, if there are any. False: it cannot.
bool GoToHost(uint32_t rank);

}  // namespace portacl::distributed
