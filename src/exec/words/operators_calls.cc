// SPDX-License-Identifier: Apache-2.0
// Words about the operator as a whole, in calls.
#include "calls/word_calls.h"

namespace portacl::calls {

// No call chooses the product.
const WordCalls kOnProductsCalls = {
    .text = "product: {products}",
    .broken = "PORTACL_SOC names a product without the operator",
    .draw = DrawNothing,
    .violate = ViolateNothing,
};

// The room completes a drawn call (CompleteCall), and tests its own rule.
const WordCalls kCustomCalls = {
    .text = "{rule}",
    .broken = "a breach of \"{rule}\"",
    .draw = DrawNothing,
    .violate = ViolateNothing,
};

}  // namespace portacl::calls
