# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, as C99 and as C++11, without a warning. The include paths that programs use
# resolve. The values of constants, the layouts of structs and the types of functions are those that compiled programs
# carry. Nothing is run: on a failure the object libraries header_check_c and header_check_cc do not build.
#
# The headers of operators share one source, as there are many: in C in ascending order, in C++ in descending order, so
# that a header that needs another one fails in one of the two. tools/check_headers.py checks that all of them include
# the same headers and no header of another operator.

file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
  "${PROJECT_SOURCE_DIR}/include/*.h")
get_property(room_headers GLOBAL PROPERTY PORTACL_ROOM_HEADERS)
set(includes_c "")
set(includes_cc "")
foreach(header IN LISTS room_headers PORTACL_ABSENT_HEADERS)
  cmake_path(GET header FILENAME name)
  string(APPEND includes_c "#include \"aclnnop/${name}\"\n")
  string(PREPEND includes_cc "#include \"aclnnop/${name}\"\n")
endforeach()

foreach(language c cc)
  set(sources "${CMAKE_CURRENT_LIST_DIR}/headers/spellings.${language}" "${CMAKE_CURRENT_LIST_DIR}/headers/values.${language}")
  foreach(header IN LISTS public_headers)
    string(MAKE_C_IDENTIFIER "${header}" name)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.${language}")
    # The declaration is needed because C forbids an empty source, and some headers only define macros.
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n\nextern int portacl_${name};\n")
    list(APPEND sources "${source}")
  endforeach()
  set(operators "${CMAKE_CURRENT_BINARY_DIR}/headers/operators.${language}")
  file(CONFIGURE OUTPUT "${operators}" CONTENT "${includes_${language}}")
  list(APPEND sources "${operators}")
  add_library(header_check_${language} OBJECT ${sources})
  add_dependencies(header_check_${language} operator_headers)
  target_include_directories(header_check_${language} PRIVATE "${PROJECT_SOURCE_DIR}/include"
    "${PROJECT_SOURCE_DIR}/include/aclnn" "${PROJECT_SOURCE_DIR}/include/aclnnop" "${PORTACL_BUILD_INCLUDE}" "${CMAKE_BINARY_DIR}/absent")
  add_dependencies(portacl_tests header_check_${language})
  target_compile_options(header_check_${language} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
  set_target_properties(header_check_${language} PROPERTIES
    C_STANDARD 99 C_EXTENSIONS OFF CXX_STANDARD 11 CXX_EXTENSIONS OFF UNITY_BUILD OFF)
endforeach()
set_property(SOURCE "${CMAKE_CURRENT_LIST_DIR}/headers/values.c" PROPERTY COMPILE_OPTIONS -std=c11)
target_sources(header_check_cc PRIVATE "${CMAKE_CURRENT_LIST_DIR}/headers/types.cc")
