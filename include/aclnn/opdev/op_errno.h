// SPDX-License-Identifier: Apache-2.0
// Names of the statuses that operator functions return, for programs that compare by name:
//     #include "opdev/op_errno.h"      with -I<toolkit>/include/aclnn
// No other header includes this one: programs also define such names for themselves.
#ifndef PORTACL_INCLUDE_ACLNN_OPDEV_OP_ERRNO_H_
#define PORTACL_INCLUDE_ACLNN_OPDEV_OP_ERRNO_H_

/// The call succeeded.
#define ACLNN_SUCCESS 0

/// A mandatory pointer is null.
#define ACLNN_ERR_PARAM_NULLPTR 161001
/// A dtype, format, rank, shape, attribute or value is not allowed.
#define ACLNN_ERR_PARAM_INVALID 161002

/// A call of the runtime failed inside the operator.
#define ACLNN_ERR_RUNTIME_ERROR 361001

/// Internal; also an executor that is unknown, already consumed, or of another operator.
#define ACLNN_ERR_INNER 561000
#define ACLNN_ERR_INNER_INFERSHAPE_ERROR 561001
/// The work could not be divided.
#define ACLNN_ERR_INNER_TILING_ERROR 561002
/// The emulated SoC does not have the operator.
#define ACLNN_ERR_INNER_FIND_KERNEL_ERROR 561003
/// The executor could not be created.
#define ACLNN_ERR_INNER_CREATE_EXECUTOR 561101
#define ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR 561102
/// An executor function received a null executor.
#define ACLNN_ERR_INNER_NULLPTR 561103

/// Statuses that no function of this version returns. One value has two spellings.
#define ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE 561104
#define ACLNN_ERR_INNER_KEY_CONFILICT 561105
#define ACLNN_ERR_INNER_KEY_CONFLICT 561105
#define ACLNN_ERR_INNER_INVALID_IMPL_MODE 561106
#define ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND 561107
#define ACLNN_ERR_INNER_LOAD_JSON_FAILED 561108
#define ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND 561109
#define ACLNN_ERR_INNER_JSON_FORMAT_INVALID 561110
#define ACLNN_ERR_INNER_JSON_DTYPE_INVALID 561111
#define ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND 561112
#define ACLNN_ERR_INNER_OP_FILE_INVALID 561113
#define ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND 561114
#define ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH 561115
#define ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE 561116
#define ACLNN_ERR_INNER_INPUT_JSON_IS_NULL 561117
#define ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID 561118
#define ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID 561119

#endif  // PORTACL_INCLUDE_ACLNN_OPDEV_OP_ERRNO_H_
