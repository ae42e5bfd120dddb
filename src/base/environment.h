// SPDX-License-Identifier: Apache-2.0
// The only code that reads the environment variables of the library. Each variable is read once, at its first use, and
// stored with the source of its value. For an invalid value the default is used, and one ERROR log line is written (for
// PORTACL_SOC and PORTACL_SOC_REPORT also a line on the error stream, RejectSoc()).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/visibility.h"

namespace portacl {

enum class Variable : uint8_t {
  kSoc,               // PORTACL_SOC
  kNumThreads,        // PORTACL_NUM_THREADS
  kMoveHelpers,       // PORTACL_MOVE_HELPERS
  kTarget,            // PORTACL_TARGET
  kNonTemporalBytes,  // PORTACL_NON_TEMPORAL_BYTES
  kBlockSlack,        // PORTACL_BLOCK_SLACK
  kDevices,           // PORTACL_DEVICES
  kTrace,             // PORTACL_TRACE
  kCheck,             // PORTACL_CHECK
  kCheckReport,       // PORTACL_CHECK_REPORT
  kCheckSuppress,     // PORTACL_CHECK_SUPPRESS
  kSocReport,         // PORTACL_SOC_REPORT
  kSchedule,          // PORTACL_SCHEDULE
  kVisibleDevices,    // ASCEND_RT_VISIBLE_DEVICES
  kLogToStdout,       // ASCEND_SLOG_PRINT_TO_STDOUT
  kLogLevel,          // ASCEND_GLOBAL_LOG_LEVEL
  kHomePath,          // ASCEND_HOME_PATH
  kHcclConnect,       // HCCL_CONNECT_TIMEOUT
  kHcclExec,          // HCCL_EXEC_TIMEOUT
  kHcclIfIp,          // HCCL_IF_IP
  kHcclSocketIfname,  // HCCL_SOCKET_IFNAME
  kHcclSocketFamily,  // HCCL_SOCKET_FAMILY
  kHcclPortRange,     // HCCL_HOST_SOCKET_PORT_RANGE
  kHcclIfBasePort,    // HCCL_IF_BASE_PORT
  kHcclWhitelist,     // HCCL_WHITELIST_DISABLE
  kSharedMemory,      // PORTACL_SHARED_MEMORY
  kTuning,            // PORTACL_TUNING
  kCount,
};

/// The state of one variable, for tools that list them.
struct VariableRecord {
  const char* name;
  const char* meaning;
  const char* default_text;
  const char* value;  // as found in the environment; nullptr when not set
  bool rejected;      // set, but invalid: the default is in use
};

inline namespace v1 {

/// The value of the variable; nullptr when it is not set or empty. The text lives as long as the process.
PORTACL_EXPORT const char* VariableText(Variable variable) noexcept;

/// Reports that the value is invalid: marks the variable, and writes one ERROR log line, even if it is called several
/// times.
PORTACL_EXPORT void RejectVariable(Variable variable, const char* expected) noexcept;

/// The value as a decimal integer in [least, most]; `otherwise` when the variable is not set or not such an integer.
PORTACL_EXPORT int64_t VariableInteger(Variable variable, int64_t least, int64_t most, int64_t otherwise) noexcept;

/// Describes all variables, and reads those not read yet. Returns how many there are, and stores at most `capacity` of
/// them.
PORTACL_EXPORT size_t ListVariables(VariableRecord* records, size_t capacity) noexcept;

}  // namespace v1

/// Forgets all values, so that a test can set a variable that is then read again.
void ForgetVariablesForTest() noexcept;

}  // namespace portacl
