option(M3LAK_TOGETHER "Compile the files of a folder together, for whole builds" OFF)

# With M3LAK_TOGETHER (as in CI) the files of a folder are compiled together, which takes
# about half the time: they share what Eigen's templates become. Files that give their own names to
# things (in unnamed namespaces) which another of the folder names too are compiled alone.
#   compile_together(TARGET SOURCES… [ALONE NAMES…])
function(compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "" "ALONE")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${M3LAK_TOGETHER} UNITY_BUILD_MODE GROUP)
  foreach(source ${given_UNPARSED_ARGUMENTS})
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(name ${source} NAME_WE)
    if(NOT name IN_LIST given_ALONE)
      string(MAKE_C_IDENTIFIER ${folder} group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
endfunction()
