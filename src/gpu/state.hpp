// What Module and Kernel handles share: one state per module, and in it one per kernel, so that all copies of
// a kernel agree on its checks and on its shared memory limit.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "driver/abi.hpp"
#include "tare/kernel.hpp"

namespace tare {

struct Kernel::State {
  State(const PrimaryContext& in, cu::Function of, std::string called, const std::string& ptx)
      : context(in), function(of), name(std::move(called)), module_ptx(ptx) {}

  // Read by every launch.
  std::atomic<const std::size_t*> checked_sizes{nullptr};
  std::atomic<unsigned> dynamic_shared_limit{0};  // a launch asking for more has to look first
  const PrimaryContext& context;                  // the module's
  const cu::Function function;

  const std::string name;
  const std::string& module_ptx;  // the module's; empty where there is none

  // Not std::call_once: an exception cannot pass glibc's pthread_once in a program that has libgcc inside it.
  std::mutex parameters_mutex;
  std::atomic<bool> parameters_known{false};
  std::optional<std::vector<Parameter>> parameters;
  std::mutex shared_limit_mutex;

  std::string quoted() const { return "kernel `" + name + "`"; }
  int attribute(cu::FunctionAttribute attribute) const;
};

struct Module::State {
  explicit State(const PrimaryContext& in) : context(in) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  PrimaryContext context;
  cu::Module module = nullptr;
  std::string ptx;
  std::string log;
  std::mutex kernels_mutex;
  std::map<std::string, std::unique_ptr<Kernel::State>> kernels;

  std::vector<std::string> kernel_names() const;
};

namespace detail {

/// Throws what a refused launch means: the caller's mistake where the shape explains the code, else as
/// fail().
[[noreturn]] void fail_launch(cu::Result result, const char* call, const PrimaryContext& context,
                              cu::Function function, const std::string& name, const Launch& shape);

}  // namespace detail

}  // namespace tare
