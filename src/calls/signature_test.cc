// SPDX-License-Identifier: Apache-2.0
#include "calls/signature.h"

#include <gtest/gtest.h>

#include "exec/schema.h"

namespace portacl::calls {
namespace {

using exec::In;
using exec::MaxRank;
using exec::NotNull;
using exec::Out;
using exec::SameShapeAs;
using exec::ShapeIs;

constexpr exec::SchemaOf kUnary({.api = "aclnnUnary"}, {In("self"), Out("out")},
                                {NotNull("self", "out", "executor", "workspaceSize"), MaxRank("self", "out"),
                                 ShapeIs("out", SameShapeAs("self"))});
constexpr exec::SchemaOf kOtherUnary({.api = "aclnnOtherUnary"}, {In("x"), Out("y")},
                                     {NotNull("x", "y", "executor", "workspaceSize"),
                                      exec::DtypeOneOf({"x"}, {ACL_BF16}), MaxRank("x", "y"),
                                      ShapeIs("y", SameShapeAs("x"))});
constexpr exec::SchemaOf kInPlace({.api = "aclnnInPlace"}, {In("self"), exec::InOut("out")},
                                  {NotNull("self", "out", "executor", "workspaceSize"), MaxRank("self", "out"),
                                   ShapeIs("out", SameShapeAs("self"))});
constexpr exec::SchemaOf kBroadcast({.api = "aclnnBroadcast"}, {In("self"), Out("out")},
                                    {NotNull("self", "out", "executor", "workspaceSize"), MaxRank("self", "out"),
                                     ShapeIs("out", exec::BroadcastsTo("self"))});

TEST(Signature, IsTheSameWhateverNamesAndDtypesAre) {
  EXPECT_TRUE(HaveSameSignature(kUnary, kUnary));
  EXPECT_TRUE(HaveSameSignature(kUnary, kOtherUnary));
}

TEST(Signature, DiffersByRolesAndShapes) {
  EXPECT_FALSE(HaveSameSignature(kUnary, kInPlace));
  EXPECT_FALSE(HaveSameSignature(kUnary, kBroadcast));
}

TEST(Signature, TheFirstStandsForAll) {
  const exec::OperatorEntry entries[] = {{&kUnary, nullptr, nullptr},
                                         {&kInPlace, nullptr, nullptr},
                                         {&kOtherUnary, nullptr, nullptr},
                                         {&kBroadcast, nullptr, nullptr},
                                         {&kInPlace, nullptr, nullptr}};
  std::vector<const exec::OperatorEntry*> all;
  for (const exec::OperatorEntry& entry : entries) all.push_back(&entry);
  EXPECT_EQ(OneOfEachSignature(all), (std::vector<const exec::OperatorEntry*>{all[0], all[1], all[3]}));
}

}  // namespace
}  // namespace portacl::calls
