// SPDX-License-Identifier: Apache-2.0
// Checks of arguments for the C functions, and conversion of exceptions to status codes.
#pragma once

#include <memory>
#include <utility>

#include "base/status.h"
#include "hccl/communicator.h"

namespace portacl::hccl {

/// Ends a failed check: writes the report and returns the result.
template <class... Arguments>
HcclResult Refuse(HcclResult result, fmt::format_string<Arguments...> format, Arguments&&... arguments) noexcept {
  Failf(result, format, std::forward<Arguments>(arguments)...);
  return result;
}
inline HcclResult RefuseNull(const char* function, const char* argument) noexcept {
  return Refuse(HCCL_E_PTR, "{}: argument '{}': expected a pointer, got NULL", function, argument);
}

/// Runs body(communicator) if the handle names a live communicator.
template <class Body>
HcclResult WithCommunicator(const char* function, HcclComm comm, Body&& body) noexcept {
  if (comm == nullptr) return RefuseNull(function, "comm");
  return static_cast<HcclResult>(Guard(
      function,
      [&]() -> int32_t {
        const std::shared_ptr<Communicator> communicator = FindCommunicator(comm);
        if (communicator == nullptr) {
          return Refuse(HCCL_E_PARA, "{}: argument 'comm': expected a live communicator, got {} (destroyed, or none)",
                        function, comm);
        }
        return body(communicator);
      },
      HCCL_E_OOM, HCCL_E_INTERNAL));
}

}  // namespace portacl::hccl
