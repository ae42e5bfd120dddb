// SPDX-License-Identifier: Apache-2.0
#include "exec/shape_rule.h"

#include <algorithm>

#include "exec/words/check.h"

namespace portacl::exec {
namespace {

#define PORTACL_RULE_OF(name, traits) &k##name##Rule,
constexpr const ShapeRuleCheck* kRules[] = {PORTACL_SHAPE_RULES(PORTACL_RULE_OF)};
#undef PORTACL_RULE_OF

// Whether a rule of a room, which may read any argument, finds every input.
bool MayBeRead(const Arguments& arguments) {
  const auto& args = arguments.schema().args;
  for (int arg = 0; arg < static_cast<int>(args.size()); ++arg) {
    const Arg& described = args[static_cast<size_t>(arg)];
    if (described.role == Role::kOutput) continue;
    if (!described.optional && arguments.IsNull(arg)) return false;
    if (!IsTensor(described.kind)) continue;
    for (const Operand& operand : arguments.Operands(arg)) {
      if (operand.rank > kMaxRank) return false;
    }
  }
  return true;
}

// The shape of one tensor of a list; false when the list has no such element.
bool ShapeInList(const Arguments& arguments, int list, int element, Shape* shape) {
  if (element >= arguments.Count(list)) return false;
  const auto dims = arguments.Tensor(list, element).dims();
  shape->rank = static_cast<int32_t>(dims.size());
  std::ranges::copy(dims, shape->dims);
  return true;
}

}  // namespace

const ShapeRuleCheck& RuleOf(const Step& step) { return *kRules[static_cast<size_t>(step.shape)]; }

bool EvaluateRule(const Arguments& arguments, const Step& step, Shape* shape, ShapeProblem* problem) {
  return RuleOf(step).evaluate(arguments, step, shape, problem);
}

inline namespace v1 {

bool ComputeShape(const Schema& schema, int arg, std::span<const Value> values, Shape* shape, int element) noexcept {
  if (values.size() != schema.args.size()) return false;
  try {
    const Arguments arguments(schema, values, nullptr, nullptr);
    for (const Step& step : schema.steps) {
      if (!step.TellsShapeOf(arg)) continue;
      if (step.custom_shape != nullptr) return MayBeRead(arguments) && step.custom_shape(arguments, shape);
      for (int r = 1; r < step.refs.count; ++r) {
        const int read = step.refs[r].index;
        if (!IsTensor(schema.args[static_cast<size_t>(read)].kind)) continue;
        const bool optional = schema.args[static_cast<size_t>(read)].optional;
        for (const Operand& operand : arguments.Operands(read)) {
          if ((operand.tensor == nullptr && !optional) || operand.rank > kMaxRank) return false;
        }
      }
      if (schema.args[static_cast<size_t>(arg)].kind == ValueKind::kTensorList)
        return ShapeInList(arguments, step.refs[1].index, element, shape);
      ShapeProblem problem;
      return EvaluateRule(arguments, step, shape, &problem);
    }
    return TieSizes(arguments, arg, shape);
  } catch (...) {
  }
  return false;
}

}  // namespace v1
}  // namespace portacl::exec
