// SPDX-License-Identifier: Apache-2.0
// The door through which the executors of the layers above reach a stream.
#include "runtime/context.h"
#include "runtime/work.h"

namespace portacl {
inline namespace v1 {

int32_t Submit(aclrtStream stream, Work* work, int64_t cost_ns) noexcept {
  int32_t status = 0;
  Stream* target = NeedStream("task submission", stream, OtherContext::kRefuse, &status);
  return target == nullptr ? status : target->Submit(work, cost_ns);
}

}  // namespace v1
}  // namespace portacl
