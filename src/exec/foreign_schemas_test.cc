// SPDX-License-Identifier: Apache-2.0
// Schemas of operators that the library does not have: the words of the schema must be able to express more than
// today's operators. Only checks are tested. Each table row is a call and its status, with the semantics of PyTorch's
// counterpart; calls and mistakes are also generated from the schemas.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "calls/tensor_builder.h"
#include "calls/violation.h"
#include "calls/word_calls.h"
#include "exec/bind.h"
#include "exec/check_fixture.h"
#include "testing/call_phases.h"

namespace portacl::exec {
namespace {

using calls::Dims;
using calls::TensorBuilder;
using calls::TensorHandle;

constexpr DtypeSet kNumbers = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,      ACL_INT16,
                               ACL_INT32, ACL_INT64,   ACL_UINT8, ACL_BOOL,   ACL_COMPLEX64, ACL_COMPLEX128};

// out = self * other
constexpr SchemaOf kMuls({.api = "aclnnMuls", .accuracy = {RoundedOnce("out")}},
                         {In("self"), Scalar("other"), Out("out")},
                         {NotNull("self", "other", "out"), NotNull("workspaceSize", "executor"),
                          DtypeOneOf({"self", "out"}, kNumbers), PromotesTo({"self", "other"}, "out"),
                          PlainFormat("self", "out"), MaxRank("self", "out"), ShapeIs("out", SameShapeAs("self")),
                          EmptySucceeds("self")});

// out = tensors joined along dim
constexpr SchemaOf kCat({.api = "aclnnCat", .accuracy = {Exact("out")}},
                        {InList("tensors"), Attribute("dim", ValueKind::kInt64), Out("out")},
                        {NotNull("tensors", "out"), NotNull("workspaceSize", "executor"),
                         SizeInRange({Length("tensors")}, 1, 512), DtypeOneOf({"tensors", "out"}, kNumbers),
                         PromotesTo({"tensors"}, "out"), PlainFormat("tensors", "out"), Rank({"tensors", "out"}, 1, 8),
                         DimInRange("dim", "tensors"), ShapeIs("out", ConcatOf("tensors", "dim")),
                         EmptySucceeds("out")});

// out = self, clamped to [min, max]
constexpr SchemaOf kClamp({.api = "aclnnClamp", .accuracy = {Exact("out")}},
                          {In("self"), OptionalScalar("min"), OptionalScalar("max"), Out("out")},
                          {NotNull("self", "out"), NotNull("workspaceSize", "executor"), NotAllNull("min", "max"),
                           DtypeOneOf({"self", "out"}, kNumbers), PromotesTo({"self", "min", "max"}, "out"),
                           PlainFormat("self", "out"), MaxRank("self", "out"), ShapeIs("out", SameShapeAs("self")),
                           EmptySucceeds("self")});

// selfRef += alpha * other
constexpr SchemaOf kInplaceAdd({.api = "aclnnInplaceAdd", .accuracy = {RoundedOnce("selfRef")}},
                               {InOut("selfRef"), In("other"), Scalar("alpha")},
                               {NotNull("selfRef", "other", "alpha"), NotNull("workspaceSize", "executor"),
                                DtypeOneOf({"selfRef", "other"}, kNumbers),
                                PromotesTo({"selfRef", "other", "alpha"}, "selfRef"), PlainFormat("selfRef", "other"),
                                MaxRank("selfRef", "other"), ShapeIs("selfRef", BroadcastOf("selfRef", "other")),
                                EmptySucceeds("selfRef")});

struct Tensor {
  aclDataType dtype = ACL_FLOAT;
  Dims shape = {2, 3};
  bool null = false;

  TensorHandle Make() const { return null ? nullptr : TensorBuilder(dtype, shape).Build(); }
};
const Tensor kNull{.null = true};

class ScalarHandle {
 public:
  explicit ScalarHandle(aclDataType dtype) {
    double zeros[2] = {};
    scalar_ = dtype == ACL_DT_UNDEFINED ? nullptr : aclCreateScalar(zeros, dtype);  // UNDEFINED: no scalar
  }
  ~ScalarHandle() { aclDestroyScalar(scalar_); }
  const aclScalar* get() const { return scalar_; }

 private:
  aclScalar* scalar_;
};
constexpr aclDataType kNone = ACL_DT_UNDEFINED;

void ExpectRow(size_t row, const CheckResult& result, aclnnStatus status, const std::string& argument) {
  EXPECT_EQ(result.status, status) << "row " << row << ": " << result.message;
  if (status != kSuccess) {
    EXPECT_NE(result.message.find("argument '" + argument + "'"), std::string::npos)
        << "row " << row << ": " << result.message;
  }
}

TEST(ForeignSchemas, Muls) {
  const struct {
    Tensor self;
    aclDataType other;
    Tensor out;
    aclnnStatus status;
    const char* argument;
  } rows[] = {
      {{}, ACL_FLOAT, {}, 0, ""},
      {kNull, ACL_FLOAT, {}, 161001, "self"},
      {{}, kNone, {}, 161001, "other"},
      {{}, ACL_FLOAT, kNull, 161001, "out"},
      {{ACL_FLOAT16}, ACL_DOUBLE, {ACL_FLOAT16}, 0, ""},  // a scalar of the same kind does not widen
      {{ACL_INT32}, ACL_INT64, {ACL_INT32}, 0, ""},
      {{ACL_INT32}, ACL_FLOAT, {ACL_FLOAT}, 0, ""},          // the higher kind wins
      {{ACL_INT32}, ACL_FLOAT, {ACL_INT32}, 161002, "out"},  // FLOAT cannot be cast to INT32
      {{ACL_BOOL}, ACL_INT64, {ACL_INT64}, 0, ""},
      {{ACL_BOOL}, ACL_INT64, {ACL_BOOL}, 161002, "out"},
      {{ACL_BOOL}, ACL_BOOL, {ACL_BOOL}, 0, ""},
      {{ACL_FLOAT}, ACL_COMPLEX64, {ACL_FLOAT}, 161002, "out"},
      {{ACL_FLOAT}, ACL_COMPLEX64, {ACL_COMPLEX64}, 0, ""},
      {{ACL_FLOAT}, ACL_FLOAT, {ACL_BF16}, 0, ""},  // float kinds convert into each other
      {{ACL_UINT64}, ACL_INT64, {ACL_UINT64}, 161002, "self"},
      {{ACL_FLOAT, {2, 3}}, ACL_FLOAT, {ACL_FLOAT, {3}}, 161002, "out"},
      {{ACL_FLOAT, {}}, ACL_FLOAT, {ACL_FLOAT, {}}, 0, ""},
      {{ACL_FLOAT, {0}}, ACL_FLOAT, {ACL_FLOAT, {0}}, 0, ""},
      {{ACL_FLOAT, Dims(9, 1)}, ACL_FLOAT, {ACL_FLOAT, Dims(9, 1)}, 161002, "self"},
  };
  for (size_t i = 0; i < std::size(rows); ++i) {
    const TensorHandle self = rows[i].self.Make();
    const ScalarHandle other(rows[i].other);
    const TensorHandle out = rows[i].out.Make();
    ExpectRow(i, RunChecks(kMuls, {self.get(), other.get(), out.get()}), rows[i].status, rows[i].argument);
  }
}

TEST(ForeignSchemas, Cat) {
  const struct {
    std::vector<Tensor> tensors;
    int64_t dim;
    Tensor out;
    aclnnStatus status;
    const char* argument;
  } rows[] = {
      {{{ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {4, 3}}}, 0, {ACL_FLOAT, {6, 3}}, 0, ""},
      {{{ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {2, 1}}}, -1, {ACL_FLOAT, {2, 4}}, 0, ""},
      {{{ACL_FLOAT, {2, 3}}}, 1, {ACL_FLOAT, {2, 3}}, 0, ""},
      {{}, 0, {ACL_FLOAT, {0}}, 161002, "tensors"},  // at least one
      {{{ACL_FLOAT, {2}}, kNull}, 0, {ACL_FLOAT, {2}}, 161001, "tensors[1]"},
      {{{ACL_FLOAT, {2}}}, 0, kNull, 161001, "out"},
      {{{ACL_FLOAT, {0}}, {ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {0}}}, 1, {ACL_FLOAT, {2, 3}}, 0, ""},  // [0] is ignored
      {{{ACL_FLOAT, {0}}, {ACL_FLOAT, {0}}}, 0, {ACL_FLOAT, {0}}, 0, ""},
      {{{ACL_FLOAT, {0}}, {ACL_FLOAT, {0}}}, 1, {ACL_FLOAT, {0}}, 161002, "dim"},
      {{{ACL_FLOAT, {0, 3}}, {ACL_FLOAT, {2, 3}}}, 0, {ACL_FLOAT, {2, 3}}, 0, ""},  // [0,3] is not ignored, but fits
      {{{ACL_FLOAT, {0, 4}}, {ACL_FLOAT, {2, 3}}}, 0, {ACL_FLOAT, {2, 3}}, 161002, "tensors[1]"},
      {{{ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {2, 4}}}, 0, {ACL_FLOAT, {4, 3}}, 161002, "tensors[1]"},
      {{{ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {2, 3, 1}}}, 0, {ACL_FLOAT, {4, 3}}, 161002, "tensors[1]"},
      {{{ACL_FLOAT, {2, 3}}}, 2, {ACL_FLOAT, {2, 3}}, 161002, "dim"},
      {{{ACL_FLOAT, {2, 3}}}, -3, {ACL_FLOAT, {2, 3}}, 161002, "dim"},
      {{{ACL_FLOAT, {2, 3}}, {ACL_FLOAT, {2, 3}}}, 0, {ACL_FLOAT, {2, 6}}, 161002, "out"},
      {{{ACL_FLOAT, {}}}, 0, {ACL_FLOAT, {1}}, 161002, "tensors[0]"},  // no axis to join
      {{{ACL_FLOAT16, {2}}, {ACL_BF16, {2}}}, 0, {ACL_FLOAT, {4}}, 0, ""},
      {{{ACL_FLOAT16, {2}}, {ACL_INT64, {2}}}, 0, {ACL_FLOAT16, {4}}, 0, ""},
      {{{ACL_INT8, {2}}, {ACL_UINT8, {2}}}, 0, {ACL_INT16, {4}}, 0, ""},
      {{{ACL_FLOAT, {2}}, {ACL_INT32, {2}}}, 0, {ACL_INT32, {4}}, 161002, "out"},
      {{{ACL_FLOAT, {2}}, {ACL_STRING, {2}}}, 0, {ACL_FLOAT, {4}}, 161002, "tensors[1]"},
      {{{ACL_FLOAT, {0, 3}}, {ACL_FLOAT, {0, 3}}}, 0, {ACL_FLOAT, {0, 3}}, 0, ""},
      {std::vector<Tensor>(40, Tensor{ACL_FLOAT, {1, 3}}), 0, {ACL_FLOAT, {40, 3}}, 0, ""},  // more than fit inline
  };
  for (size_t i = 0; i < std::size(rows); ++i) {
    std::vector<const aclTensor*> tensors;
    for (const Tensor& tensor : rows[i].tensors) tensors.push_back(tensor.Make().release());
    aclTensorList* list = aclCreateTensorList(tensors.data(), tensors.size());
    const TensorHandle out = rows[i].out.Make();
    ExpectRow(i, RunChecks(kCat, {list, rows[i].dim, out.get()}), rows[i].status, rows[i].argument);
    aclDestroyTensorList(list);
  }
  const TensorHandle out = Tensor{}.Make();
  EXPECT_EQ(RunChecks(kCat, {static_cast<const aclTensorList*>(nullptr), int64_t{0}, out.get()}).status, kNullPointer);
}

TEST(ForeignSchemas, Clamp) {
  const struct {
    Tensor self;
    aclDataType min;
    aclDataType max;
    Tensor out;
    aclnnStatus status;
    const char* argument;
  } rows[] = {
      {{}, ACL_FLOAT, ACL_FLOAT, {}, 0, ""},
      {{}, ACL_FLOAT, kNone, {}, 0, ""},
      {{}, kNone, ACL_FLOAT, {}, 0, ""},
      {{}, kNone, kNone, {}, 161001, "min"},  // at least one bound is needed
      {kNull, ACL_FLOAT, kNone, {}, 161001, "self"},
      {{ACL_INT32}, ACL_INT64, kNone, {ACL_INT32}, 0, ""},
      {{ACL_INT32}, kNone, ACL_FLOAT, {ACL_INT32}, 161002, "out"},
      {{ACL_INT32}, kNone, ACL_FLOAT, {ACL_FLOAT}, 0, ""},
      {{ACL_FLOAT16}, ACL_FLOAT, ACL_DOUBLE, {ACL_FLOAT16}, 0, ""},
      {{}, ACL_FLOAT, kNone, {ACL_FLOAT, {6}}, 161002, "out"},
  };
  for (size_t i = 0; i < std::size(rows); ++i) {
    const TensorHandle self = rows[i].self.Make();
    const ScalarHandle min(rows[i].min);
    const ScalarHandle max(rows[i].max);
    const TensorHandle out = rows[i].out.Make();
    ExpectRow(i, RunChecks(kClamp, {self.get(), min.get(), max.get(), out.get()}), rows[i].status, rows[i].argument);
  }
}

TEST(ForeignSchemas, InplaceAdd) {
  const struct {
    Tensor self;
    Tensor other;
    aclDataType alpha;
    aclnnStatus status;
    const char* argument;
  } rows[] = {
      {{}, {}, ACL_FLOAT, 0, ""},
      {{}, {ACL_FLOAT, {3}}, ACL_INT64, 0, ""},
      {{}, {ACL_FLOAT, {1, 1}}, ACL_INT64, 0, ""},
      {{ACL_FLOAT, {3}}, {ACL_FLOAT, {2, 3}}, ACL_INT64, 161002, "selfRef"},  // the result would be larger than selfRef
      {{}, {ACL_FLOAT, {4}}, ACL_INT64, 161002, "other"},
      {{ACL_FLOAT16}, {ACL_FLOAT}, ACL_FLOAT, 0, ""},
      {{ACL_INT32}, {ACL_FLOAT}, ACL_INT64, 161002, "selfRef"},
      {{ACL_INT32}, {ACL_INT64}, ACL_INT64, 0, ""},
      {{ACL_INT32}, {ACL_INT32}, ACL_FLOAT, 161002, "selfRef"},  // an integer sum does not accept a fractional `other`
      {{ACL_BOOL}, {ACL_BOOL}, ACL_INT64, 161002, "selfRef"},
      {{ACL_BOOL}, {ACL_BOOL}, ACL_BOOL, 0, ""},
      {{ACL_FLOAT}, {ACL_INT32}, ACL_DOUBLE, 0, ""},
      {kNull, {}, ACL_FLOAT, 161001, "selfRef"},
      {{}, kNull, ACL_FLOAT, 161001, "other"},
      {{}, {}, kNone, 161001, "alpha"},
      {{ACL_FLOAT, {0, 3}}, {ACL_FLOAT, {1, 3}}, ACL_FLOAT, 0, ""},
  };
  for (size_t i = 0; i < std::size(rows); ++i) {
    const TensorHandle self = rows[i].self.Make();
    const TensorHandle other = rows[i].other.Make();
    const ScalarHandle alpha(rows[i].alpha);
    ExpectRow(i, RunChecks(kInplaceAdd, {self.get(), other.get(), alpha.get()}), rows[i].status, rows[i].argument);
  }
}

void PlanNothing(PlanBuilder&) {}
aclnnStatus PlanMuls(const aclTensor* self, const aclScalar* other, aclTensor* out, uint64_t* size,
                     aclOpExecutor** executor) {
  return MakePlan(kMuls, {self, other, out}, size, executor, PlanNothing);
}
aclnnStatus PlanCat(const aclTensorList* tensors, int64_t dim, aclTensor* out, uint64_t* size,
                    aclOpExecutor** executor) {
  return MakePlan(kCat, {tensors, dim, out}, size, executor, PlanNothing);
}
aclnnStatus PlanClamp(const aclTensor* self, const aclScalar* min, const aclScalar* max, aclTensor* out, uint64_t* size,
                      aclOpExecutor** executor) {
  return MakePlan(kClamp, {self, min, max, out}, size, executor, PlanNothing);
}
aclnnStatus PlanInplaceAdd(aclTensor* self, const aclTensor* other, const aclScalar* alpha, uint64_t* size,
                           aclOpExecutor** executor) {
  return MakePlan(kInplaceAdd, {self, other, alpha}, size, executor, PlanNothing);
}
aclnnStatus RunNothing(void*, uint64_t, aclOpExecutor*, aclrtStream) { return kSuccess; }

constexpr OperatorEntry kEntries[] = {Bind<&PlanMuls, &RunNothing>(kMuls), Bind<&PlanCat, &RunNothing>(kCat),
                                      Bind<&PlanClamp, &RunNothing>(kClamp),
                                      Bind<&PlanInplaceAdd, &RunNothing>(kInplaceAdd)};

TEST(ForeignSchemas, DrawnCallsAreAccepted) {
  for (const OperatorEntry& entry : kEntries) {
    for (uint64_t seed = 0; seed < 300; ++seed) {
      calls::Random random(seed);
      const calls::Call call = calls::MakeValidCall(entry, &random);
      aclGetRecentErrMsg();
      ASSERT_EQ(testing::StatusOf(call), kSuccess) << calls::DescribeCall(call) << "\n" << aclGetRecentErrMsg();
    }
  }
}

TEST(ForeignSchemas, MistakesAreRefused) {
  for (const OperatorEntry& entry : kEntries) {
    for (const calls::Violation& mistake : calls::ViolationsOf(entry)) {
      calls::Call call = calls::MakeValidCall(entry);
      mistake.apply(call);
      EXPECT_EQ(testing::StatusOf(call), mistake.status) << calls::DescribeCall(call) << ": " << mistake.what;
    }
  }
}

TEST(ForeignSchemas, StepsAreSentences) {
  const auto text = [](const Schema& schema, Word word) {
    const auto step = std::ranges::find(schema.steps, word, &Step::word);
    return calls::StepText(schema, *step, CurrentSoc().family);
  };
  EXPECT_EQ(text(kMuls, Word::kPromotesTo), "self, other: a common dtype that can be cast to that of out");
  EXPECT_EQ(text(kCat, Word::kSizeInRange), "length of tensors: from 1 to 512");
  EXPECT_EQ(text(kCat, Word::kShapeIs), "out: shape that of tensors joined along dim");
  EXPECT_EQ(text(kClamp, Word::kNotAllNull), "min, max: at least one is given");
}

}  // namespace
}  // namespace portacl::exec
