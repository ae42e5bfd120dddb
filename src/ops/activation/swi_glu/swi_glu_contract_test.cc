// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from the schemas of this room.
#include <span>

#include "exec/bind.h"
#include "testing/operator_contract.h"

namespace portacl::ops::swi_glu {
std::span<const exec::OperatorEntry> Operators();
}

OP_CONTRACT_TESTS(SwiGlu, portacl::ops::swi_glu::Operators()[0]);
OP_CONTRACT_TESTS(SwiGluGrad, portacl::ops::swi_glu::Operators()[1]);
