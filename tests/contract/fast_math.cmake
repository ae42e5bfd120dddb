# SPDX-License-Identifier: Apache-2.0
# The same client prints the same bits when it is built with and without -ffast-math.
foreach(kind plain fast)
  add_executable(fast_math_client_${kind} fast_math_client.cc)
  target_link_libraries(fast_math_client_${kind} PRIVATE portacl_flags opapi nnopbase ascendcl)
endforeach()
target_compile_options(fast_math_client_fast PRIVATE -ffast-math)
target_link_options(fast_math_client_fast PRIVATE -ffast-math)
add_dependencies(portacl_tests fast_math_client_plain fast_math_client_fast)
add_test(NAME fast_math_client_test COMMAND "${CMAKE_COMMAND}"
  "-DPLAIN=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:fast_math_client_plain>"
  "-DFAST=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:fast_math_client_fast>"
  -P "${CMAKE_CURRENT_SOURCE_DIR}/compare_output.cmake")
set_tests_properties(fast_math_client_test PROPERTIES LABELS contract TIMEOUT 300)
