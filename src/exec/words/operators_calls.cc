// SPDX-License-Identifier: Apache-2.0
// Words about the operator as a whole, in calls.
#include "calls/word_calls.h"

namespace portacl::calls {

// No call chooses the product.
const WordCalls kOnProductsCalls = {
    .text = "product: {products}",
    .draw = DrawNothing,
    .violate = ViolateNothing,
};

// The room completes a drawn call (CompleteCall), and tests its own rule.
const WordCalls kCustomCalls = {
    .text = "{rule}",
    .draw = DrawNothing,
    .violate = ViolateNothing,
};

}  // namespace portacl::calls
