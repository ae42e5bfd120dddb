// SPDX-License-Identifier: Apache-2.0
// Checks of the words about pointers.
#include <fmt/format.h>

#include <algorithm>

#include "exec/objects.h"
#include "exec/words/check.h"

namespace portacl::exec {

aclnnStatus CheckNotNull(Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    if (arguments.IsNull(ref.index)) return arguments.Refuse(step, ref.index, "a pointer", "NULL");
    if (ref.index < 0) continue;
    const ValueKind kind = arguments.schema().args[static_cast<size_t>(ref.index)].kind;
    if (kind != ValueKind::kTensor && IsDead(ObjectOf(arguments.value(ref.index))))
      return arguments.Refuse(step, ref.index, "a live object", "a destroyed one");
    if (kind == ValueKind::kScalarList) {
      const auto scalars = arguments.value(ref.index).As<const aclScalarList*>()->values();
      const auto null = std::ranges::find(scalars, nullptr);
      if (null != scalars.end())
        return arguments.Refuse(step, ref.index, "a scalar", "NULL", static_cast<int>(null - scalars.begin()));
    }
    if (!IsTensor(kind)) continue;
    for (const Operand& operand : arguments.Operands(ref.index)) {
      const int element = ElementOf(arguments, operand, ref.index);
      if (operand.tensor == nullptr) return arguments.Refuse(step, ref.index, "a tensor", "NULL", element);
      if (!operand.tensor->alive())
        return arguments.Refuse(step, ref.index, "a live tensor", "a destroyed one", element);
    }
  }
  return kSuccess;
}

aclnnStatus CheckNotAllNull(Arguments& arguments, const Step& step) {
  for (const Ref& ref : step.refs) {
    if (!arguments.IsNull(ref.index)) return kSuccess;
  }
  return arguments.Refuse(step, step.refs[0].index, fmt::format("at least one of {}", QuotedNames(step)),
                          "NULL for all");
}

}  // namespace portacl::exec
