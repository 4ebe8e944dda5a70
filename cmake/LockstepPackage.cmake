# The relocatable package: `cpack` in a build folder makes an archive that runs on a machine with nothing but a
# driver and a toolkit. Inside it looks like the course itself: lockstep, exercises/, solutions/, lectures/,
# common/, and beside them bin/ and lib/ as in a build folder. libc and libstdc++ are the machine's own, since a
# student's compiled code brings references to them.
set(programs lockstep lockstep-device lockstep-keeper lockstep-runner)
install(TARGETS ${programs} RUNTIME_DEPENDENCY_SET third_party DESTINATION bin)
set_target_properties(${programs} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/third-party")
install(RUNTIME_DEPENDENCY_SET third_party
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so"
  LIBRARY DESTINATION lib/third-party)
install(TARGETS lockstep_cudart LIBRARY DESTINATION lib/emulated)

# bubblewrap and its libraries: a program that this build did not make.
find_program(bubblewrap_program bwrap)
if(bubblewrap_program)
  install(PROGRAMS ${bubblewrap_program} DESTINATION bin)
  install(CODE "
    file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${bubblewrap_program} RESOLVED_DEPENDENCIES_VAR libraries
         PRE_EXCLUDE_REGEXES \"^ld-linux\" \"^libc\\\\.so\")
    file(INSTALL \${libraries} DESTINATION \${CMAKE_INSTALL_PREFIX}/lib/third-party FOLLOW_SYMLINK_CHAIN)")
endif()

install(PROGRAMS cmake/package/lockstep DESTINATION .)
install(FILES README.md CHANGELOG.md DESTINATION .)
install(FILES cmake/packages.txt DESTINATION cmake)
install(PROGRAMS measurements/compare_counters measurements/compare_peers measurements/grade_references measurements/plot
  DESTINATION measurements)
install(DIRECTORY measurements/peers DESTINATION measurements)
install(FILES measurements/heading.py measurements/record.py DESTINATION measurements)
install(DIRECTORY measurements DESTINATION . FILES_MATCHING PATTERN "*.json")
install(DIRECTORY exercises solutions lectures common DESTINATION .
  PATTERN CMakeLists.txt EXCLUDE
  PATTERN problem.cpp EXCLUDE)
# Submissions that attack, for a look at how this machine and its card hold out: tests/red-team/run.
install(DIRECTORY tests/red-team DESTINATION tests USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE)
install(DIRECTORY tests/gpu DESTINATION tests USE_SOURCE_PERMISSIONS
  PATTERN CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE)

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_VENDOR "Lockstep")
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
