// SPDX-License-Identifier: Apache-2.0
// Ranks as processes of a test: each runs this binary again, with one scenario to play.
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

/// A rank, used in its own process.
class Rank {
 public:
  uint32_t rank;
  uint32_t ranks;
  std::string folder;  // files through which the processes of a run communicate

  /// Writes a root info to the folder, or waits for one.
  HcclRootInfo Root(const std::string& name = "root");
  HcclComm Join(const HcclRootInfo& root, int32_t limit_s = 60);
  /// Tell() writes a file that another rank, or the test, waits for.
  void Tell(const std::string& name, const std::string& text = "x") const;
  std::string WaitFor(const std::string& name) const;
  void Expect(bool holds, const std::string& what);
  /// Waits for all tasks of a stream.
  aclError Wait(aclrtStream stream);

  std::string message;  // the reports of the last Wait()
  int failures = 0;
};

using Scenario = void (*)(Rank&);
/// Registers a scenario; called while static objects are initialised.
struct Register {
  Register(const char* name, Scenario scenario);
};

/// For main(): plays the scenario that the arguments name and returns its exit status; -1 if they name none.
int PlayIfAsked(int argc, char** argv);

/// The processes of one test run.
class Processes {
 public:
  Processes(const char* scenario, uint32_t ranks, const std::map<std::string, std::string>& variables = {});
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  ~Processes();

  const std::string& folder() const { return folder_; }
  int pid(uint32_t rank) const { return pids_[rank]; }
  void WaitForFile(const std::string& name) const;
  /// Writes a file that ranks wait for.
  void Tell(const std::string& name) const;
  /// Fails the test unless all processes exit with 0, except those listed. Ends processes that take longer.
  void ExpectSuccess(std::vector<uint32_t> but_for = {}, std::chrono::seconds limit = std::chrono::seconds(120));

 private:
  std::string folder_;
  std::vector<int> pids_;
};

}  // namespace portacl::distributed
