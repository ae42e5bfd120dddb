// SPDX-License-Identifier: Apache-2.0
#include "exec/refusal.h"

#include <utility>

namespace portacl::exec {
namespace {

PORTACL_HOT_THREAD_LOCAL constinit thread_local LastRefusal last_refusal;

}  // namespace

void KeepRefusal(Refusal refusal, const char* api) noexcept { last_refusal = {refusal, api}; }

inline namespace v1 {

LastRefusal TakeRefusal() noexcept { return std::exchange(last_refusal, {}); }

}  // namespace v1
}  // namespace portacl::exec
