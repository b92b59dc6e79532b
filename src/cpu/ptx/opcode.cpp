// The opcode table of PTX ISA 9.0, in alphabetical order. A row says which suffixes and operands its
// opcode takes; families that no storey of the CPU device runs take any word of the vocabulary.
#include "cpu/ptx/opcode.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "cpu/ptx/opcode_table.hpp"

namespace tare::cpu::ptx {
namespace detail {
namespace {

using enum Type;
namespace M = Modifier;
using namespace Takes;

template <class... T>
constexpr TypeSet set(T... types) {
  return (bit(types) | ...);
}

constexpr TypeSet kInt = set(u16, s16, u32, s32, u64, s64);
constexpr TypeSet kBits = set(b16, b32, b64);
constexpr TypeSet kFloat = set(f32, f64);
constexpr TypeSet kHalf = set(f16, f16x2, bf16, bf16x2);
constexpr TypeSet kPacked = set(u16x2, s16x2);
constexpr TypeSet kWord = set(u32, s32);
constexpr TypeSet kAddress = set(u32, u64);
constexpr TypeSet kMemory = kInt | kBits | kFloat | set(b8, u8, s8, b128);
constexpr TypeSet kAny = ~TypeSet{0};
constexpr std::uint32_t kFamily =
    any_word | rounding | compare | boolean | space | vector | scope | order | cache;
constexpr std::uint32_t kFamilyModifiers = M::sync | M::aligned | M::all | M::satfinite | M::sat | M::to;
constexpr std::uint32_t kVideo = M::sat | M::clamp | M::wrap;

constexpr OpcodeRow family(std::string_view name, Op op, std::uint8_t destinations = kByFirstOperand) {
  return {name, op, destinations, "*", 0, 4, kAny, kFamily, kFamilyModifiers, {}};
}

constexpr OpcodeRow video(std::string_view name, Op op, std::string_view operands = "xxx?x") {
  return {name, op, 1, operands, 2, 3, kWord, any_word | compare, kVideo, "add min max"};
}

constexpr OpcodeRow kRows[] = {
    {"abs", Op::abs, 1, "tt", 1, 1, set(s16, s32, s64) | kFloat | kHalf, 0, M::ftz, {}},
    {"activemask", Op::activemask, 1, "i", 1, 1, set(b32), 0, 0, {}},
    {"add",
     Op::add,
     1,
     "ttt",
     1,
     2,
     kInt | kFloat | kHalf | kPacked | set(f32x2),
     rounding,
     M::ftz | M::sat | M::cc,
     {}},
    {"addc", Op::addc, 1, "ttt", 1, 1, kInt, 0, M::cc, {}},
    {"alloca", Op::alloca_, 1, "tt?k", 1, 1, kAddress, 0, 0, {}},
    {"and", Op::and_, 1, "ttt", 1, 1, kBits | set(pred), 0, 0, {}},
    family("applypriority", Op::applypriority, 0),
    {"atom",
     Op::atom,
     1,
     "MAM?xx",
     1,
     1,
     kMemory | kHalf,
     space | vector | scope | order | cache | operation,
     M::noftz,
     {}},
    {"bar", Op::bar, 0, "*", 0, 1, set(u32, pred), boolean, M::sync, "arrive red popc warp cta"},
    {"barrier", Op::barrier, 0, "*", 0, 1, set(u32, pred), boolean, M::sync | M::aligned,
     "arrive red popc cta cluster wait release relaxed acquire"},
    {"bfe", Op::bfe, 1, "ttii", 1, 1, set(u32, s32, u64, s64), 0, 0, {}},
    {"bfi", Op::bfi, 1, "tttii", 1, 1, set(b32, b64), 0, 0, {}},
    {"bfind", Op::bfind, 1, "it", 1, 1, set(u32, s32, u64, s64), 0, M::shiftamt, {}},
    {"bmsk", Op::bmsk, 1, "iii", 1, 1, set(b32), 0, M::clamp | M::wrap, {}},
    {"bra", Op::bra, 0, "L", 0, 0, 0, 0, M::uni, {}},
    {"brev", Op::brev, 1, "tt", 1, 1, set(b32, b64), 0, 0, {}},
    {"brkpt", Op::brkpt, 0, "", 0, 0, 0, 0, 0, {}},
    {"brx", Op::brx, 0, "iB", 0, 0, 0, 0, M::idx | M::uni, {}},
    {"call", Op::call, 0, "*", 0, 0, 0, 0, M::uni, {}},
    family("clusterlaunchcontrol", Op::clusterlaunchcontrol),
    {"clz", Op::clz, 1, "it", 1, 1, set(b32, b64), 0, 0, {}},
    {"cnot", Op::cnot, 1, "tt", 1, 1, kBits, 0, 0, {}},
    {"copysign", Op::copysign, 1, "ttt", 1, 1, kFloat, 0, 0, {}},
    {"cos", Op::cos, 1, "tt", 1, 1, set(f32), 0, M::approx | M::ftz, {}},
    family("cp", Op::cp, 0),
    family("cp.reduce.async", Op::cp_reduce_async, 0),
    {"createpolicy", Op::createpolicy, 1, "l?xxx", 1, 1, set(b64), space | cache, 0,
     "fractional range cvt L2 L2::evict_unchanged"},
    {"cvt", Op::cvt, 1, "TU?UU", 2, 3, kAny & ~set(b8, b16, b64, b128, pred), rounding | special,
     M::ftz | M::sat | M::relu | M::satfinite, "pack u2 s2 scaled::n2::ue8m0"},
    {"cvta", Op::cvta, 1, "tM", 1, 1, kAddress, space, M::to, {}},
    family("discard", Op::discard, 0),
    {"div", Op::div, 1, "ttt", 1, 1, kInt | kFloat, rounding, M::approx | M::full | M::ftz, {}},
    {"dp2a", Op::dp2a, 1, "iiii", 2, 2, kWord, 0, M::lo | M::hi, {}},
    {"dp4a", Op::dp4a, 1, "iiii", 2, 2, kWord, 0, 0, {}},
    {"elect", Op::elect, 1, "ii", 0, 0, 0, dual, M::sync, {}},
    {"ex2", Op::ex2, 1, "tt", 1, 1, set(f32) | kHalf, 0, M::approx | M::ftz, {}},
    {"exit", Op::exit, 0, "", 0, 0, 0, 0, 0, {}},
    family("fence", Op::fence, 0),
    {"fma", Op::fma, 1, "tttt", 1, 2, kFloat | kHalf | set(f32x2), rounding, M::ftz | M::sat | M::relu,
     "oob"},
    {"fns", Op::fns, 1, "iiii", 1, 1, set(b32), 0, 0, {}},
    {"getctarank", Op::getctarank, 1, "iM", 1, 1, kAddress, space, 0, {}},
    {"griddepcontrol", Op::griddepcontrol, 0, "", 0, 0, 0, 0, 0, "launch_dependents wait"},
    {"isspacep", Op::isspacep, 1, "pa", 0, 0, 0, space, 0, {}},
    {"istypep", Op::istypep, 1, "pl", 1, 1, set(texref, samplerref, surfref), 0, 0, {}},
    {"ld", Op::ld, 1, "TA?l", 1, 1, kMemory, space | vector | scope | order | cache, M::volatile_, "nc"},
    family("ldmatrix", Op::ldmatrix, 1),
    {"ldu", Op::ldu, 1, "TA", 1, 1, kMemory, space | vector, 0, {}},
    {"lg2", Op::lg2, 1, "tt", 1, 1, set(f32), 0, M::approx | M::ftz, {}},
    {"lop3", Op::lop3, 1, "ttttk?p", 1, 1, set(b32), boolean | dual, 0, {}},
    {"mad",
     Op::mad,
     1,
     "wttw",
     1,
     1,
     kInt | kFloat,
     rounding,
     M::lo | M::hi | M::wide | M::sat | M::ftz | M::cc,
     {}},
    {"mad24", Op::mad24, 1, "tttt", 1, 1, kWord, 0, M::lo | M::hi | M::sat, {}},
    {"madc", Op::madc, 1, "tttt", 1, 1, set(u32, s32, u64, s64), 0, M::lo | M::hi | M::cc, {}},
    {"mapa", Op::mapa, 1, "tMi", 1, 1, kAddress, space, 0, {}},
    {"match", Op::match, 1, "iti", 1, 1, set(b32, b64), dual, M::any | M::all | M::sync, {}},
    {"max",
     Op::max,
     1,
     "ttt?t",
     1,
     1,
     kInt | kFloat | kHalf | kPacked,
     0,
     M::ftz | M::nan | M::xorsign | M::abs | M::relu,
     {}},
    family("mbarrier", Op::mbarrier),
    family("membar", Op::membar, 0),
    {"min",
     Op::min,
     1,
     "ttt?t",
     1,
     1,
     kInt | kFloat | kHalf | kPacked,
     0,
     M::ftz | M::nan | M::xorsign | M::abs | M::relu,
     {}},
    family("mma", Op::mma, 1),
    {"mov", Op::mov, 1, "MM", 1, 1, kInt | kBits | kFloat | set(b128, pred), vector | special, 0, {}},
    family("movmatrix", Op::movmatrix, 1),
    {"mul",
     Op::mul,
     1,
     "wtt",
     1,
     1,
     kInt | kFloat | kHalf | set(f32x2),
     rounding,
     M::lo | M::hi | M::wide | M::sat | M::ftz,
     {}},
    {"mul24", Op::mul24, 1, "ttt", 1, 1, kWord, 0, M::lo | M::hi, {}},
    family("multimem", Op::multimem),
    {"nanosleep", Op::nanosleep, 0, "i", 1, 1, set(u32), 0, 0, {}},
    {"neg", Op::neg, 1, "tt", 1, 1, set(s16, s32, s64) | kFloat | kHalf, 0, M::ftz, {}},
    {"not", Op::not_, 1, "tt", 1, 1, kBits | set(pred), 0, 0, {}},
    {"or", Op::or_, 1, "ttt", 1, 1, kBits | set(pred), 0, 0, {}},
    {"pmevent", Op::pmevent, 0, "k", 0, 0, 0, 0, 0, "mask"},
    {"popc", Op::popc, 1, "it", 1, 1, set(b32, b64), 0, 0, {}},
    {"prefetch", Op::prefetch, 0, "A", 0, 0, 0, space, 0, "L1 L2 L2::evict_last L2::evict_normal tensormap"},
    {"prefetchu", Op::prefetchu, 0, "A", 0, 0, 0, 0, 0, "L1"},
    {"prmt", Op::prmt, 1, "tttt", 1, 1, set(b32), 0, 0, "f4e b4e rc8 ecl ecr rc16"},
    {"rcp", Op::rcp, 1, "tt", 1, 1, kFloat, rounding, M::approx | M::ftz, {}},
    {"red",
     Op::red,
     0,
     "AM?l",
     1,
     1,
     kMemory | kHalf,
     space | vector | scope | order | cache | operation,
     M::noftz,
     {}},
    family("red.async", Op::red_async, 0),
    {"redux", Op::redux, 1, "tti", 1, 1, set(u32, s32, b32, f32), operation, M::sync | M::abs | M::nan, {}},
    {"rem", Op::rem, 1, "ttt", 1, 1, kInt, 0, 0, {}},
    {"ret", Op::ret, 0, "", 0, 0, 0, 0, M::uni, {}},
    {"rsqrt", Op::rsqrt, 1, "tt", 1, 1, kFloat, 0, M::approx | M::ftz, {}},
    {"sad", Op::sad, 1, "tttt", 1, 1, kInt, 0, 0, {}},
    {"selp", Op::selp, 1, "tttp", 1, 1, kInt | kBits | kFloat, 0, 0, {}},
    {"set",
     Op::set,
     1,
     "tuu?p",
     2,
     2,
     kInt | kBits | kFloat | kHalf,
     compare | needs_compare | boolean,
     M::ftz,
     {}},
    {"setmaxnreg", Op::setmaxnreg, 0, "k", 1, 1, set(u32), 0, M::sync | M::aligned, "inc dec"},
    {"setp",
     Op::setp,
     1,
     "ptt?p",
     1,
     1,
     kInt | kBits | kFloat | kHalf,
     compare | needs_compare | boolean | dual,
     M::ftz,
     {}},
    {"shf", Op::shf, 1, "ttti", 1, 1, set(b32), 0, M::left | M::right | M::clamp | M::wrap, {}},
    {"shfl", Op::shfl, 1, "ttii?i", 1, 1, set(b32), dual, M::up | M::down | M::bfly | M::idx | M::sync, {}},
    {"shl", Op::shl, 1, "tti", 1, 1, kBits, 0, 0, {}},
    {"shr", Op::shr, 1, "tti", 1, 1, kBits | kInt, 0, 0, {}},
    {"sin", Op::sin, 1, "tt", 1, 1, set(f32), 0, M::approx | M::ftz, {}},
    {"slct", Op::slct, 1, "tttu", 2, 2, kInt | kBits | kFloat, 0, M::ftz, {}},
    {"sqrt", Op::sqrt, 1, "tt", 1, 1, kFloat, rounding, M::approx | M::ftz, {}},
    {"st", Op::st, 0, "AT?l", 1, 1, kMemory, space | vector | scope | order | cache, M::volatile_, {}},
    family("st.async", Op::st_async, 0),
    {"stackrestore", Op::stackrestore, 0, "t", 1, 1, kAddress, 0, 0, {}},
    {"stacksave", Op::stacksave, 1, "t", 1, 1, kAddress, 0, 0, {}},
    family("stmatrix", Op::stmatrix, 0),
    {"sub",
     Op::sub,
     1,
     "ttt",
     1,
     2,
     kInt | kFloat | kHalf | set(f32x2),
     rounding,
     M::ftz | M::sat | M::cc,
     {}},
    {"subc", Op::subc, 1, "ttt", 1, 1, kInt, 0, M::cc, {}},
    family("suld", Op::suld, 1),
    family("suq", Op::suq, 1),
    family("sured", Op::sured, 0),
    family("sust", Op::sust, 0),
    {"szext", Op::szext, 1, "tti", 1, 1, kWord, 0, M::clamp | M::wrap, {}},
    {"tanh", Op::tanh, 1, "tt", 1, 1, set(f32) | kHalf, 0, M::approx, {}},
    family("tcgen05", Op::tcgen05),
    family("tensormap", Op::tensormap, 0),
    {"testp", Op::testp, 1, "pt", 1, 1, kFloat, 0, 0, "finite infinite number notanumber normal subnormal"},
    {"tex", Op::tex, 1, "*", 0, 4, kAny, kFamily | dual, kFamilyModifiers, {}},
    {"tld4", Op::tld4, 1, "*", 0, 4, kAny, kFamily | dual, kFamilyModifiers, {}},
    {"trap", Op::trap, 0, "", 0, 0, 0, 0, 0, {}},
    family("txq", Op::txq, 1),
    video("vabsdiff", Op::vabsdiff),
    video("vabsdiff2", Op::vabsdiff2, "xxxx"),
    video("vabsdiff4", Op::vabsdiff4, "xxxx"),
    video("vadd", Op::vadd),
    video("vadd2", Op::vadd2, "xxxx"),
    video("vadd4", Op::vadd4, "xxxx"),
    video("vavrg2", Op::vavrg2, "xxxx"),
    video("vavrg4", Op::vavrg4, "xxxx"),
    {"vmad", Op::vmad, 1, "issm", 3, 3, kWord, 0, M::sat, "po shr7 shr15"},
    video("vmax", Op::vmax),
    video("vmax2", Op::vmax2, "xxxx"),
    video("vmax4", Op::vmax4, "xxxx"),
    video("vmin", Op::vmin),
    video("vmin2", Op::vmin2, "xxxx"),
    video("vmin4", Op::vmin4, "xxxx"),
    {"vote",
     Op::vote,
     1,
     "tp?i",
     1,
     1,
     set(pred, b32),
     0,
     M::all | M::any | M::uni | M::ballot | M::sync,
     {}},
    video("vset", Op::vset),
    video("vset2", Op::vset2, "xxxx"),
    video("vset4", Op::vset4, "xxxx"),
    video("vshl", Op::vshl),
    video("vshr", Op::vshr),
    video("vsub", Op::vsub),
    video("vsub2", Op::vsub2, "xxxx"),
    video("vsub4", Op::vsub4, "xxxx"),
    family("wgmma", Op::wgmma),
    family("wmma", Op::wmma),
    {"xor", Op::xor_, 1, "ttt", 1, 1, kBits | set(pred), 0, 0, {}},
};

static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const OpcodeRow& a, const OpcodeRow& b) { return a.name < b.name; }));

}  // namespace

const OpcodeRow* find_row(std::string_view name) {
  const auto* row = std::lower_bound(std::begin(kRows), std::end(kRows), name,
                                     [](const OpcodeRow& r, std::string_view n) { return r.name < n; });
  return row != std::end(kRows) && row->name == name ? row : nullptr;
}

}  // namespace detail

Op find_opcode(std::string_view word) {
  const detail::OpcodeRow* row = detail::find_row(word);
  return row == nullptr ? Op::invalid : row->op;
}

std::string_view name_of(Op op) {
  for (const detail::OpcodeRow& row : detail::kRows) {
    if (row.op == op) return row.name;
  }
  return op == Op::other ? "other" : "invalid";
}

}  // namespace tare::cpu::ptx
