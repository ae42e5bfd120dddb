// SPDX-License-Identifier: Apache-2.0
// portacl bench hccl: measures the speed of collective operations between processes, relative to a copy of the same
// size.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tool/collectives.h"
#include "tool/commands.h"
#include "tool/error.h"
#include "tool/progress.h"
#include "tool/text.h"
#include "tool/timing.h"

namespace portacl::tool {
namespace {

constexpr size_t kSizes[] = {8, size_t{1} << 10, size_t{32} << 10, size_t{1} << 20, size_t{8} << 20, size_t{64} << 20};
constexpr int64_t kMaxRanks = 64;
// Set for the processes of the other ranks: "RANK ROOT_INFO", with the root info in hexadecimal.
constexpr char kVariable[] = "portacl_bench_rank";

double SecondsOf(const Options& options) { return options.seconds.value_or(kBenchSeconds); }

struct HcclRow {
  const char* name;
  size_t bytes;
  double seconds;
  double copy_seconds;
};

std::string ToHex(const HcclRootInfo& root) {
  std::string text;
  for (const char byte : root.internal) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

HcclRootInfo FromHex(const char* text) {
  HcclRootInfo root = {};
  if (std::strlen(text) != 2 * sizeof(root.internal))
    throw Failure(fmt::format("{}: expected a root info in hexadecimal; only this program sets it", kVariable));
  for (char& byte : root.internal) {
    const char digits[] = {*text++, *text++, '\0'};
    byte = static_cast<char>(std::strtoul(digits, nullptr, 16));
  }
  return root;
}

// The processes of the other ranks, which run the same program.
class OtherRanks {
 public:
  OtherRanks(const Options& options, const HcclRootInfo& root) {
    std::string arguments[] = {"portacl",
                               "bench",
                               "hccl",
                               "--ranks",
                               std::to_string(options.ranks),
                               "--seconds",
                               fmt::format("{}", SecondsOf(options))};
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    for (int64_t rank = 1; rank < options.ranks; ++rank) {
      std::string variable = fmt::format("{}={} {}", kVariable, rank, ToHex(root));
      std::vector<char*> variables(1, variable.data());
      for (char** each = environ; *each != nullptr; ++each) variables.push_back(*each);
      variables.push_back(nullptr);
      pid_t pid = -1;
      const int error = posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, argv.data(), variables.data());
      if (error != 0) throw Failure(fmt::format("cannot start the process of rank {}: {}", rank, std::strerror(error)));
      pids_.push_back(pid);
    }
  }
  OtherRanks(const OtherRanks&) = delete;
  // If this rank ends, ranks that still wait for it fail.
  ~OtherRanks() {
    for (const pid_t pid : pids_) waitpid(pid, nullptr, 0);
  }

 private:
  std::vector<pid_t> pids_;
};

class Communicator {
 public:
  Communicator(const HcclFunctions& hccl, uint32_t ranks, const HcclRootInfo& root, uint32_t rank) : hccl_(hccl) {
    Check("HcclCommInitRootInfo", hccl.init(ranks, &root, rank, &comm_));
  }
  Communicator(const Communicator&) = delete;
  ~Communicator() { hccl_.destroy(comm_); }
  HcclComm get() const { return comm_; }

 private:
  const HcclFunctions& hccl_;
  HcclComm comm_ = nullptr;
};

class Buffer {
 public:
  explicit Buffer(size_t bytes) {
    Check("aclrtMalloc", aclrtMalloc(&data_, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    Check("aclrtMemset", aclrtMemset(data_, bytes, 0, bytes));
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { aclrtFree(data_); }
  void* get() const { return data_; }

 private:
  void* data_ = nullptr;
};

// Seconds per call if `calls` of them are queued one after the other.
double SecondsOfEach(const CollectiveRank& rank, const Collective& collective, uint64_t count, int64_t calls) {
  Check("HcclBarrier", rank.hccl.barrier(rank.comm, rank.stream));
  Check("HcclBarrier", aclrtSynchronizeStream(rank.stream));
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t call = 0; call < calls; ++call) Check(collective.name, collective.queue(rank, count));
  Check(collective.name, aclrtSynchronizeStream(rank.stream));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / static_cast<double>(calls);
}

// The first rank chooses the number of calls and broadcasts it.
double MeasureCollective(const CollectiveRank& rank, const Collective& collective, uint64_t count, double seconds) {
  const double first = SecondsOfEach(rank, collective, count, 3);
  const int64_t wanted = std::clamp<int64_t>(static_cast<int64_t>(seconds / first), 3, 10'000);
  const Buffer agreed(sizeof(wanted));
  int64_t calls = wanted;
  Check("aclrtMemcpy", aclrtMemcpy(agreed.get(), sizeof(wanted), &wanted, sizeof(wanted), ACL_MEMCPY_HOST_TO_DEVICE));
  Check("HcclBroadcast", rank.hccl.broadcast(agreed.get(), 1, HCCL_DATA_TYPE_INT64, 0, rank.comm, rank.stream));
  Check("HcclBroadcast", aclrtSynchronizeStream(rank.stream));
  Check("aclrtMemcpy", aclrtMemcpy(&calls, sizeof(calls), agreed.get(), sizeof(calls), ACL_MEMCPY_DEVICE_TO_HOST));
  return SecondsOfEach(rank, collective, count, calls);
}

std::vector<HcclRow> RunRank(const HcclFunctions& hccl, const Options& options, const HcclRootInfo& root,
                             uint32_t number, Progress* progress) {
  const auto ranks = static_cast<uint32_t>(options.ranks);
  const Communicator communicator(hccl, ranks, root, number);
  aclrtStream stream = nullptr;
  Check("aclrtCreateStream", aclrtCreateStream(&stream));
  const size_t most = kSizes[std::size(kSizes) - 1] + ranks * sizeof(float);
  const Buffer send(most);
  const Buffer receive(most);
  const CollectiveRank rank{hccl, communicator.get(), stream, number, ranks, send.get(), receive.get()};
  std::vector<HcclRow> rows;
  const double steps = static_cast<double>(std::size(kSizes) * Collectives().size());
  for (const size_t size : kSizes) {
    // Must be a multiple of the number of ranks.
    const uint64_t count = std::max<uint64_t>(size / sizeof(float) / ranks, 1) * ranks;
    const size_t bytes = count * sizeof(float);
    const double copy =
        number != 0 ? 0 : Measure(SecondsOf(options), 0, [&] { std::memcpy(receive.get(), send.get(), bytes); }).median;
    for (const Collective& collective : Collectives()) {
      const bool is_barrier = std::strcmp(collective.name, "HcclBarrier") == 0;
      if (is_barrier && size != kSizes[0]) continue;
      if (progress != nullptr)
        progress->Stage(fmt::format("{}, {}", collective.name, BytesText(static_cast<double>(bytes))),
                        static_cast<double>(rows.size()) / steps);
      rows.push_back({collective.name, is_barrier ? 0 : bytes,
                      MeasureCollective(rank, collective, count, SecondsOf(options)), is_barrier ? 0 : copy});
    }
  }
  aclrtDestroyStream(stream);
  return rows;
}

void PrintRows(const std::vector<HcclRow>& rows, bool json) {
  if (json) {
    Json list = Json::array();
    for (const HcclRow& row : rows) {
      list.push_back({{"operation", row.name},
                      {"bytes", row.bytes},
                      {"seconds", row.seconds},
                      {"gb_per_s", static_cast<double>(row.bytes) * 1e-9 / row.seconds},
                      {"copy_seconds", row.copy_seconds}});
    }
    return Print(list);
  }
  fmt::print("{:<18}  {:>10} {:>10} {:>8} {:>10}\n", "operation", "bytes", "time", "GB/s", "of a copy");
  for (const HcclRow& row : rows) {
    fmt::print("{:<18}  {:>10} {:>10} {:>8.3f} {:>8.1f} %\n", row.name, BytesText(static_cast<double>(row.bytes)),
               SecondsText(row.seconds), static_cast<double>(row.bytes) * 1e-9 / row.seconds,
               100 * row.copy_seconds / row.seconds);
  }
}

}  // namespace

int BenchHccl(const Options& options) {
  if (options.ranks < 1 || options.ranks > kMaxRanks)
    throw UsageError(fmt::format("--ranks: expected 1 to {}, got {}", kMaxRanks, options.ranks));
  const HcclFunctions hccl;
  UseDevice();
  if (const char* const variable = std::getenv(kVariable)) {
    char* text = nullptr;
    const auto number = static_cast<uint32_t>(std::strtoul(variable, &text, 10));
    RunRank(hccl, options, FromHex(text + (*text == ' ' ? 1 : 0)), number, nullptr);
    return 0;
  }
  HcclRootInfo root;
  Check("HcclGetRootInfo", hccl.get_root_info(&root));
  std::vector<HcclRow> rows;
  {
    const OtherRanks others(options, root);
    Progress progress("bench hccl");
    rows = RunRank(hccl, options, root, 0, &progress);
  }
  PrintRows(rows, options.json);
  return 0;
}

}  // namespace portacl::tool
