// SPDX-License-Identifier: Apache-2.0
// The words about pointers, in calls.
#include <algorithm>

#include "calls/word_calls.h"

namespace portacl::calls {
namespace {

void DrawGiven(Drawing& drawing, const exec::Step& step, Pass pass) {
  if (pass != Pass::kPresence) return;
  for (const exec::Ref& ref : step.refs) {
    if (ref.index >= 0) drawing.call.argument(ref.index).null = false;
  }
}

}  // namespace

const WordCalls kNotNullCalls = {
    .text = "{refs}: not NULL",
    .broken = "{refs} is null",
    .draw = DrawGiven,
    .violate =
        [](Violations& violations, const exec::Step& step, int place) {
          const int index = step.refs[place].index;
          violations.Add(step, place, "null", [index](Call& call) {
            if (index == exec::kWorkspaceSizeArg) {
              call.null_workspace_size = true;
            } else if (index == exec::kExecutorArg) {
              call.null_executor = true;
            } else {
              call.argument(index).null = true;
            }
          });
          if (index >= 0 && violations.schema.args[static_cast<size_t>(index)].kind == exec::ValueKind::kTensorList)
            violations.AddTensor(step, place, "null element", [](TensorSpec& tensor) { tensor.null = true; });
        },
};

const WordCalls kNotAllNullCalls = {
    .text = "{refs}: at least one is given",
    .broken = "all of {refs} are null",
    .draw =
        [](Drawing& drawing, const exec::Step& step, Pass pass) {
          const auto is_null = [&](const exec::Ref& ref) { return drawing.call.argument(ref.index).null; };
          if (drawing.random == nullptr || std::ranges::all_of(step.refs, is_null)) DrawGiven(drawing, step, pass);
        },
    .violate =
        [](Violations& violations, const exec::Step& step, int place) {
          if (place != 0) return;
          violations.Add(step, place, "all null", [refs = step.refs](Call& call) {
            for (const exec::Ref& ref : refs) call.argument(ref.index).null = true;
          });
          violations.found.back().changes_others = true;
        },
};

}  // namespace portacl::calls
