// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from the schemas of this room.
#include <span>

#include "exec/bind.h"
#include "testing/operator_contract.h"

namespace portacl::ops::logit {
std::span<const exec::OperatorEntry> Operators();
}

OP_CONTRACT_TESTS(Logit, portacl::ops::logit::Operators()[0]);
OP_CONTRACT_TESTS(LogitGrad, portacl::ops::logit::Operators()[1]);
