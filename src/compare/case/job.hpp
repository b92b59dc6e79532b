// A case with its numbers put in: what the owner allocates and fills, and what a worker is asked to
// launch. Plain data; no TOML, no driver.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tare::compare {

/// An element or scalar type of CUDA C++.
struct ElementType {
  std::string name;           // as CUDA C++ spells it: "float", "unsigned int", "__half", "struct"
  std::size_t size = 0;       // bytes
  std::size_t alignment = 0;  // bytes
  enum class Kind : std::uint8_t {
    floating,
    signed_integer,
    unsigned_integer,
    boolean,
    half,
    bfloat16,
    aggregate
  } kind = Kind::floating;
  /// Scalars of `kind` in one element: 4 for float4; aggregates of mixed fields are compared as bytes (1).
  std::size_t lanes = 1;
  /// Aggregates only: the bytes that hold fields, [begin, end), without the padding between them, which is
  /// neither compared nor reported.
  struct Bytes {
    std::size_t begin = 0, end = 0;
  };
  std::vector<Bytes> fields = {};
};

/// How an output is held against its reference.
struct Check {
  enum class Kind : std::uint8_t { none, bits, ulps, tolerance } kind = Kind::none;
  std::uint64_t ulps = 0;
  double rtol = 0, atol = 0;
};

/// What a buffer holds before a launch.
struct Fill {
  enum class Kind : std::uint8_t { none, sample, constant, iota, uniform, normal, npy } kind = Kind::none;
  std::int64_t stride = 1, offset = 0;  // sample(stride * i + offset)
  double value = 0;                     // constant
  double start = 0, step = 1;           // iota
  double low = 0, high = 1;             // uniform
  double mean = 0, deviation = 1;       // normal
  std::uint64_t seed = 0;
  std::filesystem::path npy;
};

struct JobArgument {
  std::string name;
  std::string type;     // as written in the case: "const float*"
  ElementType element;  // of the pointee, or of the scalar itself
  bool is_buffer = false;
  // Buffers:
  bool is_const = false;                // input only
  std::uint64_t count = 0;              // elements
  Fill fill;                            // in-out where a non-const buffer has one
  Check check;                          // outputs: none means not compared
  std::filesystem::path reference_npy;  // expected values, if the case gives a file
  bool is_output() const { return is_buffer && !is_const; }
  bool is_in_out() const { return is_output() && fill.kind != Fill::Kind::none; }
  std::uint64_t bytes() const { return count * element.size; }
  // Scalars and structs by value:
  std::vector<std::byte> value;  // exactly the parameter's bytes
};

struct Job {
  std::string case_name;  // "vector_add"
  std::filesystem::path case_file, kernel_file;
  std::string kernel_name;  // "vectorAdd" or "scale<float>"
  std::string source;  // what every row compiles: the kernel region, wrapped in extern "C" unless it is a
                       // template instance
  std::string source_file_name;  // shown in logs
  int source_first_line = 1;     // of `source` in kernel_file
  std::string reference_source;  // the reference region, empty where there is none
  std::string reference_name;    // its function
  int reference_first_line = 1;
  std::string python_file, python_function;  // for rows that need a Python version; empty where there is none
  std::string jit_program,
      jit_kernel;     // for the jit rows: who has it (empty: tare itself), and its name there
  std::string array;  // the kernel as an array expression, "a + b", for rows that write no kernel; or empty
  std::map<std::string, std::int64_t> values;
  std::vector<std::string> value_names;  // as the case's file orders them; may be empty
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
  unsigned dynamic_shared_bytes = 0;
  std::vector<JobArgument> arguments;  // in the kernel's order
  double moved_bytes = 0;              // per launch
  /// True where the launch covers nothing (a `covers` value is 0): a stated no-op, nothing is launched.
  bool empty = false;
  /// The names in `values`: those of value_names in their order, then any others.
  std::vector<std::string> values_in_order() const;
};

}  // namespace tare::compare
