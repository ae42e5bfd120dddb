// SPDX-License-Identifier: Apache-2.0
// Operators by name (aclop*), the older path beside aclnn. This library compiles no operators: descriptions can be
// created, but are empty and never used, and running an operator is refused.
#ifndef PORTACL_INCLUDE_ACL_ACL_OP_H_
#define PORTACL_INCLUDE_ACL_ACL_OP_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: attributes of an operator, description of a tensor.
typedef struct aclopAttr aclopAttr;
typedef struct aclTensorDesc aclTensorDesc;

/// Engine, time of compilation, compiler option: values that this library does not read.
typedef int32_t aclopEngineType;
typedef int32_t aclopCompileType;
typedef int32_t aclCompileOpt;

/// Compiles and runs an operator by its type. Refused: use the operator's aclnn functions.
///
/// opType  in  named in the message; the other arguments are not read.
///
/// Returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecute(
    const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], const aclDataBuffer* const inputs[],
    int numOutputs, const aclTensorDesc* const outputDesc[], aclDataBuffer* const outputs[], const aclopAttr* attr,
    aclopEngineType engineType, aclopCompileType compileFlag, const char* opPath, aclrtStream stream);

/// aclopCompileAndExecute for operators that compute their output shapes. Refused as well.
///
/// opType  in  named in the message; the other arguments are not read.
///
/// Returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
                                                      aclDataBuffer* inputs[], int numOutputs,
                                                      aclTensorDesc* outputDesc[], aclDataBuffer* outputs[],
                                                      aclopAttr* attr, aclopEngineType engineType,
                                                      aclopCompileType compileFlag, const char* opPath,
                                                      aclrtStream stream);

/// Attributes of an operator. They are empty: the functions below read none of their arguments and always return
/// ACL_SUCCESS. Threads: no context, here and below.
///
/// Returns an object, never NULL.
ACL_FUNC_VISIBILITY aclopAttr* aclopCreateAttr(void);
/// Frees the attributes.
ACL_FUNC_VISIBILITY void aclopDestroyAttr(const aclopAttr* attr);
/// Sets a boolean: 0 or 1.
ACL_FUNC_VISIBILITY aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName, uint8_t attrValue);
/// Sets an integer.
ACL_FUNC_VISIBILITY aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName, int64_t attrValue);
/// Sets a real number.
ACL_FUNC_VISIBILITY aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName, float attrValue);
/// Sets a string.
ACL_FUNC_VISIBILITY aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char* attrValue);
/// Sets a dtype.
ACL_FUNC_VISIBILITY aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName, aclDataType attrValue);
/// Sets a list of `numValues` booleans.
ACL_FUNC_VISIBILITY aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName, int numValues,
                                                  const uint8_t* values);
/// Sets a list of `numValues` integers.
ACL_FUNC_VISIBILITY aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName, int numValues,
                                                 const int64_t* values);
/// Sets a list of `numValues` real numbers.
ACL_FUNC_VISIBILITY aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName, int numValues,
                                                   const float* values);
/// Sets `numLists` lists of integers, whose lengths `numValues` contains.
ACL_FUNC_VISIBILITY aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName, int numLists,
                                                     const int* numValues, const int64_t* const values[]);

/// Descriptions of tensors. They are empty: the functions below read none of their arguments, and those with a status
/// always return ACL_SUCCESS. Threads: no context, here and below.
///
/// Returns an object, never NULL.
ACL_FUNC_VISIBILITY aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims,
                                                       aclFormat format);
/// Frees a description.
ACL_FUNC_VISIBILITY void aclDestroyTensorDesc(const aclTensorDesc* desc);
/// Returns ACL_DT_UNDEFINED.
ACL_FUNC_VISIBILITY aclDataType aclGetTensorDescType(const aclTensorDesc* desc);
/// Returns ACL_FORMAT_UNDEFINED.
ACL_FUNC_VISIBILITY aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc);
/// Returns 0 dimensions.
ACL_FUNC_VISIBILITY size_t aclGetTensorDescNumDims(const aclTensorDesc* desc);
/// Stores 0 as the size of any dimension; `dimSize` may be NULL.
ACL_FUNC_VISIBILITY aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize);
/// Names the tensor.
ACL_FUNC_VISIBILITY void aclSetTensorDescName(aclTensorDesc* desc, const char* name);
/// Sets the format of the memory.
ACL_FUNC_VISIBILITY aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format);
/// Sets the shape of the memory: `numDims` sizes.
ACL_FUNC_VISIBILITY aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims);
/// Sets the side on which the memory is.
ACL_FUNC_VISIBILITY aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType);

/// Sets an option of the operator compiler. There are no options: every call succeeds. The functions that read an
/// option are missing on purpose: PyTorch's plug-in fails if they exist and refuse, but works without them.
///
/// Returns ACL_SUCCESS. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclSetCompileopt(aclCompileOpt opt, const char* value);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_OP_H_
