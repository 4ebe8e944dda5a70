# Language level, warnings, output folders and the toolkit: what every target of the project shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

option(LOCKSTEP_WARNINGS_AS_ERRORS "Stop at the first warning" OFF)
option(LOCKSTEP_SANITIZE "Address and undefined-behaviour sanitizers" OFF)

# Interface target that every target of the project links: warnings and, on request, sanitizers.
add_library(lockstep_options INTERFACE)
target_compile_options(lockstep_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
# Designated initialisers leave the members that they do not name at their defaults on purpose.
target_compile_options(lockstep_options INTERFACE -Wno-missing-field-initializers)
# One rounding per operation, as the emulated device's arithmetic and the oracles need.
target_compile_options(lockstep_options INTERFACE -ffp-contract=off)
# GCC 12 takes what a function does to its arguments before it throws for undone: where it always throws, its caller
# destroys once more what it has moved from (MemoryCheckTest.ConfigurationsThatHardwareRefusesAreRefused ended so).
target_compile_options(lockstep_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fno-ipa-modref>)
# GCC looks for memory that it no longer needs when it holds 128 MB, and each time that has doubled, which is a twelfth of
# a large file's time. Where the machine has memory, it begins at 1 GB.
cmake_host_system_information(RESULT memory_in_mib QUERY TOTAL_PHYSICAL_MEMORY)
if(memory_in_mib GREATER 7000)
  target_compile_options(lockstep_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)
endif()
if(LOCKSTEP_WARNINGS_AS_ERRORS)
  target_compile_options(lockstep_options INTERFACE -Werror)
endif()
if(LOCKSTEP_SANITIZE)
  target_compile_options(lockstep_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(lockstep_options INTERFACE -fsanitize=address,undefined)
  target_sources(lockstep_options INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${CMAKE_CURRENT_LIST_DIR}/sanitizer_options.cpp>)
endif()
if(LOCKSTEP_FUZZ)
  target_compile_options(lockstep_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(lockstep_options INTERFACE -fsanitize=address,undefined)
  # All that reports of sanitizers print; whole debug information takes a fifth of the time to compile.
  target_compile_options(lockstep_options INTERFACE -gline-tables-only)
  find_program(LOCKSTEP_LLD ld.lld)
  if(LOCKSTEP_LLD)  # links in a quarter of the time
    target_link_options(lockstep_options INTERFACE -fuse-ld=lld)
  endif()
endif()

# To read headers and to instantiate their templates takes half of the time that a small file takes. So the files of a
# target are compiled together, thirty at a time; a name of an unnamed namespace is then one for the whole target. Who
# works on one file compiles each for itself (the presets dev and sanitize).
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ON)
endif()
set(CMAKE_UNITY_BUILD_BATCH_SIZE 30)
if(CMAKE_UNITY_BUILD)
  # GCC warns of members whose types are of an unnamed namespace in a file that another one includes: here all are.
  target_compile_options(lockstep_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

# Where files are compiled each for itself, and for those of tests, headers are precompiled, those of the project among them where most files
# include them anyway. Not with a compiler cache, which cannot look through them.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "cache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
set(LOCKSTEP_STANDARD_HEADERS
  <algorithm> <array> <bit> <cmath> <cstddef> <cstdint> <cstring> <functional> <map> <memory> <optional> <span>
  <stdexcept> <string> <string_view> <unordered_map> <utility> <vector>)

# lockstep_precompile(<target> [<header>…]): headers of its own, those of the standard library and the given ones.
function(lockstep_precompile target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  target_precompile_headers(${target} PRIVATE ${LOCKSTEP_STANDARD_HEADERS} ${ARGN})
  lockstep_read_precompiled(${target})
endfunction()

# lockstep_share_precompiled(<target> <owner>): the headers of another target, whose kind, definitions and optimisation
# are the same: g++ 12 crashes at -O3 on headers that were precompiled at -O1.
function(lockstep_share_precompiled target owner)
  target_precompile_headers(${target} REUSE_FROM ${owner})
  lockstep_read_precompiled(${target})
endfunction()

# Of precompiled headers GCC 12 warns of overflows in std::string that are none, from what its optimiser sees. Builds
# without them, clang, clang-tidy and the sanitizers still look for such.
function(lockstep_read_precompiled target)
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-restrict>)
  endif()
endfunction()

# lockstep_rarely_runs(<target> [<level>]): what takes longer to optimise than it would ever save; -O0 for commands,
# reports, stored files and most tests, whose time is that of the processes and system calls that they wait for. The
# option comes behind those of CMAKE_CXX_FLAGS_RELEASE, so that it counts.
function(lockstep_rarely_runs target)
  set(level -O1 ${ARGN})
  list(GET level -1 level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()

find_package(Threads REQUIRED)
find_package(CUDAToolkit 12.4 REQUIRED)
