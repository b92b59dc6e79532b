# tare_embed(TARGET NAME FILE...): compiles files into TARGET as the array
#   namespace tare::embedded { extern const File NAME[]; extern const std::size_t NAME_count; }
# declared in the generated header "embedded/NAME.hpp". Paths are kept relative to the source root.
function(tare_embed target name)
  set(dir ${PROJECT_BINARY_DIR}/generated/embedded)
  set(cpp ${dir}/${name}.cpp)
  set(hpp ${dir}/${name}.hpp)
  set(files)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND files ${file})
  endforeach()
  add_custom_command(OUTPUT ${cpp} ${hpp}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DDIR=${dir} -DROOT=${PROJECT_SOURCE_DIR}
            "-DFILES=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    COMMENT "Embedding ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${cpp} ${hpp})
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
