// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from the schema of this room.
#include <span>

#include "exec/bind.h"
#include "testing/operator_contract.h"

namespace portacl::ops::complex {
std::span<const exec::OperatorEntry> Operators();
}

OP_CONTRACT_TESTS(Complex, portacl::ops::complex::Operators()[0]);
