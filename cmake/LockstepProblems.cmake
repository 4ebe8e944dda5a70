# lockstep_find_problems(<variable> <folder>): the problem.cpp of every exercise in a folder exercises/, the tree's or a
# private course's.
function(lockstep_find_problems variable folder)
  file(GLOB problems CONFIGURE_DEPENDS ${folder}/*/problem.cpp)
  foreach(problem IN LISTS problems)
    cmake_path(GET problem PARENT_PATH exercise)
    cmake_path(GET exercise FILENAME name)
    if(NOT name MATCHES "^[0-9][0-9]-[a-z0-9-]+$")
      message(FATAL_ERROR "exercises/${name}: a folder of an exercise is named NN-topic, such as 05-transpose")
    endif()
  endforeach()
  set(${variable} ${problems} PARENT_SCOPE)
endfunction()
