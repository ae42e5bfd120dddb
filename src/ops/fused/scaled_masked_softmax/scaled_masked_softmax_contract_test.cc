// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from the schemas of this room.
#include <span>

#include "exec/bind.h"
#include "testing/operator_contract.h"

namespace portacl::ops::scaled_masked_softmax {
std::span<const exec::OperatorEntry> Operators();
}

OP_CONTRACT_TESTS(ScaledMaskedSoftmax, portacl::ops::scaled_masked_softmax::Operators()[0]);
OP_CONTRACT_TESTS(ScaledMaskedSoftmaxBackward, portacl::ops::scaled_masked_softmax::Operators()[1]);
