// SPDX-License-Identifier: Apache-2.0
// Objects that operators take: tensors, scalars, arrays, lists, and the executor that connects the two phases.
//
// Every object is a description: creating one copies dims, strides and values, and keeps the data address of a tensor
// without owning it. Statuses are 0, 161001 (a mandatory pointer is null), 161002 (a value is not allowed), 561000
// (unknown or consumed executor) and 561103 (null executor); aclGetRecentErrMsg returns the details. All aclGet*
// functions leave their results unchanged on failure. No function here except aclDumpOpTensors needs a context.
#ifndef PORTACL_INCLUDE_ACLNN_ACL_META_H_
#define PORTACL_INCLUDE_ACLNN_ACL_META_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <cstdint>
#include <cstdlib>
#endif

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Other headers may repeat this block.
#ifndef ACLNN_META
#define ACLNN_META
/// A view of device memory: address, offset, shape, strides, element type, layout.
typedef struct aclTensor aclTensor;
/// One value of any element type.
typedef struct aclScalar aclScalar;
/// Arrays of numbers.
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
/// Lists that own their elements.
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;
/// The plan of one operator call, created by its first phase and executed by its second.
typedef struct aclOpExecutor aclOpExecutor;
/// Status of operator functions.
typedef int32_t aclnnStatus;
/// Success.
#ifdef __cplusplus
constexpr aclnnStatus OK = 0;
#else
static const aclnnStatus OK = 0;
#endif
#endif

/// Describes a tensor. Element (i0, i1, ...) lies at tensorData + (offset + sum of ik * stride[k]) * element size.
///
/// viewDims     in  `viewDimsNum` extents; NULL only with 0, which is one element.
/// dataType     in  element type; checked by operators, not here.
/// stride       in  `viewDimsNum` strides in elements; NULL: row-major without gaps.
/// offset       in  elements from `tensorData` to the first element.
/// format       in  meaning of the axes; checked by operators, not here.
/// storageDims  in  `storageDimsNum` extents of the allocation; NULL only with 0. Not compared with the view.
/// tensorData   in  device memory; may be NULL until aclSetRawTensorAddr or aclSetInputTensorAddr sets it.
///
/// Returns the tensor, to be freed with aclDestroyTensor; NULL if dims are missing, there are more than 25 of them, or
/// memory is exhausted. Threads: pure.
ACL_FUNC_VISIBILITY aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                                               const int64_t* stride, int64_t offset, aclFormat format,
                                               const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData);

/// Changes the description of an existing tensor. Type, offset and format are always replaced.
///
/// tensor                    in/out  the tensor.
/// viewDims, storageDims     in      NULL or 0 of them keeps the old ones.
/// stride                    in      NULL is row-major without gaps over the view's dims.
/// tensorDataAddr            in      NULL keeps the old address.
/// dataType, offset, format  in      as for aclCreateTensor.
///
/// Returns 0; 161001 (null tensor). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
                                              aclDataType dataType, const int64_t* stride, int64_t offset,
                                              aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                                              void* tensorDataAddr);

/// Copies one value.
///
/// value     in  one element of `dataType`.
/// dataType  in  not STRING, INT4, UINT1 or COMPLEX32.
///
/// Returns the scalar, to be freed with aclDestroyScalar; NULL if `value` is null, the type is not supported, or memory
/// is exhausted. Threads: pure.
ACL_FUNC_VISIBILITY aclScalar* aclCreateScalar(void* value, aclDataType dataType);

/// Copies `size` numbers. A null `value` or size 0 gives an empty array.
///
/// Returns the array, to be freed with aclDestroyIntArray; NULL if memory is exhausted. Threads: pure.
ACL_FUNC_VISIBILITY aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size);

/// aclCreateIntArray for float; freed with aclDestroyFloatArray. Threads: pure.
ACL_FUNC_VISIBILITY aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size);

/// aclCreateIntArray for bool, one byte each; freed with aclDestroyBoolArray. Threads: pure.
ACL_FUNC_VISIBILITY aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size);

/// Creates a list that owns the tensors: aclDestroyTensorList destroys them too. A null `value` or size 0 gives an
/// empty list; single elements may be NULL.
///
/// Returns the list; NULL if memory is exhausted. Threads: pure.
ACL_FUNC_VISIBILITY aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size);

/// aclCreateTensorList for scalars; freed with aclDestroyScalarList. Threads: pure.
ACL_FUNC_VISIBILITY aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size);

/// Destroys a description, not the data. NULL is accepted.
///
/// Returns 0. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensor(const aclTensor* tensor);

/// Destroys a scalar. NULL is accepted. Returns 0. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalar(const aclScalar* scalar);

/// Destroys an array. NULL is accepted. Returns 0. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyIntArray(const aclIntArray* array);

/// Destroys an array. NULL is accepted. Returns 0. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyFloatArray(const aclFloatArray* array);

/// Destroys an array. NULL is accepted. Returns 0. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyBoolArray(const aclBoolArray* array);

/// Destroys a list and every tensor in it. NULL is accepted. Returns 0. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensorList(const aclTensorList* array);

/// Destroys a list and every scalar in it. NULL is accepted. Returns 0. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalarList(const aclScalarList* array);

/// Extents of a view.
///
/// viewDims     out  a new array of `viewDimsNum` values, not NULL even for 0; the caller frees it with C++ delete[].
/// viewDimsNum  out  number of axes.
///
/// Returns 0; 161001 (a pointer is null). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum);

/// Extents of the storage; results and errors as for aclGetViewShape. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims,
                                                   uint64_t* storageDimsNum);

/// Strides of a view in elements; results and errors as for aclGetViewShape. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue,
                                                  uint64_t* stridesNum);

/// Offset of a view in elements. Returns 0; 161001 (a pointer is null). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset);

/// Layout of a view. Returns 0; 161001 (a pointer is null). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format);

/// Element type. Returns 0; 161001 (a pointer is null). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType);

/// Number of values. Returns 0; 161001 (a pointer is null). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size);

/// Number of values. Returns 0; 161001 (a pointer is null). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size);

/// Number of values. Returns 0; 161001 (a pointer is null). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size);

/// Number of tensors. Returns 0; 161001 (a pointer is null). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size);

/// Number of scalars. Returns 0; 161001 (a pointer is null). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size);

/// Data address as it was set, without the offset. Returns 0; 161001 (a pointer is null). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr);

/// Replaces the data address; NULL is allowed. Existing plans keep the old one.
///
/// Returns 0; 161001 (null tensor). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr);

/// Allows an executor to run any number of times, until aclDestroyAclOpExecutor. Must be called between the two phases.
///
/// Returns 0; 561103 (null); 561000 (unknown or consumed executor, or an operator that cannot be repeated).
/// Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor);

/// Destroys an executor that is repeatable or never ran. The second phase destroys all others.
///
/// Returns 0; 561103 (null); 561000 (unknown or consumed executor; nothing is touched). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor);

/// Sets another data address for one input of an executor.
///
/// executor  in/out  live executor.
/// index     in      position among the tensor inputs, in the order of the signature, from 0.
/// tensor    in/out  the object passed to the first phase; its address changes, too.
/// addr      in      device memory.
///
/// Returns 0; 561103 (null tensor or executor); 561000 (unknown or consumed executor); 161002 (index out of range).
/// Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                                      void* addr);

/// aclSetInputTensorAddr for outputs. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                                       void* addr);

/// aclSetInputTensorAddr with one numbering over inputs, then outputs. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                                 void* addr);

/// Sets another data address for one tensor of a list input.
///
/// executor       in/out  live executor.
/// irIndex        in      position of the list among the inputs, from 0.
/// relativeIndex  in      position of the tensor in the list, from 0.
/// tensors        in/out  the list passed to the first phase; the address of its element changes, too.
/// addr           in      device memory.
///
/// Returns 0; 561103 (null list, element or executor); 561000 (unknown or consumed executor); 161002 (an index out of
/// range). Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                                             const size_t relativeIndex, aclTensorList* tensors,
                                                             void* addr);

/// aclSetDynamicInputTensorAddr for outputs. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                                              const size_t relativeIndex, aclTensorList* tensors,
                                                              void* addr);

/// aclSetDynamicInputTensorAddr with one numbering over inputs, then outputs. Threads: object.
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                                        const size_t relativeIndex, aclTensorList* tensors, void* addr);

/// Deprecated name of aclSetInputTensorAddr.
ACL_FUNC_VISIBILITY aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                                      void* addr);

/// Deprecated name of aclSetOutputTensorAddr.
ACL_FUNC_VISIBILITY aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                                       void* addr);

/// Deprecated name of aclSetTensorAddr.
ACL_FUNC_VISIBILITY aclnnStatus AclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor,
                                                 void* addr);

/// Deprecated name of aclSetDynamicInputTensorAddr.
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                                             const size_t relativeIndex, aclTensorList* tensors,
                                                             void* addr);

/// Deprecated name of aclSetDynamicOutputTensorAddr.
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                                              const size_t relativeIndex, aclTensorList* tensors,
                                                              void* addr);

/// Deprecated name of aclSetDynamicTensorAddr.
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                                        const size_t relativeIndex, aclTensorList* tensors, void* addr);

/// Dumps tensors if dumping is configured, which this version does not support: checks its arguments and does nothing.
///
/// opType, opName                      in  names for the dump.
/// tensors                             in  inputs, then outputs.
/// inputTensorNum, outputTensorNum     in  number of each.
/// stream                              in  NULL is the default stream.
///
/// Returns 0; 161001 (null tensors). Threads: context.
ACL_FUNC_VISIBILITY aclnnStatus aclDumpOpTensors(const char* opType, const char* opName, aclTensor** tensors,
                                                 size_t inputTensorNum, size_t outputTensorNum, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACLNN_ACL_META_H_
