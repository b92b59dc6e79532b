// What the vocabulary of a traced kernel records into: a program of nodes, in the order in which the lambda
// evaluates them. Everything here is for the other headers of this folder; kernels use those.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

#include "tare/half.hpp"

namespace tare::detail {

/// The types that a value in a kernel may have, as the machine sees them: `long` and `long long` are one.
enum class Scalar : std::uint8_t { boolean, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16 };

template <class T>
concept ScalarType = std::same_as<T, std::remove_cv_t<T>> &&
                     (std::integral<T> || std::same_as<T, float> || std::same_as<T, double> ||
                      std::same_as<T, half>)&&sizeof(T) <= 8;

/// A number of the host's, which becomes a constant of the kernel.
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::same_as<T, half>;

/// static_cast, with halves by way of float.
template <class To, Plain From>
To plain_cast(From value) {
  if constexpr (std::same_as<To, From>)
    return value;
  else if constexpr (std::same_as<From, half>)
    return static_cast<To>(static_cast<float>(value));
  else
    return static_cast<To>(value);
}

template <ScalarType T>
constexpr Scalar scalar_of() {
  if constexpr (std::same_as<T, bool>) return Scalar::boolean;
  if constexpr (std::same_as<T, half>) return Scalar::f16;
  if constexpr (std::same_as<T, float>) return Scalar::f32;
  if constexpr (std::same_as<T, double>) return Scalar::f64;
  constexpr bool is_signed = std::is_signed_v<T>;
  switch (sizeof(T)) {
    case 1:
      return is_signed ? Scalar::i8 : Scalar::u8;
    case 2:
      return is_signed ? Scalar::i16 : Scalar::u16;
    case 4:
      return is_signed ? Scalar::i32 : Scalar::u32;
    default:
      return is_signed ? Scalar::i64 : Scalar::u64;
  }
}

/// False for every T: what a static_assert that refuses a use waits for.
template <class...>
inline constexpr bool kNever = false;

/// A node of a program that is traced: the trace's number above, the node's within it in the low 32 bits.
enum class Node : std::uint64_t {};

enum class Unary : std::uint8_t { negate, bit_not, logical_not };
enum class Binary : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,  //
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal
};
enum class Special : std::uint8_t {
  thread_x,
  thread_y,
  thread_z,
  block_x,
  block_y,
  block_z,  //
  block_size_x,
  block_size_y,
  block_size_z,
  grid_size_x,
  grid_size_y,
  grid_size_z
};
enum class Atomic : std::uint8_t {
  add,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  increment,
  decrement,
  compare_exchange
};

using Where = std::source_location;

/// Where the kernel's source is now: what is wrong from here on is said with this line, until another one is
/// known. (An operator cannot be given its line.) Throws Error(argument), with the line, where the calling
/// thread traces no kernel.
void at_line(const Where& where);

// Each records one node in the trace that the calling thread is making, and throws Error(argument) where
// there is none, or where an operand comes from a block of the kernel that has ended.

Node constant(Scalar type, std::uint64_t bits);
Node unary(Unary operation, Scalar type, Node a);
/// Both operands are of `type`; a comparison gives a boolean. A shift's count is taken modulo the width.
Node binary(Binary operation, Scalar type, Node a, Node b);
/// `a && b` or `a || b` of booleans: what `b` reads is read only where `a` does not decide. `b` has been
/// evaluated after `since`, or, where that is null, at any time. Throws where `b` does more than read.
Node logical(bool is_and, Node a, Node b, const Node* since);
Node convert(Scalar from, Scalar to, Node a);
/// The same bits as another type of the same size.
Node bit_cast(Scalar to, Node a);
Node select(Scalar type, Node condition, Node yes, Node no);
Node special(Special which);

Node scalar_parameter(std::size_t index);
Node array_parameter(std::size_t index);  // a pointer
Node size_parameter(std::size_t index);   // u64: the array's number of elements
/// Throw Error(argument) for more bytes than there can be.
Node local_memory(Scalar type, std::size_t count);
Node shared_memory(Scalar type, std::size_t count);
/// `count` elements, which the launch has to give where it is known while tracing.
Node dynamic_shared_memory(Scalar type, Node count);
/// A table of constants: `bytes` are the elements'.
Node constant_memory(Scalar type, std::span<const std::byte> bytes, const Where& where);

/// A pointer `index` (u64 or i64) elements after another.
Node element(Node pointer, Node index);
/// Throw Error(argument) for an index that is known while tracing and is outside of the array, or of the part
/// of it, which has this extent; `extent` may be a u64 that is known as well.
void check_index(Node array, Node index, std::uint64_t extent);
void check_index(Node array, Node index, Node extent);
Node load(Node pointer);
void store(Node pointer, Node value);
/// The old value. `compare` is for compare_exchange alone.
Node atomic(Atomic operation, Node pointer, Node value, const Node* compare = nullptr);

void begin_if(Node condition, const Where& where);
Node end_if();
void begin_else(Node end, const Where& where);  // of the if that has just ended
void abandon_block();                           // in place of its end, after an exception in its body
void begin_loop(const Where& where);
void loop_condition(Node condition);  // leaves the loop where false
void loop_step();                     // where `continue` goes on
void end_loop();
void leave_loop();     // break
void continue_loop();  // continue
void leave_kernel();   // return

/// Throws Error(argument): a for_'s plain step that is not above 0, or is not itself as `type`.
[[noreturn]] void refuse_step(const std::string& step, Scalar type);

/// A function of the math library: "sin" (see src/frontend/jit/math_functions.cpp).
Node math(std::string_view name, Scalar type, std::initializer_list<Node> arguments, const Where& where);

/// One PTX instruction: "popc.b32 $0, $1;". `effects`: it must stay where it is, among the others that do;
/// `convergent`: threads take part in it together.
struct Instruction {
  const char* text;
  Scalar result;
  bool effects = false, convergent = false, touches_memory = false;
  bool gives_result = true;  // else the operands start at $0
};
Node instruction(const Instruction& what, std::initializer_list<Node> operands);
void barrier(const char* text);  // an instruction without operands

/// A function of the kernel's.
struct FunctionToCall {
  std::shared_ptr<const std::string> name;  // one function, one object
  const std::type_info& types;              // of its arguments
  const Scalar* result;                     // null where it gives nothing back
  std::function<void()> record;             // traces the body, where this kernel does not have it yet
};
/// Calls it; what it gives back.
Node call(const FunctionToCall& function, std::span<const Node> arguments);
Node function_parameter(std::size_t index);
void leave_function(Node value);  // return, with a value

/// `holds` is the condition, which does not; `message` may be empty.
void assert_failed(Node holds, const char* message, const Where& where);
/// C's printf; `types` are the arguments' own. Throws Error(argument) where the format does not fit them.
void print(const char* format, std::span<const Scalar> types, std::span<const Node> arguments,
           const Where& where);

}  // namespace tare::detail
