// SPDX-License-Identifier: Apache-2.0
// One schema with every kind of argument, given as words. The program as a whole is tested in tests/tool.
#include "tool/prepared_call.h"

#include <gtest/gtest.h>

#include <cmath>

#include "acl/acl.h"
#include "exec/words/words.h"
#include "tool/elements.h"
#include "tool/error.h"
#include "tool/npy_writer.h"

namespace portacl::tool {
namespace {

using exec::Attribute;
using exec::ValueKind;

constexpr exec::SchemaOf kAll(
    {.api = "aclnnAll"},
    {exec::In("x"),
     exec::OptionalIn("mask"),
     exec::InList("tensors"),
     exec::InOut("stateRef"),
     exec::Scalar("alpha"),
     exec::OptionalScalar("beta"),
     Attribute("scales", ValueKind::kScalarList),
     Attribute("lengths", ValueKind::kIntArray),
     Attribute("factors", ValueKind::kFloatArray),
     Attribute("flags", ValueKind::kBoolArray),
     Attribute("eps", ValueKind::kDouble),
     Attribute("slope", ValueKind::kFloat),
     Attribute("dim", ValueKind::kInt64),
     Attribute("group", ValueKind::kInt32),
     Attribute("mode", ValueKind::kInt8),
     Attribute("keepdim", ValueKind::kBool),
     Attribute("dtype", ValueKind::kDtype),
     Attribute("reduction", ValueKind::kString),
     exec::Out("out"),
     exec::OptionalOut("extra")},
    {exec::NotNull("x", "tensors", "stateRef", "alpha", "scales", "lengths", "factors", "flags", "reduction", "out"),
     exec::NotNull("workspaceSize", "executor"), exec::MaxRank("x", "mask", "tensors", "stateRef", "out", "extra"),
     exec::SameDtype("x", "stateRef", "extra"), exec::SameDtype("dtype", "out"),
     exec::ShapeIs("out", exec::SameShapeAs("x")), exec::ShapeIs("extra", exec::SameShapeAs("x"))});
constexpr exec::OperatorEntry kEntry = {&kAll, nullptr, nullptr};

const std::vector<std::string> kWords = {"x=random:2,3",
                                         "tensors=random:2,random:3",
                                         "stateRef=random:4",
                                         "alpha=2",
                                         "scales=1,2.5",
                                         "lengths=3,-4",
                                         "factors=0.5,inf",
                                         "flags=true,0",
                                         "eps=-1e-3",
                                         "slope=nan",
                                         "dim=-1",
                                         "group=7",
                                         "mode=-128",
                                         "keepdim=True",
                                         "dtype=float16",
                                         "reduction=mean"};

std::string WhatIsWrong(std::vector<std::string> words, const std::vector<std::string>& dtypes = {},
                        const std::vector<std::string>& shapes = {}) {
  try {
    PreparedCall(kEntry, {std::move(words), dtypes, shapes});
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

// The message if the word of that name is replaced.
std::string ProblemWith(const std::string& word) {
  std::vector<std::string> words = kWords;
  for (std::string& other : words) {
    if (other.substr(0, other.find('=')) == word.substr(0, word.find('='))) other = word;
  }
  return WhatIsWrong(words);
}

TEST(PreparedCall, ReadsEveryKindOfArgument) {
  PreparedCall prepared(kEntry, {kWords, {}, {}});
  calls::Call& call = prepared.call();
  EXPECT_EQ(call.tensor("x").shape, (calls::Dims{2, 3}));
  EXPECT_TRUE(call.argument("mask").null);
  EXPECT_TRUE(call.argument("beta").null);
  EXPECT_EQ(call.argument("alpha").real, 2);
  EXPECT_EQ(call.argument("alpha").number, ACL_INT64);
  EXPECT_EQ(call.argument("scales").reals, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(call.argument("scales").number, ACL_FLOAT);
  EXPECT_EQ(call.argument("lengths").integers, (std::vector<int64_t>{3, -4}));
  EXPECT_EQ(call.argument("factors").reals, (std::vector<double>{0.5, INFINITY}));
  EXPECT_EQ(call.argument("flags").integers, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(call.argument("eps").real, -1e-3);
  EXPECT_TRUE(std::isnan(call.argument("slope").real));
  EXPECT_EQ(call.argument("dim").integer, -1);
  EXPECT_EQ(call.argument("group").integer, 7);
  EXPECT_EQ(call.argument("mode").integer, -128);
  EXPECT_EQ(call.argument("keepdim").integer, 1);
  EXPECT_EQ(call.argument("reduction").text, "mean");
  EXPECT_EQ(call.tensor("out").shape, (calls::Dims{2, 3}));
  EXPECT_EQ(call.tensor("out").dtype, ACL_FLOAT16);
  EXPECT_TRUE(call.tensor("extra").null);
  // The values that the library will receive.
  const calls::CallObjects objects(call.schema(), call.arguments());
  EXPECT_EQ(objects.values().size(), kAll.args.size());
  EXPECT_STREQ(objects.values()[17].As<const char*>(), "mean");
}

TEST(PreparedCall, GivesAListOneTensorAPart) {
  PreparedCall prepared(kEntry, {kWords, {}, {}});
  ASSERT_EQ(prepared.call().argument("tensors").tensors.size(), 2u);
  EXPECT_EQ(prepared.call().argument("tensors").tensors[1].shape, calls::Dims{3});
}

TEST(PreparedCall, RoundsFloatsOnly) {
  const std::string path = ::testing::TempDir() + "/integers.npy";
  npy::Write(path, {"i8", {1}, std::vector<unsigned char>(8, 1)});
  std::vector<std::string> words = kWords;
  words.push_back("mask=" + path);
  PreparedCall prepared(kEntry, {words, {"bf16", "tensors=double"}, {}});
  EXPECT_EQ(prepared.call().tensor("x").dtype, ACL_BF16);
  EXPECT_EQ(prepared.call().tensor("mask").dtype, ACL_INT64);
  EXPECT_EQ(prepared.call().tensor("tensors").dtype, ACL_DOUBLE);
}

TEST(PreparedCall, ReadsAndSavesWhatIsBothInputAndOutput) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const std::string from = ::testing::TempDir() + "/from.npy", to = ::testing::TempDir() + "/to.npy";
  npy::Write(from, {"f4", {2}, {0, 0, 0, 63, 0, 0, 128, 63}});
  std::vector<std::string> words = kWords;
  words[2] = "stateRef=" + from + "," + to;
  PreparedCall prepared(kEntry, {words, {}, {}});
  prepared.Allocate();
  prepared.Fetch();
  prepared.Save();
  EXPECT_EQ(npy::Read(to).bytes, npy::Read(from).bytes);
}

TEST(PreparedCall, SaysWhatIsWrongWithAWord) {
  EXPECT_EQ(WhatIsWrong({"x"}), "expected NAME=VALUE, got 'x'; 'portacl ops aclnnAll' lists the names");
  EXPECT_EQ(WhatIsWrong({"alpa=1"}), "aclnnAll has no argument 'alpa' (did you mean 'alpha'?)");
  EXPECT_EQ(WhatIsWrong({"eps=1", "eps=2"}), "argument 'eps' is given twice");
  EXPECT_EQ(WhatIsWrong({}), "aclnnAll needs x=VALUE: a .npy file or random:SIZES");
  EXPECT_EQ(ProblemWith("x="), "argument 'x': expected a .npy file or random:SIZES, got nothing");
  EXPECT_EQ(ProblemWith("x=random:2,-3"), "argument 'x': expected sizes such as 2,3, got '2,-3'");
  EXPECT_EQ(ProblemWith("stateRef=a,b,c"), "argument 'stateRef': expected IN.npy or IN.npy,OUT.npy, got 'a,b,c'");
  EXPECT_EQ(ProblemWith("tensors=random:2,"),
            "argument 'tensors[1]': expected a .npy file or random:SIZES, got nothing");
  EXPECT_EQ(ProblemWith("eps=1,5"), "argument 'eps': expected a number, got '1,5'");
  EXPECT_EQ(ProblemWith("dim=1.5"), "argument 'dim': expected an integer, got '1.5'");
  EXPECT_EQ(ProblemWith("group=2147483648"), "argument 'group': expected an integer of 32 bits, got '2147483648'");
  EXPECT_EQ(ProblemWith("mode=128"), "argument 'mode': expected an integer of 8 bits, got '128'");
  EXPECT_EQ(ProblemWith("keepdim=maybe"), "argument 'keepdim': expected true or false, got 'maybe'");
  EXPECT_EQ(ProblemWith("dtype=flaot16"),
            "argument 'dtype': expected a dtype, got 'flaot16' (did you mean 'FLOAT16' or 'BFLOAT16'?)");
  EXPECT_EQ(ProblemWith("lengths=1,,2"), "argument 'lengths': expected integers such as 1,2, got '1,,2'");
  EXPECT_EQ(ProblemWith("factors=1;2"), "argument 'factors': expected numbers such as 1,2.5, got '1;2'");
}

TEST(PreparedCall, SaysWhatIsWrongWithAnOption) {
  EXPECT_EQ(WhatIsWrong(kWords, {"int32"}), "--dtype int32: write NAME=int32 to say which tensor");
  EXPECT_EQ(WhatIsWrong(kWords, {"complex32"}).rfind("--dtype: expected a dtype of numbers, got 'complex32'", 0), 0u);
  EXPECT_EQ(WhatIsWrong(kWords, {}, {"out=two"}), "--shape out=two: expected sizes such as 2,3, got 'two'");
  EXPECT_EQ(WhatIsWrong(kWords, {}, {"uot=2"}), "aclnnAll has no argument 'uot' (did you mean 'out'?)");
}

}  // namespace
}  // namespace portacl::tool
