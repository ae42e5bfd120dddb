// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle.
#include <span>

#include "exec/bind.h"
#include "testing/operator_contract.h"

namespace portacl::ops::comparison {
std::span<const exec::OperatorEntry> Operators();
}

ROW_CONTRACT_TESTS(Comparison, portacl::ops::comparison::Operators());
