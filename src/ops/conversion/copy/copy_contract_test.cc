// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from the schemas of this room.
#include <span>

#include "exec/bind.h"
#include "testing/operator_contract.h"

namespace portacl::ops::copy {
std::span<const exec::OperatorEntry> Operators();
}

OP_CONTRACT_TESTS(InplaceCopy, portacl::ops::copy::Operators()[0]);
OP_CONTRACT_TESTS(Cast, portacl::ops::copy::Operators()[1]);
