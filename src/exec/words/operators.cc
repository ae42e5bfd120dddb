// SPDX-License-Identifier: Apache-2.0
// Checks of the words about the operator as a whole.
#include <fmt/format.h>

#include <string>

#include "base/soc.h"
#include "base/status.h"
#include "exec/refusal.h"
#include "exec/words/check.h"

namespace portacl::exec {

aclnnStatus CheckOnSocs(Arguments& arguments, const Step& step) {
  if (arguments.schema().socs.Holds(arguments.soc().family)) return kSuccess;
  return RefuseSoc(arguments, step);
}

aclnnStatus CheckCustom(Arguments& arguments, const Step& step) { return step.custom(arguments, step); }

aclnnStatus RefuseSoc(const Arguments& arguments, const Step& step) {
  const Schema& schema = arguments.schema();
  std::string names;
  for (const Soc& soc : kSocs) {
    if (schema.socs.Holds(soc.family)) names += fmt::format("{}{}", names.empty() ? "" : ", ", soc.family_name);
  }
  KeepRefusal(Refusal::kSoc, schema.api);
  return Failf(step.status, "{}: expected one of the SoCs {}, got {}", schema.api, names, arguments.soc().family_name);
}

}  // namespace portacl::exec
