// SPDX-License-Identifier: Apache-2.0
// The last refusal of phase 1 in a thread, as a code: a client that computes refused calls by other means does not have
// to parse messages, whose wording may change.
#pragma once

#include <cstdint>

#include "base/visibility.h"

namespace portacl::exec {

enum class Refusal : int32_t {
  kNone = 0,
  kSoc = 1,    // the SoC does not have the operator
  kDtype = 2,  // a dtype, or a combination of them
  kOther = 3,
};

struct LastRefusal {
  Refusal refusal = Refusal::kNone;
  const char* api = nullptr;  // the operator
};

void KeepRefusal(Refusal refusal, const char* api) noexcept;

inline namespace v1 {

/// Returns the calling thread's last refusal, and clears it.
PORTACL_EXPORT LastRefusal TakeRefusal() noexcept;

}  // namespace v1
}  // namespace portacl::exec
