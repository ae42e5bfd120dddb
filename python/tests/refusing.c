// SPDX-License-Identifier: Apache-2.0
//
// For test_npu_refusals.py, loaded before libc: if the plug-in looks up an operator other than the copies, it finds
// none (REFUSE=name), or one that fails as the toolkit does if the SoC lacks an operator or a dtype is not supported.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#define FIRST_VERSION "GLIBC_2.2.5"
#else
#define FIRST_VERSION "GLIBC_2.17"
#endif

typedef void* (*Lookup)(void*, const char*);

static Lookup RealLookup(void) {
  static Lookup real;
  if (real == NULL) real = (Lookup)dlvsym(RTLD_NEXT, "dlsym", FIRST_VERSION);
  return real;
}

// Both are called with an INT32 tensor, which Logit does not accept; Cos does not exist on Ascend950.
static int32_t Refuse(const char* api, int has_eps) {
  typedef void* (*Create)(const int64_t*, uint64_t, int, const int64_t*, int64_t, int, const int64_t*, uint64_t, void*);
  static int32_t data[1];
  const int64_t one = 1;
  const Create create = (Create)RealLookup()(RTLD_DEFAULT, "aclCreateTensor");
  void* const tensor = create(&one, 1, 3, &one, 0, 2, &one, 1, data);
  void* const plan = RealLookup()(RTLD_DEFAULT, api);
  uint64_t size = 0;
  void* executor = NULL;
  const int32_t status =
      has_eps ? ((int32_t (*)(void*, double, void*, uint64_t*, void**))plan)(tensor, -1.0, tensor, &size, &executor)
              : ((int32_t (*)(void*, void*, uint64_t*, void**))plan)(tensor, tensor, &size, &executor);
  ((int32_t (*)(void*))RealLookup()(RTLD_DEFAULT, "aclDestroyTensor"))(tensor);
  return status;
}
static int32_t RefuseDtype(void) { return Refuse("aclnnLogitGetWorkspaceSize", 1); }
static int32_t RefuseSoc(void) { return Refuse("aclnnCosGetWorkspaceSize", 0); }

static int Copies(const char* name) {
  static const char* const kNames[] = {"aclnnInplaceCopy", "aclnnCast", "aclnnComplex"};
  for (size_t i = 0; i < sizeof(kNames) / sizeof(*kNames); ++i) {
    const size_t length = strlen(kNames[i]);
    if (strncmp(name, kNames[i], length) == 0 && (name[length] == '\0' || name[length] == 'G')) return 1;
  }
  return 0;
}

void* dlsym(void* handle, const char* name) {
  const char* const how = getenv("REFUSE");
  void* const found = RealLookup()(handle, name);
  if (how == NULL || strncmp(name, "aclnn", 5) != 0 || Copies(name)) return found;
  if (strcmp(how, "name") == 0) return NULL;
  // Also for operators that the toolkit lacks. The second phase is not reached.
  return strcmp(how, "dtype") == 0 ? (void*)RefuseDtype : (void*)RefuseSoc;
}
