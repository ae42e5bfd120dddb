// SPDX-License-Identifier: Apache-2.0
// The engine: runs the steps of a schema.
#include <fmt/format.h>

#include <new>
#include <string>

#include "base/status.h"
#include "exec/arguments.h"
#include "exec/words/check.h"

namespace portacl::exec {
namespace {

#define PORTACL_CHECK_OF(name, traits) Check##name,
constexpr aclnnStatus (*kChecks[])(Arguments&, const Step&) = {PORTACL_WORDS(PORTACL_CHECK_OF)};
#undef PORTACL_CHECK_OF

// `current` points to the step that is being checked.
aclnnStatus RunSteps(Arguments& arguments, const Step** current) {
  for (const Step& step : arguments.schema().steps) {
    *current = &step;
    if (const aclnnStatus status = kChecks[static_cast<size_t>(step.word)](arguments, step)) [[unlikely]]
      return status;
  }
  return kSuccess;
}

}  // namespace

std::string QuotedNames(const Step& step, int first) {
  std::string names;
  for (int r = first; r < step.refs.count; ++r)
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", step.refs[r].name);
  return names;
}

aclnnStatus CheckSteps(Arguments& arguments, bool* empty) {
  const Step* step = nullptr;
  try {
    const aclnnStatus status = RunSteps(arguments, &step);
    *empty = status == kEndsHere;
    return *empty ? kSuccess : status;
  } catch (const std::bad_alloc&) {
    // Only the text of a refusal needs memory.
    return Failf(step->status, "{}: an argument is not as expected, and no memory is left for the report of which",
                 arguments.schema().api);
  }
}

}  // namespace portacl::exec
