// Arrays and variables: where they are, loads, stores and atomic operations.
#include <fmt/format.h>

#include <cstring>

#include "frontend/jit/emitter.hpp"
#include "frontend/jit/trace.hpp"
#include "tare/error.hpp"

namespace tare::detail {

void Emitter::emit_first_element(std::string& where, std::uint32_t i, const std::string& array,
                                 const char* space, const std::string& name) const {
  where +=
      dialect_.typed_pointers
          ? fmt::format("  %v{} = getelementptr {}, {}{}* {}, i64 0, i64 0\n", i, array, array, space, name)
          : fmt::format("  %v{} = getelementptr {}, ptr{} {}, i64 0, i64 0\n", i, array, space, name);
}

void Emitter::emit_memory(std::uint32_t i, const TracedNode& node) {
  const char* element = memory_type(node.type);
  const unsigned align = bytes_of(node.type);
  if (node.op == Op::local_memory) {
    // At the entry, where the compiler finds what it can keep in registers.
    const std::string array = fmt::format("[{} x {}]", node.value, element);
    entry_ += fmt::format("  %m{} = alloca {}, align {}\n", i, array, align);
    emit_first_element(entry_, i, array, "", fmt::format("%m{}", i));
  } else if (node.op == Op::shared_memory) {
    const std::string array = fmt::format("[{} x {}]", node.value, element);
    module_.globals += fmt::format("@{}shared{} = internal addrspace(3) global {} undef, align {}\n", prefix_,
                                   i, array, align);
    emit_first_element(entry_, i, array, " addrspace(3)", fmt::format("@{}shared{}", prefix_, i));
  } else if (node.op == Op::constant_memory) {
    const auto& [bytes, where] = program_.tables[node.value];
    take_constants(bytes.size(), align, "a tare::constant_array", where);
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
      module_.globals += fmt::format("@dynamic$shared = external addrspace(3) global {}, align 16\n", kArray);
    module_.has_dynamic_shared = true;
    entry_ += dialect_.typed_pointers
                  ? fmt::format("  %v{} = bitcast {} addrspace(3)* @dynamic$shared to {} addrspace(3)*\n", i,
                                kArray, element)
                  : fmt::format("  %v{} = getelementptr i8, ptr addrspace(3) @dynamic$shared, i64 0\n", i);
  }
}

void Emitter::emit_load(std::uint32_t i, const TracedNode& node) {
  const bool flag = node.type == Scalar::boolean;
  line("%v{}{} = load {}, {}, align {}", i, flag ? ".byte" : "", memory_type(node.type),
       typed(node.operands[0]), bytes_of(node.type));
  if (flag) line("%v{} = icmp ne i8 %v{}.byte, 0", i, i);
}

void Emitter::emit_store(std::uint32_t i, const TracedNode& node) {
  std::string stored = value(node.operands[1]);
  if (node.type == Scalar::boolean) {
    line("%v{}.byte = zext i1 {} to i8", i, stored);
    stored = fmt::format("%v{}.byte", i);
  }
  line("store {} {}, {}, align {}", memory_type(node.type), stored, typed(node.operands[0]),
       bytes_of(node.type));
}

void Emitter::emit_atomic(std::uint32_t i, const TracedNode& node) {
  constexpr const char* kNames[] = {"add", "min", "max", "and", "or", "xor", "exch", "inc", "dec", "cas"};
  const auto operation = static_cast<Atomic>(node.detail);
  const unsigned bits = bytes_of(node.type) * 8;
  std::string type = fmt::format("b{}", bits);
  if (operation == Atomic::minimum || operation == Atomic::maximum)
    type = fmt::format("{}{}", is_signed(node.type) ? 's' : 'u', bits);
  if (operation == Atomic::increment || operation == Atomic::decrement) type = "u32";
  if (operation == Atomic::add) type = fmt::format("{}{}", is_float(node.type) ? 'f' : 'u', bits);
  if (node.type == Scalar::f16) {
    constexpr int kFirst = 70;
    if (dialect_.architecture != 0 && dialect_.architecture < kFirst)
      throw Error(
          ErrorKind::unsupported,
          fmt::format("{}, in the kernel `{}`: atomic_add on half is there from sm_{} on, this device is "
                      "sm_{}",
                      line_of(program_.half_atomics[node.value]), kernel_.name, kFirst,
                      dialect_.architecture),
          "add in an array of float");
    type = "noftz.f16";
  }
  const bool compares = operation == Atomic::compare_exchange;
  const Space space = program_.at(node.operands[0]).space;
  const char r = letter(node.type);
  std::string operands = fmt::format("{}, {}", typed(node.operands[0]), typed(node.operands[1]));
  if (compares) operands += ", " + typed(node.operands[2]);
  line("%v{} = call {} asm sideeffect \"atom.{}.{}.{} $0, [$1], $2{};\", \"={},l,{}{}{},~{{memory}}\"({})", i,
       ir_type(node.type), space == Space::shared ? "shared" : "global", kNames[node.detail], type,
       compares ? ", $3" : "", r, r, compares ? "," : "", compares ? std::string(1, r) : "", operands);
}

}  // namespace tare::detail
