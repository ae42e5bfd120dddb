// SPDX-License-Identifier: Apache-2.0
// The content of one operator's schema, in sentences for headers and pages.
#pragma once

#include <string>
#include <vector>

#include "exec/schema.h"

namespace portacl {

// "FLOAT, FLOAT16 and BFLOAT16"
std::string ListText(const std::vector<std::string>& names, const char* last = " and ");

// The dtypes of an argument, and the differences between SoCs: "FLOAT, FLOAT16; BFLOAT16 not on Ascend910". Empty when
// no step lists them.
struct DtypesBySoc {
  exec::DtypeSet everywhere;
  exec::DtypeSet some;  // not on `without`
  exec::SocSet without;
  exec::DtypeSet more;     // only on `without`
  exec::DtypeSet not_yet;  // listed by the page, refused with 561003
};
DtypesBySoc DtypesOf(const exec::Schema& schema, const exec::Arg& arg);
// Floating types first, then integers by size, BOOL, and complex types.
std::vector<std::string> SortedNames(exec::DtypeSet dtypes);
// The names of the SoCs that have the operator, or of those that lack it.
std::vector<std::string> SocNames(const exec::Schema& schema, bool there);
std::vector<std::string> SocNames(const exec::Schema& schema, exec::SocSet among);

// The operator that has the same name without "Inplace": aclnnExp for aclnnInplaceExp; null when `schemas` has none.
const exec::Schema* OutOfPlace(const exec::Schema& schema, const std::vector<const exec::Schema*>& schemas);

// The values that a caller may pass: "rank 0..8, any strides. FLOAT, FLOAT16."
std::string ArgumentText(const exec::Schema& schema, const exec::Arg& arg);

// "0; 161001 (self or out is null, tested in this order); ...", in the order of the checks, and the behaviour for empty
// operands.
std::string StatusText(const exec::Schema& schema);

}  // namespace portacl
