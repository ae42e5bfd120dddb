// SPDX-License-Identifier: Apache-2.0
// What a schema says of one operator, in the sentences of headers and pages.
#pragma once

#include <string>
#include <vector>

#include "exec/schema.h"

namespace portacl {

// "FLOAT, FLOAT16 and BFLOAT16"
std::string ListText(const std::vector<std::string>& names, const char* last = " and ");

// Which dtypes an argument may have, and what differs between SoCs: "FLOAT, FLOAT16; BFLOAT16 not on Ascend910".
// Empty when no step lists them.
struct DtypesBySoc {
  exec::DtypeSet everywhere;
  exec::DtypeSet some;  // not on `without`
  exec::SocSet without;
  exec::DtypeSet more;     // only on `without`
  exec::DtypeSet not_yet;  // listed by the page, refused with 561003
};
DtypesBySoc DtypesOf(const exec::Schema& schema, const exec::Arg& arg);
// Floating types first, then integers by size, BOOL, complex ones.
std::vector<std::string> SortedNames(exec::DtypeSet dtypes);
// Names of those of the SoCs on which the operator is, or is not.
std::vector<std::string> SocNames(const exec::Schema& schema, bool there);
std::vector<std::string> SocNames(const exec::Schema& schema, exec::SocSet among);

// The operator of that name without the prefix: aclnnExp for aclnnInplaceExp; null when `schemas` has none.
const exec::Schema* OutOfPlace(const exec::Schema& schema, const std::vector<const exec::Schema*>& schemas);

// What a caller may pass: "rank 0..8, any strides. FLOAT, FLOAT16."
std::string ArgumentText(const exec::Schema& schema, const exec::Arg& arg);

// "0; 161001 (self or out is null, tested in this order); ...", in the order of the checks, and what empty operands do.
std::string StatusText(const exec::Schema& schema);

}  // namespace portacl
