# SPDX-License-Identifier: Apache-2.0
# The toolkit tree, laid out as CANN's clients expect it. Only the install rules describe it; after every build the
# target `toolkit` applies them to PORTACL_TOOLKIT_DIR, which therefore has the same tree as an installation.
#
#   <arch>-linux/{include,lib64}   the real folders; include, lib64, and older products' names are links to them
#   bin  set_env.sh  share/info    files that scripts read
#   tools/profiler                 msprof, where PyTorch's plug-in looks for it
#   python/site-packages           the module acl, which reads share/pyacl
#   opp  runtime  compiler         empty, but clients check for them
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_MESSAGE NEVER)
set(arch "${CMAKE_SYSTEM_PROCESSOR}-linux")
set(include "${arch}/include")
set(lib "${arch}/lib64")
if(SKBUILD)    # a wheel contains neither links nor empty folders
  set(include include)
  set(lib lib64)
endif()

install(TARGETS ${PORTACL_LIBRARIES} LIBRARY DESTINATION ${lib})
if(TARGET portacl_symbols)
  install(TARGETS portacl_symbols LIBRARY DESTINATION ${lib}/portacl)
endif()
if(TARGET portacl_gloo)
  install(TARGETS portacl_gloo LIBRARY DESTINATION ${lib}/portacl)
endif()
install(TARGETS portacl RUNTIME DESTINATION bin)
install(PROGRAMS cmake/npu-smi DESTINATION bin)
install(PROGRAMS cmake/msprof DESTINATION tools/profiler/bin)
install(FILES cmake/msprof.py DESTINATION tools/profiler/profiler_tool/analysis/msprof)
install(FILES src/tool/portacl.1 DESTINATION share/man/man1)
install(FILES src/tool/portacl.bash DESTINATION share/bash-completion/completions RENAME portacl)
install(DIRECTORY include/ DESTINATION ${include} FILES_MATCHING PATTERN "*.h")

get_property(room_headers GLOBAL PROPERTY PORTACL_ROOM_HEADERS)
set(operator_headers ${room_headers} ${PORTACL_ABSENT_HEADERS})
install(FILES ${operator_headers} DESTINATION ${include}/aclnnop)
foreach(header IN LISTS operator_headers)
  cmake_path(GET header FILENAME name)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/level2/${name}" CONTENT
    "// SPDX-License-Identifier: Apache-2.0\n// Where older programs look for this header.\n#include \"../${name}\"\n")
  install(FILES "${CMAKE_BINARY_DIR}/level2/${name}" DESTINATION ${include}/aclnnop/level2)
endforeach()

configure_file(cmake/version.info.in version.info @ONLY)
install(FILES cmake/set_env.sh DESTINATION .)
foreach(package runtime opbase ops-math ops-nn ops-cv ops-transformer ops-legacy bisheng-compiler hccl oam-tools)
  install(FILES "${CMAKE_BINARY_DIR}/version.info" DESTINATION share/info/${package})
endforeach()
install(FILES "${CMAKE_BINARY_DIR}/version.info" DESTINATION ${arch} RENAME ascend_toolkit_install.info)
install(FILES LICENSE DESTINATION share/doc/portacl)

if(PORTACL_NATIVE)    # the mark of a toolkit that must not be moved to another machine
  file(WRITE "${CMAKE_BINARY_DIR}/this_machine_alone" "${native}\n")
  install(FILES "${CMAKE_BINARY_DIR}/this_machine_alone" DESTINATION share/info)
endif()

configure_file(cmake/portacl.pc.in portacl.pc @ONLY)
configure_file(cmake/portaclConfig.cmake.in portaclConfig.cmake @ONLY)
write_basic_package_version_file(portaclConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/portacl.pc" DESTINATION ${lib}/pkgconfig)
install(FILES "${CMAKE_BINARY_DIR}/portaclConfig.cmake" "${CMAKE_BINARY_DIR}/portaclConfigVersion.cmake"
  DESTINATION ${lib}/cmake/portacl)

# The functions of the Python module acl, from the C headers.
set(acl_table "")
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(acl_table "${CMAKE_BINARY_DIR}/acl_module/table.json")
  file(GLOB_RECURSE acl_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/acl/*.h")
  add_custom_command(OUTPUT "${acl_table}"
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/acl_module.py" "${PROJECT_SOURCE_DIR}/include" "${acl_table}"
    DEPENDS "${PROJECT_SOURCE_DIR}/tools/acl_module.py" ${acl_headers} VERBATIM)
  install(FILES "${acl_table}" DESTINATION share/pyacl)
  if(NOT SKBUILD)    # the wheel has the package beside portacl
    install(DIRECTORY python/acl DESTINATION python/site-packages FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
  endif()
else()
  message(STATUS "Without Python the toolkit gets neither the module acl nor stubs")
endif()

# The stubs of the Python package, for wheels.
set(stubs "")
if(Python3_FOUND AND NOT PORTACL_SANITIZE)
  set(stubs "${CMAKE_BINARY_DIR}/__init__.pyi")
  add_custom_command(OUTPUT "${stubs}"
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/python_stubs.py" "${stubs}" ${CMAKE_CROSSCOMPILING_EMULATOR} "$<TARGET_FILE:portacl>"
    DEPENDS "${PROJECT_SOURCE_DIR}/tools/python_stubs.py" portacl VERBATIM)
  install(FILES "${stubs}" DESTINATION share/portacl)
  if(SKBUILD)
    install(FILES "${stubs}" DESTINATION "${SKBUILD_PLATLIB_DIR}/portacl")
  endif()
endif()

add_custom_target(installed DEPENDS ${PORTACL_LIBRARIES} portacl ${acl_table} ${stubs})    # libhccl.so depends on libportacl_gloo.so
if(SKBUILD)
  include(cmake/GlooLibraries.cmake)
  if(TARGET portacl_gloo)
    portacl_bundle_gloo("$<TARGET_FILE:portacl_gloo>")
  endif()
  foreach(folder opp runtime compiler)
    install(FILES "${CMAKE_BINARY_DIR}/version.info" DESTINATION ${folder})
  endforeach()
  return()
endif()
install(CODE "set(arch ${arch})")
install(SCRIPT cmake/toolkit_links.cmake)

set(link "")
if(PORTACL_TOOLKIT_LINK)
  set(link COMMAND "${CMAKE_COMMAND}" -D "link=${PORTACL_TOOLKIT_LINK}" -D "toolkit=${PORTACL_TOOLKIT_DIR}" -P "${PROJECT_SOURCE_DIR}/cmake/toolkit_link.cmake")
endif()
add_custom_target(toolkit ALL
  # A file that was renamed must not remain.
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${PORTACL_TOOLKIT_DIR}/${include}" "${PORTACL_TOOLKIT_DIR}/python/site-packages/acl"
  COMMAND "${CMAKE_COMMAND}" -DCMAKE_INSTALL_PREFIX=${PORTACL_TOOLKIT_DIR}
          -P "${CMAKE_BINARY_DIR}/cmake_install.cmake"
  ${link}
  DEPENDS ${PORTACL_LIBRARIES} portacl ${acl_table} ${stubs}
  COMMENT "Laying out ${PORTACL_TOOLKIT_DIR}" VERBATIM)
