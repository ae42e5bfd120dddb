// SPDX-License-Identifier: Apache-2.0
//
// What the operators of this room accept: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/arguments.h"
#include "exec/schema.h"
#include "ops/activation/swi_glu/swi_glu_product_rules.h"

namespace portacl::ops::swi_glu {

inline constexpr exec::DtypeSet kDtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
inline constexpr exec::DtypeSet kDtypesOf310P = {ACL_FLOAT, ACL_FLOAT16};
inline constexpr exec::DtypeSet kNarrow = {ACL_FLOAT16, ACL_BF16};

inline constexpr exec::SchemaOf kSwiGlu(
    {.api = "aclnnSwiGlu",
     .formula = "A * sigmoid(A) * B, where A and B are the halves of x along dim",
     .source = "aclnnSwiGlu page of the CANN operator documentation",
     .accuracy = {exec::Ulp("out", {ACL_FLOAT}, 4).OrZeroForSubnormals({ACL_FLOAT}),
                  exec::Ulp("out", kNarrow, 1).OrZeroForSubnormals({ACL_BF16})},
     .products = {Family::kAscend910B, Family::kAscend910_93, Family::kAscend950, Family::kAscend310P}},
    {exec::In("x"), exec::Attribute("dim", exec::ValueKind::kInt64), exec::Out("out")},
    {exec::NotNull("x", "out"), exec::NotNull("executor", "workspaceSize"), exec::OnProducts(),
     exec::DtypeOneOf({"x", "out"}, kDtypes).On({Family::kAscend310P}, kDtypesOf310P), exec::SameDtype("x", "out"),
     exec::PlainFormat("x", "out"), exec::Rank({"x"}, 1, kMaxRank), exec::DimInRange("dim", "x"),
     exec::DivisibleAlong("x", "dim", 2), exec::MaxRank("out"), exec::ShapeIs("out", exec::HalfAlong("x", "dim")),
     exec::Custom("not empty on Ascend310P", NotEmptyOn310P), exec::EmptySucceeds("x"),
     exec::Custom("halves aligned on Ascend310P", HalvesAlignedOn310P).Status(exec::kNoPlan)});

inline constexpr exec::SchemaOf kSwiGluGrad(
    {.api = "aclnnSwiGluGrad",
     .formula = "yGrad * B * q * (1 + A * (1 - q)), then yGrad * A * q; A, B: halves of x along dim, q = sigmoid(A)",
     .source = "aclnnSwiGluGrad page of the CANN operator documentation",
     .accuracy =
         {exec::Ulp("out", {ACL_FLOAT}, 7).InPart("outA").OfTerm("|yGrad * B * q|").OrZeroForSubnormals({ACL_FLOAT}),
          exec::Ulp("out", {ACL_FLOAT}, 4).InPart("outB").OrZeroForSubnormals({ACL_FLOAT}),
          exec::Ulp("out", kNarrow, 1).OrZeroForSubnormals({ACL_BF16})},
     .products = {Family::kAscend910B, Family::kAscend910_93, Family::kAscend950, Family::kAscend310P}},
    {exec::In("yGrad"), exec::In("x"), exec::Attribute("dim", exec::ValueKind::kInt64), exec::Out("out")},
    {exec::NotNull("yGrad", "x", "out"), exec::NotNull("executor", "workspaceSize"), exec::OnProducts(),
     exec::DtypeOneOf({"yGrad", "x", "out"}, kDtypes).On({Family::kAscend310P}, kDtypesOf310P),
     exec::SameDtype("yGrad", "x", "out"), exec::PlainFormat("yGrad", "x", "out"), exec::Rank({"x"}, 1, kMaxRank),
     exec::DimInRange("dim", "x"), exec::DivisibleAlong("x", "dim", 2), exec::MaxRank("yGrad", "out"),
     exec::ShapeIs("yGrad", exec::HalfAlong("x", "dim")), exec::ShapeIs("out", exec::SameShapeAs("x")),
     exec::NotEmpty("x"), exec::Custom("halves aligned on Ascend310P", HalvesAlignedOn310P).Status(exec::kNoPlan)});

}  // namespace portacl::ops::swi_glu
