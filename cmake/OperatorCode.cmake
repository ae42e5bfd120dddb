# SPDX-License-Identifier: Apache-2.0
# The rows of a room, PORTACL_ROW(<name>, <library>, "<header>", ...) in its <room>_spec.h, are the only list of its
# operators: C++ creates schemas from them, CMake reads the first three arguments, and the build generates files from
# both.

set(PORTACL_OPERATOR_LIBRARIES opapi_math opapi_nn opapi_cv opapi_transformer)

# Reads the rows of a room into the properties PORTACL_ROWS_<room>, their names; PORTACL_HEADERS_<room>; and
# PORTACL_NAMES_<library>, to which the names of their functions are added. Writes rows/<room>.h, whose
# PORTACL_<ROOM>_ROWS(X) expands to X(<name>) for each row: lane files can use it without the schemas.
function(portacl_read_rows room spec)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${spec}")
  file(READ "${spec}" text)
  string(REGEX MATCHALL "PORTACL_ROW\\(" rows "${text}")
  string(REGEX MATCHALL "PORTACL_ROW\\([ \n]*[A-Za-z0-9]+,[ \n]*[a-z_]+,[ \n]*\"aclnn_[a-z0-9_]+\\.h\"," read "${text}")
  list(LENGTH rows count)
  list(LENGTH read count_read)
  if(count EQUAL 0 OR NOT count EQUAL count_read)
    message(FATAL_ERROR "${spec}: expected rows PORTACL_ROW(Name, library, \"aclnn_name.h\", ...); ${count_read} of ${count} are")
  endif()
  foreach(row IN LISTS read)
    string(REGEX MATCH "\\([ \n]*([A-Za-z0-9]+),[ \n]*([a-z_]+),[ \n]*\"([a-z0-9_.]+)\"" row "${row}")
    if(NOT CMAKE_MATCH_2 IN_LIST PORTACL_OPERATOR_LIBRARIES)
      message(FATAL_ERROR "${spec}: ${CMAKE_MATCH_1}: '${CMAKE_MATCH_2}' is no library of operators; there are ${PORTACL_OPERATOR_LIBRARIES}")
    endif()
    set_property(GLOBAL APPEND PROPERTY PORTACL_ROWS_${room} ${CMAKE_MATCH_1})
    set_property(GLOBAL APPEND PROPERTY PORTACL_HEADERS_${room} ${CMAKE_MATCH_3})
    set_property(GLOBAL APPEND PROPERTY PORTACL_NAMES_${CMAKE_MATCH_2} aclnn${CMAKE_MATCH_1}GetWorkspaceSize aclnn${CMAKE_MATCH_1})
  endforeach()
  string(REGEX MATCHALL "PORTACL_FUNCTION\\([A-Za-z0-9]+, [a-z_]+\\)" functions "${text}")
  foreach(function IN LISTS functions)
    string(REGEX MATCH "\\((.*), (.*)\\)" function "${function}")
    set_property(GLOBAL APPEND PROPERTY PORTACL_NAMES_${CMAKE_MATCH_2} aclnn${CMAKE_MATCH_1})
  endforeach()
  get_property(headers GLOBAL PROPERTY PORTACL_HEADERS_${room})
  list(REMOVE_DUPLICATES headers)
  set_property(GLOBAL PROPERTY PORTACL_HEADERS_${room} ${headers})
  get_property(names GLOBAL PROPERTY PORTACL_ROWS_${room})
  list(FILTER names EXCLUDE REGEX "^Foreach")    # lists use the lanes of the operators that they are named after
  list(TRANSFORM names REPLACE "(.+)" " X(\\1)")
  list(JOIN names "" names)
  string(TOUPPER "${room}" macro)
  file(CONFIGURE OUTPUT "${PORTACL_BUILD_INCLUDE}/rows/${room}.h" CONTENT
    "// Written by cmake/OperatorCode.cmake from ${room}_spec.h.\n#pragma once\n\n#define PORTACL_${macro}_ROWS(X)${names}\n")
endfunction()

# portacl_operator_code(<target> <include folder> <family>/<room>...): a target that writes the headers of these rooms
# into <include folder>/aclnnop, and next to it the C functions that end <room>.cc. Its program contains only the rows:
# functions of rooms to which the rows refer are not linked, because it does not call them.
function(portacl_operator_code target folder)
  set(includes "")
  set(rows "")
  set(outputs "")
  foreach(room_folder IN LISTS ARGN)
    cmake_path(GET room_folder FILENAME room)
    string(APPEND includes "#include \"ops/${room_folder}/${room}_spec.h\"\n")
    get_property(names GLOBAL PROPERTY PORTACL_ROWS_${room})
    list(TRANSFORM names PREPEND "&ops::${room}::k")
    list(JOIN names ", " names)
    string(APPEND rows "      {\"${room_folder}\", {${names}}},\n")
    get_property(headers GLOBAL PROPERTY PORTACL_HEADERS_${room})
    list(TRANSFORM headers PREPEND "${folder}/aclnnop/")
    list(APPEND outputs ${headers} "${folder}/ops/${room_folder}/${room}_functions.inc")
  endforeach()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}.gen.cc")
  configure_file("${PROJECT_SOURCE_DIR}/tools/rooms.gen.cc.in" "${source}" @ONLY)
  set(program ${target}_writer)
  set(sources operator_headers.cc header_text.cc schema_sentences.cc)
  list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/tools/")
  add_executable(${program} ${sources} "${PROJECT_SOURCE_DIR}/src/tool/accuracy_text.cc" "${source}")
  target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}/tools")
  target_compile_options(${program} PRIVATE -O0)
  target_link_options(${program} PRIVATE -no-pie LINKER:--unresolved-symbols=ignore-all)
  target_link_libraries(${program} PRIVATE portacl_flags)
  set_target_properties(${program} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  portacl_binary(${program} DEPENDS calls exec)
  add_custom_command(OUTPUT ${outputs} COMMAND ${program} "${folder}" DEPENDS ${program} VERBATIM
    COMMENT "Writing the headers and C functions of operators")
  add_custom_target(${target} DEPENDS ${outputs})
endfunction()
