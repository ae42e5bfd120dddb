// SPDX-License-Identifier: Apache-2.0
// Operators by name (aclop*) that are compiled before they run, and the settings of the compiler. Nothing is compiled
// here: running an operator is refused, and settings are kept without effect.
#ifndef PORTACL_INCLUDE_ACL_ACL_OP_COMPILER_H_
#define PORTACL_INCLUDE_ACL_ACL_OP_COMPILER_H_

#include "acl/acl_base.h"
#include "acl/acl_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque: settings of a dump of a graph.
typedef struct aclGraphDumpOption aclGraphDumpOption;

/// Sources of the operators that are compiled.
typedef enum aclCompileType { ACL_COMPILE_SYS = 0, ACL_COMPILE_UNREGISTERED = 1 } aclopCompileType;

/// Whether an operator is compiled for exact shapes or for ranges of them.
typedef enum aclCompileFlag { ACL_OP_COMPILE_DEFAULT = 0, ACL_OP_COMPILE_FUZZ = 1 } aclOpCompileFlag;

/// Options of the compiler.
typedef enum aclCompileOpt {
  ACL_PRECISION_MODE = 0,
  ACL_AICORE_NUM = 1,
  ACL_AUTO_TUNE_MODE = 2,
  ACL_OP_SELECT_IMPL_MODE = 3,
  ACL_OPTYPELIST_FOR_IMPLMODE = 4,
  ACL_OP_DEBUG_LEVEL = 5,
  ACL_DEBUG_DIR = 6,
  ACL_OP_COMPILER_CACHE_MODE = 7,
  ACL_OP_COMPILER_CACHE_DIR = 8,
  ACL_OP_PERFORMANCE_MODE = 9,
  ACL_OP_JIT_COMPILE = 10,
  ACL_OP_DETERMINISTIC = 11,
  ACL_CUSTOMIZE_DTYPES = 12,
  ACL_OP_PRECISION_MODE = 13,
  ACL_ALLOW_HF32 = 14,
  ACL_PRECISION_MODE_V2 = 15,
  ACL_OP_DEBUG_OPTION = 16
} aclCompileOpt;

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

/// Compiles an operator, or compiles it and writes its graph to a file. Refused: each of these functions leaves a
/// message with its name and returns ACL_ERROR_RT_FEATURE_NOT_SUPPORT. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclopCompile(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
                                          int numOutputs, const aclTensorDesc* const outputDesc[],
                                          const aclopAttr* attr, aclopEngineType engineType,
                                          aclopCompileType compileFlag, const char* opPath);
ACL_FUNC_VISIBILITY aclError aclGenGraphAndDumpForOp(
    const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], const aclDataBuffer* const inputs[],
    int numOutputs, const aclTensorDesc* const outputDesc[], aclDataBuffer* const outputs[], const aclopAttr* attr,
    aclopEngineType engineType, const char* graphDumpPath, const aclGraphDumpOption* graphdumpOpt);

/// Settings of dumps of graphs. They are empty: aclDestroyGraphDumpOpt reads nothing.
///
/// Returns an object, never NULL. Threads: no context.
ACL_FUNC_VISIBILITY aclGraphDumpOption* aclCreateGraphDumpOpt(void);
/// Frees the settings. Returns ACL_SUCCESS. Threads: no context.
ACL_FUNC_VISIBILITY aclError aclDestroyGraphDumpOpt(const aclGraphDumpOption* graphDumpOpt);

/// Chooses between exact shapes and ranges. It has no effect.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (no such value). Threads: no context.
ACL_FUNC_VISIBILITY aclError aclopSetCompileFlag(aclOpCompileFlag flag);

/// Sets an option of the compiler for the process. ACL_OP_DETERMINISTIC also sets ACL_OPT_DETERMINISTIC, see
/// aclrtSetSysParamOpt: "1" to 1, any other text to 0. The others are kept without effect.
///
/// opt    in  an option.
/// value  in  text, which is copied.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, or no such option); ACL_ERROR_BAD_ALLOC. Threads: process.
ACL_FUNC_VISIBILITY aclError aclSetCompileopt(aclCompileOpt opt, const char* value);

/// Room that aclGetCompileopt needs for an option.
///
/// Returns bytes with the final 0; 0, with a report of ACL_ERROR_INVALID_PARAM, if there is no such option. Threads:
/// process.
ACL_FUNC_VISIBILITY size_t aclGetCompileoptSize(aclCompileOpt opt);

/// Copies the text of an option. If it was not set, ACL_AICORE_NUM is the number of cube cores, and all others are "".
///
/// opt     in   an option.
/// value   out  text with a final 0.
/// length  in   room in `value`, at least aclGetCompileoptSize.
///
/// Returns ACL_SUCCESS; ACL_ERROR_INVALID_PARAM (null, no such option, or too little room). Threads: process.
ACL_FUNC_VISIBILITY aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_OP_COMPILER_H_
