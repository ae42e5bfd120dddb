// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "families/products.h"

namespace portacl::ops::matmul {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

struct Ranks {
  int low;
  int high;
};

// The differences between the operators that multiply two tensors.
struct Row {
  exec::About about;
  const char* second;  // the name of the other factor
  Ranks ranks[3];      // ranks of self, of the other tensor and of out
  const char* fit = "mat2: as many rows as self has columns";
  const char* shape = "out: the shape of the product";
  bool out_first = false;         // its pointer is checked before the others
  bool takes_fractal_nz = false;  // for the second factor
  bool is_same_dtype = false;
  exec::DtypeSet dtypes = kFloats3;
};

template <size_t kArgs>
consteval auto Products(const Row& row, const exec::Arg (&args)[kArgs]) {
  const auto has_cube = kArgs > 3;
  exec::Recipe<kArgs, 18> recipe{.about = row.about, .args = std::to_array(args), .steps = {}};
  recipe.about.accuracy = ProductAccuracy("out");
  if (const exec::DtypeSet whole = row.dtypes & kWhole; !whole.empty()) {
    exec::ErrorBound exact = exec::Exact("out");
    exact.dtypes = whole;
    recipe.about.accuracy.items[recipe.about.accuracy.count++] = exact;
  }
  recipe.about.socs = kMost;
  const exec::Step cube = has_cube ? exec::ValueOneOf(has_cube ? "cubeMathType" : "self", {0, 1, 2, 3, 4})
                                   : exec::NotNull("self").If(false);
  const exec::Step steps[] = {
      exec::NotNull("workspaceSize", "executor"),
      row.out_first ? exec::NotNull("out", "self", row.second) : exec::NotNull("self", row.second, "out"),
      exec::OnSocs(),
      Dtypes({"self", row.second, "out"}, row.dtypes).If(!row.is_same_dtype),
      Dtypes({"self"}, row.dtypes).If(row.is_same_dtype),
      exec::SameDtype("self", row.second, "out").If(row.is_same_dtype),
      exec::Rank({"self"}, row.ranks[0].low, row.ranks[0].high),
      exec::Rank({row.second}, row.ranks[1].low, row.ranks[1].high),
      exec::Rank({"out"}, row.ranks[2].low, row.ranks[2].high),
      cube,
      FactorsFit(row.fit),
      ProductShapeOf(row.shape, "out"),
      exec::PlainFormat("self", "out").If(row.takes_fractal_nz),
      WeightFormat(row.second).If(row.takes_fractal_nz),
      exec::PlainFormat("self", row.second, "out").If(!row.takes_fractal_nz),
      exec::EmptySucceeds("out").If(row.ranks[2].high > 0)};
  for (size_t i = 0; i < recipe.steps.size(); ++i)
    recipe.steps[i] = i < std::size(steps) ? steps[i] : exec::OnSocs().If(false);
  return recipe;
}

inline constexpr exec::Arg kCubeMathType = exec::Attribute("cubeMathType", exec::ValueKind::kInt8);
inline constexpr const char* kEmptySum =
    "An empty sum is 0. Products with infinities, NaN and zeros are those of IEEE 754. cubeMathType has no effect: "
    "operands are never rounded to fewer bits before they are multiplied.";

PORTACL_ROW(Mm, opapi_nn, "aclnn_mm.h",
            Products({.about = {.formula = "the matrix product of self and mat2", .special = kEmptySum},
                      .second = "mat2",
                      .ranks = {{2, 2}, {2, 2}, {2, 2}},
                      .out_first = true,
                      .takes_fractal_nz = true},
                     {exec::In("self"), exec::In("mat2"), exec::Out("out"), kCubeMathType}));

PORTACL_ROW(
    BatchMatMul, opapi_nn, "aclnn_batch_matmul.h",
    Products(
        {.about =
             {.formula =
                  "for each of a batch, the first axis, the matrix product of self and mat2; a batch of 1 is broadcast",
              .special = kEmptySum},
         .second = "mat2",
         .ranks = {{3, 3}, {3, 3}, {3, 3}},
         .takes_fractal_nz = true},
        {exec::In("self"), exec::In("mat2"), exec::Out("out"), kCubeMathType}));

PORTACL_ROW(
    Matmul, opapi_nn, "aclnn_matmul.h",
    Products(
        {.about = {.formula =
                       "the product of self and mat2: of matrices along the last two axes, whose batches are "
                       "broadcast; self of rank 1 is a row, mat2 of rank 1 a column, and the product lacks that axis",
                   .special = kEmptySum},
         .second = "mat2",
         .ranks = {{1, kMaxRank}, {1, kMaxRank}, {0, kMaxRank}},
         .takes_fractal_nz = true},
        {exec::In("self"), exec::In("mat2"), exec::Out("out"), kCubeMathType}));

PORTACL_ROW(Mv, opapi_nn, "aclnn_mv.h",
            Products({.about = {.formula = "the product of the matrix self and the vector vec", .special = kEmptySum},
                      .second = "vec",
                      .ranks = {{2, 2}, {1, 1}, {1, 1}},
                      .fit = "vec: as many elements as self has columns",
                      .is_same_dtype = true},
                     {exec::In("self"), exec::In("vec"), exec::Out("out"), kCubeMathType}));

PORTACL_ROW(Dot, opapi_nn, "aclnn_dot.h",
            Products({.about = {.formula = "the sum of the products of the elements of self and tensor",
                                .special = "An empty sum is 0. Integers wrap modulo 2^n."},
                      .second = "tensor",
                      .ranks = {{1, 1}, {1, 1}, {0, 0}},
                      .fit = "tensor: as many elements as self has",
                      .is_same_dtype = true,
                      .dtypes = kFloats3 | kIntegers},
                     {exec::In("self"), exec::In("tensor"), exec::Out("out")}));

}  // namespace portacl::ops::matmul
