// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/log.h"
#include "base/process_mutex.h"

namespace portacl {
namespace {

constexpr size_t kVariables = static_cast<size_t>(Variable::kCount);

struct Description {
  const char* name;
  const char* meaning;
  const char* default_text;
};

// In the order of the enum Variable.
constexpr Description kDescriptions[kVariables] = {
    {"PORTACL_SOC", "SoC that is imitated: a family (Ascend910B) or a full name (Ascend910B1)", "Ascend910B1"},
    {"PORTACL_NUM_THREADS", "threads that may take part in one operator", "cores the process may use"},
    {"PORTACL_MOVE_HELPERS", "0 leaves helper threads on the cores that the system gives them", "1"},
    {"PORTACL_TARGET", "highest instruction set the kernels use: AVX3, AVX2, SSE4, NEON, SVE, EMU128",
     "best of the machine"},
    {"PORTACL_NON_TEMPORAL_BYTES", "total size of operands above which results are stored with non-temporal stores",
     "half the last-level cache, at most 72 MiB"},
    {"PORTACL_BLOCK_SLACK", "extra bytes at the end of every block of aclrtMalloc", "0"},
    {"PORTACL_DEVICES", "number of devices that programs see", "1"},
    {"PORTACL_TRACE", "file for a trace of calls and tasks (%p: the process), or summary for a table at exit", "none"},
    {"PORTACL_CHECK", "1 reports misuse of the API (strict mode), error also ends the process with code 99", "0"},
    {"PORTACL_CHECK_REPORT", "file for the reports of strict mode as JSON", "none"},
    {"PORTACL_CHECK_SUPPRESS", "reports that are not made: comma list of kind:function, * for all", "none"},
    {"PORTACL_SOC_REPORT", "comma list of SoCs; strict mode reports calls that one of them would refuse", "none"},
    {"PORTACL_SCHEDULE", "seed for delaying tasks at random, so that races show", "none"},
    {"ASCEND_RT_VISIBLE_DEVICES", "comma list of device numbers that are visible", "all"},
    {"ASCEND_SLOG_PRINT_TO_STDOUT", "1 writes log lines to the standard output", "0"},
    {"ASCEND_GLOBAL_LOG_LEVEL", "lowest level that is written: 0 debug, 1 info, 2 warning, 3 error, 4 off", "3"},
    {"ASCEND_HOME_PATH", "the toolkit, whose files hold the versions of packages", "none"},
    {"HCCL_CONNECT_TIMEOUT", "seconds until all ranks of a new communicator must have joined", "120"},
    {"HCCL_EXEC_TIMEOUT", "seconds that an operation may wait for another rank, 0 without limit", "1836"},
    {"HCCL_IF_IP", "address at which ranks of other processes reach this one", "by HCCL_SOCKET_IFNAME"},
    {"HCCL_SOCKET_IFNAME", "beginnings of names of network interfaces (=: whole names, ^: all others)", "the first"},
    {"HCCL_SOCKET_FAMILY", "AF_INET or AF_INET6", "AF_INET first"},
    {"HCCL_HOST_SOCKET_PORT_RANGE", "ports that a root may listen on (60000-60031), auto for any",
     "by HCCL_IF_BASE_PORT"},
    {"HCCL_IF_BASE_PORT", "first of 32 ports that a root may listen on", "any"},
    {"HCCL_WHITELIST_DISABLE", "1: no list of hosts that may join; there is none, so 0 is refused", "1"},
    {"PORTACL_SHARED_MEMORY", "0 lets ranks of one host exchange messages over TCP instead of memory", "1"},
    {"PORTACL_TUNING", "numbers of the processor to use instead of those that were measured: name=value,...", "none"},
};

struct State {
  bool read = false;
  bool rejected = false;
  const char* value = nullptr;  // a copy: the client may call setenv() at any time
  char usual[256] = {};         // its storage, except for long values: so reading does not depend on free memory
};

// Static storage without destructors, because clients may call while the process ends.
constinit ProcessMutex mutex;
constinit State states[kVariables];

State& Read(Variable variable) noexcept {
  const size_t index = static_cast<size_t>(variable);
  State& state = states[index];
  if (state.read) return state;
  const char* text = std::getenv(kDescriptions[index].name);
  if (text != nullptr && *text != '\0') {
    const bool is_long = std::strlen(text) >= sizeof(state.usual);
    state.value = is_long ? strdup(text) : std::strcpy(state.usual, text);
    if (state.value == nullptr) return state;  // out of memory: the next call reads it again
  }
  state.read = true;
  return state;
}

}  // namespace

inline namespace v1 {

const char* VariableText(Variable variable) noexcept {
  const std::lock_guard lock(mutex);
  return Read(variable).value;
}

void RejectVariable(Variable variable, const char* expected) noexcept {
  const char* value = nullptr;
  {
    const std::lock_guard lock(mutex);
    State& state = Read(variable);
    if (state.value == nullptr || state.rejected) return;
    state.rejected = true;
    value = state.value;
  }
  const Description& description = kDescriptions[static_cast<size_t>(variable)];
  // Called without the lock: the log reads variables itself.
  Logf(LogLevel::kError, "environment variable {}: expected {}, got '{}'; the default is used ({})", description.name,
       expected, value, description.default_text);
}

int64_t VariableInteger(Variable variable, int64_t least, int64_t most, int64_t otherwise) noexcept {
  const char* text = VariableText(variable);
  if (text == nullptr) return otherwise;
  const char* end = text + std::strlen(text);
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error == std::errc() && stop == end && value >= least && value <= most) return value;

  char expected[64] = "an integer";
  try {
    const auto written = fmt::format_to_n(expected, sizeof(expected) - 1, "an integer from {} to {}", least, most);
    *written.out = '\0';
  } catch (...) {
    // The shorter text is kept.
  }
  RejectVariable(variable, expected);
  return otherwise;
}

size_t ListVariables(VariableRecord* records, size_t capacity) noexcept {
  const std::lock_guard lock(mutex);
  for (size_t index = 0; index < std::min(capacity, kVariables); ++index) {
    const State& state = Read(static_cast<Variable>(index));
    const Description& description = kDescriptions[index];
    records[index] = {description.name, description.meaning, description.default_text, state.value, state.rejected};
  }
  return kVariables;
}

}  // namespace v1

void ForgetVariablesForTest() noexcept {
  const std::lock_guard lock(mutex);
  for (State& state : states) {
    if (state.value != state.usual) std::free(const_cast<char*>(state.value));
    state = {};
  }
}

}  // namespace portacl
