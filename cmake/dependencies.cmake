# Every library that is not ours, in one place. Debian 12 has all of them: scripts/packages.txt.
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)

# Compiled in from its header, so that an installed libtare does not depend on it.
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)
add_library(tare_xxhash INTERFACE)
target_include_directories(tare_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE})
target_compile_definitions(tare_xxhash INTERFACE XXH_INLINE_ALL)

# From its archive, so that the release binary runs on a machine without it. Another project's OpenSSL is its own choice.
if(PROJECT_IS_TOP_LEVEL)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
find_package(OpenSSL REQUIRED COMPONENTS Crypto)

if(TARE_BUILD_TOOL)
  find_package(CLI11 REQUIRED)
  find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
  add_library(tare_toml INTERFACE)
  target_include_directories(tare_toml SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE})
  target_compile_definitions(tare_toml INTERFACE TOML_HEADER_ONLY=1)
endif()

if(TARE_BUILD_CPU_DEVICE)
  find_package(LLVM 19.1 REQUIRED CONFIG PATHS /usr/lib/llvm-19)
  # Archives, the x86 back end only: a program that also loads another LLVM must not meet ours.
  llvm_map_components_to_libnames(TARE_LLVM_LIBS
    core support passes nativecodegen runtimedyld)
  # LLVM's own libraries from archives too, where there are any: nothing but libc is needed to run.
  find_library(TARE_ZLIB_ARCHIVE libz.a)
  find_library(TARE_ZSTD_ARCHIVE libzstd.a)
  if(TARE_ZLIB_ARCHIVE AND TARGET ZLIB::ZLIB)
    set_target_properties(ZLIB::ZLIB PROPERTIES IMPORTED_LOCATION ${TARE_ZLIB_ARCHIVE}
      IMPORTED_LOCATION_RELEASE ${TARE_ZLIB_ARCHIVE})
  endif()
  if(TARE_ZSTD_ARCHIVE AND TARGET zstd::libzstd_shared)
    set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION ${TARE_ZSTD_ARCHIVE})
  endif()
  add_library(tare_llvm INTERFACE)
  target_include_directories(tare_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(tare_llvm INTERFACE ${LLVM_DEFINITIONS_LIST} _GNU_SOURCE __STDC_LIMIT_MACROS)
  target_link_libraries(tare_llvm INTERFACE ${TARE_LLVM_LIBS})
endif()

if(TARE_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TARE_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()

# cuda.h is only ever needed by the test that holds our own declarations against it.
find_path(TARE_CUDA_H cuda.h PATHS $ENV{CUDA_PATH}/include $ENV{CUDA_HOME}/include
          /usr/local/cuda/include /usr/local/cuda-13.0/include NO_DEFAULT_PATH)
