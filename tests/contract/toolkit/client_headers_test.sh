#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# client_headers_test.sh <toolkit> <scratch folder> <list> <C compiler> <C++ compiler>: every header of the list is
# installed, and all of them compile in one file, in C and in C++, twice, together with functions that the client declares
# itself. The program links the libraries that clients name.
set -euo pipefail
root=$1 scratch=$2 list=$3 c=$4 cxx=$5

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
unset LD_LIBRARY_PATH
source "$root/set_env.sh"

{
  echo '#include <acl/acl_op_compiler.h>'
  echo '#include <acl/acl.h>'
  echo '#include <aclnn/aclnn_base.h>'
  while read -r header; do
    if [[ ! -f "$ASCEND_TOOLKIT_HOME/include/aclnnop/$header" ]]; then
      echo "aclnnop/$header is not installed" >&2
      exit 1
    fi
    echo "#include <aclnnop/$header>"
  done < "$list"
} > headers.h
[[ $(grep -c aclnnop headers.h) -ge 157 ]]

# The client's own declaration of an operator whose header it does not include: no header of the list may declare it
# differently.
cat > declared.h << 'END'
#ifdef __cplusplus
extern "C" {
#endif
aclnnStatus aclnnRotaryPositionEmbeddingGetWorkspaceSize(const aclTensor *x, const aclTensor *cos, const aclTensor *sin, int64_t mode,
                                                         const aclTensor *yOut, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnRotaryPositionEmbedding(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);
#ifdef __cplusplus
}
#endif
END
cat headers.h headers.h > all.c
cat headers.h headers.h declared.h > all.cc
cat >> all.cc << 'END'
// Destructors are taken as template arguments: their types count.
template <typename T, aclnnStatus (*destroy)(const T *)>
struct Deleter {
  void operator()(T *object) const { destroy(object); }
};
template struct Deleter<aclTensor, aclDestroyTensor>;
template struct Deleter<aclIntArray, aclDestroyIntArray>;
template struct Deleter<aclScalar, aclDestroyScalar>;
template struct Deleter<aclTensorList, aclDestroyTensorList>;
END
cat >> all.cc << 'END'
aclError Run() {
  aclnnStatus (*infinite)(const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **) = aclnnIsNegInfGetWorkspaceSize;
  aclTensorDesc *desc = infinite == nullptr ? nullptr : aclCreateTensorDesc(ACL_FLOAT, 0, nullptr, ACL_FORMAT_ND);
  aclError status = aclopCompileAndExecute("Add", 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr);
  aclDestroyTensorDesc(desc);
  return status;
}
int main() { return Run() == ACL_ERROR_RT_FEATURE_NOT_SUPPORT ? 0 : 1; }
END
flags=(-Wall -Wextra -Werror "-I$ASCEND_TOOLKIT_HOME/include" "-I$ASCEND_TOOLKIT_HOME/include/aclnn"
  "-I$ASCEND_TOOLKIT_HOME/acllib/include")
"$c" -std=c99 -fsyntax-only "${flags[@]}" all.c
"$cxx" -std=c++17 "${flags[@]}" all.cc -o all "-L$ASCEND_TOOLKIT_HOME/lib64" -lascendcl -lacl_op_compiler -lruntime -lnnopbase -lopapi -lgraph -lop_common
./all
