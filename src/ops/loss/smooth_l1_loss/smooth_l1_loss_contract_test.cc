// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from the schemas of this room.
#include <span>

#include "exec/bind.h"
#include "testing/operator_contract.h"

namespace portacl::ops::smooth_l1_loss {
std::span<const exec::OperatorEntry> Operators();
}

OP_CONTRACT_TESTS(SmoothL1Loss, portacl::ops::smooth_l1_loss::Operators()[0]);
OP_CONTRACT_TESTS(SmoothL1LossBackward, portacl::ops::smooth_l1_loss::Operators()[1]);
