// SPDX-License-Identifier: Apache-2.0
// The mistakes that a schema forbids, one by one: for every step, what to do to a valid call so that this step refuses
// it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calls/call.h"

namespace portacl::calls {

struct Violation {
  size_t step;  // index into Schema::steps
  int place;    // which of the step's operands, in its order
  aclnnStatus status;
  int argument;      // what is changed; negative for a result pointer
  std::string name;  // the argument that the message must name
  std::string what;  // "dtype INT32", for failure messages
  std::function<void(Call&)> apply;
  bool changes_others = false;  // besides `argument`: may undo another mistake
};

// In the order in which the library looks for them. A room's own rules (Custom steps) and the SoC have none: the
// first are the room's to test, the second is not chosen by a call.
std::vector<Violation> ViolationsOf(const exec::OperatorEntry& entry);

}  // namespace portacl::calls
