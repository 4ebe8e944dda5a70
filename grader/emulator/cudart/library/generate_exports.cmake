# Writes, for every function that the toolkit's own runtime exports, a weak definition that fails with a
# sentence (stubs.cpp), the version script that exports exactly those names (exports.map), and the names as
# a list of C++ (function_names.inc).
#
# A function that the sources define takes the place of its stub, so there is no list to keep. The _ptsz and
# _ptds forms (per-thread default stream) leave a note in the thread's lockstep_per_thread_form and go on to
# the plain ones with the arguments that they were given (default_stream.h).
#
# cmake -DNM=… -DLIBRARY=…/libcudart.so -DVERSION_NODE=libcudart.so.13 -DOUTPUT=folder -P generate_exports.cmake
cmake_minimum_required(VERSION 3.25)
execute_process(
  COMMAND ${NM} --dynamic --defined-only ${LIBRARY}
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " (__)?cuda[A-Za-z0-9_]+@@" names "${symbols}")
list(TRANSFORM names REPLACE "[ @]" "")
list(LENGTH names count)
if(count LESS 300)
  message(FATAL_ERROR "${LIBRARY} exports ${count} functions of the CUDA runtime, too few to be it")
endif()

set(stubs "// Made by generate_exports.cmake.\nextern \"C\" {\n")
string(APPEND stubs "int lockstep_unsupported(const char* function);\n")
set(exports "${VERSION_NODE} {\nglobal:\n")
set(function_names)
foreach(name IN LISTS names)
  string(REGEX REPLACE "_pt[sd][sz]$" "" plain ${name})
  if(NOT plain STREQUAL name AND plain IN_LIST names)
    string(APPEND stubs "__attribute__((weak, naked, visibility(\"default\"))) void ${name}() "
                        "{ asm(\"movq lockstep_per_thread_form@gottpoff(%rip), %rax\\n"
                        "movb $1, %fs:(%rax)\\njmp ${plain}@PLT\"); }\n")
  else()
    string(APPEND stubs "__attribute__((weak, visibility(\"default\"))) int ${name}() "
                        "{ return lockstep_unsupported(\"${name}\"); }\n")
  endif()
  string(APPEND exports "  ${name};\n")
  string(APPEND function_names "\"${name}\",\n")
endforeach()
file(WRITE ${OUTPUT}/stubs.cpp "${stubs}}\n")
# What the runner calls besides (host_program.h).
string(APPEND exports "  lockstep_begin_host_program;\n  lockstep_end_host_program;\n")
file(WRITE ${OUTPUT}/exports.map "${exports}local: *;\n};\n")
file(WRITE ${OUTPUT}/function_names.inc "${function_names}")
