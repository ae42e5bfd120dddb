# SPDX-License-Identifier: Apache-2.0
# Options for all C++ files of the project: one interface target, portacl_flags, to which all other targets link.

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

# No machine that matters has SSSE3 as its best set, so a fourth copy of each kernel is not worth it. Instrumented lane
# files take long to compile, half of it for the smallest instruction set: the fuzzers begin at SSE4, and other
# sanitizers have only AVX2.
set(PORTACL_DISABLED_TARGETS HWY_SSSE3 CACHE STRING "Instruction sets that are left out, as Highway's HWY_DISABLED_TARGETS")
if(PORTACL_SANITIZE AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  if(PORTACL_FUZZERS)
    add_compile_options(-march=x86-64-v2 -maes -mpclmul)
  else()
    set(PORTACL_DISABLED_TARGETS "(HWY_SSSE3|HWY_AVX3|HWY_AVX3_DL)")
    add_compile_options(-march=x86-64-v3 -maes -mpclmul)
  endif()
endif()

# A thread of the client may have a small stack. A function whose frame is larger than a page touches every page of it,
# so that it faults at the guard page instead of writing beyond it; on Arm, GCC would assume a guard page of 64 KiB.
check_cxx_compiler_flag(-fstack-clash-protection PORTACL_PROBES_STACK)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  check_cxx_compiler_flag(--param=stack-clash-protection-guard-size=12 PORTACL_PROBES_SMALL_PAGES)
endif()

set(PORTACL_TARGET_DEFINITIONS HWY_DISABLED_TARGETS=${PORTACL_DISABLED_TARGETS} HWY_BROKEN_EMU128=0)    # accepted compilers do not have the bug that this avoids; see the simd tests
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
target_include_directories(portacl_flags SYSTEM INTERFACE "${PORTACL_EIGEN_INCLUDE}")    # not a default include folder of the compiler
target_compile_definitions(portacl_flags INTERFACE
  FUNC_VISIBILITY                   # acl*.h then mark their functions as exported
  ${PORTACL_TARGET_DEFINITIONS})
target_compile_options(portacl_flags INTERFACE
  -fvisibility=hidden $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
  $<$<BOOL:${PORTACL_PROBES_STACK}>:-fstack-clash-protection>
  $<$<BOOL:${PORTACL_PROBES_SMALL_PAGES}>:--param=stack-clash-protection-guard-size=12>
  -ffp-contract=off                 # fused multiply-adds are always written explicitly, so that every target rounds alike
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<CXX_COMPILER_ID:Clang>:-Wno-mismatched-tags>    # opdev/ defines as classes what the C headers declare as structs
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>    # stable_sort of libstdc++ 12 calls std::get_temporary_buffer
  $<$<BOOL:${PORTACL_WERROR}>:-Werror>)
target_link_libraries(portacl_flags INTERFACE Threads::Threads $<LINK_ONLY:portacl_fmt>)

# Built here instead of using Debian's library: programs may have loaded another version of it.
add_library(portacl_fmt STATIC "${PROJECT_SOURCE_DIR}/src/base/fmt.cc")
target_compile_options(portacl_fmt PRIVATE $<TARGET_PROPERTY:portacl_flags,INTERFACE_COMPILE_OPTIONS>)

set(PORTACL_OPTIMIZE -O2)
if(PORTACL_SANITIZE)
  set(PORTACL_OPTIMIZE -O1)    # at -O2 the checks in a lane file's fallback take the compiler three minutes
endif()

# Lane files are vectorised by hand; automatic vectorisation of their tails and fallbacks only adds code. They consist
# of small functions that are always inlined: Clang's inliner takes two minutes for one of them except at -O0, and GCC
# takes nine times as long if it checks the scope of each of their variables. GCC's build detects undefined behaviour.
set(PORTACL_LANE_OPTIONS
  $<$<CXX_COMPILER_ID:GNU>:-fno-tree-vectorize> $<$<CXX_COMPILER_ID:Clang>:-fno-vectorize;-fno-sanitize=undefined>)
if(PORTACL_SANITIZE)
  list(APPEND PORTACL_LANE_OPTIONS ${PORTACL_OPTIMIZE})    # also for lane files of a room, whose other files are not optimised then
endif()
if(PORTACL_SANITIZE MATCHES "address")
  list(APPEND PORTACL_LANE_OPTIONS $<IF:$<CXX_COMPILER_ID:GNU>,-fno-sanitize-address-use-after-scope,-O0>)
endif()

if(PORTACL_SANITIZE)
  add_compile_options(-fsanitize=${PORTACL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 ${PORTACL_OPTIMIZE})
  add_link_options(-fsanitize=${PORTACL_SANITIZE})
  # In instrumented code, GCC 12 warns of std::regex in its own library, and of registers that intrinsics leave
  # undefined on purpose.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)
  if(PORTACL_SANITIZE MATCHES "undefined")
    # C clients pass any value for an enum, and refusing it requires reading it. Both compilers define that (no
    # -fstrict-enums).
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

# A target for tests, which contain whole layers: a fast linker links them in a tenth of the time. The libraries are
# linked as they are for users.
add_library(portacl_test_linker INTERFACE)
find_program(PORTACL_MOLD mold)
if(PORTACL_MOLD AND NOT CMAKE_CROSSCOMPILING)
  target_link_options(portacl_test_linker INTERFACE -fuse-ld=mold)
endif()
