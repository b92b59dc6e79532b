// Declarations of variables, registers and formal parameters, and initialisers.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx::detail {

namespace {

constexpr std::uint32_t kMostAlignment = 1u << 30;
constexpr std::size_t kMostDimensions = 16;
// What initialisers may occupy beyond a multiple of the text: a nested initialiser may leave gaps.
constexpr std::uint64_t kInitialBytes = 64u << 20;

bool is_opaque(Type type) {
  return type == Type::texref || type == Type::samplerref || type == Type::surfref;
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint32_t line) {
  std::uint64_t product = 0;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 47;
  if (__builtin_mul_overflow(a, b, &product) || product > kMost) fail(line, "Array size is too large");
  return product;
}

}  // namespace

// [.attribute(...)] [.align N] [.v2|.v4] .type, in any order but the type last.
Parser::Specification Parser::specification() {
  Specification spec;
  while (spec.type == Type::none) {
    if (token_.kind != Token::Kind::dot_word) syntax();
    if (accept_dot("align")) {
      const std::uint32_t line = token_.line;
      const std::uint64_t alignment = expect_unsigned();
      if (!std::has_single_bit(alignment) || alignment > kMostAlignment) {
        fail(line, "Alignment must be a power of two");
      }
      spec.alignment = static_cast<std::uint32_t>(alignment);
    } else if (accept_dot("attribute")) {
      skip_attribute(&spec.is_managed);
    } else if (accept_dot("v2")) {
      spec.width = 2;
    } else if (accept_dot("v4")) {
      spec.width = 4;
    } else if (accept_dot("v8")) {
      spec.width = 8;
    } else {
      spec.type = find_type(token_.text);
      if (spec.type == Type::none || (size_of(spec.type) == 0 && spec.type != Type::pred)) syntax();
      advance();
    }
  }
  return spec;
}

// .ptr [.space] [.align N], after the type of a kernel parameter.
void Parser::pointer_attribute(Variable& variable) {
  if (!accept_dot("ptr")) return;
  variable.is_pointer = true;
  if (token_.kind == Token::Kind::dot_word && find_space(token_.text) != Space::generic) {
    variable.pointer_space = find_space(token_.text);
    advance();
  }
  if (accept_dot("align")) {
    const std::uint32_t line = token_.line;
    const std::uint64_t alignment = expect_unsigned();
    if (!std::has_single_bit(alignment) || alignment > kMostAlignment) {
      fail(line, "Alignment must be a power of two");
    }
    variable.pointer_alignment = static_cast<std::uint32_t>(alignment);
  }
}

// [2][3], the first of which may be [].
std::vector<std::uint64_t> Parser::dimensions(Variable& variable, const Specification& spec) {
  std::vector<std::uint64_t> all;
  variable.size = std::max<std::uint64_t>(size_of(spec.type), 1) * spec.width;
  while (accept('[')) {
    variable.is_array = true;
    const std::uint32_t line = token_.line;
    if (all.size() == kMostDimensions) fail(line, "Too many array dimensions");
    std::uint64_t count = 0;
    if (!token_.is(']')) {
      const Constant value = constant();
      if (value.is_real || (!value.is_unsigned && (value.bits >> 63) != 0)) fail(line, "Illegal array size");
      count = value.bits;
    } else if (!all.empty()) {
      syntax();
    }
    expect(']');
    all.push_back(count);
    variable.size = multiply(variable.size, count, line);
  }
  return all;
}

// One declarator: name, dimensions, initialiser. The name is not declared yet.
Variable Parser::variable(Space space, const Specification& spec, const Linkage& linkage,
                          bool may_initialise) {
  Variable made;
  made.space = space;
  made.type = spec.type;
  made.is_extern = linkage.is_extern;
  made.is_visible = linkage.is_visible;
  made.is_weak = linkage.is_weak;
  made.is_common = linkage.is_common;
  made.is_managed = spec.is_managed;
  pointer_attribute(made);
  made.line = token_.line;
  last_name_ = expect_word();
  made.name = last_name_;
  const std::vector<std::uint64_t> sizes = dimensions(made, spec);
  const auto natural = static_cast<std::uint32_t>(std::max<std::size_t>(size_of(spec.type), 1) * spec.width);
  made.alignment = spec.alignment != 0 ? spec.alignment : natural;
  if (token_.is('=')) {
    const bool has_image = (space == Space::global || space == Space::constant) && !linkage.is_extern;
    if (!may_initialise || !has_image) {
      fail(token_.line, fmt::format("No initial value is allowed for '{}' in this state space", made.name));
    }
    advance();
    initialiser(made, spec, sizes);
  }
  return made;
}

void Parser::initial_bytes(Variable& variable, std::uint64_t offset, std::uint64_t value, std::size_t size) {
  if (variable.initial.size() < offset + size) {
    initial_total_ += offset + size - variable.initial.size();
    if (initial_total_ > kInitialBytes + 16 * text_.size()) fail(token_.line, "Initializer is too large");
    variable.initial.resize(offset + size);
  }
  for (std::size_t i = 0; i < size; ++i) {
    variable.initial[offset + i] = i < 8 ? static_cast<std::byte>(value >> (8 * i)) : std::byte{0};
  }
}

// name, generic(name), either with + or - a constant. `mask` picks the byte in the form 0xff00(name).
void Parser::initial_symbol(Variable& variable, std::uint64_t offset, std::uint8_t size, std::uint64_t mask) {
  Variable::Relocation relocation{offset, {}, 0, false, size, 0};
  const std::uint32_t line = token_.line;
  std::string_view name = expect_word();
  if (name == "generic" && token_.is('(')) {
    relocation.generic = true;
    advance();
    name = expect_word();
    expect(')');
  }
  const Symbol* symbol = names_.find(name);
  if (symbol == nullptr ||
      (symbol->kind != Symbol::Kind::module_variable && symbol->kind != Symbol::Kind::function)) {
    fail(line, fmt::format("Invalid initial value symbol '{}'", name));
  }
  relocation.symbol = name;
  while (token_.is('+') || token_.is('-')) {
    const bool minus = token_.is('-');
    advance();
    const Constant value = unary();
    if (value.is_real) syntax();
    relocation.addend = static_cast<std::int64_t>(static_cast<std::uint64_t>(relocation.addend) +
                                                  (minus ? 0 - value.bits : value.bits));
  }
  if (mask != 0) {
    const int shift = std::countr_zero(mask);
    if (shift % 8 != 0 || mask >> shift != 0xff) fail(line, "Illegal mask for an address in an initializer");
    relocation.shift = static_cast<std::uint8_t>(shift);
  }
  initial_bytes(variable, offset, 0, size);
  variable.relocations.push_back(std::move(relocation));
}

void Parser::initial_value(Variable& variable, const Specification& spec, std::uint64_t offset) {
  const auto size = static_cast<std::uint8_t>(size_of(spec.type));
  const bool is_real_type = spec.type == Type::f32 || spec.type == Type::f64;
  const std::uint32_t line = token_.line;
  if (token_.kind == Token::Kind::word && token_.text != "WARP_SZ") {
    if (is_real_type || size < 4) fail(line, "Initial value type mismatch");
    initial_symbol(variable, offset, size, 0);
    return;
  }
  if (token_.kind == Token::Kind::integer && peek().is('(')) {
    const std::uint64_t mask = token_.value;
    advance();
    advance();
    if (size != 1 || mask == 0) fail(line, "Illegal mask for an address in an initializer");
    initial_symbol(variable, offset, size, mask);
    expect(')');
    return;
  }
  const Constant value = constant();
  if (value.is_real != is_real_type) fail(line, "Initial value type mismatch");
  std::uint64_t bits = value.bits;
  if (value.is_real && spec.type == Type::f32 && !value.is_f32) {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  } else if (value.is_real && spec.type == Type::f64 && value.is_f32) {
    bits = std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  }
  initial_bytes(variable, offset, bits, size);
}

// One brace level of an array: `level` counts dimensions, the last of which holds the elements.
void Parser::initialiser_level(Variable& variable, const Specification& spec,
                               const std::vector<std::uint64_t>& dimensions, std::size_t level,
                               std::uint64_t offset) {
  std::uint64_t stride = size_of(spec.type);
  for (std::size_t i = level + 1; i < dimensions.size(); ++i) stride *= dimensions[i];
  const bool is_last = level + 1 == dimensions.size();
  const bool is_unsized = level == 0 && variable.size == 0 && dimensions[0] == 0;
  std::uint64_t count = 0;
  expect('{');
  while (!token_.is('}')) {
    if (!is_unsized && count == dimensions[level]) {
      fail(token_.line, "Greater number of elements in array initializer");
    }
    if (is_last) {
      initial_value(variable, spec, offset + count * stride);
    } else {
      if (!token_.is('{')) fail(token_.line, "Greater number of elements in array initializer");
      initialiser_level(variable, spec, dimensions, level + 1, offset + count * stride);
    }
    ++count;
    if (!accept(',')) break;
  }
  expect('}');
  if (is_unsized) variable.size = multiply(count, stride, token_.line);
}

void Parser::initialiser(Variable& variable, const Specification& spec,
                         const std::vector<std::uint64_t>& dimensions) {
  if (is_opaque(spec.type)) {  // { addr_mode_0 = wrap, ... }: a sampler's settings, for texture units only
    expect('{');
    for (; !token_.is('}'); advance()) {
      if (token_.kind == Token::Kind::end) syntax();
    }
    advance();
    return;
  }
  if (dimensions.empty() && spec.width == 1) {
    const bool braced = accept('{');
    initial_value(variable, spec, 0);
    if (braced) expect('}');
    return;
  }
  if (!token_.is('{')) fail(token_.line, "Initial value type mismatch");
  std::vector<std::uint64_t> all = dimensions;
  if (spec.width > 1) all.push_back(spec.width);
  initialiser_level(variable, spec, all, 0, 0);
}

void Parser::module_variables(Space space, const Linkage& linkage) {
  const Specification spec = specification();
  do {
    Variable made = variable(space, spec, linkage, true);
    const std::string_view name = last_name_;
    if (made.is_array && made.size == 0 && !made.is_extern && space != Space::tex) {
      fail(made.line, fmt::format("Non-external variable '{}' has incomplete type", name));
    }
    if (Symbol* known = names_.find(name); known != nullptr) {
      // An extern declaration may be repeated and, once, be followed by the definition.
      Variable* earlier =
          known->kind == Symbol::Kind::module_variable ? &module_.variables[known->index] : nullptr;
      if (earlier == nullptr || (!earlier->is_extern && !made.is_extern && !made.is_common)) {
        fail(made.line, fmt::format("Duplicate definition of variable '{}'", name));
      }
      if (earlier->space != made.space || earlier->type != made.type) {
        fail(made.line, fmt::format("Inconsistent redefinition of variable '{}'", name));
      }
      if (earlier->is_extern && !made.is_extern && !made.is_visible && !made.is_weak && !made.is_common) {
        fail(made.line, fmt::format("'.extern' variable '{}' cannot be resolved by a '.static'", name));
      }
      if (earlier->is_extern) *earlier = std::move(made);
      continue;
    }
    const auto index = static_cast<std::uint32_t>(module_.variables.size());
    module_.variables.push_back(std::move(made));
    names_.declare(name, {Symbol::Kind::module_variable, index});
  } while (accept(','));
  expect(';');
}

// .reg .b32 %r<40>, %x;
void Parser::register_declarations() {
  const Specification spec = specification();
  do {
    const std::uint32_t line = token_.line;
    const std::string_view name = expect_word();
    bool fresh = false;
    if (accept('<')) {
      const std::uint64_t count = expect_unsigned();
      expect('>');
      constexpr std::uint64_t kMostRegisters = std::uint64_t{1} << 32;
      if (count > kMostRegisters) fail(line, "Constant overflow");
      fresh = names_.declare_range(name, count, spec.type, spec.width);
    } else {
      fresh = names_.declare(name, {Symbol::Kind::reg, kNoId, spec.type, spec.width});
    }
    if (!fresh) fail(line, fmt::format("Duplicate definition of variable '{}'", name));
  } while (accept(','));
  expect(';');
}

// .shared, .local, .param, .global and .const inside a body. The last two live as long as the module.
void Parser::body_variables(Space space, const Linkage& linkage) {
  const Specification spec = specification();
  const bool is_static = space == Space::global || space == Space::constant;
  do {
    Variable made = variable(space, spec, linkage, is_static);
    if (made.is_array && made.size == 0 && !made.is_extern) {
      fail(made.line, fmt::format("Non-external variable '{}' has incomplete type", made.name));
    }
    std::vector<Variable>& table = is_static ? module_.variables : function_->variables;
    const Symbol symbol{is_static ? Symbol::Kind::module_variable : Symbol::Kind::function_variable,
                        static_cast<std::uint32_t>(table.size())};
    if (!names_.declare(last_name_, symbol)) {
      fail(made.line, fmt::format("Duplicate definition of variable '{}'", made.name));
    }
    table.push_back(std::move(made));
  } while (accept(','));
  expect(';');
}

// ( .param .u64 .ptr .global .align 4 a, .reg .b32 b, ... ), after the opening parenthesis.
void Parser::formals(std::vector<Variable>& into, std::vector<std::string_view>& names) {
  while (!token_.is(')')) {
    Space space = Space::param;
    if (accept_dot("reg")) {
      space = Space::reg;
    } else if (!accept_dot("param")) {
      syntax();
    }
    const Specification spec = specification();
    into.push_back(variable(space, spec, {}, false));
    names.push_back(last_name_);
    if (!accept(',')) break;
  }
  expect(')');
}

std::uint64_t lay_out(std::vector<Variable>& parameters) {
  std::uint64_t end = 0;
  for (Variable& parameter : parameters) {
    const std::uint64_t alignment = parameter.alignment;
    parameter.offset = (end + alignment - 1) / alignment * alignment;
    end = parameter.offset + parameter.size;
  }
  return end;
}

}  // namespace tare::cpu::ptx::detail
