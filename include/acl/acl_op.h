// SPDX-License-Identifier: Apache-2.0
// Operators by name (aclop*), the older path beside aclnn. Tensors and attributes can be described; running an operator
// is refused: its aclnn functions do that. acl_op_compiler.h has the functions that compile an operator first.
#ifndef PORTACL_INCLUDE_ACL_ACL_OP_H_
#define PORTACL_INCLUDE_ACL_ACL_OP_H_

#include "acl/op/tensor_desc.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: attributes of an operator; an operator that is ready to run; a kernel of an operator.
typedef struct aclopAttr aclopAttr;
typedef struct aclopHandle aclopHandle;

/// Engines that run operators.
typedef enum aclEngineType { ACL_ENGINE_SYS = 0, ACL_ENGINE_AICORE = 1, ACL_ENGINE_VECTOR = 2 } aclopEngineType;

/// Frees the binary of a kernel.
typedef void (*aclDataDeallocator)(void* data, size_t length);

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
/// Sets a list of `numValues` strings.
ACL_FUNC_VISIBILITY aclError aclopSetAttrListString(aclopAttr* attr, const char* attrName, int numValues,
                                                    const char** values);
/// Sets a list of `numValues` dtypes.
ACL_FUNC_VISIBILITY aclError aclopSetAttrListDataType(aclopAttr* attr, const char* attrName, int numValues,
                                                      const aclDataType values[]);

/// Operators that were compiled in advance. There are none: each of these functions leaves a message with
/// its name and returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT; aclopDestroyHandle does nothing. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclopSetModelDir(const char* modelDir);
ACL_FUNC_VISIBILITY aclError aclopLoad(const void* model, size_t modelSize);
ACL_FUNC_VISIBILITY aclError aclopExecute(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
                                          const aclDataBuffer* const inputs[], int numOutputs,
                                          const aclTensorDesc* const outputDesc[], aclDataBuffer* const outputs[],
                                          const aclopAttr* attr, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclopExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
                                            aclDataBuffer* inputs[], int numOutputs, aclTensorDesc* outputDesc[],
                                            aclDataBuffer* outputs[], aclopAttr* attr, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclopCreateHandle(const char* opType, int numInputs,
                                               const aclTensorDesc* const inputDesc[], int numOutputs,
                                               const aclTensorDesc* const outputDesc[], const aclopAttr* opAttr,
                                               aclopHandle** handle);
ACL_FUNC_VISIBILITY void aclopDestroyHandle(aclopHandle* handle);
ACL_FUNC_VISIBILITY aclError aclopExecWithHandle(aclopHandle* handle, int numInputs,
                                                 const aclDataBuffer* const inputs[], int numOutputs,
                                                 aclDataBuffer* const outputs[], aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclopCast(const aclTensorDesc* srcDesc, const aclDataBuffer* srcBuffer,
                                       const aclTensorDesc* dstDesc, aclDataBuffer* dstBuffer, uint8_t truncate,
                                       aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclopInferShape(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
                                             aclDataBuffer* inputs[], int numOutputs, aclTensorDesc* outputDesc[],
                                             aclopAttr* attr);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_OP_H_
