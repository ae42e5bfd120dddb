// SPDX-License-Identifier: Apache-2.0
// The words about the operator as a whole, in calls.
#include "calls/word_calls.h"

namespace portacl::calls {

// A call cannot choose the SoC.
const WordCalls kOnSocsCalls = {
    .text = "SoC: {socs}",
    .broken = "PORTACL_SOC names an SoC without the operator",
    .draw = DrawNothing,
    .violate = ViolateNothing,
};

// The room completes a generated call (CompleteCall), and tests its own rule.
const WordCalls kCustomCalls = {
    .text = "{rule}",
    .broken = "a breach of \"{rule}\"",
    .draw = DrawNothing,
    .violate = ViolateNothing,
};

}  // namespace portacl::calls
