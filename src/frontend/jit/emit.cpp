// One pass over the nodes, a line of IR or a few for each that something needs. Values are SSA already: what
// changes is memory of the thread's own, which the compiler turns into registers.
#include "frontend/jit/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "frontend/jit/math_functions.hpp"
#include "tare/error.hpp"

namespace tare::detail {
namespace {

constexpr const char* kHeader =
    "target triple = \"nvptx64-nvidia-cuda\"\n"
    "target datalayout = "
    "\"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-"
    "v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n";

unsigned bytes_of(Scalar type) {
  constexpr unsigned kBytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2};
  return kBytes[static_cast<std::size_t>(type)];
}

bool is_float(Scalar type) {
  return type == Scalar::f32 || type == Scalar::f64;
}

bool is_signed(Scalar type) {
  return type == Scalar::i8 || type == Scalar::i16 || type == Scalar::i32 || type == Scalar::i64;
}

/// As a value.
const char* ir_type(Scalar type) {
  constexpr const char* kNames[] = {"i1",  "i8",  "i8",  "i16",   "i16",    "i32",
                                    "i32", "i64", "i64", "float", "double", "i16"};  // a half is its bits
  return kNames[static_cast<std::size_t>(type)];
}

/// In memory, where a bool has a byte.
const char* memory_type(Scalar type) {
  return type == Scalar::boolean ? "i8" : ir_type(type);
}

/// A float's constant is written as the double of its value; a NaN's payload is moved by hand.
std::uint64_t widened(std::uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  if (value == value) return std::bit_cast<std::uint64_t>(double{value});
  return std::uint64_t{bits >> 31} << 63 | 0x7FF0000000000000u | std::uint64_t{bits & 0x7FFFFFu} << 29;
}

std::string constant_text(Scalar type, std::uint64_t bits) {
  switch (type) {
    case Scalar::boolean:
      return bits != 0 ? "true" : "false";
    case Scalar::f32:
      return fmt::format("0x{:016X}", widened(static_cast<std::uint32_t>(bits)));
    case Scalar::f64:
      return fmt::format("0x{:016X}", bits);
    case Scalar::i8:
      return fmt::format("{}", static_cast<std::int8_t>(bits));
    case Scalar::i16:
      return fmt::format("{}", static_cast<std::int16_t>(bits));
    case Scalar::i32:
      return fmt::format("{}", static_cast<std::int32_t>(bits));
    case Scalar::i64:
      return fmt::format("{}", static_cast<std::int64_t>(bits));
    default:
      return fmt::format("{}", bits);
  }
}

/// LLVM's escapes: what is not plain as two hex digits.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    out += plain ? std::string(1, c) : fmt::format("\\{:02X}", static_cast<unsigned char>(c));
  }
  return out + "\\00";
}

/// What a kernel and the functions that it calls share.
struct IrModule {
  std::string globals, functions;
  std::set<std::string> declarations;
  bool has_dynamic_shared = false, uses_libdevice = false;
};

/// Of the kernel, or of one of its functions.
class Emitter {
 public:
  Emitter(const TracedProgram& program, const TracedProgram& kernel, const IrDialect& dialect,
          IrModule& module)
      : program_(program), kernel_(kernel), dialect_(dialect), module_(module) {
    if (program.is_function) prefix_ = program.name + "_";
  }

  /// Adds the whole definition to the module.
  void run() {
    find_needed();
    next_name_ = static_cast<std::uint32_t>(program_.nodes.size());
    for (std::uint32_t i = 0; i < program_.nodes.size(); ++i)
      if (needed_[i]) emit(i, program_.nodes[i]);
    module_.functions += program_.is_function ? function_definition() : kernel_definition();
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    body_ += "  ";
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
    body_ += '\n';
  }
  template <class... Args>
  void label(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
    body_ += ":\n";
  }

  /// What something depends on that has an effect. Operands come before what uses them, so one pass suffices.
  void find_needed() {
    needed_.assign(program_.nodes.size(), false);
    for (std::uint32_t i = static_cast<std::uint32_t>(program_.nodes.size()); i-- > 0;) {
      const TracedNode& node = program_.nodes[i];
      if (has_effect(program_, node)) needed_[i] = true;
      if (!needed_[i]) continue;
      for (const Node before : dependencies(program_, node)) needed_[number_of(before)] = true;
    }
    has_else_.assign(program_.nodes.size(), false);
    for (const TracedNode& node : program_.nodes)
      if (node.op == Op::begin_else) has_else_[node.value] = true;
  }

  std::string pointer_type(Scalar type, Space space) const {
    // The thread's own memory is in LLVM's generic address space.
    const int number = space == Space::local ? 0 : static_cast<int>(space);
    const std::string where = number == 0 ? "" : fmt::format(" addrspace({})", number);
    return dialect_.typed_pointers ? std::string(memory_type(type)) + where + "*" : "ptr" + where;
  }
  std::string type_of(const TracedNode& node) const {
    return node.is_pointer ? pointer_type(node.type, node.space) : ir_type(node.type);
  }
  std::string generic_pointer() const { return dialect_.typed_pointers ? "i8*" : "ptr"; }

  /// The number in a node's name: another one where the node is evaluated once more, under a guard.
  std::uint32_t name_of(std::uint32_t number) const {
    for (auto names = guarded_names_.rbegin(); names != guarded_names_.rend(); ++names)
      if (const auto found = names->find(number); found != names->end()) return found->second;
    return number;
  }
  /// The node as an operand, without its type.
  std::string value(Node which) const {
    const TracedNode& node = program_.at(which);
    switch (node.op) {
      case Op::constant:
        return constant_text(node.type, node.value);
      case Op::array_parameter:
        return fmt::format("%a{}", node.value);
      case Op::size_parameter:
        return fmt::format("%n{}", node.value);
      case Op::function_parameter:
        if (node.is_pointer || node.type != Scalar::boolean) return fmt::format("%p{}", node.value);
        return fmt::format("%v{}", name_of(number_of(which)));
      case Op::scalar_parameter:
        if (node.type != Scalar::boolean) return fmt::format("%p{}", node.value);
        [[fallthrough]];
      default:
        return fmt::format("%v{}", name_of(number_of(which)));
    }
  }
  std::string typed(Node which) const { return type_of(program_.at(which)) + " " + value(which); }

  void declare(std::string declaration) { module_.declarations.insert(std::move(declaration)); }

  void emit(std::uint32_t i, const TracedNode& node) {
    const auto& in = node.operands;
    switch (node.op) {
      case Op::constant:
      case Op::array_parameter:
      case Op::size_parameter:
        break;
      case Op::call:
        emit_call(i, node);
        break;
      case Op::scalar_parameter:
      case Op::function_parameter:
        if (!node.is_pointer && node.type == Scalar::boolean)
          line("%v{} = icmp ne i8 %p{}, 0", i, node.value);
        break;
      case Op::unary:
        emit_unary(i, node);
        break;
      case Op::binary:
        emit_binary(i, node);
        break;
      case Op::logical:
        emit_logical(i, node);
        break;
      case Op::convert:
        emit_convert(i, node);
        break;
      case Op::bit_cast:
        line("%v{} = bitcast {} to {}", i, typed(in[0]), ir_type(node.type));
        break;
      case Op::select:
        line("%v{} = select {}, {}, {}", i, typed(in[0]), typed(in[1]), typed(in[2]));
        break;
      case Op::special:
        emit_special(i, node);
        break;
      case Op::local_memory:
      case Op::shared_memory:
      case Op::dynamic_shared_memory:
      case Op::constant_memory:
        emit_memory(i, node);
        break;
      case Op::element:
        line("%v{} = getelementptr {}, {}, {}", i, memory_type(node.type), typed(in[0]), typed(in[1]));
        break;
      case Op::load:
        emit_load(i, node);
        break;
      case Op::store:
        emit_store(i, node);
        break;
      case Op::atomic:
        emit_atomic(i, node);
        break;
      case Op::math:
        emit_math(i, node);
        break;
      case Op::instruction:
        emit_instruction(i, node);
        break;
      case Op::assert_failed:
        emit_assertion(i, node);
        break;
      case Op::print:
        emit_print(i, node);
        break;
      default:
        emit_control(i, node);
        break;
    }
  }

  void emit_unary(std::uint32_t i, const TracedNode& node) {
    const char* type = ir_type(node.type);
    const std::string a = value(node.operands[0]);
    switch (static_cast<Unary>(node.detail)) {
      case Unary::bit_not:
        line("%v{} = xor {} {}, -1", i, type, a);
        break;
      case Unary::logical_not:
        line("%v{} = xor i1 {}, true", i, a);
        break;
      case Unary::negate:
        if (!is_float(node.type)) line("%v{} = sub {} 0, {}", i, type, a);
        // LLVM 7 has no fneg, and takes this for one.
        else if (dialect_.typed_pointers)
          line("%v{} = fsub {} -0.0, {}", i, type, a);
        else
          line("%v{} = fneg {} {}", i, type, a);
        break;
    }
  }

  void emit_binary(std::uint32_t i, const TracedNode& node) {
    const Scalar scalar = node.operand_type;
    const auto operation = static_cast<Binary>(node.detail);
    if (!is_float(scalar) && (operation == Binary::divide || operation == Binary::remainder)) {
      emit_division(i, node, operation == Binary::remainder);
      return;
    }
    const std::string a = value(node.operands[0]);
    std::string b = value(node.operands[1]);
    if (operation == Binary::shift_left || operation == Binary::shift_right) {
      if (program_.at(node.operands[1]).op == Op::constant) {
        b = constant_text(scalar, program_.at(node.operands[1]).value & (bytes_of(scalar) * 8 - 1));
      } else {
        line("%v{}.count = and {} {}, {}", i, ir_type(scalar), b, bytes_of(scalar) * 8 - 1);
        b = fmt::format("%v{}.count", i);
      }
    }
    line("%v{} = {} {} {}, {}", i, opcode(operation, scalar), ir_type(scalar), a, b);
  }

  /// The right side is evaluated in a block of its own, where the left one does not decide.
  void emit_logical(std::uint32_t i, const TracedNode& node) {
    const bool is_and = node.detail != 0;
    line("br label %left{}", i);
    label("left{}", i);
    line("br {}, label %{}{}, label %{}{}", typed(node.operands[0]), is_and ? "right" : "decided", i,
         is_and ? "decided" : "right", i);
    label("right{}", i);
    guarded_names_.emplace_back();
    for (const Node guarded : program_.guarded[node.value]) {
      const TracedNode& again = program_.at(guarded);
      if (again.is_pointer && again.op != Op::element) continue;  // memory is where it is
      const std::uint32_t name = next_name_++;
      emit(name, again);
      guarded_names_.back()[number_of(guarded)] = name;
    }
    const std::string right = value(node.operands[1]);
    guarded_names_.pop_back();
    line("br label %after{}", i);
    label("after{}", i);
    line("br label %decided{}", i);
    label("decided{}", i);
    line("%v{} = phi i1 [ {}, %left{} ], [ {}, %after{} ]", i, !is_and, i, right, i);
  }

  static const char* opcode(Binary operation, Scalar type) {
    const bool real = is_float(type), with_sign = is_signed(type);
    switch (operation) {
      case Binary::add:
        return real ? "fadd" : "add";
      case Binary::subtract:
        return real ? "fsub" : "sub";
      case Binary::multiply:
        return real ? "fmul" : "mul";
      case Binary::divide:
        return real ? "fdiv" : with_sign ? "sdiv" : "udiv";
      case Binary::remainder:
        return with_sign ? "srem" : "urem";
      case Binary::bit_and:
        return "and";
      case Binary::bit_or:
        return "or";
      case Binary::bit_xor:
        return "xor";
      case Binary::shift_left:
        return "shl";
      case Binary::shift_right:
        return with_sign ? "ashr" : "lshr";
      case Binary::equal:
        return real ? "fcmp oeq" : "icmp eq";
      case Binary::not_equal:
        return real ? "fcmp une" : "icmp ne";
      case Binary::less:
        return real ? "fcmp olt" : with_sign ? "icmp slt" : "icmp ult";
      case Binary::less_equal:
        return real ? "fcmp ole" : with_sign ? "icmp sle" : "icmp ule";
      case Binary::greater:
        return real ? "fcmp ogt" : with_sign ? "icmp sgt" : "icmp ugt";
      case Binary::greater_equal:
        return real ? "fcmp oge" : with_sign ? "icmp sge" : "icmp uge";
    }
    return "";
  }

  /// Integer division with the two cases defined that LLVM leaves undefined: by 0, and the lowest number by
  /// -1.
  void emit_division(std::uint32_t i, const TracedNode& node, bool remainder) {
    const Scalar scalar = node.operand_type;
    const char* type = ir_type(scalar);
    const std::string a = value(node.operands[0]), b = value(node.operands[1]);
    const char* divide = opcode(remainder ? Binary::remainder : Binary::divide, scalar);
    const TracedNode& divisor = program_.at(node.operands[1]);
    const std::uint64_t all_ones = ~0ull >> (64 - bytes_of(scalar) * 8);
    const bool known = divisor.op == Op::constant;
    const std::uint64_t bits = divisor.value & all_ones;
    if (known && bits != 0 && (!is_signed(scalar) || bits != all_ones)) {
      line("%v{} = {} {} {}, {}", i, divide, type, a, b);
      return;
    }
    line("%v{}.zero = icmp eq {} {}, 0", i, type, b);
    std::string special = fmt::format("%v{}.zero", i);
    if (is_signed(scalar)) {
      line("%v{}.minus = icmp eq {} {}, -1", i, type, b);
      line("%v{}.special = or i1 %v{}.zero, %v{}.minus", i, i, i);
      special = fmt::format("%v{}.special", i);
    }
    line("%v{}.divisor = select i1 {}, {} 1, {} {}", i, special, type, type, b);
    line("%v{}.plain = {} {} {}, %v{}.divisor", i, divide, type, a, i);
    if (remainder) {
      line("%v{} = select i1 %v{}.zero, {} {}, {} %v{}.plain", i, i, type, a, type, i);
      return;
    }
    std::string quotient = fmt::format("%v{}.plain", i);
    if (is_signed(scalar)) {
      line("%v{}.negative = sub {} 0, {}", i, type, a);
      line("%v{}.other = select i1 %v{}.minus, {} %v{}.negative, {} %v{}.plain", i, i, type, i, type, i);
      quotient = fmt::format("%v{}.other", i);
    }
    line("%v{} = select i1 %v{}.zero, {} -1, {} {}", i, i, type, type, quotient);
  }

  void emit_convert(std::uint32_t i, const TracedNode& node) {
    const Scalar from = node.operand_type, to = node.type;
    const std::string a = typed(node.operands[0]);
    if (from == Scalar::f16 || to == Scalar::f16) {
      emit_half_conversion(i, from, to, a);
    } else if (to == Scalar::boolean) {
      if (is_float(from))
        line("%v{} = fcmp une {}, 0.0", i, a);
      else
        line("%v{} = icmp ne {}, 0", i, a);
    } else if (is_float(from) && is_float(to)) {
      line("%v{} = {} {} to {}", i, to == Scalar::f64 ? "fpext" : "fptrunc", a, ir_type(to));
    } else if (is_float(to) && is_signed(from) && !dialect_.typed_pointers) {
      emit_signed_to_float(i, from, to, a);
    } else if (is_float(to)) {
      line("%v{} = {} {} to {}", i, is_signed(from) ? "sitofp" : "uitofp", a, ir_type(to));
    } else if (is_float(from)) {
      emit_float_to_integer(i, from, to, a);
    } else if (bytes_of(to) == bytes_of(from) && from != Scalar::boolean) {
      line("%v{} = bitcast {} to {}", i, a, ir_type(to));
    } else {
      const bool wider = bytes_of(to) > bytes_of(from) || from == Scalar::boolean;
      line("%v{} = {} {} to {}", i, !wider ? "trunc" : is_signed(from) ? "sext" : "zext", a, ir_type(to));
    }
  }

  /// Between half and float or double: halves are their bits in the IR, whose readers differ in what they
  /// know of the type.
  void emit_half_conversion(std::uint32_t i, Scalar from, Scalar to, const std::string& a) {
    if (to == Scalar::f16)
      line("%v{} = call i16 asm \"cvt.rn.f16.f{} $0, $1;\", \"=h,{}\"({})", i, bytes_of(from) * 8,
           letter(from), a);
    else
      line("%v{} = call {} asm \"cvt.f{}.f16 $0, $1;\", \"={},h\"({})", i, ir_type(to), bytes_of(to) * 8,
           letter(to), a);
  }

  /// The instruction itself: LLVM 19 makes a conversion of one bit of it where it can, and its NVPTX back end
  /// has that bit as 1 and not as -1.
  void emit_signed_to_float(std::uint32_t i, Scalar from, Scalar to, std::string a) {
    const unsigned bytes = std::max(bytes_of(from), 4u);
    if (bytes_of(from) < bytes) {
      line("%v{}.wide = sext {} to i32", i, a);
      a = fmt::format("i32 %v{}.wide", i);
    }
    line("%v{} = call {} asm \"cvt.rn.f{}.s{} $0, $1;\", \"={},{}\"({})", i, ir_type(to), bytes_of(to) * 8,
         bytes * 8, letter(to), bytes == 8 ? 'l' : 'r', a);
  }

  /// The machine's own instruction, which has a result for every number. LLVM's conversion, and NVIDIA's
  /// intrinsic that it takes for the same, leave numbers out of range undefined.
  void emit_float_to_integer(std::uint32_t i, Scalar from, Scalar to, const std::string& a) {
    const unsigned bytes = std::max(bytes_of(to), 4u);
    const char* result = bytes == 8 ? "i64" : "i32";
    const bool narrow = bytes_of(to) < bytes;
    line("%v{}{} = call {} asm \"cvt.rzi.{}{}.f{} $0, $1;\", \"={},{}\"({})", i, narrow ? ".wide" : "",
         result, is_signed(to) || narrow ? 's' : 'u', bytes * 8, bytes_of(from) * 8, bytes == 8 ? 'l' : 'r',
         letter(from), a);
    if (narrow) line("%v{} = trunc {} %v{}.wide to {}", i, result, i, ir_type(to));
  }

  void emit_special(std::uint32_t i, const TracedNode& node) {
    constexpr const char* kRegisters[] = {"tid.x",  "tid.y",  "tid.z",  "ctaid.x",  "ctaid.y",  "ctaid.z",
                                          "ntid.x", "ntid.y", "ntid.z", "nctaid.x", "nctaid.y", "nctaid.z"};
    const std::string name = fmt::format("@llvm.nvvm.read.ptx.sreg.{}()", kRegisters[node.detail]);
    declare("declare i32 " + name);
    line("%v{} = call i32 {}", i, name);
  }

  /// A global array as a pointer to its first element.
  void emit_first_element(std::string& where, std::uint32_t i, const std::string& array, const char* space,
                          const std::string& name) const {
    where +=
        dialect_.typed_pointers
            ? fmt::format("  %v{} = getelementptr {}, {}{}* {}, i64 0, i64 0\n", i, array, array, space, name)
            : fmt::format("  %v{} = getelementptr {}, ptr{} {}, i64 0, i64 0\n", i, array, space, name);
  }

  void emit_memory(std::uint32_t i, const TracedNode& node) {
    const char* element = memory_type(node.type);
    const unsigned align = bytes_of(node.type);
    if (node.op == Op::local_memory) {
      // At the entry, where the compiler finds what it can keep in registers.
      const std::string array = fmt::format("[{} x {}]", node.value, element);
      entry_ += fmt::format("  %m{} = alloca {}, align {}\n", i, array, align);
      emit_first_element(entry_, i, array, "", fmt::format("%m{}", i));
    } else if (node.op == Op::shared_memory) {
      const std::string array = fmt::format("[{} x {}]", node.value, element);
      module_.globals += fmt::format("@{}shared{} = internal addrspace(3) global {} undef, align {}\n",
                                     prefix_, i, array, align);
      emit_first_element(entry_, i, array, " addrspace(3)", fmt::format("@{}shared{}", prefix_, i));
    } else if (node.op == Op::constant_memory) {
      const auto& bytes = program_.tables[node.value];
      const std::string array = fmt::format("[{} x {}]", bytes.size() / align, element);
      std::string elements;
      for (std::size_t at = 0; at < bytes.size(); at += align) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes.data() + at, align);
        elements += fmt::format("{}{} {}", at == 0 ? "" : ", ", element, constant_text(node.type, bits));
      }
      module_.globals += fmt::format("@{}constant{} = internal addrspace(4) constant {} [{}], align {}\n",
                                     prefix_, i, array, elements, align);
      emit_first_element(entry_, i, array, " addrspace(4)", fmt::format("@{}constant{}", prefix_, i));
    } else {
      constexpr const char* kArray = "[0 x i8]";
      if (!module_.has_dynamic_shared)
        module_.globals +=
            fmt::format("@dynamic_shared = external addrspace(3) global {}, align 16\n", kArray);
      module_.has_dynamic_shared = true;
      entry_ += dialect_.typed_pointers
                    ? fmt::format("  %v{} = bitcast {} addrspace(3)* @dynamic_shared to {} addrspace(3)*\n",
                                  i, kArray, element)
                    : fmt::format("  %v{} = getelementptr i8, ptr addrspace(3) @dynamic_shared, i64 0\n", i);
    }
  }

  void emit_load(std::uint32_t i, const TracedNode& node) {
    const bool flag = node.type == Scalar::boolean;
    line("%v{}{} = load {}, {}, align {}", i, flag ? ".byte" : "", memory_type(node.type),
         typed(node.operands[0]), bytes_of(node.type));
    if (flag) line("%v{} = icmp ne i8 %v{}.byte, 0", i, i);
  }

  void emit_store(std::uint32_t i, const TracedNode& node) {
    std::string stored = value(node.operands[1]);
    if (node.type == Scalar::boolean) {
      line("%v{}.byte = zext i1 {} to i8", i, stored);
      stored = fmt::format("%v{}.byte", i);
    }
    line("store {} {}, {}, align {}", memory_type(node.type), stored, typed(node.operands[0]),
         bytes_of(node.type));
  }

  static char letter(Scalar type) {
    if (type == Scalar::f32) return 'f';
    if (type == Scalar::f64) return 'd';
    return bytes_of(type) == 8 ? 'l' : bytes_of(type) == 2 ? 'h' : 'r';
  }

  /// As PTX: the same in every reader of the IR, and relaxed as CUDA C++'s are.
  void emit_atomic(std::uint32_t i, const TracedNode& node) {
    constexpr const char* kNames[] = {"add", "min", "max", "and", "or", "xor", "exch", "inc", "dec", "cas"};
    const auto operation = static_cast<Atomic>(node.detail);
    const unsigned bits = bytes_of(node.type) * 8;
    std::string type = fmt::format("b{}", bits);
    if (operation == Atomic::minimum || operation == Atomic::maximum)
      type = fmt::format("{}{}", is_signed(node.type) ? 's' : 'u', bits);
    if (operation == Atomic::increment || operation == Atomic::decrement) type = "u32";
    if (operation == Atomic::add) type = fmt::format("{}{}", is_float(node.type) ? 'f' : 'u', bits);
    const bool compares = operation == Atomic::compare_exchange;
    const Space space = program_.at(node.operands[0]).space;
    const char r = letter(node.type);
    std::string operands = fmt::format("{}, {}", typed(node.operands[0]), typed(node.operands[1]));
    if (compares) operands += ", " + typed(node.operands[2]);
    line("%v{} = call {} asm sideeffect \"atom.{}.{}.{} $0, [$1], $2{};\", \"={},l,{}{}{},~{{memory}}\"({})",
         i, ir_type(node.type), space == Space::shared ? "shared" : "global", kNames[node.detail], type,
         compares ? ", $3" : "", r, r, compares ? "," : "", compares ? std::string(1, r) : "", operands);
  }

  void emit_math(std::uint32_t i, const TracedNode& node) {
    const std::string& name = program_.math[node.value];
    const MathFunction function = math_function(name, node.type, dialect_.ftz, dialect_.approximate_sqrt);
    if (function.in_libdevice && !dialect_.has_libdevice)
      throw Error(
          ErrorKind::unsupported,
          fmt::format("tare::{} is in NVIDIA's device library (libdevice), and there is none here", name),
          "install it (pip install 'nvidia-nvvm==13.0.*'), or set TARE_NVVM to libnvvm.so");
    module_.uses_libdevice |= function.in_libdevice;
    const char* type = ir_type(node.type);
    std::string types, arguments;
    for (std::size_t k = 0; k < node.operand_count; ++k) {
      types += fmt::format("{}{}", k == 0 ? "" : ", ", type);
      arguments += (k == 0 ? "" : ", ") + typed(node.operands[k]);
    }
    declare(fmt::format("declare {} @{}({})", type, function.symbol, types));
    line("%v{} = call {} @{}({})", i, type, function.symbol, arguments);
  }

  void emit_instruction(std::uint32_t i, const TracedNode& node) {
    const Instruction& what = program_.instructions[node.value];
    std::string constraints = what.gives_result ? fmt::format("={}", letter(what.result)) : "";
    std::string operands;
    for (std::size_t k = 0; k < node.operand_count; ++k) {
      constraints +=
          fmt::format("{}{}", constraints.empty() ? "" : ",", letter(program_.at(node.operands[k]).type));
      operands += (k == 0 ? "" : ", ") + typed(node.operands[k]);
    }
    if (what.touches_memory) constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
    line("{}call {} asm {}\"{}\", \"{}\"({}){}", what.gives_result ? fmt::format("%v{} = ", i) : "",
         what.gives_result ? ir_type(what.result) : "void", what.effects ? "sideeffect " : "", what.text,
         constraints, operands, what.convergent ? " #1" : "");
  }

  /// A text in constant memory, as the generic pointer that the device's functions take.
  std::string text_pointer(const std::string& name, const std::string& text) {
    const std::string array = fmt::format("[{} x i8]", text.size() + 1);
    module_.globals +=
        fmt::format("@{} = internal addrspace(4) constant {} c\"{}\", align 1\n", name, array, quoted(text));
    if (!dialect_.typed_pointers) {
      line("%{} = addrspacecast ptr addrspace(4) @{} to ptr", name, name);
    } else {
      line("%{}.array = addrspacecast {} addrspace(4)* @{} to {}*", name, array, name, array);
      line("%{} = bitcast {}* %{}.array to i8*", name, array, name);
    }
    return generic_pointer() + " %" + name;
  }

  void emit_assertion(std::uint32_t i, const TracedNode& node) {
    const TracedAssertion& assertion = program_.assertions[node.value];
    const std::string message = text_pointer(fmt::format("{}message{}", prefix_, i), assertion.message);
    const std::string file = text_pointer(fmt::format("{}file{}", prefix_, i), assertion.file);
    const std::string function = text_pointer(fmt::format("{}function{}", prefix_, i), assertion.function);
    const std::string p = generic_pointer();
    declare(fmt::format("declare void @__assertfail({}, {}, i32, {}, i64)", p, p, p));
    line("call void @__assertfail({}, {}, i32 {}, {}, i64 1)", message, file, assertion.line, function);
  }

  /// A bool goes as a byte, as it does to a kernel.
  void emit_call(std::uint32_t i, const TracedNode& node) {
    const TracedCall& call = program_.calls[node.value];
    const TracedProgram& called = kernel_.functions[call.function];
    std::string arguments;
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      std::string argument = typed(call.arguments[k]);
      if (argument.starts_with("i1 ")) {
        line("%v{}.{} = zext {} to i8", i, k, argument);
        argument = fmt::format("i8 %v{}.{}", i, k);
      }
      arguments += (k == 0 ? "" : ", ") + argument;
    }
    if (!called.result) {
      line("call void @{}({}) #1", called.name, arguments);
      return;
    }
    const bool flag = *called.result == Scalar::boolean;
    line("%v{}{} = call {} @{}({}) #1", i, flag ? ".byte" : "", memory_type(*called.result), called.name,
         arguments);
    if (flag) line("%v{} = icmp ne i8 %v{}.byte, 0", i, i);
  }

  void emit_print(std::uint32_t i, const TracedNode& node) {
    const TracedPrint& printed = program_.prints[node.value];
    std::string type;
    for (const Scalar argument : printed.types)
      type += (type.empty() ? "" : ", ") + std::string(ir_type(argument));
    type = "{" + (type.empty() ? "i32" : type) + "}";
    entry_ += fmt::format("  %m{} = alloca {}, align 8\n", i, type);
    for (std::size_t k = 0; k < printed.types.size(); ++k) {
      const char* element = ir_type(printed.types[k]);
      const std::string pointer = dialect_.typed_pointers ? fmt::format("{}*", element) : "ptr";
      line("%v{}.{} = getelementptr {}, {} %m{}, i32 0, i32 {}", i, k, type,
           dialect_.typed_pointers ? type + "*" : "ptr", i, k);
      line("store {}, {} %v{}.{}, align {}", typed(printed.arguments[k]), pointer, i, k,
           bytes_of(printed.types[k]));
    }
    const std::string format = text_pointer(fmt::format("{}format{}", prefix_, i), printed.format);
    const std::string p = generic_pointer();
    if (dialect_.typed_pointers) line("%v{}.buffer = bitcast {}* %m{} to i8*", i, type, i);
    declare(fmt::format("declare i32 @vprintf({}, {})", p, p));
    line("%v{} = call i32 @vprintf({}, {} {})", i, format, p,
         dialect_.typed_pointers ? fmt::format("%v{}.buffer", i) : fmt::format("%m{}", i));
  }

  /// Labels carry the number of the mark that begins the block.
  void emit_control(std::uint32_t i, const TracedNode& node) {
    const auto begin = node.value;
    switch (node.op) {
      case Op::begin_if:
        line("br {}, label %then{}, label %{}{}", typed(node.operands[0]), i, has_else_[i] ? "else" : "end",
             i);
        label("then{}", i);
        break;
      case Op::begin_else:
        line("br label %end{}", begin);
        label("else{}", begin);
        break;
      case Op::end_if:
        line("br label %end{}", begin);
        label("end{}", begin);
        break;
      case Op::begin_loop:
        line("br label %loop{}", i);
        label("loop{}", i);
        break;
      case Op::loop_condition:
        line("br {}, label %body{}, label %end{}", typed(node.operands[0]), begin, begin);
        label("body{}", begin);
        break;
      case Op::loop_step:
        line("br label %step{}", begin);
        label("step{}", begin);
        break;
      case Op::end_loop:
        line("br label %loop{}", begin);
        label("end{}", begin);
        break;
      case Op::leave_loop:
        jump(i, fmt::format("br label %end{}", begin));
        break;
      case Op::continue_loop:
        jump(i, fmt::format("br label %step{}", begin));
        break;
      case Op::leave_function: {
        std::string given = typed(node.operands[0]);
        if (program_.result == Scalar::boolean) {
          line("%v{}.byte = zext {} to i8", i, given);
          given = fmt::format("i8 %v{}.byte", i);
        }
        jump(i, "ret " + given);
        break;
      }
      case Op::leave_kernel:
        jump(i, "ret void");
        break;
      default:
        break;
    }
  }
  /// What comes after it in the block is never reached, and still has to be in a block of its own.
  void jump(std::uint32_t i, const std::string& where) {
    line("{}", where);
    label("unreached{}", i);
  }

  std::string kernel_definition() const {
    std::string parameters;
    for (std::size_t k = 0; k < program_.parameters.size(); ++k) {
      const auto& [type, is_array, is_const] = program_.parameters[k];
      const char* comma = k == 0 ? "" : ", ";
      if (is_array)
        parameters += fmt::format("{}{} %a{}, i64 %n{}", comma, pointer_type(type, Space::global), k, k);
      else
        parameters += fmt::format("{}{} %p{}", comma, memory_type(type), k);
    }
    return fmt::format("\ndefine void @{}({}) #0 {{\nentry:\n{}{}  ret void\n}}\n", program_.name, parameters,
                       entry_, body_);
  }

  std::string function_definition() const {
    std::string parameters;
    for (std::size_t k = 0; k < program_.arguments.size(); ++k) {
      const TracedNode& given = program_.arguments[k];
      parameters += fmt::format(
          "{}{} %p{}", k == 0 ? "" : ", ",
          given.is_pointer ? pointer_type(given.type, given.space) : std::string(memory_type(given.type)), k);
    }
    // A function that gives something back has left before its end.
    return fmt::format("\ndefine internal {} @{}({}) #0 {{\nentry:\n{}{}  {}\n}}\n",
                       program_.result ? memory_type(*program_.result) : "void", program_.name, parameters,
                       entry_, body_, program_.result ? "unreachable" : "ret void");
  }

  const TracedProgram& program_;
  const TracedProgram& kernel_;
  const IrDialect dialect_;
  IrModule& module_;
  std::string prefix_;  // of what is global: a function's name
  std::vector<bool> needed_, has_else_;
  std::string entry_, body_;
  std::vector<std::map<std::uint32_t, std::uint32_t>> guarded_names_;  // of open guards, outermost first
  std::uint32_t next_name_ = 0;
};

/// The kernel's type with typed pointers, for the note that says which function is one.
std::string kernel_type(const TracedProgram& kernel) {
  std::string types;
  for (const auto& [type, is_array, is_const] : kernel.parameters)
    types += fmt::format("{}{}{}", types.empty() ? "" : ", ", memory_type(type),
                         is_array ? " addrspace(1)*, i64" : "");
  return fmt::format("void ({})*", types);
}

const char* cpp_name(Scalar type) {
  constexpr const char* kNames[] = {"bool",     "int8_t",  "uint8_t",  "int16_t", "uint16_t", "int",
                                    "unsigned", "int64_t", "uint64_t", "float",   "double",   "half"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace

EmittedIr emit_ir(const TracedProgram& program, const IrDialect& dialect) {
  IrModule module;
  for (const TracedProgram& function : program.functions) Emitter(function, program, dialect, module).run();
  Emitter(program, program, dialect, module).run();

  std::string text = kHeader + module.globals + module.functions + "\n";
  for (const std::string& declaration : module.declarations) text += declaration + "\n";
  const bool flushes = dialect.ftz && dialect.ftz_in_text;
  text += fmt::format(
      "\nattributes #0 = {{ convergent nounwind{} }}\nattributes #1 = {{ convergent nounwind }}\n",
      flushes ? " \"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\"" : "");
  if (flushes) text += "!llvm.module.flags = !{!2}\n!2 = !{i32 4, !\"nvvm-reflect-ftz\", i32 1}\n";
  text += fmt::format("!nvvm.annotations = !{{!0}}\n!0 = !{{{} @{}, !\"kernel\", i32 1}}\n",
                      dialect.typed_pointers ? kernel_type(program) : "ptr", program.name);
  text += "!nvvmir.version = !{!1}\n!1 = !{i32 2, i32 0, i32 3, i32 1}\n";
  return {text, module.uses_libdevice};
}

std::string signature_of(const TracedProgram& program) {
  std::string text = program.name + "(";
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const auto& [type, is_array, is_const] = program.parameters[i];
    text += fmt::format("{}{}{}{}", i == 0 ? "" : ", ", is_const ? "const " : "", cpp_name(type),
                        is_array ? "[]" : "");
  }
  return text + ")";
}

}  // namespace tare::detail
