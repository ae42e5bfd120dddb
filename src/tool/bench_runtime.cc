// SPDX-License-Identifier: Apache-2.0
// portacl bench runtime: measures the runtime functions that programs call most.
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "tool/commands.h"
#include "tool/progress.h"
#include "tool/text.h"
#include "tool/timing.h"

namespace portacl::tool {
namespace {

struct Operation {
  std::string name;
  std::function<void()> run;
};

class Objects {
 public:
  Objects() {
    Check("aclrtCreateStream", aclrtCreateStream(&stream));
    Check("aclrtCreateEvent", aclrtCreateEvent(&event));
  }
  Objects(const Objects&) = delete;
  ~Objects() {
    if (event != nullptr) aclrtDestroyEvent(event);
    aclrtDestroyStream(stream);
  }

  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
};

void Allocate(size_t bytes) {
  void* block = nullptr;
  Check("aclrtMalloc", aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  Check("aclrtFree", aclrtFree(block));
}

std::vector<Operation> Operations(const Objects& objects) {
  const auto wait = [&objects] { Check("aclrtSynchronizeStream", aclrtSynchronizeStream(objects.stream)); };
  std::vector<Operation> operations;
  for (const size_t bytes : {size_t{64}, size_t{4} << 10, size_t{1} << 20, size_t{256} << 20}) {
    operations.push_back(
        {"aclrtMalloc, aclrtFree of " + BytesText(static_cast<double>(bytes)), [bytes] { Allocate(bytes); }});
  }
  operations.push_back({"aclrtSynchronizeStream, idle", wait});
  operations.push_back(
      {"aclrtSynchronizeDevice, idle", [] { Check("aclrtSynchronizeDevice", aclrtSynchronizeDevice()); }});
  operations.push_back(
      {"aclrtRecordEvent", [&objects] { Check("aclrtRecordEvent", aclrtRecordEvent(objects.event, objects.stream)); }});
  operations.push_back({"aclrtLaunchHostFunc and the wait for it", [&objects, wait] {
                          Check("aclrtLaunchHostFunc", aclrtLaunchHostFunc(objects.stream, [](void*) {}, nullptr));
                          wait();
                        }});
  return operations;
}

// Seconds of one run. Reading the clock takes as long as the shortest calls, so that a sample consists of enough runs
// for 0.1 ms.
double SecondsOf(const Operation& operation, double seconds) {
  int64_t runs = 1;
  const auto sample = [&] {
    for (int64_t i = 0; i < runs; ++i) operation.run();
  };
  while (Measure(0, 1, sample).median < 1e-4) runs *= 2;
  return Measure(seconds, 0, sample).median / static_cast<double>(runs);
}

}  // namespace

int BenchRuntime(const Options& options) {
  UseDevice();
  const Objects objects;
  Json rows = Json::array();
  {
    Progress progress("bench runtime");
    for (const Operation& operation : Operations(objects)) {
      progress.Stage(operation.name);
      const double seconds = SecondsOf(operation, options.seconds.value_or(kBenchSeconds));
      rows.push_back({{"operation", operation.name}, {"seconds", seconds}});
      if (!options.json) progress.Print(fmt::format("{:<40} {:>10}\n", operation.name, SecondsText(seconds)));
    }
  }
  if (options.json) Print(rows);
  return 0;
}

}  // namespace portacl::tool
