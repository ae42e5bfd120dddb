// SPDX-License-Identifier: Apache-2.0
//
// The promises that follow from schemas and oracle, and what the words cannot say.
#include <span>

#include <gtest/gtest.h>

#include "exec/bind.h"
#include "testing/conformance.h"
#include "testing/operator_contract.h"

namespace portacl::ops::matmul {
std::span<const exec::OperatorEntry> Operators();
}

ROW_CONTRACT_TESTS(Matmul, portacl::ops::matmul::Operators());
