# SPDX-License-Identifier: Apache-2.0
# The shared libraries, under the names and SONAMEs that clients of CANN link.
#
#   libascendcl.so    base, runtime, check, trace  libnnopbase.so   tensor + exec + loops       libopapi.so   families, rooms
#   libhccl.so        hccl                           libgraph.so      the text of graphs
#
# The other libraries contain no code of their own. libopapi_math.so and the similar libraries are ELF filters of libopapi.so, libacl_rt.so is one of
# libascendcl.so, and libhcomm.so of libhccl.so: their generated stubs define each symbol at link time (ld does not search NEEDED libraries), and at
# run time the loader uses the definition in the real library. So a room may contain operators of several libraries, and each library defines the
# same symbols as CANN's. The remaining libraries are empty. All NEEDED entries are kept although no symbol of them is used: clients call dlsym()
# with one library's handle for a symbol that another one defines.

file(STRINGS tests/contract/exports/libascendcl.txt PORTACL_ASCENDCL_NAMES REGEX "^[a-zA-Z_]")
file(STRINGS tests/contract/exports/libnnopbase.txt PORTACL_NNOPBASE_NAMES REGEX "^[a-zA-Z_]")
file(STRINGS tests/contract/exports/libhccl.txt PORTACL_HCCL_NAMES REGEX "^[a-zA-Z_]")
file(STRINGS tests/contract/exports/libgraph.txt PORTACL_GRAPH_NAMES REGEX "^[a-zA-Z_]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  tests/contract/exports/libascendcl.txt tests/contract/exports/libgraph.txt tests/contract/exports/libhccl.txt tests/contract/exports/libnnopbase.txt)

# libopapi_<library> exports the functions of its rows, and libopapi exports all of them.
set(PORTACL_OPAPI_NAMES "")
foreach(library IN LISTS PORTACL_OPERATOR_LIBRARIES)
  get_property(PORTACL_NAMES_${library} GLOBAL PROPERTY PORTACL_NAMES_${library})
  list(APPEND PORTACL_OPAPI_NAMES ${PORTACL_NAMES_${library}})
  # The current content of the list in tests/contract/exports.
  set(names ${PORTACL_NAMES_${library}})
  list(SORT names)
  list(JOIN names "\n" names)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/exports/lib${library}.txt" CONTENT "${names}\n" @ONLY)
endforeach()

set(PORTACL_LIBRARIES "")

# portacl_library(<name> SOURCES ... LINKS <objects and packages> NEEDS <our libraries>)
function(portacl_library name)
  cmake_parse_arguments(PARSE_ARGV 1 library "" "" "SOURCES;LINKS;NEEDS")
  add_library(${name} SHARED ${library_SOURCES})
  # Threads run the library's code until the process ends, and call it when they end, so dlclose() must not unload it.
  target_link_options(${name} PRIVATE LINKER:--no-as-needed LINKER:-z,nodelete)
  target_link_libraries(${name} PRIVATE ${library_LINKS} ${library_NEEDS})
  if(PORTACL_FUZZERS)
    target_link_libraries(${name} PRIVATE "${PORTACL_HIGHWAY_LIBRARY}")    # clang's sanitizers enable Highway's assertions
  endif()
  if(NOT PORTACL_SANITIZE)
    target_link_options(${name} PRIVATE LINKER:-z,defs)    # clang leaves a sanitizer's symbols undefined by design
  endif()
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib64" INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  portacl_portable(${name})
  set(PORTACL_LIBRARIES ${PORTACL_LIBRARIES} ${name} PARENT_SCOPE)
endfunction()

# All symbols are local except `names` and those that one library exports to another. The version is anonymous: a symbol
# version would bind a client's binary to this library.
function(portacl_export name)
  set(names "")
  foreach(symbol IN LISTS ARGN)
    string(APPEND names "    ${symbol};\n")
  endforeach()
  set(script "${CMAKE_BINARY_DIR}/exports/lib${name}.map")
  file(CONFIGURE OUTPUT "${script}" CONTENT
    "{\n  global:\n${names}    extern \"C++\" { *portacl::*; };\n  local: *;\n};\n")
  target_link_options(${name} PRIVATE "LINKER:--version-script=${script}")
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${script}")
endfunction()

# portacl_filter(<name> FOR <library> NAMES <what it defines> NEEDS <our libraries>)
# A stub returns "internal error" if a loader without DT_FILTER calls it.
function(portacl_filter name)
  cmake_parse_arguments(PARSE_ARGV 1 filter "" "FOR" "NAMES;NEEDS")
  set(stubs "")
  foreach(symbol IN LISTS filter_NAMES)
    string(APPEND stubs "STUB(${symbol})\n")
  endforeach()
  set(file "${CMAKE_BINARY_DIR}/stubs/lib${name}.c")
  file(CONFIGURE OUTPUT "${file}" CONTENT
    "#define STUB(name) int name(void); int name(void) { return 500000; }\ntypedef int portacl_empty;\n${stubs}")
  portacl_library(${name} SOURCES "${file}" NEEDS ${filter_NEEDS})
  target_link_options(${name} PRIVATE LINKER:-F,lib${filter_FOR}.so)
  set(PORTACL_LIBRARIES ${PORTACL_LIBRARIES} PARENT_SCOPE)
endfunction()

file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/stubs/empty.c" CONTENT "typedef int portacl_empty;\n")
set(empty "${CMAKE_BINARY_DIR}/stubs/empty.c")

portacl_library(ascendcl LINKS portacl_base portacl_check portacl_trace portacl_trace_table portacl_runtime)
portacl_export(ascendcl ${PORTACL_ASCENDCL_NAMES})
# Members of C++ classes that clients bind.
portacl_library(graph SOURCES src/tensor/ascend_string.cc NEEDS ascendcl)
target_link_libraries(graph PRIVATE portacl_flags)
portacl_export(graph ${PORTACL_GRAPH_NAMES})
portacl_library(nnopbase SOURCES src/tensor/client_members.cc LINKS portacl_tensor portacl_exec portacl_loops NEEDS graph ascendcl)
target_link_libraries(nnopbase PRIVATE portacl_flags)
portacl_export(nnopbase ${PORTACL_NNOPBASE_NAMES})

portacl_filter(acl_rt FOR ascendcl NAMES ${PORTACL_ASCENDCL_NAMES} NEEDS ascendcl)
set(rt_names ${PORTACL_ASCENDCL_NAMES})
list(FILTER rt_names INCLUDE REGEX "^rt[A-Z]")
portacl_filter(runtime FOR ascendcl NAMES ${rt_names} NEEDS ascendcl)
set(below "")
foreach(name IN LISTS PORTACL_OPERATOR_LIBRARIES)
  portacl_filter(${name} FOR opapi NAMES ${PORTACL_NAMES_${name}} NEEDS ${below} nnopbase)
  set(below opapi_math)    # CANN's other libraries of operators need this one
endforeach()
get_property(families GLOBAL PROPERTY PORTACL_FAMILIES)
list(TRANSFORM families PREPEND portacl_)
portacl_library(opapi LINKS portacl_ops portacl_families ${families} NEEDS ${PORTACL_OPERATOR_LIBRARIES} nnopbase ascendcl)
portacl_export(opapi ${PORTACL_OPAPI_NAMES})

foreach(name aclnn_math aclnn_ops_infer aclnn_ops_train aclnn_sparse aclnn_fft aclnn_rand)
  portacl_library(${name} SOURCES ${empty} NEEDS opapi)
endforeach()
portacl_library(acl_op_compiler SOURCES ${empty} NEEDS ascendcl)
foreach(name ge_runner acl_tdt_channel mspti msprofiler)
  portacl_library(${name} SOURCES ${empty} NEEDS ascendcl)
endforeach()
portacl_library(op_common SOURCES ${empty} NEEDS nnopbase)
portacl_library(fmk_onnx_parser SOURCES ${empty} NEEDS graph)
# The functions of the driver that PyTorch's plug-in calls.
portacl_library(ascend_hal SOURCES cmake/ascend_hal.c NEEDS ascendcl)
target_link_libraries(ascend_hal PRIVATE portacl_flags)
portacl_library(hccl LINKS portacl_hccl NEEDS ascendcl)
portacl_export(hccl ${PORTACL_HCCL_NAMES})
portacl_filter(hcomm FOR hccl NAMES ${PORTACL_HCCL_NAMES} NEEDS hccl)

if(TARGET portacl_gloo)
  portacl_export(portacl_gloo PortaclGlooTable)
  add_dependencies(hccl portacl_gloo)    # opened by libhccl
endif()
if(TARGET portacl_symbols)
  portacl_export(portacl_symbols PortaclDescribeAddress)
  add_dependencies(ascendcl portacl_symbols)    # opened by libascendcl
endif()

# The library that the Python package calls, a client of the others (src/binding/binding.h). It needs only few of the
# calls that tests and the tool share.
portacl_library(portacl_python LINKS portacl_binding portacl_description NEEDS opapi nnopbase ascendcl)
portacl_link_calls(portacl_python)
portacl_export(portacl_python PortaclOperators PortaclDescribeOutputs PortaclCall PortaclPrepare PortaclRepeat PortaclRelease PortaclMessage PortaclTakeRefusal)
target_link_options(portacl_python PRIVATE LINKER:--gc-sections)
