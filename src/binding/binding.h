/* SPDX-License-Identifier: Apache-2.0
 * libportacl_python.so: what bindings for other languages call, instead of describing each operator once more.
 * Arguments are plain data; what an operator takes, and what its outputs look like, the library knows from its schema.
 * The package for Python is its client; both come from one build, so this interface is not kept stable for others, and
 * its header is not installed. */
#ifndef PORTACL_BINDING_BINDING_H_
#define PORTACL_BINDING_BINDING_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PORTACL_BINDING_MOST_AXES 64

/* A tensor in the memory of the host. Strides count elements. */
typedef struct PortaclTensor {
  void* data;
  int32_t dtype; /* aclDataType */
  int32_t rank;
  int64_t shape[PORTACL_BINDING_MOST_AXES];
  int64_t strides[PORTACL_BINDING_MOST_AXES];
} PortaclTensor;

/* One argument of an operator; which members count is for its kind to say. */
typedef struct PortaclArgument {
  int32_t given;          /* 0: NULL, or with `tensors` an output that is yet to be described */
  int32_t is_whole;       /* of scalars: INT64 */
  int64_t count;          /* of what follows */
  PortaclTensor* tensors; /* one, or those of a list */
  const int64_t* integers;
  const double* reals;
  int64_t integer; /* integers, bool, dtype */
  double real;     /* double, float, scalar */
  const char* text;
} PortaclArgument;

/* The operators as `portacl ops --json` prints them. Their places in the list are the numbers that the other functions
 * take. Lives as long as the process; NULL when memory ran out. */
__attribute__((visibility("default"))) const char* PortaclOperators(void);

/* Describes every output that is not given and has a place for its tensor: dtype, shape and dense strides. Returns
 * 0, or -1 when no rule tells a shape (PortaclMessage()). */
__attribute__((visibility("default"))) int32_t PortaclDescribeOutputs(int32_t number, PortaclArgument* arguments);

/* Both phases, on the default stream of the calling thread's device; the thread gets device 0 when it has none. Returns
 * after the work is done: 0, or the status of what failed, -1 when it was not the library (PortaclMessage()). Tensors
 * whose shape depends on the data then have it. Any number of threads may call. */
__attribute__((visibility("default"))) int32_t PortaclCall(int32_t number, const PortaclArgument* arguments);

/* The same call, to be repeated: a handle that describes the arguments once, which have to stay where they are.
 * NULL when it cannot be made. */
__attribute__((visibility("default"))) void* PortaclPrepare(int32_t number, const PortaclArgument* arguments);

/* Does a prepared call `times` times, one after the other; answers like PortaclCall. One thread at a time. */
__attribute__((visibility("default"))) int32_t PortaclRepeat(void* prepared, int64_t times);

__attribute__((visibility("default"))) void PortaclRelease(void* prepared);

/* Why the calling thread's last call failed. */
__attribute__((visibility("default"))) const char* PortaclMessage(void);

/* Why phase 1 last refused a call of this thread, and, where `name` is not NULL, the name of that operator: 0 when it
 * has not since this was asked last, 1 where the SoC lacks the operator, 2 for a dtype, 3 for anything else. */
__attribute__((visibility("default"))) int32_t PortaclTakeRefusal(const char** name);

#ifdef __cplusplus
}
#endif

#endif  // PORTACL_BINDING_BINDING_H_
