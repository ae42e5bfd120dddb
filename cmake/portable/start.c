// SPDX-License-Identifier: Apache-2.0
// The start of portable programs. Since glibc 2.34 the code before main() leaves it to the library to run the program's
// constructors; older libraries call a function of the program's, and newer ones still do when they get one.
#include <stddef.h>

typedef int Main(int, char**, char**);
typedef void Constructor(int, char**, char**);

extern Constructor *__init_array_start[], *__init_array_end[];
extern void _init(void);
int __real___libc_start_main(Main* main, int argc, char** argv, Constructor* init, void (*fini)(void),
                             void (*rtld_fini)(void), void* stack_end);

static void run_constructors(int argc, char** argv, char** environment) {
  _init();
  for (Constructor** each = __init_array_start; each != __init_array_end; ++each) (*each)(argc, argv, environment);
}

int __wrap___libc_start_main(Main* main, int argc, char** argv, Constructor* init, void (*fini)(void),
                             void (*rtld_fini)(void), void* stack_end);
int __wrap___libc_start_main(Main* main, int argc, char** argv, Constructor* init, void (*fini)(void),
                             void (*rtld_fini)(void), void* stack_end) {
  (void)init;
  return __real___libc_start_main(main, argc, argv, run_constructors, fini, rtld_fini, stack_end);
}
