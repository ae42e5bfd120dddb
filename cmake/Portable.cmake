# SPDX-License-Identifier: Apache-2.0
# Portable builds, for wheels: what users load runs on systems whose glibc is as old as PORTACL_GLIBC, and needs no libstdc++ of theirs. Objects are
# compiled as in every build; the difference is what they are linked with.
#
#   portacl_portable(<target>)    links a library or a program so; nothing where PORTACL_GLIBC is empty
#
# Each library has a copy of libstdc++ of its own, which its export list hides, so that it cannot meet that of the process. Exceptions cross from one
# library to another all the same: libgcc_s, which unwinds, is shared, and types are compared by name.
if(PORTACL_GLIBC)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(PORTACL_STUBS "${CMAKE_BINARY_DIR}/glibc-${PORTACL_GLIBC}")
  execute_process(COMMAND "${Python3_EXECUTABLE}" cmake/portable/glibc_stubs.py "${PORTACL_STUBS}" --glibc ${PORTACL_GLIBC} --cc "${CMAKE_C_COMPILER}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/portable/glibc_stubs.py)
  add_library(portacl_glibc OBJECT cmake/portable/glibc.c)
  add_library(portacl_start OBJECT cmake/portable/start.c)
  foreach(target portacl_glibc portacl_start)
    target_compile_options(${target} PRIVATE -fvisibility=hidden -Wall -Wextra)
  endforeach()
endif()

function(portacl_portable target)
  if(NOT PORTACL_GLIBC)
    return()
  endif()
  target_link_libraries(${target} PRIVATE portacl_glibc)
  target_link_options(${target} PRIVATE "-L${PORTACL_STUBS}" -static-libstdc++ LINKER:--no-as-needed,--allow-shlib-undefined,--strip-all)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/portable/glibc_stubs.py")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_link_libraries(${target} PRIVATE portacl_start)
    target_link_options(${target} PRIVATE LINKER:--wrap=__libc_start_main)
  endif()
endfunction()
