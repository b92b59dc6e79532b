// Deferred compilation, kept on disk: the counterpart of CuPy's RawKernel.
#pragma once

#include <memory>
#include <string>

#include "tare/cache.hpp"
#include "tare/compile.hpp"
#include "tare/kernel.hpp"

namespace tare {

/// Nothing happens at construction. The first call compiles with NVRTC, or takes the cubin from disk
/// (then NVRTC is not even loaded); later calls only launch. Copies share the compiled kernel. Thread-safe.
class RawKernel {
 public:
  RawKernel(const PrimaryContext& context, std::string source, std::string name, CompileOptions options = {},
            Cache cache = Cache());

  template <class... Args>
  void operator()(StreamRef stream, const Launch& shape, const Args&... args) const {
    kernel().launch(stream, shape, args...);
  }
  /// Compiles or loads if that has not happened yet; blocks then.
  const Kernel& kernel() const;
  /// What happened at the first call.
  struct Report {
    bool compiled = false;     // false: came from the cache
    std::string cache_result;  // "hit", "miss", "repaired", "unusable: WHY"
    Compiled details;          // of the compile, or as the cache entry kept them
    double load_ms = 0;
  };
  const Report& report() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tare
