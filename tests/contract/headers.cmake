# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, as C99 and as C++11, without a warning; the spellings programs use resolve, and so do
# the names of all fields and enumerators, in C11, too. Nothing runs: the object libraries header_check_c and header_check_cc fail to build.

file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
  "${PROJECT_SOURCE_DIR}/include/*.h")
get_property(room_headers GLOBAL PROPERTY PORTACL_ROOM_HEADERS)
foreach(header IN LISTS room_headers)
  cmake_path(GET header FILENAME name)
  list(APPEND public_headers "aclnnop/${name}")
endforeach()

foreach(language c cc)
  set(sources "${CMAKE_CURRENT_LIST_DIR}/headers/spellings.${language}" "${CMAKE_CURRENT_LIST_DIR}/headers/names.${language}")
  foreach(header IN LISTS public_headers)
    string(MAKE_C_IDENTIFIER "${header}" name)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.${language}")
    # The declaration: C forbids a source without one, and some headers hold only macros.
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n\nextern int portacl_${name};\n")
    list(APPEND sources "${source}")
  endforeach()
  add_library(header_check_${language} OBJECT ${sources})
  target_include_directories(header_check_${language} PRIVATE "${PROJECT_SOURCE_DIR}/include"
    "${PROJECT_SOURCE_DIR}/include/aclnn" "${PROJECT_SOURCE_DIR}/include/aclnnop" "${PORTACL_BUILD_INCLUDE}")
  target_compile_options(header_check_${language} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
  set_target_properties(header_check_${language} PROPERTIES
    C_STANDARD 99 C_EXTENSIONS OFF CXX_STANDARD 11 CXX_EXTENSIONS OFF)
endforeach()
set_property(SOURCE "${CMAKE_CURRENT_LIST_DIR}/headers/names.c" PROPERTY COMPILE_OPTIONS -std=c11)
