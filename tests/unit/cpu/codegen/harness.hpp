// Compiles PTX text in a chosen way and runs it on the calling thread, as the runtime would.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cpu/codegen/kernel.hpp"
#include "cpu/ptx/parser.hpp"

namespace tare::cpu::codegen::test {

struct Way {
  Tier tier;
  int optimisation;
};

/// Every way in which a kernel may run; all must give the same bits.
inline const std::vector<Way> kWays = {
    {Tier::automatic, 0}, {Tier::automatic, 1}, {Tier::automatic, 2}, {Tier::general, 0}, {Tier::general, 1}};

inline std::string name_of(const Way& way) {
  return std::string(way.tier == Tier::general ? "general" : "automatic") + " at level " +
         std::to_string(way.optimisation);
}

inline constexpr std::uint64_t kStackBytes = 16 * 1024;

struct Shape {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
};

/// Memory aligned as the runtime aligns it.
class Block {
 public:
  explicit Block(std::size_t bytes) : bytes_(bytes + 256, std::byte{0xa5}) {}
  std::byte* get() {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return bytes_.data() + ((address + 127) / 128 * 128 - address);
  }

 private:
  std::vector<std::byte> bytes_;
};

/// A module and the segments of its variables.
class Loaded {
 public:
  explicit Loaded(const std::string& text) {
    auto parsed = ptx::parse(text);
    if (auto* error = std::get_if<ptx::ParseError>(&parsed)) {
      ADD_FAILURE() << "line " << error->line << ": " << error->message;
      return;
    }
    module_ = std::make_unique<ptx::Module>(std::move(std::get<ptx::Module>(parsed)));
    const ModuleLayout layout = layout_module(*module_);
    globals_ = std::make_unique<Block>(layout.global_bytes);
    constants_ = std::make_unique<Block>(layout.constant_bytes);
    for (const ptx::Variable& variable : module_->variables) {
      if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
      Block& segment = variable.space == ptx::Space::global ? *globals_ : *constants_;
      std::memset(segment.get() + variable.offset, 0, variable.size);
      if (!variable.initial.empty()) {
        std::memcpy(segment.get() + variable.offset, variable.initial.data(), variable.initial.size());
      }
    }
  }

  const ptx::Module& module() const { return *module_; }
  std::byte* globals() { return globals_->get(); }

  std::variant<CompiledKernel, CompileError> compile(const std::string& name,
                                                     const CompileOptions& options) const {
    const ptx::Function* entry = module_->find_entry(name);
    if (entry == nullptr) {
      ADD_FAILURE() << "no entry " << name;
      return CompileError{};
    }
    return codegen::compile(*module_, *entry, options);
  }

  /// Compiles and runs; `scratch` receives who stopped, if the code stops.
  template <typename Parameters>
  Fault run(const std::string& name, const Way& way, const Shape& shape, const Parameters& parameters,
            Scratch* scratch = nullptr) {
    const std::string key = name + ", " + name_of(way);
    auto kept = kernels_.find(key);
    if (kept == kernels_.end()) {
      CompileOptions options;
      options.tier = way.tier;
      options.optimisation = way.optimisation;
      auto result = compile(name, options);
      if (auto* error = std::get_if<CompileError>(&result)) {
        ADD_FAILURE() << error->message;
        return Fault::none;
      }
      kept = kernels_.emplace(key, std::get<CompiledKernel>(std::move(result))).first;
    }
    return run(kept->second, shape, parameters, scratch);
  }

  template <typename Parameters>
  Fault run(const CompiledKernel& kernel, const Shape& shape, const Parameters& parameters,
            Scratch* scratch = nullptr) {
    const std::size_t threads = std::size_t{shape.block[0]} * shape.block[1] * shape.block[2];
    Block shared(kernel.static_shared_bytes + shape.dynamic_shared_bytes + 16);
    Block local(kernel.local_bytes(kStackBytes) * threads);
    Block frames(kernel.frame_bytes_per_thread * threads);
    Scratch own;
    Scratch& used = scratch == nullptr ? own : *scratch;
    used.shared = shared.get();
    used.local = local.get();
    used.frames = frames.get();
    LaunchContext context;
    context.params = reinterpret_cast<const std::byte*>(&parameters);
    context.globals = globals_->get();
    context.constants = constants_->get();
    context.stack_bytes = kStackBytes;
    context.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    for (std::size_t i = 0; i < 3; ++i) {
      context.grid[i] = shape.grid[i];
      context.block[i] = shape.block[i];
    }
    const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
    return static_cast<Fault>(kernel.run(&context, &used, 0, blocks));
  }

  /// Runs `k` of this text in every way, as one block of threads each of which stores a word at its place in
  /// `out`, the only parameter; words that no thread stores are `before`.
  template <typename Expected>
  void expect_words(std::uint32_t threads, Expected expected, std::uint32_t before = 0) {
    for (const Way& way : kWays) {
      std::vector<std::uint32_t> out(threads, before);
      const std::uint32_t* const parameter = out.data();
      ASSERT_EQ(run("k", way, {{1, 1, 1}, {threads, 1, 1}}, parameter), Fault::none) << name_of(way);
      for (std::uint32_t i = 0; i < threads; ++i)
        ASSERT_EQ(out[i], expected(i)) << name_of(way) << ", thread " << i;
    }
  }

 private:
  std::unique_ptr<ptx::Module> module_;
  std::unique_ptr<Block> globals_, constants_;
  std::map<std::string, CompiledKernel> kernels_;  // compiled once per way
};

inline const char kHeader[] = ".version 8.0\n.target sm_90\n.address_size 64\n";

}  // namespace tare::cpu::codegen::test
