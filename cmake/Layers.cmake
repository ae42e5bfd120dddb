# SPDX-License-Identifier: Apache-2.0
# The functions with which a layer, its tests and the whole-library tests are declared.
#
#   portacl_layer(tensor DEPENDS base SOURCES view.cc ...)               object library portacl_tensor; header-only without SOURCES
#   portacl_unit_test(view_test SOURCES view_test.cc DEPENDS tensor)     GoogleTest; links the layers and all below them
#   portacl_contract_test(abi_test SOURCES abi_test.cc)                  GoogleTest; links only the shared libraries
#   portacl_benchmark(nest_bench SOURCES nest_bench.cc DEPENDS loops)    Google Benchmark; links like a unit test
#   portacl_fuzzer(npy_fuzz SOURCES npy_fuzz.cc)                         libFuzzer; links only the shared libraries
#
# The presets for checks compile several files of a target as one (CMAKE_UNITY_BUILD), which reads the headers once for all of them; so names
# in unnamed namespaces differ within a layer, and within the tests of a layer; rooms are left out.
#
# Layers do not link each other: all find headers below src/ and include/, and each object file must enter a shared
# library once. Which objects a test needs is worked out at the end, by portacl_finish_layers().

function(portacl_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "DEPENDS;SOURCES")
  if(layer_SOURCES)
    add_library(portacl_${name} OBJECT ${layer_SOURCES})
    target_link_libraries(portacl_${name} PRIVATE portacl_flags)
  else()
    add_library(portacl_${name} INTERFACE)
    target_link_libraries(portacl_${name} INTERFACE portacl_flags)
  endif()
  list(TRANSFORM layer_DEPENDS REPLACE "^portacl_" "")
  set_property(GLOBAL PROPERTY PORTACL_BELOW_${name} "${layer_DEPENDS}")
endfunction()

function(portacl_unit_test name)
  if(NOT PORTACL_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT" "DEPENDS;SOURCES")
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE portacl_flags GTest::gtest_main)
  list(TRANSFORM test_DEPENDS REPLACE "^portacl_" "")
  set_property(GLOBAL PROPERTY PORTACL_BELOW_BINARY_${name} "${test_DEPENDS}")
  set_property(GLOBAL APPEND PROPERTY PORTACL_BINARIES ${name})
  portacl_register_test(${name} unit "${test_TIMEOUT}")
endfunction()

function(portacl_contract_test name)
  if(NOT PORTACL_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIMEOUT" "SOURCES")
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE portacl_flags opapi nnopbase ascendcl GTest::gtest_main)
  portacl_register_test(${name} contract "${test_TIMEOUT}")
endfunction()

function(portacl_benchmark name)
  if(NOT PORTACL_TESTS OR NOT TARGET benchmark::benchmark_main)    # benchmarks use the tests' layers
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 benchmark "" "" "DEPENDS;SOURCES")
  add_executable(${name} ${benchmark_SOURCES})
  target_link_libraries(${name} PRIVATE portacl_flags benchmark::benchmark_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bench")
  list(TRANSFORM benchmark_DEPENDS REPLACE "^portacl_" "")
  set_property(GLOBAL PROPERTY PORTACL_BELOW_BINARY_${name} "${benchmark_DEPENDS}")
  set_property(GLOBAL APPEND PROPERTY PORTACL_BINARIES ${name})
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

# One ctest entry per binary: GoogleTest names the promise that broke, and a start under an emulator costs more than
# most promises take.
function(portacl_register_test name label timeout)
  if(NOT timeout)
    set(timeout 1800)    # what takes 20 s natively takes minutes in an emulator
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout})
  if(CMAKE_CROSSCOMPILING)
    # These start their own binary anew, which the kernel cannot do with a foreign one.
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "GTEST_FILTER=-*DeathTest.*")
  endif()
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
    list(TRANSFORM layers PREPEND portacl_)
    target_link_libraries(${binary} PRIVATE ${layers})
  endforeach()
endfunction()
