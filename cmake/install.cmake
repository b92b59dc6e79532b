# `cmake --install`: the library as a package (find_package(tare)), the tool, the CPU device, the rows.
include(CMakePackageConfigHelpers)

install(TARGETS tare_lib tare_worker EXPORT tare-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tare DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARE_BUILD_TOOL)
  install(TARGETS tare RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/tare DESTINATION ${CMAKE_INSTALL_DATADIR})
endif()
if(TARE_BUILD_CPU_DEVICE)
  # lib/ whatever the distribution calls its library folder: the tool looks in ../lib/tare/cpu.
  install(TARGETS tare_cuda_cpu LIBRARY DESTINATION lib/tare/cpu)
  install(TARGETS tare_no_nvjitlink_12 tare_no_nvjitlink_13 LIBRARY DESTINATION lib/tare/cpu/ptx-only)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/src/cpu/ptx_only/nvcc DESTINATION lib/tare/cpu/ptx-only)
endif()

install(EXPORT tare-targets NAMESPACE tare:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tare)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tare-config.cmake.in
  ${PROJECT_BINARY_DIR}/tare-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tare)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tare-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tare-config.cmake ${PROJECT_BINARY_DIR}/tare-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tare)
