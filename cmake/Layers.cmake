# SPDX-License-Identifier: Apache-2.0
# The functions with which a layer, its tests and the whole-library tests are declared.
#
#   portacl_layer(tensor DEPENDS base SOURCES view.cc ...)               object library portacl_tensor; header-only without SOURCES. LOOPS: it spends
#                                                                        most of its time in loops over elements
#   portacl_unit_test(tensor_test SOURCES view_test.cc DEPENDS tensor)   GoogleTest; links the layers and all below them
#   portacl_contract_test(exit_test SOURCES exit_test.cc)                GoogleTest; links only the shared libraries
#   portacl_fuzzer(npy_fuzz SOURCES npy_fuzz.cc)                         libFuzzer; links only the shared libraries
#
# Several files of a target are compiled as one (CMAKE_UNITY_BUILD), so that their headers are read only once. Names in unnamed namespaces must
# therefore differ within a layer, and within the tests of a layer or a family; rooms are excluded.
#
# Layers do not link to each other: all of them find headers in src/ and include/, and each object file must be in a shared
# library only once. At the end portacl_finish_layers() determines which objects a test needs.

function(portacl_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "LOOPS" "" "DEPENDS;SOURCES")
  if(layer_SOURCES)
    add_library(portacl_${name} OBJECT ${layer_SOURCES})
    target_link_libraries(portacl_${name} PRIVATE portacl_flags)
    if(PORTACL_SANITIZE AND NOT layer_LOOPS)
      target_compile_options(portacl_${name} PRIVATE -O0)    # compilers take twice as long to optimise instrumented code
    endif()
  else()
    add_library(portacl_${name} INTERFACE)
    target_link_libraries(portacl_${name} INTERFACE portacl_flags)
  endif()
  list(TRANSFORM layer_DEPENDS REPLACE "^portacl_" "")
  set_property(GLOBAL PROPERTY PORTACL_BELOW_${name} "${layer_DEPENDS}")
endfunction()

# Tests are mainly tables of examples; the tested code is optimised, but optimising the tables would take more time than
# it saves. EXHAUSTIVE: files whose own loops visit all values of a dtype. ORACLES: families whose oracles are linked,
# if the layer `calls` is. THREADS: the tested code has threads, so ThreadSanitizer's build includes the test. ALWAYS:
# see portacl_add_test.
function(portacl_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "THREADS;ALWAYS" "" "DEPENDS;SOURCES;EXHAUSTIVE;ORACLES")
  if(NOT PORTACL_TESTS OR (PORTACL_SANITIZE MATCHES "thread" AND NOT test_THREADS))
    return()
  endif()
  add_executable(${name} ${test_SOURCES} ${test_EXHAUSTIVE})
  target_compile_options(${name} PRIVATE -O0)
  set_property(SOURCE ${test_EXHAUSTIVE} APPEND PROPERTY COMPILE_OPTIONS ${PORTACL_OPTIMIZE})
  target_link_libraries(${name} PRIVATE portacl_flags portacl_test_linker GTest::gtest_main)
  portacl_binary(${name} DEPENDS ${test_DEPENDS} ORACLES ${test_ORACLES})
  portacl_register_test(${name} unit ${test_ALWAYS})
endfunction()

# Links the layers that `name` needs, once all layers are known.
function(portacl_binary name)
  cmake_parse_arguments(PARSE_ARGV 1 binary "" "" "DEPENDS;ORACLES")
  list(TRANSFORM binary_DEPENDS REPLACE "^portacl_" "")
  set_property(GLOBAL PROPERTY PORTACL_BELOW_BINARY_${name} "${binary_DEPENDS}")
  set_property(GLOBAL PROPERTY PORTACL_ORACLES_OF_${name} "${binary_ORACLES}")
  set_property(GLOBAL APPEND PROPERTY PORTACL_BINARIES ${name})
endfunction()

function(portacl_contract_test name)
  if(NOT PORTACL_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES")
  add_executable(${name} ${test_SOURCES})
  target_compile_options(${name} PRIVATE -O0)
  target_link_libraries(${name} PRIVATE portacl_flags portacl_test_linker opapi nnopbase ascendcl GTest::gtest_main)
  portacl_register_test(${name} contract OFF)
endfunction()

# Lane files: Highway includes such a file once per instruction set.
function(portacl_lane_files)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${PORTACL_LANE_OPTIONS})
  set_property(SOURCE ${ARGN} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)    # each is compiled once per instruction set
endfunction()

function(portacl_fuzzer name)
  if(NOT PORTACL_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 fuzzer "" "" "SOURCES")
  add_executable(${name} ${fuzzer_SOURCES})
  target_link_libraries(${name} PRIVATE portacl_flags opapi nnopbase ascendcl GTest::gtest)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
endfunction()

set(PORTACL_TEST_TIMEOUT 400)
if(PORTACL_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(PORTACL_TEST_TIMEOUT 1800)    # tests of 20 s take minutes in an emulator
endif()

# One ctest entry for each binary: GoogleTest names the failing test, and a start under an emulator takes longer than
# most tests.
function(portacl_register_test name label always)
  set(options "")
  if(always)
    set(options ALWAYS)
  endif()
  add_dependencies(portacl_tests ${name})
  portacl_add_test(NAME ${name} LABEL ${label} TIMEOUT ${PORTACL_TEST_TIMEOUT} ${options} COMMAND $<TARGET_FILE:${name}>)
endfunction()

# portacl_add_test(NAME <name> LABEL <label> TIMEOUT <s> [ALWAYS] [DATA <files and folders>] COMMAND <program of ours> <argument>...)
# A passed test is not run again while the program, the shared libraries of this build that it loads, the files among
# its arguments, DATA and its environment are the same (tools/run_once.py). ALWAYS: it depends on more than that, and
# always runs.
function(portacl_add_test)
  portacl_script_test(${ARGV} EMULATED)
endfunction()

# Like portacl_add_test, for a Python script that starts programs of this build itself.
function(portacl_script_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "ALWAYS;EMULATED" "NAME;LABEL;TIMEOUT" "COMMAND;DATA;ENVIRONMENT")
  set(launcher "")
  if(NOT test_ALWAYS AND NOT PORTACL_SANITIZE MATCHES "thread")
    set(launcher "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/run_once.py" --build "${CMAKE_BINARY_DIR}")
    foreach(data IN LISTS test_DATA)
      list(APPEND launcher --data "${data}")
    endforeach()
    list(APPEND launcher --)
  endif()
  set(interpreter "${Python3_EXECUTABLE}")
  if(test_EMULATED)
    set(interpreter ${CMAKE_CROSSCOMPILING_EMULATOR})
    if(CMAKE_CROSSCOMPILING)
      # Death tests start their own binary again, which the kernel cannot do for another processor.
      list(APPEND test_ENVIRONMENT "GTEST_FILTER=-*DeathTest.*")
    endif()
  endif()
  add_test(NAME ${test_NAME} COMMAND ${launcher} ${interpreter} ${test_COMMAND})
  set_tests_properties(${test_NAME} PROPERTIES LABELS ${test_LABEL} TIMEOUT ${test_TIMEOUT} ENVIRONMENT "${test_ENVIRONMENT}")
endfunction()

# All layers at or below `names`, each once.
function(portacl_closure result)
  set(open ${ARGN})
  set(closed "")
  while(open)
    list(POP_FRONT open name)
    if(NOT name IN_LIST closed)
      list(APPEND closed ${name})
      get_property(below GLOBAL PROPERTY PORTACL_BELOW_${name})
      list(APPEND open ${below})
    endif()
  endwhile()
  set(${result} ${closed} PARENT_SCOPE)
endfunction()

function(portacl_finish_layers)
  get_property(binaries GLOBAL PROPERTY PORTACL_BINARIES)
  foreach(binary IN LISTS binaries)
    get_property(below GLOBAL PROPERTY PORTACL_BELOW_BINARY_${binary})
    portacl_closure(layers ${below})
    if(calls IN_LIST layers AND NOT all_oracles IN_LIST layers)
      get_property(families GLOBAL PROPERTY PORTACL_ORACLES_OF_${binary})
      portacl_oracle_list("${CMAKE_BINARY_DIR}/oracles/${binary}.cc" ${families})
      target_sources(${binary} PRIVATE "${CMAKE_BINARY_DIR}/oracles/${binary}.cc")
      list(TRANSFORM families PREPEND oracles_)
      list(APPEND layers ${families})
    endif()
    list(TRANSFORM layers PREPEND portacl_)
    target_link_libraries(${binary} PRIVATE ${layers})
  endforeach()
endfunction()
