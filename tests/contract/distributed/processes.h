// SPDX-License-Identifier: Apache-2.0
// Ranks as processes of a test: this binary anew, each with one scenario to play.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace portacl::distributed {

/// A rank, seen from its process.
class Rank {
 public:
  uint32_t rank;
  uint32_t ranks;
  std::string folder;  // where the processes of one run meet

  /// Puts a root info into the folder, or waits for one.
  HcclRootInfo Root(const std::string& name = "root");
  HcclComm Join(const HcclRootInfo& root, int32_t limit_s = 60);
  /// A file that another rank, or the test, waits for.
  void Tell(const std::string& name, const std::string& text = "x") const;
  std::string WaitFor(const std::string& name) const;
  void Expect(bool holds, const std::string& what);
  /// Waits for a stream.
  aclError Wait(aclrtStream stream);

  std::string message;  // the reports of the last Wait()
  int failures = 0;
};

using Scenario = void (*)(Rank&);
/// Called while static objects are made.
struct Register {
  Register(const char* name, Scenario scenario);
};

/// For main(): plays the scenario that the arguments name, if they do, and returns its exit status; else -1.
int PlayIfAsked(int argc, char** argv);

/// The processes of one run.
class Processes {
 public:
  Processes(const char* scenario, uint32_t ranks, const std::map<std::string, std::string>& variables = {});
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  ~Processes();

  const std::string& folder() const { return folder_; }
  int pid(uint32_t rank) const { return pids_[rank]; }
  void WaitForFile(const std::string& name) const;
  /// A file that ranks wait for.
  void Tell(const std::string& name) const;
  /// Fails the test unless all exit with 0, but for those listed. Ends those that take longer.
  void ExpectSuccess(std::vector<uint32_t> but_for = {}, std::chrono::seconds limit = std::chrono::seconds(120));

 private:
  std::string folder_;
  std::vector<int> pids_;
};

}  // namespace portacl::distributed
