// SPDX-License-Identifier: Apache-2.0
// Indices that are out of range. They must do nothing but to be reported: the same call on tensors that are larger
// along the indexed axes, where these indices name what is beyond the end, gives the same results for the rest.
//
//   testing::ExpectFaultsPassedOver(
//       [](bool is_larger) {
//         calls::Call call = calls::MakeValidCall(entry);
//         call.tensor("self").shape = {is_larger ? 4 : 3, 2};
//         call.tensor("index").shape = {5};
//         ...
//         return call;
//       },
//       {.index = "index", .limits = {3}});
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "calls/call.h"

namespace portacl::testing {

struct IndexFaults {
  const char* index;                 // argument
  std::vector<int64_t> limits;       // a component of an index is less than its limit
  std::vector<int64_t> beyond = {};  // what names nothing of the smaller tensors in the larger ones; empty: the limits
  bool wraps = false;                // negative indices count from the end
  bool is_reported = true;           // the stream reports 507015
};

// `make` makes the call without memory. For INT32 and INT64, on every instruction set, in one thread and in several:
// one index out of range, some, and all.
void ExpectFaultsPassedOver(const std::function<calls::Call(bool is_larger)>& make, const IndexFaults& faults);

}  // namespace portacl::testing
