// SPDX-License-Identifier: Apache-2.0
// Macros that all operator headers need.
#ifndef PORTACL_INCLUDE_ACLNNOP_ACLNN_UTIL_H_
#define PORTACL_INCLUDE_ACLNNOP_ACLNN_UTIL_H_

/// Marks the functions of an operator, which its library exports.
#ifndef ACLNN_API
#define ACLNN_API __attribute__((visibility("default")))
#endif

#endif  // PORTACL_INCLUDE_ACLNNOP_ACLNN_UTIL_H_
