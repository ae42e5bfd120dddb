// SPDX-License-Identifier: Apache-2.0
// The oracles of a program, by family: a call of oracle.h tries each until one knows the operator.
#pragma once

#include <cstdint>
#include <span>

#include "calls/oracle.h"

namespace portacl::calls {

struct FamilyOracles {
  void (*complete_call)(Call& call, Random* random, int64_t elements);
  void (*complete_contents)(Call& call);
  bool (*compute)(OracleCall& call);
};

// The families that are linked into the program.
std::span<const FamilyOracles* const> LinkedOracles();

}  // namespace portacl::calls
