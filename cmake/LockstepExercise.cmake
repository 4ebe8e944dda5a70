# lockstep_exercise(<folder>): adds one exercise's problem.cpp to the catalogue that the judge links.
#
# exercises/CMakeLists.txt calls it for every folder that holds a problem.cpp, so that adding an exercise touches no
# existing file.
function(lockstep_exercise folder)
  get_filename_component(folder_name ${folder} NAME)
  if(NOT folder_name MATCHES "^[0-9][0-9]-[a-z0-9-]+$")
    message(FATAL_ERROR "exercises/${folder_name}: a folder of an exercise is named NN-topic, such as 05-transpose")
  endif()
  set(target problem_${folder_name})
  add_library(${target} OBJECT ${folder}/problem.cpp)
  target_include_directories(${target} PRIVATE ${folder})
  target_link_libraries(${target} PRIVATE lockstep_options lockstep_course CUDA::toolkit)
  lockstep_share_precompiled(${target} lockstep_problem_headers)
  target_link_libraries(lockstep_exercises INTERFACE ${target} $<TARGET_OBJECTS:${target}>)
endfunction()
