# SPDX-License-Identifier: Apache-2.0
# An operator room is a folder src/<ops>/<family>/<room>/ that holds <room>_spec.h. File endings decide what a file is:
#
#   <room>.cc  and others          object library portacl_ops_<family>, <room>.cc and *_shapes.cc compiled with those of other rooms
#   <room>_lanes*.cc               the same, compiled once per instruction set by Highway
#   *_test.cc                      part of the unit test <family>_test
#
# There is no list to edit: portacl_rooms() writes operators.gen.cc, which joins the results of every room's Operators().

# portacl_find_rooms(<what> <rooms> <families>): the rooms of this build that have <room>_<what>.h, their families, and
# in rooms_<family> the rooms of each family.
function(portacl_find_rooms what rooms families)
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/ops/*/*/*_${what}.h")
  set(all_rooms "")
  set(all_families "")
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH folder)
    cmake_path(GET folder FILENAME room)
    cmake_path(GET folder PARENT_PATH family)
    cmake_path(GET family FILENAME family)
    if(NOT header STREQUAL "${folder}/${room}_${what}.h")
      message(FATAL_ERROR "${header}: the room's folder must be named like its ${what} file")
    endif()
    if(PORTACL_ONLY_ROOMS AND NOT room IN_LIST PORTACL_ONLY_ROOMS)
      continue()
    endif()
    list(APPEND all_rooms ${room})
    list(APPEND all_families ${family})
    list(APPEND rooms_${family} ${room})
  endforeach()
  list(REMOVE_DUPLICATES all_families)
  foreach(family IN LISTS all_families)
    set(rooms_${family} ${rooms_${family}} PARENT_SCOPE)
  endforeach()
  set(${rooms} ${all_rooms} PARENT_SCOPE)
  set(${families} ${all_families} PARENT_SCOPE)
endfunction()

function(portacl_rooms)
  portacl_find_rooms(spec rooms families)
  set(folders "")
  set(headers "")
  foreach(family IN LISTS families)
    foreach(room IN LISTS rooms_${family})
      portacl_read_rows(${room} "${PROJECT_SOURCE_DIR}/src/ops/${family}/${room}/${room}_spec.h")
      list(APPEND folders ${family}/${room})
      get_property(room_headers GLOBAL PROPERTY PORTACL_HEADERS_${room})
      list(APPEND headers ${room_headers})
    endforeach()
    portacl_family(${family} ${rooms_${family}})
    portacl_family_test(${family} ${rooms_${family}})
  endforeach()
  portacl_operator_code(operator_headers "${PORTACL_BUILD_INCLUDE}" ${folders})
  list(TRANSFORM headers PREPEND "${PORTACL_BUILD_INCLUDE}/aclnnop/")
  set_property(GLOBAL PROPERTY PORTACL_ROOM_HEADERS ${headers})
  portacl_operator_list("${CMAKE_CURRENT_BINARY_DIR}/operators.gen.cc" ${folders})
  list(TRANSFORM families PREPEND ops_)
  portacl_layer(ops DEPENDS ${families} SOURCES "${CMAKE_CURRENT_BINARY_DIR}/operators.gen.cc")
  set_property(GLOBAL PROPERTY PORTACL_FAMILIES ${families})
endfunction()

# Writes the file that joins the results of Operators() of some rooms; a room is <family>/<room>.
function(portacl_operator_list file)
  set(declarations "")
  set(rows "")
  foreach(folder IN LISTS ARGN)
    cmake_path(GET folder FILENAME room)
    string(APPEND declarations "namespace portacl::ops::${room} {\nstd::span<const exec::OperatorEntry> Operators();\n}\n")
    string(APPEND rows "      {\"${folder}\", portacl::ops::${room}::Operators()},\n")
  endforeach()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/operators.gen.cc.in" "${file}" @ONLY)
endfunction()

function(portacl_family family)
  set(sources "")
  foreach(room IN LISTS ARGN)
    file(GLOB room_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/ops/${family}/${room}/*.cc")
    list(APPEND sources ${room_sources})
    list(FILTER room_sources EXCLUDE REGEX "(/${room}|_shapes|_test)\\.cc$")
    set_property(SOURCE ${room_sources} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)    # parts of one room may use the same names
  endforeach()
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  set(lanes ${sources})
  list(FILTER lanes INCLUDE REGEX "_lanes[^/]*\\.cc$")
  portacl_layer(ops_${family} DEPENDS families SOURCES ${sources})
  # Simple loops are vectorised by the compiler (families/scalar_lanes.h); at -O2 it would vectorise only those of known
  # length.
  target_compile_options(portacl_ops_${family} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fvect-cost-model=cheap>)
  portacl_lane_files(${lanes})
  add_dependencies(portacl_ops_${family} operator_headers)
endfunction()

# One test program for all rooms of a family.
function(portacl_family_test family)
  set(tests "")
  foreach(room IN LISTS ARGN)
    file(GLOB room_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/ops/${family}/${room}/*_test.cc")
    list(APPEND tests ${room_tests})
  endforeach()
  portacl_unit_test(${family}_test THREADS DEPENDS ops_${family} testing ORACLES ${family} SOURCES ${tests})
  if(NOT PORTACL_TESTS)
    return()
  endif()
  set_tests_properties(${family}_test PROPERTIES COST 20)    # begins early: these tests are among the longest
  if(PORTACL_SANITIZE MATCHES "address")    # the tested code is instrumented, and the tests' buffers end at guard pages
    target_compile_options(${family}_test PRIVATE -fno-sanitize=all)
  endif()
  if(PORTACL_SANITIZE MATCHES "thread")    # other builds run the randomly generated calls that do not share data between threads
    set_property(TEST ${family}_test APPEND PROPERTY ENVIRONMENT
      "GTEST_FILTER=-*OperatorConformance.Is*:*OperatorConformance.Takes*:*OperatorConformance.Rounds*:*OperatorSample*:*Accuracy*")
  endif()
  if(NOT CMAKE_CROSSCOMPILING AND NOT PORTACL_SANITIZE)
    # The same tests on a device whose memory only kernels and copies may access: once, with all instruction sets,
    # without tests that check many values. All operands count as larger than the caches.
    portacl_add_test(NAME ${family}_test_on_fake_device LABEL unit TIMEOUT ${PORTACL_TEST_TIMEOUT}
      COMMAND $<TARGET_FILE:${family}_test> --gtest_filter=-*.IsRightForEveryPatternOfEachInput*:*.RoundsNarrowResultsOnce*:*Accuracy.*
      ENVIRONMENT PORTACL_TEST_DEVICE=fake PORTACL_NON_TEMPORAL_BYTES=64)
  endif()
endfunction()
