// SPDX-License-Identifier: Apache-2.0
// The mistakes that a schema forbids, one by one: for every step, a change to a valid call that makes this step refuse
// it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calls/call.h"

namespace portacl::calls {

struct Violation {
  size_t step;  // index into Schema::steps
  int place;    // which of the step's operands, in the step's order
  aclnnStatus status;
  int argument;      // the changed argument; negative for a result pointer
  std::string name;  // the argument that the message must name
  std::string what;  // "dtype INT32", for failure messages
  std::function<void(Call&)> apply;
  bool changes_others = false;  // changes arguments besides `argument`: may undo another mistake
};

// In the order in which the library checks for them. Custom steps and the SoC have none: rooms test their own rules,
// and a call does not choose the SoC.
std::vector<Violation> ViolationsOf(const exec::OperatorEntry& entry);

}  // namespace portacl::calls
