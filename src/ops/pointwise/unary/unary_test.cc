// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle.
#include <span>

#include "exec/bind.h"
#include "testing/operator_contract.h"

namespace portacl::ops::unary {
std::span<const exec::OperatorEntry> Operators();
}

ROW_CONTRACT_TESTS(Unary, portacl::ops::unary::Operators());
