// A parsed PTX module: what the parser makes and every later pass reads. Plain data, no LLVM, no
// driver. Follows the PTX ISA 9.0 manual; names are the manual's.
#pragma once
// clang-format off
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu/ptx/opcode.hpp"

namespace tare::cpu::ptx {

/// Fundamental types (PTX ISA 5.2) and the packed ones that appear as instruction suffixes.
enum class Type : std::uint8_t {
  none, pred,
  b8, b16, b32, b64, b128,
  u8, u16, u32, u64,
  s8, s16, s32, s64,
  f16, f16x2, bf16, bf16x2, tf32, f32, f64,
  u16x2, s16x2, f32x2, e4m3x2, e5m2x2,
  // Operand formats of cvt and mma alone, and the opaque types of variables and parameters.
  e2m1x2, e2m3x2, e3m2x2, ue8m0x2, e4m3x4, e5m2x4, e2m1x4, e2m3x4, e3m2x4,
  b1, s4, u4, e4m3, e5m2, e2m1, e2m3, e3m2,
  texref, samplerref, surfref,
};

/// Bytes a value of the type takes in memory, 8 for the opaque types; pred, none and the types of less
/// than a byte give 0.
std::size_t size_of(Type type);
/// Its suffix as written in PTX, without the dot: "f32".
const char* name_of(Type type);

enum class Space : std::uint8_t { generic, reg, constant, global, local, param, shared, tex };

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rni, rzi, rmi, rpi, rna, rs };
enum class Compare : std::uint8_t { none, eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan };
enum class Bool : std::uint8_t { none, and_, or_, xor_ };

using RegisterId = std::uint32_t;
inline constexpr std::uint32_t kNoId = 0xffffffffu;

/// The registers that PTX predefines (PTX ISA 10).
enum class Special : std::uint8_t {
  tid_x, tid_y, tid_z, ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z, nctaid_x, nctaid_y, nctaid_z,
  laneid, warpid, nwarpid, smid, nsmid, gridid,
  lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
  clock, clock_hi, clock64, globaltimer, globaltimer_lo, globaltimer_hi,
  dynamic_smem_size, total_smem_size, aggr_smem_size, warp_size,
  clusterid_x, clusterid_y, clusterid_z, nclusterid_x, nclusterid_y, nclusterid_z,
  cluster_ctaid_x, cluster_ctaid_y, cluster_ctaid_z, cluster_nctaid_x, cluster_nctaid_y, cluster_nctaid_z,
  cluster_ctarank, cluster_nctarank, is_explicit_cluster,
  current_graph_exec,
  stack_bytes,  // none of PTX's: how much stack a thread has, in bytes
  other,      // any other (%envreg3, %pm0, ...): Operand::id is its name's index in Function::other_specials
};
// `warp_size` is never produced: WARP_SZ is a constant of the language and arrives as the integer 32.

struct Operand {
  enum class Kind : std::uint8_t {
    reg,        // id: index into Function::registers
    integer,    // integer: the 64-bit two's complement value
    real,       // real_bits: an f64 literal's bits (0d or decimal, also in an f32 instruction), or
                // (is_f32) an 0f literal's 32 bits
    special,    // special register
    symbol,     // a variable or function used as a value (its address): symbol_kind and symbol, integer: +offset
    address,    // [base + integer]: base is a register (id), a symbol (symbol_kind, symbol), or nothing (both
                // unset: an absolute address). elements: what follows the base inside the brackets, as the
                // coordinates of tex, [t, s, {x, y}]. ldu-like [reg] has integer 0.
    label,      // id: index into Function::labels
    vector,     // elements: {a, b, ...}, each a reg, integer, real, sink (or symbol)
    sink,       // `_`
    list,       // elements: a parenthesised list, as in call; or a label list, as brx.idx has
  };
  Kind kind = Kind::sink;
  bool negated = false;                 // `!p` on a predicate operand
  bool is_f32 = false;
  /// Video instructions: `r.h1`, `r.b3210`. 0: the whole register. Else the bits are 1 << 15 | (bytes: 1 << 14)
  /// | lane of position k (leftmost digit 0) << 3 * k | (count - 1) << 12.
  std::uint16_t selector = 0;
  Special special = Special::other;
  RegisterId id = kNoId;
  /// For `address` and `symbol`: where the symbol lives. `none` where the base is a register.
  enum class SymbolKind : std::uint8_t {
    none, module_variable, function_variable, parameter, function,
    return_value,  // a device function's return parameter
    prototype,     // .callprototype, last operand of an indirect call
  };
  SymbolKind symbol_kind = SymbolKind::none;
  /// Index: Module::variables, Function::variables, Function::parameters, Module::functions,
  /// Function::returns, Function::prototypes.
  std::uint32_t symbol = kNoId;
  std::int64_t integer = 0;
  std::uint64_t real_bits = 0;
  std::vector<Operand> elements;
};

struct Instruction {
  Op op = Op::invalid;
  std::uint32_t line = 0;               // line in the PTX text, from 1
  std::string spelling;                 // the opcode as written: "add.rn.ftz.f32"
  RegisterId predicate = kNoId;         // @p / @!p
  bool predicate_negated = false;

  std::array<Type, 4> types{Type::none, Type::none, Type::none, Type::none};  // suffix types in order of appearance
  std::uint8_t type_count = 0;
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  Bool bool_op = Bool::none;            // setp.lt.and...
  Space space = Space::generic;         // ld.global, cvta.to.shared (with Modifier::to), ...
  std::uint8_t vector = 1;              // .v2 .v4 .v8
  std::uint32_t modifiers = 0;          // bits of Modifier
  std::vector<std::string> rest;        // suffixes known to be valid but with no field of their own ("relaxed", "gpu", "L1::evict_last")
  /// As written; destinations first. Forms that need a word:
  ///   setp, shfl `p|q`: two operands, both destinations (destination_count 2); either may be a sink.
  ///   call: always 3, or 4 where a prototype or list of targets is written:
  ///     list of returns (empty if none), callee (symbol or reg), list of arguments (empty if none),
  ///     prototype (symbol) or possible targets (list of symbols).
  ///   brx.idx: index, list of labels (the .branchtargets it names, in order).
  ///   A register declared as a vector (`.reg .v4 .f32 v`) is a vector operand of registers `v.x`, `v.y`, ...
  std::vector<Operand> operands;
  std::uint8_t destination_count = 0;   // leading operands that the instruction writes: 0, 1 or 2
  std::uint32_t source_file = kNoId;    // from .loc: index into Module::files
  std::uint32_t source_line = 0;        // from .loc: 0 where none is in force

  bool has(std::uint32_t modifier) const { return (modifiers & modifier) != 0; }
};

/// Suffixes that are plain switches.
namespace Modifier {
inline constexpr std::uint32_t ftz = 1u << 0, sat = 1u << 1, approx = 1u << 2, full = 1u << 3, hi = 1u << 4,
    lo = 1u << 5, wide = 1u << 6, uni = 1u << 7, cc = 1u << 8, volatile_ = 1u << 9, to = 1u << 10,
    nan = 1u << 11, xorsign = 1u << 12, abs = 1u << 13, sync = 1u << 14, wrap = 1u << 15, clamp = 1u << 16,
    shiftamt = 1u << 17, unified = 1u << 18, aligned = 1u << 19, relu = 1u << 20, satfinite = 1u << 21,
    all = 1u << 22, any = 1u << 23, ballot = 1u << 24, idx = 1u << 25, up = 1u << 26, down = 1u << 27,
    bfly = 1u << 28, left = 1u << 29, right = 1u << 30, noftz = 1u << 31;
}

struct Register {
  std::string name;                     // "%r12"; not unique where a scope shadows another
  Type type = Type::none;
};

/// A variable in .global, .const, .shared, .local or .param space, or a formal parameter.
struct Variable {
  std::string name;
  Space space = Space::generic;
  Type type = Type::none;
  std::uint32_t alignment = 0;          // bytes; the type's own where none is written
  std::uint64_t size = 0;               // bytes of the whole array; 0 for an unsized extern array
  std::uint64_t offset = 0;             // in its segment: set for parameters by the parser; for others by the layout pass
  bool is_extern = false, is_array = false, is_visible = false, is_weak = false;
  bool is_common = false, is_managed = false;  // .common; .attribute(.managed)
  RegisterId reg = kNoId;               // a device function's .reg parameter: its index in Function::registers
  /// .ptr of a kernel parameter: the space and alignment it promises; space generic and 0 where not given.
  bool is_pointer = false;
  Space pointer_space = Space::generic;
  std::uint32_t pointer_alignment = 0;
  /// Initial bytes (shorter than size: the rest is zero). Addresses in an initialiser are `relocations`.
  std::vector<std::byte> initial;
  /// `size` bytes at `offset` are the low bytes of (address of symbol + addend) >> shift: size is the element
  /// type's and shift 0 unless mask() picked a byte. `generic`: the generic address, else the one in its space
  /// (for a .global variable or a function both are the same number).
  struct Relocation {
    std::uint64_t offset;
    std::string symbol;
    std::int64_t addend;
    bool generic;
    std::uint8_t size = 8;
    std::uint8_t shift = 0;             // bits
  };
  std::vector<Relocation> relocations;
  std::uint32_t line = 0;
};

struct Label { std::string name; std::uint32_t target = 0; };  // target: index into Function::body (may be body.size())

/// .callprototype: how an indirect call passes values.
struct Prototype {
  std::string name;
  std::vector<Variable> parameters, returns;
};

/// A declaration and the definition that follows it are one Function (and one Variable at module scope).
struct Function {
  std::string name;
  bool is_entry = false, is_extern = false, is_visible = false, is_weak = false;  // extern: declared only
  bool is_noreturn = false;
  std::vector<Variable> parameters;     // offset: bytes from the start of the parameter buffer
  std::vector<Variable> returns;
  /// Those that the body mentions, in order of first mention: a declared `%r<40>` of which three are used
  /// gives three.
  std::vector<Register> registers;
  std::vector<Variable> variables;      // declared in the body: .local, .shared, .param of calls
  std::vector<Instruction> body;
  std::vector<Label> labels;            // names not unique where a scope shadows another
  std::vector<Prototype> prototypes;
  std::vector<std::string> other_specials;  // "%envreg3"
  std::uint32_t alias_of = kNoId;       // .alias: index into Module::functions of the function meant
  std::array<std::uint32_t, 3> maxntid{0, 0, 0}, reqntid{0, 0, 0};  // 0: not given
  std::uint32_t stack = kNoId;          // of a flat function: the variable that its threads' stacks begin with
  std::uint32_t minnctapersm = 0, maxnreg = 0, maxclusterrank = 0;
  std::array<std::uint32_t, 3> reqnctapercluster{0, 0, 0};
  std::uint32_t line = 0;
  /// Bytes of the whole parameter buffer.
  std::uint64_t parameter_bytes = 0;
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;                   // "sm_90", "sm_90a"
  int target_sm = 0;                    // 90
  int address_size = 64;
  std::vector<Variable> variables;      // module scope
  std::vector<Function> functions;      // entries and device functions, declarations included
  std::vector<std::string> files;       // .file names, in the order in which .file or .loc first name them
  std::string target_options;           // what follows in .target: "debug", "texmode_independent"
  const Function* find_entry(const std::string& name) const;
};

}  // namespace tare::cpu::ptx
