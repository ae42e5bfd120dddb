// SPDX-License-Identifier: Apache-2.0
// The rooms and their schemas, without their functions.
#pragma once

#include <span>

#include "exec/schema.h"

namespace portacl {

struct FamilyRoom {
  const char* folder;  // below src/ops: "pointwise/unary"
  std::span<const exec::Schema* const> schemas;
};
std::span<const FamilyRoom> FamilyRooms();

}  // namespace portacl
