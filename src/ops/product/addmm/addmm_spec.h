// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/products.h"

namespace portacl::ops::addmm {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

/// The scalar is a real number.
aclnnStatus CheckRealBeta(const exec::Arguments& arguments, const exec::Step& step);
aclnnStatus CheckRealAlpha(const exec::Arguments& arguments, const exec::Step& step);
/// Both factors have the same number of matrices, so that none is broadcast.
aclnnStatus CheckBatches(const exec::Arguments& arguments, const exec::Step& step);
/// The shape of one product of the batch.
bool SummedShape(const exec::Arguments& arguments, Shape* shape);

// The differences between the operators that add a tensor to a product.
struct Row {
  exec::About about;
  const char* first;  // the names of the factors
  const char* second;
  int ranks[3];  // ranks of the factors and of the result
  const char* self = "self";
  const char* out = "out";  // the same for in-place forms
  bool sums_batch = false;
};

inline constexpr const char* kSpecial =
    "Where beta is 0, self is not read. An empty sum is 0. Products with infinities, NaN and zeros are those of IEEE "
    "754. cubeMathType has no effect.";

consteval exec::Step ShapeOfProduct(const Row& row, const char* target) {
  return row.sums_batch ? ShapeFrom("out: the shape of one product", target, SummedShape)
                        : ProductShapeOf("the result: the shape of the product", target);
}

template <size_t kArgs>
consteval auto Sum(const Row& row, const exec::Arg (&args)[kArgs]) {
  exec::Recipe<kArgs, 20> recipe{.about = row.about, .args = std::to_array(args), .steps = {}};
  recipe.about.accuracy = ProductAccuracy(row.out);
  recipe.about.socs = kMost;
  exec::Step not_null{.word = exec::Word::kNotNull, .status = exec::kNullPointer};
  for (const exec::Arg& arg : args) {
    if (exec::IsPointer(arg.kind)) not_null.refs.items[not_null.refs.count++] = exec::Ref(arg.name);
  }
  const bool in_place = std::string_view(row.self) == row.out;
  const exec::Step steps[] = {exec::NotNull("workspaceSize", "executor"),
                              not_null,
                              exec::OnSocs(),
                              Dtypes({row.self, row.first, row.second}, kFloats3),
                              Dtypes({row.out}, kFloats3).If(!in_place),
                              exec::Custom("beta: a real number", CheckRealBeta),
                              exec::Custom("alpha: a real number", CheckRealAlpha),
                              exec::Rank({row.self}, in_place ? row.ranks[2] : 0, in_place ? row.ranks[2] : kMaxRank),
                              exec::Rank({row.first}, row.ranks[0], row.ranks[0]),
                              exec::Rank({row.second}, row.ranks[1], row.ranks[1]),
                              exec::Rank({row.out}, row.ranks[2], row.ranks[2]).If(!in_place),
                              CubeMathType(),
                              FactorsFit("the second factor: as many rows as the first has columns"),
                              exec::Custom("the factors: batches of one size", CheckBatches).If(row.ranks[0] == 3),
                              ShapeOfProduct(row, row.out),
                              exec::ShapeIs(row.self, exec::BroadcastsTo(row.out)).If(!in_place),
                              exec::PlainFormat(row.self, row.first, row.second),
                              exec::PlainFormat(row.out).If(!in_place),
                              exec::EmptySucceeds(row.out)};
  for (size_t i = 0; i < recipe.steps.size(); ++i)
    recipe.steps[i] = i < std::size(steps) ? steps[i] : exec::OnSocs().If(false);
  return recipe;
}

inline constexpr exec::Arg kCubeMathType = exec::Attribute("cubeMathType", exec::ValueKind::kInt8);

PORTACL_ROW(
    Addmm, opapi_nn, "aclnn_addmm.h",
    Sum({.about = {.formula = "beta * self + alpha * the matrix product of mat1 and mat2; self broadcasts to it",
                   .special = kSpecial},
         .first = "mat1",
         .second = "mat2",
         .ranks = {2, 2, 2}},
        {exec::In("self"), exec::In("mat1"), exec::In("mat2"), exec::Scalar("beta"), exec::Scalar("alpha"),
         exec::Out("out"), kCubeMathType}));

PORTACL_ROW(InplaceAddmm, opapi_nn, "aclnn_addmm.h",
            Sum({.about = {.formula = "beta * selfRef + alpha * the matrix product of mat1 and mat2",
                           .source = "aclnnAddmm page of the CANN operator documentation",
                           .special = kSpecial},
                 .first = "mat1",
                 .second = "mat2",
                 .ranks = {2, 2, 2},
                 .self = "selfRef",
                 .out = "selfRef"},
                {exec::InOut("selfRef"), exec::In("mat1"), exec::In("mat2"), exec::Scalar("beta"),
                 exec::Scalar("alpha"), kCubeMathType}));

PORTACL_ROW(
    Addmv, opapi_nn, "aclnn_addmv.h",
    Sum({.about = {.formula =
                       "beta * self + alpha * the product of the matrix mat and the vector vec; self broadcasts to it",
                   .special = kSpecial},
         .first = "mat",
         .second = "vec",
         .ranks = {2, 1, 1}},
        {exec::In("self"), exec::In("mat"), exec::In("vec"), exec::Scalar("alpha"), exec::Scalar("beta"),
         exec::Out("out"), kCubeMathType}));

PORTACL_ROW(Baddbmm, opapi_nn, "aclnn_baddbmm.h",
            Sum({.about = {.formula = "beta * self + alpha * the matrix products of batch1 and batch2, one for each of "
                                      "the batch; self broadcasts to them",
                           .special = kSpecial},
                 .first = "batch1",
                 .second = "batch2",
                 .ranks = {3, 3, 3}},
                {exec::In("self"), exec::In("batch1"), exec::In("batch2"), exec::Scalar("beta"), exec::Scalar("alpha"),
                 exec::Out("out"), kCubeMathType}));

PORTACL_ROW(
    InplaceBaddbmm, opapi_nn, "aclnn_baddbmm.h",
    Sum({.about = {.formula =
                       "beta * selfRef + alpha * the matrix products of batch1 and batch2, one for each of the batch",
                   .source = "aclnnBaddbmm page of the CANN operator documentation",
                   .special = kSpecial},
         .first = "batch1",
         .second = "batch2",
         .ranks = {3, 3, 3},
         .self = "selfRef",
         .out = "selfRef"},
        {exec::InOut("selfRef"), exec::In("batch1"), exec::In("batch2"), exec::Scalar("beta"), exec::Scalar("alpha"),
         kCubeMathType}));

PORTACL_ROW(
    Addbmm, opapi_nn, "aclnn_addbmm.h",
    Sum({.about =
             {.formula =
                  "beta * self + alpha * the sum of the matrix products of batch1 and batch2; self broadcasts to it",
              .special = kSpecial},
         .first = "batch1",
         .second = "batch2",
         .ranks = {3, 3, 2},
         .sums_batch = true},
        {exec::In("self"), exec::In("batch1"), exec::In("batch2"), exec::Scalar("beta"), exec::Scalar("alpha"),
         exec::Out("out"), kCubeMathType}));

}  // namespace portacl::ops::addmm
