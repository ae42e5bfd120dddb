// SPDX-License-Identifier: Apache-2.0
// Names of the statuses of operator functions, for the library's own use: public headers define none of them, because
// programs may define them for themselves.
#pragma once

#include <cstdint>

namespace portacl {

inline constexpr int32_t kAclnnSuccess = 0;
inline constexpr int32_t kAclnnErrParamNullptr = 161001;  // a mandatory pointer is null
inline constexpr int32_t kAclnnErrParamInvalid = 161002;  // dtype, format, rank, shape, attribute or value
inline constexpr int32_t kAclnnErrRuntimeError = 361001;  // a call of the runtime failed inside the operator
inline constexpr int32_t kAclnnErrInner = 561000;         // internal; unknown, consumed or unrepeatable executor
inline constexpr int32_t kAclnnErrInnerInfershapeError = 561001;  // the output shape could not be worked out
inline constexpr int32_t kAclnnErrInnerTilingError = 561002;      // the work could not be divided
inline constexpr int32_t kAclnnErrInnerFindKernelError = 561003;  // no kernel for this product and these dtypes
inline constexpr int32_t kAclnnErrInnerCreateExecutor = 561101;   // the executor could not be made
inline constexpr int32_t kAclnnErrInnerNotTransExecutor = 561102;
inline constexpr int32_t kAclnnErrInnerNullptr = 561103;  // null inside the library, or a null executor
inline constexpr int32_t kAclnnErrInnerWrongAttrInfoSize = 561104;
inline constexpr int32_t kAclnnErrInnerKeyConflict = 561105;
inline constexpr int32_t kAclnnErrInnerInvalidImplMode = 561106;
inline constexpr int32_t kAclnnErrInnerOppPathNotFound = 561107;  // ASCEND_OPP_PATH is unusable
inline constexpr int32_t kAclnnErrInnerLoadJsonFailed = 561108;
inline constexpr int32_t kAclnnErrInnerJsonValueNotFound = 561109;
inline constexpr int32_t kAclnnErrInnerJsonFormatInvalid = 561110;
inline constexpr int32_t kAclnnErrInnerJsonDtypeInvalid = 561111;
inline constexpr int32_t kAclnnErrInnerOppKernelPkgNotFound = 561112;  // kernel package missing
inline constexpr int32_t kAclnnErrInnerOpFileInvalid = 561113;
inline constexpr int32_t kAclnnErrInnerAttrNumOutOfBound = 561114;
inline constexpr int32_t kAclnnErrInnerAttrLenNotEnough = 561115;
inline constexpr int32_t kAclnnErrInnerInputNumInJsonTooLarge = 561116;
inline constexpr int32_t kAclnnErrInnerInputJsonIsNull = 561117;
inline constexpr int32_t kAclnnErrInnerStaticWorkspaceInvalid = 561118;
inline constexpr int32_t kAclnnErrInnerStaticBlockDimInvalid = 561119;

}  // namespace portacl
