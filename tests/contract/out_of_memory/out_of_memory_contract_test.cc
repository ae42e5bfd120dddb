// SPDX-License-Identifier: Apache-2.0
// Memory and address space are exhausted briefly, at any point: each call reports that or succeeds, and succeeds when
// it is repeated. Every point is tried in a separate process, which was forked before the library was used.
//
// PORTACL_TEST_ALL=1 tries every allocation, instead of a sample that the seed chooses.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "out_of_memory/failing_allocations.h"
#include "out_of_memory/programs.h"
#include "testing/random.h"
#include "testing/sample_size.h"

namespace contract {
namespace {

constexpr int kPatience = 120;  // seconds after which a child counts as hanging

// The distance between two tried allocations.
int64_t Stride() {
  constexpr int64_t kSample = 6;
  constexpr int64_t kWhole = 16;
  return std::getenv("PORTACL_TEST_ALL") != nullptr ? 1 : kSample * kWhole / portacl::testing::SampleSize(kWhole);
}

int64_t First() { return 1 + portacl::testing::Random().Below(Stride()); }

// Provides files that the library reads.
class OutOfMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / ("portacl_out_of_memory_test_" + std::to_string(getpid()));
    const auto info = root_ / "share/info/a_package_of_a_long_name";
    std::filesystem::create_directories(info);
    std::ofstream(info / "version.info") << "Version=8.5.0\n";
    config_ = root_ / "acl.json";
    std::ofstream(config_) << R"({"err_msg_mode": "0", "defaultDevice": {"default_device": "0"},
      "others": [[1, 2, {"a key that no short string can hold": "and its value, which is as long"}], 3.5, null]})";
    setenv("ASCEND_HOME_PATH", root_.c_str(), 1);
    setenv("PORTACL_DEVICES", "2", 1);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::filesystem::path root_;
  std::string config_;
};

// Runs the program while memory is exhausted briefly, and then again with enough. `program` returns a digest.
template <class Program>
void TryAll(const Program& program) {
  Report plain;
  const auto run = [&](Failing failing, int64_t at, Report* report) {
    BeginFailing(failing, at);
    report->digest = program();
    EndFailing();
    const uint64_t again = program();
    if (again != report->digest) Die("other results once there is enough");
  };
  ASSERT_STREQ(InChild([&](Report* report) { run(Failing::kNone, 0, report); }, kPatience, &plain), "");
  ASSERT_GT(plain.allocations, 50) << "nothing is counted";
  int64_t refusals = 0;
  for (const Failing failing : {Failing::kOnce, Failing::kFromThenOn}) {
    const char* how = failing == Failing::kOnce ? "one" : "all";
    for (int64_t at = First(); at <= plain.allocations; at += Stride()) {
      Report report;
      EXPECT_STREQ(InChild([&](Report* child) { run(failing, at, child); }, kPatience, &report), "")
          << how << " from allocation " << at << " of " << plain.allocations;
      EXPECT_EQ(report.digest, plain.digest) << how << " from allocation " << at;
      refusals += report.refusals;
    }
  }
  EXPECT_GT(refusals, 0) << "no call had to fail";
}

// In one process that fails repeatedly, memory that a failure leaks is leaked in every sweep. Caches stop growing, at
// the latest when each cached executor has room for every operator's parameters.
template <class Program>
void TryLosses(const Program& program) {
  constexpr int kMostSweeps = 200;
  constexpr int kEnough = 3;
  Report report;
  const auto run = [&](Report* child) {
    int without_loss = 0;
    for (int sweep = 0; sweep < kMostSweeps && without_loss < kEnough; ++sweep) {
      const int64_t before = LiveBlocks();
      int64_t at = First();
      do {
        BeginFailing(Failing::kOnce, at);
        program();
        EndFailing();
        at += Stride();
      } while (at <= child->allocations);
      without_loss = LiveBlocks() <= before ? without_loss + 1 : 0;
    }
    if (without_loss < kEnough) Die("every sweep leaves more blocks behind");
  };
  EXPECT_STREQ(InChild(run, 10 * kPatience, &report), "");
}

TEST_F(OutOfMemory, TheRuntimeLosesNothing) {
  setenv("PORTACL_SOC", "Ascend950", 1);
  TryLosses([this] { UseRuntime(config_.c_str()); });
  unsetenv("PORTACL_SOC");
}

TEST_F(OutOfMemory, OperatorsLoseNothing) {
  setenv("PORTACL_NUM_THREADS", "2", 1);
  TryLosses(UseOperators);
  unsetenv("PORTACL_NUM_THREADS");
}

TEST_F(OutOfMemory, AWaitKeepsItsLimit) {
  for (const int64_t at : {1, 2, 3}) {
    Report report;
    const auto run = [at](Report*) {
      UseWaitLimit([at] { BeginFailing(Failing::kFromThenOn, at); });
      EndFailing();
    };
    EXPECT_STREQ(InChild(run, kPatience, &report), "") << "from allocation " << at;
    EXPECT_GE(report.allocations, at) << "nothing failed";
  }
}

TEST_F(OutOfMemory, TheRuntimeGoesOnAfterAnyFailedAllocation) {
  setenv("PORTACL_SOC", "Ascend950", 1);  // the SoC with counting notifies
  TryAll([this] { return UseRuntime(config_.c_str()), uint64_t{0}; });
  unsetenv("PORTACL_SOC");
}

TEST_F(OutOfMemory, OperatorsGoOnAfterAnyFailedAllocation) {
  setenv("PORTACL_NUM_THREADS", "2", 1);
  TryAll([] { return UseOperators(); });
  unsetenv("PORTACL_NUM_THREADS");
}

// An emulator ignores the limit, so the tests need a real process.
bool AddressesCanBeShort() {
  Report report;
  const auto run = [](Report* child) {
    BeginAddressLimit(0);
    child->digest = mmap(nullptr, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? 1 : 0;
    EndFailing();
  };
  EXPECT_STREQ(InChild(run, kPatience, &report), "");
  return report.digest == 1;
}

// The address space is limited when the program begins: at first no call works, and later most do.
template <class Program>
void TryLimits(const Program& program) {
  constexpr int64_t kKiB = 1024;
  if (!AddressesCanBeShort()) GTEST_SKIP() << "the system does not keep to RLIMIT_AS";
  for (const int64_t left : {0, 100, 300, 600, 1000, 2000, 4000, 9000, 14000, 20000, 40000, 80000, 160000}) {
    Report report;
    const auto run = [&](Report*) {
      BeginAddressLimit(left * kKiB);
      const uint64_t digest = program();
      EndFailing();
      if (program() != digest) Die("other results once there is enough");
    };
    EXPECT_STREQ(InChild(run, kPatience, &report), "") << left << " KiB of address space";
    EXPECT_TRUE(left > 0 || report.refusals > 0) << "nothing was refused";
  }
}

TEST_F(OutOfMemory, TheRuntimeGoesOnAfterAddressesWereShort) {
  setenv("PORTACL_SOC", "Ascend950", 1);
  TryLimits([this] { return UseRuntime(config_.c_str()), uint64_t{0}; });
  unsetenv("PORTACL_SOC");
}

TEST_F(OutOfMemory, OperatorsGoOnAfterAddressesWereShort) {
  setenv("PORTACL_NUM_THREADS", "2", 1);
  TryLimits([] { return UseOperators(); });
  unsetenv("PORTACL_NUM_THREADS");
}

}  // namespace
}  // namespace contract
