# SPDX-License-Identifier: Apache-2.0
# An operator room is a folder src/<ops>/<family>/<room>/ that holds <room>_spec.h. File endings decide what a file is:
#
#   <room>.cc  and others          object library portacl_room_<room>
#   <room>_lanes*.cc               the same, compiled once per instruction set by Highway
#   *_test.cc                      part of the unit test <family>_test
#   headers/aclnn_*.h              public header, installed as aclnnop/aclnn_*.h; its ACLNN_API lines are what we export
#
# Which library exports an operator is the field .library of its schema, read as text: it stands after .api, as a plain string.
#
# Nobody edits a list: portacl_rooms() writes operators.gen.cc, which joins what every room's Operators() returns.

# portacl_find_rooms(<what> <rooms> <families>): the rooms of this build that have <room>_<what>.h, their families, and in rooms_<family> those of each.
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
  foreach(family IN LISTS families)
    foreach(room IN LISTS rooms_${family})
      portacl_room(${room} "${PROJECT_SOURCE_DIR}/src/ops/${family}/${room}")
      portacl_read_libraries("${PROJECT_SOURCE_DIR}/src/ops/${family}/${room}/${room}_spec.h")
      list(APPEND folders ${family}/${room})
    endforeach()
    portacl_family_test(${family} ${rooms_${family}})
  endforeach()
  portacl_operator_list("${CMAKE_CURRENT_BINARY_DIR}/operators.gen.cc" ${folders})
  list(TRANSFORM rooms PREPEND room_)
  portacl_layer(ops DEPENDS ${rooms} SOURCES "${CMAKE_CURRENT_BINARY_DIR}/operators.gen.cc")
  set_property(GLOBAL PROPERTY PORTACL_ROOMS ${rooms})
endfunction()

# Writes the file that joins what the Operators() of some rooms return; a room is <family>/<room>.
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

set(PORTACL_OPERATOR_LIBRARIES opapi_math opapi_nn opapi_cv opapi_transformer)

# Sets the property PORTACL_LIBRARY_OF_<operator> for each operator that `spec` names: an .api and the names in quotes up to the next one share a
# library.
function(portacl_read_libraries spec)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${spec}")
  file(STRINGS "${spec}" lines REGEX "\"aclnn|\\.library = ")
  set(apis "")
  foreach(line IN LISTS lines)
    if(line MATCHES "\\.api = ")
      set(apis "")
      set(library opapi_nn)    # the default of exec::About
    endif()
    if(line MATCHES "\"(aclnn[A-Za-z0-9]+)\"")
      list(APPEND apis "${CMAKE_MATCH_1}")
    endif()
    if(line MATCHES "\\.library = \"?([^ ,\"]*)")
      set(library "${CMAKE_MATCH_1}")
      if(NOT library IN_LIST PORTACL_OPERATOR_LIBRARIES)
        message(FATAL_ERROR "${spec}: ${apis}: '${library}' is no library of operators; there are ${PORTACL_OPERATOR_LIBRARIES}")
      endif()
    endif()
    foreach(api IN LISTS apis)
      set_property(GLOBAL PROPERTY PORTACL_LIBRARY_OF_${api} ${library})
    endforeach()
  endforeach()
endfunction()

function(portacl_room room folder)
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cc")
  set(lanes ${sources})
  list(FILTER lanes INCLUDE REGEX "_lanes[^/]*\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")

  portacl_layer(room_${room} DEPENDS families SOURCES ${sources})
  set_target_properties(portacl_room_${room} PROPERTIES UNITY_BUILD OFF)    # files of one room may use the same names
  # Loops of one line are left to the compiler (families/scalar_lanes.h); the default of -O2 takes those alone whose length it knows.
  target_compile_options(portacl_room_${room} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fvect-cost-model=cheap>)
  portacl_lane_files(${lanes})
  file(GLOB headers CONFIGURE_DEPENDS "${folder}/headers/aclnn_*.h")
  set_property(GLOBAL APPEND PROPERTY PORTACL_ROOM_HEADERS ${headers})
  foreach(header IN LISTS headers)
    # Inside the build the header is found under its installed name, too.
    cmake_path(GET header FILENAME name)
    file(MAKE_DIRECTORY "${PORTACL_BUILD_INCLUDE}/aclnnop")
    file(CREATE_LINK "${header}" "${PORTACL_BUILD_INCLUDE}/aclnnop/${name}" SYMBOLIC)
  endforeach()
endfunction()

# One test program for all rooms of a family.
function(portacl_family_test family)
  set(tests "")
  foreach(room IN LISTS ARGN)
    file(GLOB room_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/ops/${family}/${room}/*_test.cc")
    list(APPEND tests ${room_tests})
  endforeach()
  set(layers ${ARGN})
  list(TRANSFORM layers PREPEND room_)
  portacl_unit_test(${family}_test THREADS DEPENDS ${layers} testing ORACLES ${family} SOURCES ${tests})
  if(NOT PORTACL_TESTS)
    return()
  endif()
  set_tests_properties(${family}_test PROPERTIES COST 20)    # begins early: the longest tests are among these
  if(PORTACL_SANITIZE MATCHES "address")    # what the tests call is instrumented, and their buffers end at guard pages
    target_compile_options(${family}_test PRIVATE -fno-sanitize=all)
  endif()
  if(PORTACL_SANITIZE MATCHES "thread")    # drawn calls that threads do not share are the other builds' business
    set_property(TEST ${family}_test APPEND PROPERTY ENVIRONMENT
      "GTEST_FILTER=-*OperatorConformance.Is*:*OperatorConformance.Takes*:*OperatorConformance.Rounds*:*OperatorSample*:*Accuracy*")
  endif()
  if(NOT CMAKE_CROSSCOMPILING AND NOT PORTACL_SANITIZE)
    # The same tests on a device whose memory only kernels and copies may touch: once, with all instruction sets, without those
    # that look at many values. All operands are more than the caches hold.
    portacl_add_test(NAME ${family}_test_on_fake_device LABEL unit TIMEOUT ${PORTACL_TEST_TIMEOUT}
      COMMAND $<TARGET_FILE:${family}_test> --gtest_filter=-*.IsRightForEveryPatternOfEachInput*:*.RoundsNarrowResultsOnce*:*Accuracy.*
      ENVIRONMENT PORTACL_TEST_DEVICE=fake PORTACL_NON_TEMPORAL_BYTES=64)
  endif()
endfunction()
