// SPDX-License-Identifier: Apache-2.0
//
// What phase 1 of both operators refuses, and in which order. The valid calls have T = 12, N = 4, C = 5 and 7 labels
// per sample.
#include <optional>
#include <string>
#include <vector>

#include "base/soc.h"
#include "calls/call.h"
#include "exec/bind.h"
#include "ops/loss/ctc_loss/ctc_loss_test_support.h"
#include "testing/call_phases.h"

namespace portacl::ops::ctc_loss {

std::span<const exec::OperatorEntry> Operators();

namespace {

constexpr aclnnStatus kOk = 0;
constexpr aclnnStatus kInvalid = 161002;
constexpr aclnnStatus kNoKernel = 561003;

class CtcLossStatus : public DeviceTest {
 protected:
  static calls::Call Base(int number) {
    calls::Call call = calls::MakeValidCall(Operators()[static_cast<size_t>(number)]);
    call.tensor("logProbs").shape = {12, 4, 5};
    call.tensor("targets").shape = {4, 7};
    call.argument("inputLengths").integers.assign(4, 12);
    call.argument("targetLengths").integers.assign(4, 7);
    return call;
  }
  static calls::Call Backward() {
    calls::Call call = Base(1);
    call.tensor("gradOut").shape = {4};
    call.tensor("negLogLikelihood").shape = {4};
    call.tensor("logAlpha").shape = {4, 12, 16};
    call.tensor("out").shape = {12, 4, 5};
    return call;
  }
  static calls::Call Forward() {
    calls::Call call = Base(0);
    call.tensor("negLogLikelihoodOut").shape = {4};
    call.tensor("logAlphaOut").shape = {4, 12, 16};
    return call;
  }
  static void SetDtype(calls::Call& call, aclDataType dtype) {
    for (calls::TensorSpec* tensor : call.Tensors()) {
      if (tensor != &call.tensor("targets")) tensor->dtype = dtype;
    }
  }

  // The message of a refusal contains `word`.
  static void Expect(const calls::Call& call, aclnnStatus status, const std::string& word = "") {
    SCOPED_TRACE(calls::DescribeCall(call));
    const auto result =
        testing::TryPhaseOne([&](uint64_t* bytes, aclOpExecutor** executor) { return call.Plan(bytes, executor); });
    EXPECT_EQ(result.status, status);
    EXPECT_NE(result.message.find(word), std::string::npos) << result.message;
  }
  // The call with another shape for one tensor.
  static calls::Call With(calls::Call call, const char* name, Dims shape) {
    call.tensor(name).shape = std::move(shape);
    return call;
  }
};

TEST_F(CtcLossStatus, BackwardAcceptsItsRows) {
  Expect(Backward(), kOk);
  for (const int64_t columns : {15, 16, 40}) Expect(With(Backward(), "logAlpha", {4, 12, columns}), kOk);
  Expect(With(Backward(), "targets", {28}), kOk);
  Expect(With(Backward(), "targets", {4, 9}), kOk);
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BOOL, ACL_INT32, ACL_INT64}) {
    calls::Call call = Backward();
    call.tensor("targets").dtype = dtype;
    Expect(call, kOk);
  }
}

TEST_F(CtcLossStatus, BackwardRefusesShapes) {
  calls::Call no_steps = Backward();
  no_steps.tensor("logProbs").shape = no_steps.tensor("out").shape = {0, 4, 5};
  no_steps.tensor("logAlpha").shape = {4, 0, 16};
  Expect(no_steps, kInvalid, "'logProbs'");
  Expect(With(Backward(), "gradOut", {4, 1}), kInvalid, "'gradOut'");
  Expect(With(Backward(), "logAlpha", {4, 192}), kInvalid, "'logAlpha'");
  Expect(With(Backward(), "targets", {4, 7, 1}), kInvalid, "'targets'");
  Expect(With(Backward(), "logProbs", {12, 4}), kInvalid, "'logProbs'");
  Expect(With(Backward(), "logProbs", {}), kInvalid, "'logProbs'");
  Expect(With(Backward(), "logAlpha", {4, 12, 14}), kInvalid, "'logAlpha': expected at least 2 * 7 + 1");
  Expect(With(Backward(), "logAlpha", {4, 12, 0}), kInvalid, "'logAlpha'");
  Expect(With(Backward(), "targets", {4, 6}), kInvalid, "'targets': expected at least 7");
  Expect(With(Backward(), "targets", {27}), kInvalid, "'targets': expected 28 elements");
  Expect(With(Backward(), "targets", {3, 7}), kInvalid, "'targets': expected 4");
  Expect(With(Backward(), "out", {12, 4, 6}), kInvalid, "'out'");
  Expect(With(Backward(), "out", {11, 4, 5}), kInvalid, "'out'");
  Expect(With(Backward(), "negLogLikelihood", {3}), kInvalid, "'negLogLikelihood'");
  Expect(With(Backward(), "logAlpha", {4, 13, 16}), kInvalid, "'logAlpha'");
}

TEST_F(CtcLossStatus, BackwardRefusesBatchesWithoutSamples) {
  calls::Call call = Backward();
  call.tensor("logProbs").shape = call.tensor("out").shape = {12, 0, 5};
  call.tensor("gradOut").shape = call.tensor("negLogLikelihood").shape = {0};
  call.tensor("logAlpha").shape = {0, 12, 1};
  call.tensor("targets").shape = {0, 0};
  call.argument("inputLengths").integers.clear();
  call.argument("targetLengths").integers.clear();
  Expect(call, kInvalid, "'gradOut'");
}

TEST_F(CtcLossStatus, BothRefuseBlanksThatAreNoClass) {
  for (calls::Call call : {Backward(), Forward()}) {
    for (const int64_t blank : {-1, 5}) {
      call.argument("blank").integer = blank;
      Expect(call, kInvalid, "'blank': expected a value from 0 to 4");
    }
    call.argument("blank").integer = 4;
    Expect(call, kOk);
    call.tensor("logProbs").shape[2] = 0;
    call.argument("blank").integer = 0;
    Expect(call, kInvalid, "'blank'");
  }
}

TEST_F(CtcLossStatus, BothRefuseLengthsAndNameTheSample) {
  for (const calls::Call& valid : {Backward(), Forward()}) {
    calls::Call call = valid;
    call.argument("inputLengths").integers.resize(3);
    Expect(call, kInvalid, "'inputLengths'");
    call = valid;
    call.argument("targetLengths").integers.resize(5, 7);
    Expect(call, kInvalid, "'targetLengths'");
    call = valid;
    call.argument("inputLengths").integers[2] = 13;
    Expect(call, kInvalid, "'inputLengths': expected at most 12 (time steps of 'logProbs'), got 13 at [2]");
    call = valid;
    call.argument("inputLengths").integers[3] = -1;
    Expect(call, kInvalid, "got -1 at [3]");
    call = valid;
    call.argument("targetLengths").integers[1] = -1;
    Expect(call, kInvalid, "'targetLengths'");
    call.argument("targetLengths").integers = {7, 7, 7, -7};
    Expect(With(call, "targets", {14}), kInvalid, "got -7 at [3]");
  }
}

TEST_F(CtcLossStatus, BothRefuseDtypes) {
  for (const calls::Call& valid : {Backward(), Forward()}) {
    for (const aclDataType dtype : {ACL_INT8, ACL_DOUBLE, ACL_INT4}) {
      calls::Call call = valid;
      call.tensor("targets").dtype = dtype;
      Expect(call, kInvalid, "'targets'");
    }
    calls::Call call = valid;
    SetDtype(call, ACL_INT32);
    Expect(call, kInvalid, "'logProbs'");
    SetDtype(call, ACL_DOUBLE);
    Expect(call, kOk);
  }
  calls::Call mixed = Backward();
  SetDtype(mixed, ACL_DOUBLE);
  mixed.tensor("gradOut").dtype = ACL_FLOAT;
  Expect(mixed, kInvalid, "'gradOut'");
  calls::Call shape_first = With(Backward(), "gradOut", {4, 1});
  shape_first.tensor("logProbs").dtype = ACL_INT32;
  Expect(shape_first, kInvalid, "'gradOut': expected rank 1");
  calls::Call late = Backward();
  late.argument("inputLengths").integers[0] = 13;
  late.tensor("targets").dtype = ACL_INT4;
  Expect(late, kInvalid, "'inputLengths'");
}

TEST_F(CtcLossStatus, NarrowTypesHaveLimits) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE, ACL_FLOAT16, ACL_BF16}) {
    const bool is_narrow = dtype == ACL_FLOAT16 || dtype == ACL_BF16;
    const auto expect = [&](calls::Call call, const char* name) {
      SetDtype(call, dtype);
      Expect(call, is_narrow ? kInvalid : kOk, is_narrow ? std::string("'") + name + "': expected at most" : "");
    };
    calls::Call classes = Backward();
    classes.tensor("logProbs").shape[2] = classes.tensor("out").shape[2] = 200001;
    expect(classes, "logProbs");
    expect(With(Forward(), "logProbs", {12, 4, 200001}), "logProbs");
    calls::Call samples = Backward();
    samples.tensor("logProbs").shape[1] = samples.tensor("out").shape[1] = 8181;
    samples.tensor("gradOut").shape = samples.tensor("negLogLikelihood").shape = {8181};
    samples.tensor("logAlpha").shape[0] = samples.tensor("targets").shape[0] = 8181;
    samples.argument("inputLengths").integers.assign(8181, 12);
    samples.argument("targetLengths").integers.assign(8181, 7);
    expect(samples, "logProbs");
    // 1000 labels fit 2 * 1000 + 1 states, but not the padded 2008.
    for (const int64_t labels : {999, 1000}) {
      calls::Call call = Forward();
      SetDtype(call, dtype);
      call.tensor("targets").shape = {4, labels};
      call.argument("targetLengths").integers.assign(4, labels);
      call.tensor("logAlphaOut").shape = {4, 12, 2 * labels + 1};
      Expect(call, kOk);
      call.tensor("logAlphaOut").shape = {4, 12, (2 * labels + 8) / 8 * 8};
      Expect(call, labels == 1000 && is_narrow ? kInvalid : kOk);
    }
  }
}

TEST_F(CtcLossStatus, ForwardRefusesShapes) {
  for (const int64_t columns : {15, 16}) Expect(With(Forward(), "logAlphaOut", {4, 12, columns}), kOk);
  for (const int64_t columns : {14, 17, 24})
    Expect(With(Forward(), "logAlphaOut", {4, 12, columns}), kInvalid,
           "'logAlphaOut': expected [4,12,15] or [4,12,16]");
  Expect(With(Forward(), "logAlphaOut", {4, 11, 16}), kInvalid, "'logAlphaOut'");
  Expect(With(Forward(), "logAlphaOut", {3, 12, 16}), kInvalid, "'logAlphaOut'");
  Expect(With(Forward(), "logAlphaOut", {4, 192}), kInvalid, "'logAlphaOut'");
  Expect(With(Forward(), "negLogLikelihoodOut", {3}), kInvalid, "'negLogLikelihoodOut'");
  Expect(With(Forward(), "negLogLikelihoodOut", {}), kInvalid, "'negLogLikelihoodOut'");
  Expect(With(Forward(), "negLogLikelihoodOut", {4, 1}), kInvalid, "'negLogLikelihoodOut'");
  Expect(With(Forward(), "logProbs", {0, 4, 5}), kInvalid, "'logProbs'");
  Expect(With(Forward(), "logProbs", {12}), kInvalid, "'logProbs'");
  Expect(With(Forward(), "logProbs", {12, 4, 5, 1}), kInvalid, "'logProbs'");
  Expect(With(Forward(), "targets", {4, 6}), kInvalid, "'targets'");
  Expect(With(Forward(), "targets", {5, 7}), kInvalid, "'targets'");
  Expect(With(Forward(), "targets", {27}), kInvalid, "'targets'");
  Expect(With(Forward(), "targets", {}), kInvalid, "'targets'");
}

TEST_F(CtcLossStatus, ForwardOfNoSamplesDoesNothing) {
  for (const int64_t columns : {1, 8}) {
    calls::Call call = Forward();
    call.tensor("logProbs").shape = {12, 0, 5};
    call.tensor("targets").shape = {0, 0};
    call.tensor("negLogLikelihoodOut").shape = {0};
    call.tensor("logAlphaOut").shape = {0, 12, columns};
    call.argument("inputLengths").integers.clear();
    call.argument("targetLengths").integers.clear();
    testing::RunPhases(call);
  }
}

TEST_F(CtcLossStatus, ForwardOfOneSampleHasNoBatchAxis) {
  calls::Call call = Forward();
  call.tensor("logProbs").shape = {12, 5};
  call.tensor("targets").shape = {1, 7};
  call.argument("inputLengths").integers = {12};
  call.argument("targetLengths").integers = {7};
  call.tensor("logAlphaOut").shape = {1, 12, 16};
  call.tensor("negLogLikelihoodOut").shape = {1};
  Expect(call, kInvalid, "'negLogLikelihoodOut': expected []");
  call.tensor("negLogLikelihoodOut").shape = {};
  Expect(call, kOk);
}

TEST_F(CtcLossStatus, ProductsDifferInDtypes) {
  for (const Soc& soc : kSocs) {
    SetCurrentSocForTest(&soc);
    const bool exists = soc.family != SocFamily::kAscend310B;
    const bool is_old = soc.family == SocFamily::kAscend910 || soc.family == SocFamily::kAscend310P;
    for (calls::Call call : {Backward(), Forward()}) {
      Expect(call, exists ? kOk : kNoKernel);
      SetDtype(call, ACL_BF16);
      Expect(call, !exists ? kNoKernel : is_old ? kInvalid : kOk);
      call.argument("inputLengths").integers[0] = 13;
      Expect(call, kInvalid);
    }
  }
  SetCurrentSocForTest(nullptr);
}

}  // namespace
}  // namespace portacl::ops::ctc_loss
