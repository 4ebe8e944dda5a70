# The relocatable package: `cpack` in a build folder makes an archive that runs on a machine with nothing but a
# driver and a toolkit. Inside it looks like the course itself: lockstep, exercises/, solutions/, lectures/,
# common/, and beside them bin/ and lib/ as in a build folder. libc and libstdc++ are the machine's own, since a
# student's compiled code brings references to them. tests/package makes one and looks at it.
if(NOT LOCKSTEP_ALL_LEVELS)
  install(CODE [[
    if(NOT "$ENV{LOCKSTEP_PACK_FOR_THIS_PROCESSOR}")
      message(FATAL_ERROR "This build is for this machine's processor alone, and a package for any. Type: "
        "cmake --preset package && cmake --build --preset package")
    endif()]])
endif()
set(programs lockstep lockstep-device lockstep-keeper lockstep-packer lockstep-runner lockstep-spawner lockstep-unpacker)
install(TARGETS ${programs} RUNTIME_DEPENDENCY_SET third_party DESTINATION bin)
set_target_properties(${programs} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/third-party")
foreach(program IN LISTS programs)
  # The older form of that path, in which libraries find their own libraries too, as libelf its libz.
  target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
endforeach()
install(RUNTIME_DEPENDENCY_SET third_party
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so"
  LIBRARY DESTINATION lib/third-party)
install(TARGETS lockstep_cudart LIBRARY DESTINATION lib/emulated)
install(TARGETS lockstep_large_pages LIBRARY DESTINATION lib)

# bubblewrap and its libraries: a program that this build did not make. Without it a package would isolate nobody.
install(CODE [[
  find_program(bubblewrap bwrap NO_CACHE)
  if(NOT bubblewrap)
    message(FATAL_ERROR "The package needs bubblewrap (bwrap). Type: sudo apt-get install -y bubblewrap")
  endif()
  file(INSTALL ${bubblewrap} DESTINATION ${CMAKE_INSTALL_PREFIX}/bin FOLLOW_SYMLINK_CHAIN USE_SOURCE_PERMISSIONS)
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${bubblewrap} RESOLVED_DEPENDENCIES_VAR libraries
       PRE_EXCLUDE_REGEXES "^ld-linux" "^libc\\.so")
  file(INSTALL ${libraries} DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/third-party FOLLOW_SYMLINK_CHAIN)]])

# The licences of what is not this project's. libcudart.so has the C++ library inside, the runner libffi.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a
                OUTPUT_VARIABLE libstdcxx_archive OUTPUT_STRIP_TRAILING_WHITESPACE)
set(program_files)
foreach(program IN LISTS programs)
  list(APPEND program_files $<TARGET_FILE:${program}>)
endforeach()
install(CODE "
  set(programs \"${program_files}\")
  set(compiled_in \"${libffi_archive};${libstdcxx_archive};*/CLI/CLI.hpp;*/nlohmann/json.hpp;*/lunr/lunr.min.js\")")
install(SCRIPT cmake/package/notices.cmake)

install(PROGRAMS cmake/package/lockstep DESTINATION .)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE THIRD-PARTY-NOTICES.md .clangd DESTINATION .)
install(FILES .vscode/tasks.json DESTINATION .vscode)
install(FILES cmake/package/packages.txt DESTINATION cmake)
install(DIRECTORY classroom DESTINATION . USE_SOURCE_PERMISSIONS)
install(DIRECTORY exercises solutions lectures common DESTINATION .
  PATTERN CMakeLists.txt EXCLUDE
  PATTERN problem.cpp EXCLUDE
  PATTERN figures EXCLUDE)
# What the README and the lectures link to, the program that the README profiles, and what it shows mistakes with.
install(DIRECTORY docs/decisions docs/pictures DESTINATION docs)
file(GLOB pages CONFIGURE_DEPENDS docs/*.md)
install(FILES ${pages} DESTINATION docs)
install(FILES tests/README.md DESTINATION tests)
install(FILES tests/cli/programs/profiled.cu tests/cli/programs/profiled.cuh DESTINATION tests/cli/programs)
install(PROGRAMS tests/course/mistake DESTINATION tests/course)

install(PROGRAMS measurements/answer_times measurements/compare_bench measurements/compare_clock measurements/compare_counters
  measurements/compare_peers measurements/grade_references measurements/plot measurements/profile_kernels
  DESTINATION measurements)
install(DIRECTORY measurements/events measurements/peers DESTINATION measurements)
install(FILES measurements/README.md measurements/gpu.py measurements/event_programs.py measurements/grading.py
  measurements/heading.py measurements/peer_programs.py measurements/record.py
  DESTINATION measurements)
install(DIRECTORY measurements DESTINATION . FILES_MATCHING PATTERN "*.json")

# The tests that need a GPU, which `./lockstep test` runs there: tests/gpu/run. The differential suite is compiled on
# the spot, with the runner's counters.
foreach(folder differential gpu red-team)
  install(DIRECTORY tests/${folder} DESTINATION tests USE_SOURCE_PERMISSIONS
    PATTERN CMakeLists.txt EXCLUDE PATTERN run_test.py EXCLUDE PATTERN __pycache__ EXCLUDE)
endforeach()
foreach(file device/hardware_counters.h emulator/core/finding.h emulator/core/observations.h
             result/kernel_counters.h runner/range_profiler.cpp runner/range_profiler.h)
  get_filename_component(folder ${file} DIRECTORY)
  install(FILES grader/${file} DESTINATION grader/${folder})
endforeach()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_VENDOR "Lockstep")
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
