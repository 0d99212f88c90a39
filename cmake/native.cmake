# The core and its tests as a native program, where sanitizers and a debugger work.

find_package(Threads REQUIRED)
attnscope_object_library(core ${core_sources} ${kernel_sources})
attnscope_object_library(tests ${test_sources} ${kernel_test_sources})
target_precompile_headers(core PRIVATE ${core_headers} ${kernel_headers})
target_precompile_headers(tests PRIVATE ${core_headers} ${kernel_headers} ${test_headers})

add_executable(attnscope_tests)
target_link_libraries(attnscope_tests PRIVATE core tests Threads::Threads)

if(ATTNSCOPE_SANITIZE)
  foreach(target core tests attnscope_tests)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined
                           -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endforeach()
endif()
