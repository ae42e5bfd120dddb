// SPDX-License-Identifier: Apache-2.0
// The same tests with the transports between processes: linked into a separate binary, this file sends all ranks to the
// server.
#include <gtest/gtest.h>

#include "hccl/meeting.h"

namespace portacl::hccl {
namespace {

class AtServer final : public ::testing::Environment {
 public:
  void SetUp() override { MeetAtServerForTest(); }
};

[[maybe_unused]] ::testing::Environment* const g_at_server_from_now = ::testing::AddGlobalTestEnvironment(new AtServer);

}  // namespace
}  // namespace portacl::hccl

// Gloo is not instrumented: ThreadSanitizer cannot see that its reference counts order the accesses of threads to its
// objects.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:libgloo.so\n";
}
