// What the front ends' tests share: a vector add with its reference, a private cache, and this test program
// run again as a child process of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../compile/fixture.hpp"
#include "../gpu/support.hpp"
#include "tare/cache.hpp"

extern char** environ;

namespace tare::fixtures {

inline const std::string kVectorAdd = R"(
extern "C" __global__ void vectorAdd(const float* a, const float* b, float* out, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
)";

/// Runs the vector add over 1000 elements; true if every sum is right and nothing after them was written.
inline bool adds(const PrimaryContext& context,
                 const std::function<void(StreamRef, const Launch&, DevicePointer, DevicePointer,
                                          DevicePointer, std::size_t)>& launch) {
  constexpr std::size_t kCount = 1000, kRoom = 1024;
  const auto scope = context.enter();
  const Stream stream(context);
  std::vector<float> a(kRoom), b(kRoom), out(kRoom, -1.0f);
  for (std::size_t i = 0; i < kRoom; ++i) {
    a[i] = static_cast<float>(i) * 0.1f;
    b[i] = 1.0f / static_cast<float>(i + 1);
  }
  const Buffer da(context, kRoom * sizeof(float)), db(context, kRoom * sizeof(float)),
      dout(context, kRoom * sizeof(float));
  da.copy_from(std::as_bytes(std::span(a)));
  db.copy_from(std::as_bytes(std::span(b)));
  dout.copy_from(std::as_bytes(std::span(out)));
  launch(stream, Launch{.grid = {4, 1, 1}, .block = {256, 1, 1}}, da.pointer(), db.pointer(), dout.pointer(),
         kCount);
  stream.synchronize();
  dout.copy_to(std::as_writable_bytes(std::span(out)));
  for (std::size_t i = 0; i < kRoom; ++i)
    if (out[i] != (i < kCount ? a[i] + b[i] : -1.0f)) return false;
  return true;
}

/// Runs one test of this program in a new process, with variables changed; does not wait.
inline pid_t start_test(const std::string& name, const std::map<std::string, std::string>& variables) {
  std::vector<std::string> arguments{"/proc/self/exe", "--gtest_filter=" + name,
                                     "--gtest_also_run_disabled_tests", "--gtest_brief=1"};
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string variable = text.substr(0, text.find('='));
    if (!variables.contains(variable) && !variable.starts_with("GTEST_")) environment.push_back(text);
  }
  for (const auto& [variable, value] : variables) environment.push_back(variable + "=" + value);
  std::vector<char*> argv, envp;
  for (std::string& text : arguments) argv.push_back(text.data());
  for (std::string& text : environment) envp.push_back(text.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  pid_t child = -1;
  posix_spawn_file_actions_t quiet;
  ::posix_spawn_file_actions_init(&quiet);
  ::posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  EXPECT_EQ(::posix_spawn(&child, argv[0], &quiet, nullptr, argv.data(), envp.data()), 0);
  ::posix_spawn_file_actions_destroy(&quiet);
  return child;
}

/// 0 if the test passed.
inline int wait_for(pid_t child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

inline std::string first_line(const std::filesystem::path& file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  return line;
}

inline std::size_t count_lines(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line);) ++lines;
  return lines;
}

/// Is a library with this in its name mapped into this process?
inline bool has_loaded(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos) return true;
  return false;
}

}  // namespace tare::fixtures
