# The release modules: {simd,relaxed} x {one thread, threads}, and `reference`, which is simd with the
# reference loops. Kernels are compiled once for each instruction set, everything else once for each
# thread model.

set(simd_flags -msimd128)
set(relaxed_flags -msimd128 -mrelaxed-simd)
set(scalar_flags -DXSIMD_WITH_EMULATED=1 "-DXSIMD_DEFAULT_ARCH=emulated<128>")

set(common_flags -fwasm-exceptions)
# -flto: what only one caller needs is merged into it. A module is called by one thread, and its
# workers run nothing but kernels and the loops around them, in run/lowering/, where nothing is static.
# It never ends, so nothing static is destroyed. Virtual functions that a module never calls are left
# out of it, as Op::forward_all() is where the reference loops are: a twentieth of the module.
set(small_flags -Oz -flto -fno-threadsafe-statics -fno-c++-static-destructors
    -fvisibility=hidden -fwhole-program-vtables -fvirtual-function-elimination)
# Kernels say themselves what is a vector and what is unrolled: the compiler would do the same to
# the few numbers that are left over, in 6 kB of what a page loads.
set(fast_flags -O2 -fno-vectorize -fno-slp-vectorize)
set(kernel_flags ${fast_flags} "SHELL:-mllvm -unroll-runtime=false")
set(threads_flags -pthread)

# Only kernels, and random numbers that are drawn by the million, are fast rather than small: a page
# loads everything else too.
set_source_files_properties(cpp/run/random.cpp PROPERTIES COMPILE_OPTIONS "${fast_flags}"
                            SKIP_PRECOMPILE_HEADERS ON)

# Functions stay in the order of their sources, where neighbours are alike: a module that is compressed
# by gzip is 5 kB smaller than with the most called functions first, as Emscripten's -Oz sorts them. So
# Binaryen's -Oz follows its -O2, and the small C library that Emscripten's -Oz has is linked by name.
set(link_flags
    -O2
    -sBINARYEN_EXTRA_PASSES=-Oz
    -fwasm-exceptions
    # Not node: what is for Node is in web/lib, where bundlers for browsers are not bothered by it.
    -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=web,worker
    -sINCOMING_MODULE_JS_API=instantiateWasm,printErr  # what web/lib/loader.js gives
    -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB
    -sMALLOC=dlmalloc          # emmalloc hands out memory past 4 GiB when it is nearly full
    -sABORTING_MALLOC=0        # out of memory throws std::bad_alloc
    -sDYNAMIC_EXECUTION=0      # a strict Content-Security-Policy forbids eval
    -sSTACK_SIZE=1MB
    --pre-js "${CMAKE_SOURCE_DIR}/cpp/bindings/stack.js"
    "-sDEFAULT_LIBRARY_FUNCS_TO_INCLUDE=\$stackSave,\$stackRestore"
    -Wl,-mllvm,-enable-merge-functions  # of which templates make many that are the same
    -Wno-pthreads-mem-growth)  # data crosses in whole copies: growth costs nothing per element

function(compile_kernels name)
  attnscope_object_library(${name} ${kernel_sources})
  target_compile_options(${name} PRIVATE ${common_flags} ${kernel_flags} ${ARGN})
  target_precompile_headers(${name} PRIVATE ${kernel_headers})
endfunction()

if(ATTNSCOPE_TESTS)
  # Kernels are judged as they are released; all else is compiled quickly, and once for both
  # instruction sets, as there. xtensor and the core run without SIMD too: scalar has its own.
  function(compile_tested name)
    attnscope_object_library(${name} ${core_sources} ${test_sources})
    target_compile_options(${name} PRIVATE ${common_flags} -O1 ${ARGN})
    target_precompile_headers(${name} PRIVATE ${core_headers} ${test_headers})
  endfunction()

  function(test_program build tested)
    compile_kernels(kernels_${build} ${${build}_flags})
    target_sources(kernels_${build} PRIVATE ${kernel_test_sources})
    target_precompile_headers(kernels_${build} PRIVATE ${test_headers})
    add_executable(attnscope_tests_${build})
    target_link_libraries(attnscope_tests_${build} PRIVATE ${tested} kernels_${build})
    target_link_options(attnscope_tests_${build} PRIVATE -O1 -fwasm-exceptions -sENVIRONMENT=node
                        -sALLOW_MEMORY_GROWTH -sSTACK_SIZE=1MB -sEXIT_RUNTIME
                        --extern-post-js "${CMAKE_SOURCE_DIR}/tests/cpp/run_main.js")
    set_target_properties(attnscope_tests_${build} PROPERTIES SUFFIX .mjs)
  endfunction()

  compile_tested(tested_scalar ${scalar_flags})
  compile_tested(tested_simd ${simd_flags})
  test_program(scalar tested_scalar)
  test_program(simd tested_simd)
  test_program(relaxed tested_simd)
  return()
endif()

# One of them defines run_reference() in a module.
set(reference_loops_sources "${CMAKE_SOURCE_DIR}/cpp/run/reference.cpp")
set(no_reference_sources "${CMAKE_SOURCE_DIR}/cpp/bindings/no_reference.cpp")
list(REMOVE_ITEM core_sources ${reference_loops_sources})
list(REMOVE_ITEM binding_sources ${no_reference_sources})

# compile_set(<suffix> <flags>): objects of everything but kernels, for one thread model.
function(compile_set suffix)
  foreach(part core reference_loops no_reference)
    attnscope_object_library(${part}${suffix} ${${part}_sources})
    target_compile_options(${part}${suffix} PRIVATE ${common_flags} -msimd128 ${small_flags} ${ARGN})
  endforeach()
  attnscope_object_library(bindings${suffix} ${binding_sources})
  target_compile_options(bindings${suffix} PRIVATE ${common_flags} ${small_flags} ${ARGN})
  target_precompile_headers(core${suffix} PRIVATE ${core_headers})
endfunction()

# release(<name> <suffix> <reference> <kernels> <link options>)
function(release name threads_suffix reference kernels)
  add_executable(${name})
  target_link_libraries(${name} PRIVATE core${threads_suffix} bindings${threads_suffix}
                        ${reference}${threads_suffix} ${kernels})
  set(small_libc -lc_optz)
  if(threads_suffix)
    set(small_libc -lc_optz-mt)
  endif()
  target_link_options(${name} PRIVATE ${link_flags} ${small_libc} ${ARGN} -lembind)
  set_target_properties(${name} PROPERTIES SUFFIX .mjs RUNTIME_OUTPUT_DIRECTORY "${modules}")
endfunction()

execute_process(COMMAND "${EMSCRIPTEN_ROOT_PATH}/embuilder" build libc_optz libc_optz-mt
                OUTPUT_QUIET ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)

set(modules "${CMAKE_BINARY_DIR}/modules")  # tools/glue.js makes web/lib/core of what is there
# Kernels hold no state and start no threads: those that may run in threads run without as well.
foreach(build simd relaxed)
  compile_kernels(kernels-${build} ${${build}_flags} ${threads_flags})
endforeach()
foreach(suffix "" -threads)
  set(compile_flags "")
  set(thread_link "")
  if(suffix)
    set(compile_flags ${threads_flags})
    # The loader starts the workers, as Module.workers, while the .wasm is loaded.
    set(thread_link ${threads_flags} "-sPTHREAD_POOL_SIZE=Module.workers.length"
        -sPTHREAD_POOL_DELAY_LOAD -sEXPORTED_RUNTIME_METHODS=PThread)
  endif()
  compile_set("${suffix}" ${compile_flags})
  foreach(build simd relaxed)
    release(${build}${suffix} "${suffix}" no_reference kernels-${build} ${thread_link})
  endforeach()
endforeach()
release(reference "" reference_loops kernels-simd)
target_link_options(simd PRIVATE --emit-tsd "${modules}/core.d.ts")

# `npm run bench -- --limits`: the released kernels alone, with memory as the modules have it, and what
# runs them in a training step.
function(limits_program name)
  add_executable(${name} EXCLUDE_FROM_ALL tests/bench/${name}.cpp cpp/bindings/allocate.cpp)
  target_include_directories(${name} SYSTEM PRIVATE "${ATTNSCOPE_HEADERS}")
  target_compile_options(${name} PRIVATE ${common_flags} -O2)
  target_link_libraries(${name} PRIVATE ${ARGN} kernels-relaxed)
  target_link_options(${name} PRIVATE -O2 -fwasm-exceptions -sENVIRONMENT=node -sALLOW_MEMORY_GROWTH
                      -sMAXIMUM_MEMORY=4GB -sMALLOC=dlmalloc -sSTACK_SIZE=1MB -sEXIT_RUNTIME)
  set_target_properties(${name} PROPERTIES SUFFIX .cjs)
endfunction()
limits_program(limits)
limits_program(steps core no_reference)
