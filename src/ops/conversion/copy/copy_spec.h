// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/schema.h"

namespace portacl::ops::copy {

inline constexpr exec::DtypeSet kWithoutBfloat16 = {ACL_INT8,   ACL_INT16,  ACL_INT32,     ACL_INT64,     ACL_UINT8,
                                                    ACL_UINT16, ACL_UINT32, ACL_UINT64,    ACL_FLOAT16,   ACL_FLOAT,
                                                    ACL_DOUBLE, ACL_BOOL,   ACL_COMPLEX64, ACL_COMPLEX128};
inline constexpr exec::DtypeSet kNumbers = {ACL_INT8,   ACL_INT16,  ACL_INT32,  ACL_INT64,     ACL_UINT8,
                                            ACL_UINT16, ACL_UINT32, ACL_UINT64, ACL_FLOAT16,   ACL_BF16,
                                            ACL_FLOAT,  ACL_DOUBLE, ACL_BOOL,   ACL_COMPLEX64, ACL_COMPLEX128};

consteval exec::Step IsNumber(exec::Ref operand) {
  return exec::DtypeOneOf({operand}, kNumbers)
      .On({Family::kAscend910, Family::kAscend310P, Family::kAscend310B}, kWithoutBfloat16);
}

inline constexpr exec::SchemaOf kInplaceCopy({.api = "aclnnInplaceCopy",
                                              .library = "opapi_math",
                                              .formula = "selfRef = src, broadcast and converted",
                                              .source = "aclnnInplaceCopy page of the CANN operator documentation",
                                              .accuracy = {exec::RoundedOnce("selfRef")}},
                                             {exec::OnlyWritten(exec::InOut("selfRef")), exec::In("src")},
                                             {exec::NotNull("workspaceSize", "executor"),
                                              exec::NotNull("selfRef", "src"), IsNumber("selfRef"), IsNumber("src"),
                                              exec::PlainFormat("selfRef", "src"), exec::MaxRank("selfRef", "src"),
                                              exec::ShapeIs("src", exec::BroadcastsTo("selfRef")),
                                              exec::EmptySucceeds("selfRef")});

inline constexpr exec::SchemaOf kCast(
    {.api = "aclnnCast",
     .library = "opapi_math",
     .formula = "out = self, converted to dtype",
     .source = "aclnnCast page of the CANN operator documentation",
     .accuracy = {exec::RoundedOnce("out")},
     .products = {Family::kAscend910B, Family::kAscend910_93, Family::kAscend950, Family::kAscend310P,
                  Family::kAscend910}},
    {exec::In("self"), exec::Attribute("dtype", exec::ValueKind::kDtype), exec::Out("out")},
    {exec::NotNull("workspaceSize", "executor"), exec::NotNull("self", "out"), exec::OnProducts(), IsNumber("self"),
     IsNumber("dtype"), exec::SameDtype("dtype", "out"), exec::PlainFormat("self", "out"), exec::MaxRank("self", "out"),
     exec::ShapeIs("out", exec::SameShapeAs("self")), exec::EmptySucceeds("self")});

}  // namespace portacl::ops::copy
