// SPDX-License-Identifier: Apache-2.0
// The toolkit loaded at run time, in the ways of frameworks: by name, lazily, into the global scope, through the handle
// of another library. Not linked with the toolkit's libraries; ctest runs each test in its own process.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_logit_grad.h"

namespace {

const char* const kLibraries[] = {
    "libascendcl.so",       "libacl_rt.so",          "libnnopbase.so",     "libopapi_math.so",
    "libopapi_nn.so",       "libopapi_cv.so",        "libopapi.so",        "libopapi_transformer.so",
    "libaclnn_math.so",     "libaclnn_ops_infer.so", "libaclnn_sparse.so", "libaclnn_fft.so",
    "libaclnn_rand.so",     "libaclnn_ops_train.so", "libruntime.so",      "libacl_op_compiler.so",
    "libhccl.so",           "libge_runner.so",       "libgraph.so",        "libacl_tdt_channel.so",
    "libmspti.so",          "libmsprofiler.so",      "libascend_hal.so",   "libop_common.so",
    "libfmk_onnx_parser.so"};

void* Load(const std::string& name, int mode = RTLD_NOW | RTLD_LOCAL) {
  void* handle = dlopen((TOOLKIT_LIB64 + name).c_str(), mode);
  EXPECT_NE(handle, nullptr) << dlerror();
  return handle;
}

// The file in which the loader found `symbol` through `handle`.
std::string HomeOf(void* handle, const char* symbol) {
  void* address = dlsym(handle, symbol);
  Dl_info info = {};
  if (address == nullptr || dladdr(address, &info) == 0) return "nowhere";
  const std::string path = info.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

template <class F>
F Find(void* handle, const char* symbol) {
  void* address = dlsym(handle, symbol);
  EXPECT_NE(address, nullptr) << symbol;
  return reinterpret_cast<F>(address);
}
#define FIND(handle, name) const auto name##_ = Find<decltype(&name)>(handle, #name)

// Runs an operator on tensors of one element, with functions found only through `handle`. `plan` is its phase 1 for
// these tensors. Returns the bits of the last one.
template <class Plan>
uint32_t RunThrough(void* handle, const std::vector<aclDataType>& dtypes, const std::vector<float>& values,
                    const Plan& plan, decltype(&aclnnCast) run) {
  FIND(handle, aclInit);
  FIND(handle, aclrtSetDevice);
  FIND(handle, aclrtMalloc);
  FIND(handle, aclrtMemcpy);
  FIND(handle, aclrtFree);
  FIND(handle, aclCreateTensor);
  FIND(handle, aclDestroyTensor);
  FIND(handle, aclrtSynchronizeDevice);
  FIND(handle, aclFinalize);
  if (::testing::Test::HasFailure()) return 0;

  EXPECT_EQ(aclInit_(nullptr), 0);
  EXPECT_EQ(aclrtSetDevice_(0), 0);
  std::vector<void*> memory(dtypes.size());
  std::vector<aclTensor*> tensors(dtypes.size());
  for (size_t i = 0; i < dtypes.size(); ++i) {
    EXPECT_EQ(aclrtMalloc_(&memory[i], sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    EXPECT_EQ(aclrtMemcpy_(memory[i], sizeof(float), &values[i], sizeof(float), ACL_MEMCPY_HOST_TO_DEVICE), 0);
    tensors[i] = aclCreateTensor_(nullptr, 0, dtypes[i], nullptr, 0, ACL_FORMAT_ND, nullptr, 0, memory[i]);
  }
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(plan(tensors, &workspace_size, &executor), 0);
  EXPECT_EQ(workspace_size, 0u);
  EXPECT_EQ(run(nullptr, 0, executor, nullptr), 0);
  EXPECT_EQ(aclrtSynchronizeDevice_(), 0);
  uint32_t bits = 0;
  EXPECT_EQ(aclrtMemcpy_(&bits, sizeof bits, memory.back(), sizeof bits, ACL_MEMCPY_DEVICE_TO_HOST), 0);
  for (aclTensor* tensor : tensors) EXPECT_EQ(aclDestroyTensor_(tensor), 0);
  for (void* block : memory) EXPECT_EQ(aclrtFree_(block), 0);
  EXPECT_EQ(aclFinalize_(), 0);
  return bits;
}

using Tensors = std::vector<aclTensor*>;

float LogitGradThrough(void* handle, float x, float dy) {
  FIND(handle, aclnnLogitGradGetWorkspaceSize);
  FIND(handle, aclnnLogitGrad);
  const auto plan = [&](const Tensors& of, uint64_t* workspace_size, aclOpExecutor** executor) {
    return aclnnLogitGradGetWorkspaceSize_(of[0], of[1], -1.0, of[2], workspace_size, executor);
  };
  return std::bit_cast<float>(
      RunThrough(handle, {ACL_FLOAT, ACL_FLOAT, ACL_FLOAT}, {x, dy, -1}, plan, aclnnLogitGrad_));
}

int32_t CastThrough(void* handle, float value) {
  FIND(handle, aclnnCastGetWorkspaceSize);
  FIND(handle, aclnnCast);
  const auto plan = [&](const Tensors& of, uint64_t* workspace_size, aclOpExecutor** executor) {
    return aclnnCastGetWorkspaceSize_(of[0], ACL_INT32, of[1], workspace_size, executor);
  };
  return std::bit_cast<int32_t>(RunThrough(handle, {ACL_FLOAT, ACL_INT32}, {value, -1}, plan, aclnnCast_));
}

TEST(Loading, FindsTheBaseThroughEveryOperatorLibrary) {
  for (const char* name :
       {"libopapi_nn.so", "libopapi.so", "libopapi_math.so", "libopapi_cv.so", "libopapi_transformer.so"}) {
    void* handle = Load(name);
    ASSERT_NE(handle, nullptr);
    EXPECT_EQ(HomeOf(handle, "aclCreateTensor"), "libnnopbase.so") << name;
    EXPECT_EQ(HomeOf(handle, "aclrtMalloc"), "libascendcl.so") << name;
  }
}

TEST(Loading, FindsTheRuntimeThroughTheCompilerLibrary) {
  EXPECT_EQ(HomeOf(Load("libacl_op_compiler.so"), "aclrtMalloc"), "libascendcl.so");
}

TEST(Loading, EveryOperatorLibraryGivesTheRealOperatorNotItsStub) {
  EXPECT_EQ(HomeOf(Load("libopapi_nn.so"), "aclnnLogitGrad"), "libopapi.so");
  EXPECT_EQ(HomeOf(Load("libopapi_math.so"), "aclnnCast"), "libopapi.so");
  EXPECT_EQ(HomeOf(Load("libopapi.so"), "aclnnLogitGrad"), "libopapi.so");
  EXPECT_EQ(HomeOf(Load("libopapi.so"), "aclnnCast"), "libopapi.so");
}

TEST(Loading, OldRuntimeNameGivesTheRealFunctionNotItsStub) {
  EXPECT_EQ(HomeOf(Load("libacl_rt.so"), "aclrtMalloc"), "libascendcl.so");
}

TEST(Loading, SplitUmbrellaLibrariesReachTheOperators) {
  for (const char* name : {"libaclnn_math.so", "libaclnn_ops_infer.so", "libaclnn_ops_train.so", "libaclnn_sparse.so",
                           "libaclnn_fft.so", "libaclnn_rand.so"}) {
    EXPECT_EQ(HomeOf(Load(name), "aclnnLogitGrad"), "libopapi.so") << name;
  }
}

TEST(Loading, RunsAnOperatorThroughTheUmbrellaAlone) {
  EXPECT_FLOAT_EQ(LogitGradThrough(Load("libopapi.so"), 0.5f, 2.0f), 8.0f);
}

TEST(Loading, RunsAnOperatorThroughItsOwnLibraryAlone) {
  EXPECT_FLOAT_EQ(LogitGradThrough(Load("libopapi_nn.so"), 0.5f, 2.0f), 8.0f);
}

TEST(Loading, RunsAMathOperatorThroughTheMathLibraryAlone) {
  EXPECT_EQ(CastThrough(Load("libopapi_math.so"), 7.5f), 7);
}

TEST(Loading, RunsAMathOperatorThroughTheUmbrellaAlone) { EXPECT_EQ(CastThrough(Load("libopapi.so"), 7.5f), 7); }

// As the Python package loads the toolkit for PyTorch's plug-in, which looks up both phases in each library.
TEST(Loading, RunsOperatorsOfEveryLibraryAmongAllThatAreLoadedGlobally) {
  for (const char* name : kLibraries) Load(name, RTLD_NOW | RTLD_GLOBAL);
  EXPECT_EQ(CastThrough(Load("libopapi_nn.so"), 7.5f), 7);
  EXPECT_FLOAT_EQ(LogitGradThrough(RTLD_DEFAULT, 0.5f, 2.0f), 8.0f);
}

TEST(Loading, LeavesOutTheOptionalCacheFunctions) {
  void* handle = Load("libopapi.so");
  for (const char* name :
       {"PTAGetExecCache", "CanUsePTACache", "AddTensorAddrToCachedList", "InitHugeMemThreadLocal"}) {
    EXPECT_EQ(dlsym(handle, name), nullptr) << name;
  }
}

// LLVM is the largest C++ library that a development machine has: it would fail if it used one of our symbols instead
// of its own.
void* LoadForeign() {
  for (const char* name :
       {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-16.so.1", "libLLVM-15.so.1", "libLLVM-14.so.1"}) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return handle;
  }
  return nullptr;
}

// Makes a module in LLVM and returns its text.
std::string UseForeign(void* llvm) {
  auto new_context = Find<void* (*)()>(llvm, "LLVMContextCreate");
  auto new_module = Find<void* (*)(const char*, void*)>(llvm, "LLVMModuleCreateWithNameInContext");
  auto print = Find<char* (*)(void*)>(llvm, "LLVMPrintModuleToString");
  auto free_message = Find<void (*)(char*)>(llvm, "LLVMDisposeMessage");
  auto free_module = Find<void (*)(void*)>(llvm, "LLVMDisposeModule");
  auto free_context = Find<void (*)(void*)>(llvm, "LLVMContextDispose");
  if (::testing::Test::HasFailure()) return "";
  void* context = new_context();
  void* module = new_module("neighbour", context);
  char* message = print(module);
  const std::string text = message;
  free_message(message);
  free_module(module);
  free_context(context);
  return text;
}

void LoadWholeToolkitGlobally() {
  for (const char* name : kLibraries) Load(name, RTLD_NOW | RTLD_GLOBAL);
}

TEST(Loading, LivesBesideALargeLibraryThatWasLoadedBefore) {
  void* llvm = LoadForeign();
  if (llvm == nullptr) GTEST_SKIP() << "no libLLVM on this machine";
  LoadWholeToolkitGlobally();
  EXPECT_FLOAT_EQ(LogitGradThrough(RTLD_DEFAULT, 0.5f, 2.0f), 8.0f);
  EXPECT_NE(UseForeign(llvm).find("neighbour"), std::string::npos);
}

TEST(Loading, LivesBesideALargeLibraryThatIsLoadedAfter) {
  LoadWholeToolkitGlobally();
  void* llvm = LoadForeign();
  if (llvm == nullptr) GTEST_SKIP() << "no libLLVM on this machine";
  EXPECT_NE(UseForeign(llvm).find("neighbour"), std::string::npos);
  EXPECT_FLOAT_EQ(LogitGradThrough(RTLD_DEFAULT, 0.5f, 2.0f), 8.0f);
}

}  // namespace
