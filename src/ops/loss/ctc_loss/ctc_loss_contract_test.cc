// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from the schemas of this room.
#include <span>

#include "exec/bind.h"
#include "testing/operator_contract.h"

namespace portacl::ops::ctc_loss {
std::span<const exec::OperatorEntry> Operators();
}

OP_CONTRACT_TESTS(CtcLoss, portacl::ops::ctc_loss::Operators()[0]);
OP_CONTRACT_TESTS(CtcLossBackward, portacl::ops::ctc_loss::Operators()[1]);
