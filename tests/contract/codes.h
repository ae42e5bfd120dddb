// SPDX-License-Identifier: Apache-2.0
// The status codes that clients see, as integers: a contract test must fail when a named constant changes its value.
#pragma once

#include <cstdint>

namespace contract {

constexpr int32_t kOk = 0;
// The acl layer.
constexpr int32_t kInvalidParam = 100000;
constexpr int32_t kRepeatInitialize = 100002;
constexpr int32_t kInvalidFile = 100003;
constexpr int32_t kParseFile = 100006;
constexpr int32_t kRepeatFinalize = 100037;
// The runtime layer.
constexpr int32_t kRtParamInvalid = 107000;
constexpr int32_t kRtInvalidDevice = 107001;
constexpr int32_t kRtNoContext = 107002;
constexpr int32_t kRtOtherContext = 107003;
constexpr int32_t kRtNoTimestamp = 107006;
constexpr int32_t kRtThreadNotSubscribed = 107012;
constexpr int32_t kRtNoCallbackThread = 107015;
constexpr int32_t kRtInvalidHandle = 107017;
constexpr int32_t kRtOptionNotSet = 107021;
constexpr int32_t kRtStreamAborted = 107023;
constexpr int32_t kRtNotSupported = 207000;
constexpr int32_t kRtOutOfMemory = 207001;
constexpr int32_t kRtInternal = 507000;
constexpr int32_t kRtReleasedTooOften = 507007;
constexpr int32_t kRtReportTimeout = 507012;
constexpr int32_t kRtReadOutside = 507042;
constexpr int32_t kRtStreamTimeout = 507046;
constexpr int32_t kRtEventTimeout = 507047;
// aclnn.
constexpr int32_t kNullParameter = 161001;
constexpr int32_t kInvalidParameter = 161002;
constexpr int32_t kRuntimeError = 361001;
constexpr int32_t kInnerError = 561000;
constexpr int32_t kFindKernelError = 561003;
constexpr int32_t kInnerNull = 561103;

}  // namespace contract
