# SPDX-License-Identifier: Apache-2.0
# An operator room is a folder src/<ops>/<family>/<room>/ that holds <room>_spec.h. File endings decide what a file is:
#
#   <room>.cc  and others          object library portacl_room_<room>
#   <room>_lanes*.cc               the same, compiled once per instruction set by Highway
#   *_test.cc                      unit test <room>_test
#   aclnn_*.h, headers/aclnn_*.h   public header, installed as aclnnop/aclnn_*.h; its ACLNN_API lines are what we export
#
# Which library exports an operator is the field .library of its schema, read as text: it stands after .api, as a plain string.
#
# Nobody edits a list: portacl_rooms(ops) writes operators.gen.cc, which joins what every room's Operators() returns.

function(portacl_rooms directory)
  file(GLOB specs CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${directory}/*/*/*_spec.h")
  set(rooms "")
  set(declarations "")
  set(rows "")
  foreach(spec IN LISTS specs)
    cmake_path(GET spec PARENT_PATH folder)
    cmake_path(GET folder FILENAME room)
    cmake_path(GET folder PARENT_PATH family)
    cmake_path(GET family FILENAME family)
    if(NOT spec STREQUAL "${folder}/${room}_spec.h")
      message(FATAL_ERROR "${spec}: the room's folder must be named like its spec file")
    endif()
    portacl_room(${room} "${folder}")
    portacl_read_libraries("${spec}")
    list(APPEND rooms room_${room})
    string(APPEND declarations "namespace portacl::ops::${room} {\nstd::span<const exec::OperatorEntry> Operators();\n}\n")
    string(APPEND rows "      {\"${family}/${room}\", portacl::ops::${room}::Operators()},\n")
  endforeach()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/operators.gen.cc.in" operators.gen.cc @ONLY)
  portacl_layer(${directory} DEPENDS ${rooms} SOURCES "${CMAKE_CURRENT_BINARY_DIR}/operators.gen.cc")
  set_property(GLOBAL PROPERTY PORTACL_ROOMS ${rooms})
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
  set(tests ${sources})
  set(lanes ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER lanes INCLUDE REGEX "_lanes[^/]*\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")

  portacl_layer(room_${room} DEPENDS families SOURCES ${sources})
  set_target_properties(portacl_room_${room} PROPERTIES UNITY_BUILD OFF)    # files of one room may use the same names
  # Loops of one line are left to the compiler (families/scalar_lanes.h); the default of -O2 takes those alone whose length it knows.
  target_compile_options(portacl_room_${room} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fvect-cost-model=cheap>)
  portacl_lane_files(${lanes})
  if(tests)
    portacl_unit_test(${room}_test DEPENDS room_${room} testing SOURCES ${tests})
    if(PORTACL_TESTS)
      set_target_properties(${room}_test PROPERTIES UNITY_BUILD OFF)
      # Examples and calls of the kit, whose loops are elsewhere: compilers spend more on optimising and instrumenting these tables than runs
      # gain. What they call is instrumented, and their buffers end at guard pages.
      set_property(SOURCE ${tests} APPEND PROPERTY COMPILE_OPTIONS -O0)
      if(PORTACL_SANITIZE MATCHES "address")
        set_property(SOURCE ${tests} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=all)
      endif()
      if(NOT CMAKE_CROSSCOMPILING AND NOT PORTACL_SANITIZE AND NOT PORTACL_SCALAR)
        # The same tests on a device whose memory only kernels and copies may touch: once, with all instruction sets, without those
        # that look at many values. All operands are more than the caches hold.
        add_test(NAME ${room}_test_on_fake_device
          COMMAND ${room}_test --gtest_filter=-*.IsRightForEveryPatternOfEachInput*:*.RoundsNarrowResultsOnce*:*Accuracy.*)
        set_tests_properties(${room}_test_on_fake_device PROPERTIES LABELS unit TIMEOUT 1800
          ENVIRONMENT "PORTACL_TEST_DEVICE=fake;PORTACL_NON_TEMPORAL_BYTES=64")
      endif()
    endif()
  endif()

  file(GLOB headers CONFIGURE_DEPENDS "${folder}/aclnn_*.h" "${folder}/headers/aclnn_*.h")
  set_property(GLOBAL APPEND PROPERTY PORTACL_ROOM_HEADERS ${headers})
  foreach(header IN LISTS headers)
    # Inside the build the header is found under its installed name, too.
    cmake_path(GET header FILENAME name)
    file(MAKE_DIRECTORY "${PORTACL_BUILD_INCLUDE}/aclnnop")
    file(CREATE_LINK "${header}" "${PORTACL_BUILD_INCLUDE}/aclnnop/${name}" SYMBOLIC)
  endforeach()
endfunction()
