# SPDX-License-Identifier: Apache-2.0
# How every file of ours is compiled: one interface target, portacl_flags, that all other targets link.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# -O3 makes the code of a room a third larger and no kernel faster: the loops are vectorised by hand.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

include(CheckCXXCompilerFlag)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_path(PORTACL_HIGHWAY_INCLUDE hwy/highway.h REQUIRED)
find_path(PORTACL_FMT_INCLUDE fmt/format.h REQUIRED)
find_path(PORTACL_EIGEN_INCLUDE Eigen/LU PATH_SUFFIXES eigen3 REQUIRED)
if(PORTACL_TESTS OR PORTACL_FUZZERS)
  find_package(GTest CONFIG REQUIRED)
endif()

set(PORTACL_BUILD_INCLUDE "${CMAKE_BINARY_DIR}/include")

# No machine worth a fourth copy of each kernel stops at SSSE3. Instrumented lane files take long, half of it for the plainest instruction set: the
# fuzzers begin at SSE4, and with another sanitizer there is AVX2 alone.
set(PORTACL_DISABLED_TARGETS HWY_SSSE3 CACHE STRING "Instruction sets that are left out, as Highway's HWY_DISABLED_TARGETS")
if(PORTACL_SANITIZE AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  if(PORTACL_FUZZERS)
    add_compile_options(-march=x86-64-v2 -maes -mpclmul)
  else()
    set(PORTACL_DISABLED_TARGETS "(HWY_SSSE3|HWY_AVX3|HWY_AVX3_DL)")
    add_compile_options(-march=x86-64-v3 -maes -mpclmul)
  endif()
endif()

# A thread of the client may have a small stack. Code that takes more than a page touches every page of it, so that it meets the guard page
# instead of writing beyond; GCC would take that page for one of 64 KiB on Arm.
check_cxx_compiler_flag(-fstack-clash-protection PORTACL_PROBES_STACK)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  check_cxx_compiler_flag(--param=stack-clash-protection-guard-size=12 PORTACL_PROBES_SMALL_PAGES)
endif()

set(PORTACL_TARGET_DEFINITIONS HWY_DISABLED_TARGETS=${PORTACL_DISABLED_TARGETS} HWY_BROKEN_EMU128=0)    # the bug this guards against is not in the compilers we accept; see the simd tests
if(PORTACL_NATIVE)
  list(TRANSFORM PORTACL_TARGET_DEFINITIONS PREPEND -D OUTPUT_VARIABLE definitions)
  try_run(status compiled SOURCES "${PROJECT_SOURCE_DIR}/cmake/native_target.cc" COMPILE_DEFINITIONS ${definitions} -I "${PROJECT_SOURCE_DIR}/src"
    CXX_STANDARD 20 RUN_OUTPUT_VARIABLE native)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the instruction set of this machine cannot be found: ${native}")
  endif()
  message(STATUS "Instruction set: ${native} alone")
  list(APPEND PORTACL_TARGET_DEFINITIONS HWY_BASELINE_TARGETS=${native} HWY_COMPILE_ONLY_STATIC PORTACL_NATIVE)
endif()

add_library(portacl_flags INTERFACE)
target_include_directories(portacl_flags INTERFACE 
  "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include" "${PORTACL_BUILD_INCLUDE}"
  "${PROJECT_SOURCE_DIR}/include/aclnnop")    # clients write "aclnn_util.h", and so do the operators' headers
target_include_directories(portacl_flags SYSTEM INTERFACE "${PORTACL_EIGEN_INCLUDE}")    # not an implicit one of the compiler
target_compile_definitions(portacl_flags INTERFACE
  FUNC_VISIBILITY                   # acl*.h then mark their functions as exported
  ${PORTACL_TARGET_DEFINITIONS})
target_compile_options(portacl_flags INTERFACE
  -fvisibility=hidden $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
  $<$<BOOL:${PORTACL_PROBES_STACK}>:-fstack-clash-protection>
  $<$<BOOL:${PORTACL_PROBES_SMALL_PAGES}>:--param=stack-clash-protection-guard-size=12>
  -ffp-contract=off                 # a fused multiply-add is always written, so that every target rounds alike
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<BOOL:${PORTACL_WERROR}>:-Werror>)
target_link_libraries(portacl_flags INTERFACE Threads::Threads $<LINK_ONLY:portacl_fmt>)

# Not Debian's library: programs may have loaded another version of it.
add_library(portacl_fmt STATIC "${PROJECT_SOURCE_DIR}/src/base/fmt.cc")
target_compile_options(portacl_fmt PRIVATE $<TARGET_PROPERTY:portacl_flags,INTERFACE_COMPILE_OPTIONS>)

set(PORTACL_OPTIMIZE -O2)
if(PORTACL_SANITIZE)
  set(PORTACL_OPTIMIZE -O1)    # at -O2 the checks in a lane file's fallback take the compiler three minutes
endif()

# Lane files are vectorised by hand; the compiler's own attempts at their tails and fallbacks only add code. They consist of small functions that
# are always inlined: Clang's inliner takes two minutes for one of them, but at -O0, and GCC nine times as long where it guards the scope of each
# of their variables. Undefined behaviour is looked for in GCC's build.
set(PORTACL_LANE_OPTIONS
  $<$<CXX_COMPILER_ID:GNU>:-fno-tree-vectorize> $<$<CXX_COMPILER_ID:Clang>:-fno-vectorize;-fno-sanitize=undefined>)
if(PORTACL_SANITIZE)
  list(APPEND PORTACL_LANE_OPTIONS ${PORTACL_OPTIMIZE})    # also those of a room, whose other files are not optimised then
endif()
if(PORTACL_SANITIZE MATCHES "address")
  list(APPEND PORTACL_LANE_OPTIONS $<IF:$<CXX_COMPILER_ID:GNU>,-fno-sanitize-address-use-after-scope,-O0>)
endif()

if(PORTACL_SANITIZE)
  add_compile_options(-fsanitize=${PORTACL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 ${PORTACL_OPTIMIZE})
  add_link_options(-fsanitize=${PORTACL_SANITIZE})
  # GCC 12 reports std::regex of its own library once code is instrumented, and registers that intrinsics leave undefined on purpose.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)
  if(PORTACL_SANITIZE MATCHES "undefined")
    # C clients pass any number where the interface says enum; refusing it means reading it. Both compilers define that (no -fstrict-enums).
    add_compile_options(-fno-sanitize=enum)
  endif()
endif()
if(PORTACL_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(PORTACL_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

# What links tests: they hold whole layers, which a fast linker joins in a tenth of the time. The libraries are linked as they are for users.
add_library(portacl_test_linker INTERFACE)
find_program(PORTACL_MOLD mold)
if(PORTACL_MOLD AND NOT CMAKE_CROSSCOMPILING)
  target_link_options(portacl_test_linker INTERFACE -fuse-ld=mold)
endif()
