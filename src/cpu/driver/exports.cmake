# From exports.txt: the list that stubs.c turns into one weak definition per name, and the version
# script that exports exactly these names and the device's own.
set(exports_txt ${CMAKE_CURRENT_LIST_DIR}/exports.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${exports_txt})
file(STRINGS ${exports_txt} export_lines REGEX "^cu")
set(inc "")
set(map "{\n  global:\n    tareCpuDeviceInfo;\n    tareCpuLastError;\n")
foreach(line IN LISTS export_lines)
  string(REPLACE " " ";" parts "${line}")
  list(GET parts 0 symbol)
  list(GET parts 1 since)
  string(APPEND inc "TARE_EXPORT(${symbol}, ${since})\n")
  string(APPEND map "    ${symbol};\n")
endforeach()
string(APPEND map "  local:\n    *;\n};\n")
set(generated ${PROJECT_BINARY_DIR}/generated/cpu)
file(CONFIGURE OUTPUT ${generated}/exports.inc CONTENT "${inc}")
file(CONFIGURE OUTPUT ${generated}/exports.map CONTENT "${map}")

target_sources(tare_cuda_cpu PRIVATE ${CMAKE_CURRENT_LIST_DIR}/stubs.c)
target_include_directories(tare_cuda_cpu PRIVATE ${generated})
target_compile_definitions(tare_cuda_cpu PRIVATE TARE_VERSION="${PROJECT_VERSION}")
# -z nodelete: streams have threads, so the code must outlive a dlclose.
target_link_options(tare_cuda_cpu PRIVATE
  -Wl,--version-script=${generated}/exports.map -Wl,-z,nodelete)
set_target_properties(tare_cuda_cpu PROPERTIES LINK_DEPENDS ${generated}/exports.map)
