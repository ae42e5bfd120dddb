// SPDX-License-Identifier: Apache-2.0
// How the library checks each word. A check that passes neither allocates nor formats anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "exec/arguments.h"
#include "exec/shape_rule.h"
#include "exec/words/list.h"
#include "exec/words/required.h"
#include "tensor/view.h"

namespace portacl::exec {

// The result of the check of EmptySucceeds when phase 1 ends there.
inline constexpr aclnnStatus kEndsHere = -1;

// CheckNotNull() and so on: 0, or what Arguments::Refuse() returned.
#define PORTACL_DECLARE_CHECK(name, traits) aclnnStatus Check##name(Arguments& arguments, const Step& step);
PORTACL_WORDS(PORTACL_DECLARE_CHECK)
#undef PORTACL_DECLARE_CHECK

struct ShapeRuleCheck {
  // The shape that is required; the largest if there are several. Returns false and fills the problem when there is
  // none.
  Required<bool(const Arguments&, const Step&, Shape*, ShapeProblem*)> evaluate;
  // Whether another shape is accepted, too.
  Required<bool(const Arguments&, const Step&, std::span<const int64_t> dims, const Shape&)> accepts;
  // "[2,3] (shape of 'x')"; `names` are those of the arguments that the rule reads.
  Required<std::string(const Arguments&, const Step&, const Shape&, const std::string& names)> expected;
};

// kSameShapeAsRule and so on.
#define PORTACL_DECLARE_RULE(name, traits) extern const ShapeRuleCheck k##name##Rule;
PORTACL_SHAPE_RULES(PORTACL_DECLARE_RULE)
#undef PORTACL_DECLARE_RULE

const ShapeRuleCheck& RuleOf(const Step& step);

// The shape of a tensor of fixed rank whose sizes all equal sizes of inputs; false when the steps do not determine it.
bool TieSizes(const Arguments& arguments, int arg, Shape* shape);

// Refuses with the status of `step`, with the message that the SoC does not have the operator.
aclnnStatus RefuseSoc(const Arguments& arguments, const Step& step);

// "'x', 'dy'": the names from refs[first] on.
std::string QuotedNames(const Step& step, int first = 0);

// The `element` argument of Refuse().
inline int ElementOf(const Arguments& arguments, const Operand& operand, int arg) {
  return static_cast<int>(&operand - &arguments.operand(arguments.First(arg)));
}

}  // namespace portacl::exec
