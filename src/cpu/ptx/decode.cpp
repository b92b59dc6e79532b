// Suffixes: a dictionary of every word that PTX has after an opcode, and the walk over the words of
// one opcode that sorts them into the fields of Instruction.
#include "cpu/ptx/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "cpu/ptx/lexer.hpp"

namespace tare::cpu::ptx::detail {

namespace {

namespace M = Modifier;

template <class T>
using Dictionary = std::unordered_map<std::string_view, T>;

const Dictionary<Type>& types() {
  static const Dictionary<Type> all = [] {
    Dictionary<Type> made;
    for (auto type = static_cast<unsigned>(Type::pred); type <= static_cast<unsigned>(Type::surfref);
         ++type) {
      made.emplace(name_of(static_cast<Type>(type)), static_cast<Type>(type));
    }
    return made;
  }();
  return all;
}

const Dictionary<Rounding>& roundings() {
  static const Dictionary<Rounding> all{
      {"rn", Rounding::rn},   {"rz", Rounding::rz},   {"rm", Rounding::rm},   {"rp", Rounding::rp},
      {"rni", Rounding::rni}, {"rzi", Rounding::rzi}, {"rmi", Rounding::rmi}, {"rpi", Rounding::rpi},
      {"rna", Rounding::rna}, {"rs", Rounding::rs}};
  return all;
}

const Dictionary<Compare>& compares() {
  static const Dictionary<Compare> all{{"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},
                                       {"le", Compare::le},   {"gt", Compare::gt},   {"ge", Compare::ge},
                                       {"lo", Compare::lo},   {"ls", Compare::ls},   {"hi", Compare::hi},
                                       {"hs", Compare::hs},   {"equ", Compare::equ}, {"neu", Compare::neu},
                                       {"ltu", Compare::ltu}, {"leu", Compare::leu}, {"gtu", Compare::gtu},
                                       {"geu", Compare::geu}, {"num", Compare::num}, {"nan", Compare::nan}};
  return all;
}

const Dictionary<Bool>& booleans() {
  static const Dictionary<Bool> all{{"and", Bool::and_}, {"or", Bool::or_}, {"xor", Bool::xor_}};
  return all;
}

const Dictionary<Space>& spaces() {
  static const Dictionary<Space> all{
      {"reg", Space::reg},     {"const", Space::constant}, {"global", Space::global}, {"local", Space::local},
      {"param", Space::param}, {"shared", Space::shared},  {"tex", Space::tex}};
  return all;
}

const Dictionary<std::uint32_t>& modifiers() {
  static const Dictionary<std::uint32_t> all{{"ftz", M::ftz},         {"sat", M::sat},
                                             {"approx", M::approx},   {"full", M::full},
                                             {"hi", M::hi},           {"lo", M::lo},
                                             {"wide", M::wide},       {"uni", M::uni},
                                             {"cc", M::cc},           {"volatile", M::volatile_},
                                             {"to", M::to},           {"NaN", M::nan},
                                             {"xorsign", M::xorsign}, {"abs", M::abs},
                                             {"sync", M::sync},       {"wrap", M::wrap},
                                             {"clamp", M::clamp},     {"shiftamt", M::shiftamt},
                                             {"unified", M::unified}, {"aligned", M::aligned},
                                             {"relu", M::relu},       {"satfinite", M::satfinite},
                                             {"all", M::all},         {"any", M::any},
                                             {"ballot", M::ballot},   {"idx", M::idx},
                                             {"up", M::up},           {"down", M::down},
                                             {"bfly", M::bfly},       {"l", M::left},
                                             {"r", M::right},         {"noftz", M::noftz}};
  return all;
}

constexpr std::string_view kScopes = "cta cluster gpu sys";
constexpr std::string_view kOrders = "weak relaxed acquire release acq_rel sc mmio";
constexpr std::string_view kOperations = "add inc dec min max and or xor cas exch";
constexpr std::string_view kCaches =
    "ca cg cs lu cv wb wt nc L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last "
    "L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint L2::64B L2::128B "
    "L2::256B";

// What no dictionary above has: the words of the families, and those of single rows.
constexpr std::string_view kVocabulary =
    "L1 L2 param entry func shared tensormap oob po shr7 shr15 pack scaled n2 arrive red popc warp wait mask "
    "launch_dependents f4e b4e rc8 ecl ecr rc16 finite infinite number notanumber normal subnormal gl "
    "a b c d load store row col bulk async proxy alias generic tensor prefetch reduce commit_group "
    "wait_group "
    "wait_all commit wait fence noinc expect_tx complete_tx bytes mbarrier mbarrier_init init inval "
    "test_wait "
    "try_wait arrive_drop pending_count parity shared multicast tile im2col im2col_no_offs w gather4 "
    "scatter4 "
    "im2col_no_offs im2col_at read trans num x1 x2 x4 x8 x16 x32 x64 x128 k16 k32 k64 base geom "
    "array_size channel_data_type channel_order depth height width num_mipmap_levels num_samples filter_mode "
    "force_unnormalized_coords addr_mode_0 addr_mode_1 addr_mode_2 normalized_coords level grad mip zero "
    "trap "
    "clamp 1d 2d 3d 4d 5d a1d a2d cube acube 2dms a2dms p f fractional range evict_last evict_normal "
    "evict_first evict_unchanged replace cp_fenceproxy global_address rank box_dim global_dim global_stride "
    "element_stride elemtype interleave_layout swizzle_mode swizzle_atomicity fill_mode ld_reduce st mma "
    "mma_async commit_group sp ordered_metadata kind block_scale scale_vec 1X 2X 4X block16 block32 f8f6f4 "
    "mxf8f6f4 mxf4 mxf4nvf4 i8 tf32 ue4m3 ue8m0 ws dealloc alloc relinquish_alloc_permit ld cp shift "
    "cta_group 1 2 collector "
    "fill use lastuse discard buffer b0 b1 b2 b3 before_thread_sync after_thread_sync unpack 16b pack b8x16 "
    "b6x16_p32 b4x16_p64 warpx2 warpx4 01_23 02_13 spcompress cluster try_cancel query_cancel is_canceled "
    "get_first_ctaid x y z v4 sync_restrict async_group mbarrier async_load cp_mask cache_hint override m8n8 "
    "m8n16 m16n16 m8n32 m32n8 scale_c xor and popc s2 u2 e5m2 e4m3 bf16x2 report_mechanism acc down "
    "noComplete";

std::unordered_set<std::string_view> split(std::string_view words) {
  std::unordered_set<std::string_view> made;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) made.insert(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return made;
}

bool contains(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

// Shapes of matrices and pieces: m16n8k32, 32x32b, 16x256b.
bool is_shape(std::string_view word) {
  const bool has_digit = std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  return has_digit && word.find_first_not_of("0123456789mnkxb") == std::string_view::npos;
}

bool in_vocabulary(std::string_view word) {
  static const std::unordered_set<std::string_view> vocabulary = split(kVocabulary);
  return vocabulary.contains(word) || spaces().contains(word) || contains(kScopes, word) || is_shape(word);
}

// Whether PTX has the word at all, `::` parts taken apart.
bool is_known(std::string_view word) {
  if (types().contains(word) || roundings().contains(word) || compares().contains(word) ||
      booleans().contains(word) || spaces().contains(word) || modifiers().contains(word) ||
      contains(kScopes, word) || contains(kOrders, word) || contains(kOperations, word) ||
      contains(kCaches, word) || word == "v2" || word == "v4" || word == "v8") {
    return true;
  }
  while (true) {
    const std::size_t end = word.find("::");
    if (!in_vocabulary(word.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    word.remove_prefix(end + 2);
  }
}

template <class T>
const T* find(const Dictionary<T>& dictionary, std::string_view word) {
  const auto it = dictionary.find(word);
  return it == dictionary.end() ? nullptr : &it->second;
}

class Walk {
 public:
  Walk(Decoded& decoded, std::uint32_t line) : row_(*decoded.row), out_(decoded.instruction), line_(line) {}

  void take(std::string_view word) {
    if (is_own_word(word)) {
      out_.rest.emplace_back(word);
      return;
    }
    if (take_field(word) || take_modifier(word) || take_space(word)) return;
    const bool known = is_known(word);
    if (known && (row_.takes & Takes::any_word) != 0) {
      out_.rest.emplace_back(word);
      return;
    }
    if (!known) fail(line_, fmt::format("Unknown modifier '.{}'", word));
    refuse(word);
  }

 private:
  bool takes(std::uint32_t group) const { return (row_.takes & group) != 0; }

  bool is_own_word(std::string_view word) const {
    return contains(row_.words, word) || (takes(Takes::scope) && contains(kScopes, word)) ||
           (takes(Takes::order) && contains(kOrders, word)) ||
           (takes(Takes::cache) && contains(kCaches, word)) ||
           (takes(Takes::operation) && contains(kOperations, word));
  }

  // Type, rounding, comparison, boolean operation, vector: one each, but for types.
  bool take_field(std::string_view word) {
    if (const Type* type = find(types(), word); type != nullptr && out_.type_count < row_.max_types) {
      if ((row_.types & bit(*type)) == 0) refuse_types();
      out_.types[out_.type_count++] = *type;
      return true;
    }
    if (const Rounding* rounding = find(roundings(), word);
        rounding != nullptr && takes(Takes::rounding) && out_.rounding == Rounding::none) {
      out_.rounding = *rounding;
      return true;
    }
    if (const Compare* compare = find(compares(), word);
        compare != nullptr && takes(Takes::compare) && out_.compare == Compare::none) {
      out_.compare = *compare;
      return true;
    }
    if (const Bool* boolean = find(booleans(), word);
        boolean != nullptr && takes(Takes::boolean) && out_.bool_op == Bool::none) {
      out_.bool_op = *boolean;
      return true;
    }
    if (takes(Takes::vector) && out_.vector == 1 && word.size() == 2 && word[0] == 'v' &&
        (word[1] == '2' || word[1] == '4' || word[1] == '8')) {
      out_.vector = static_cast<std::uint8_t>(word[1] - '0');
      return true;
    }
    return false;
  }

  bool take_modifier(std::string_view word) {
    const std::uint32_t* modifier = find(modifiers(), word);
    if (modifier == nullptr || (row_.modifiers & *modifier) == 0 || out_.has(*modifier)) return false;
    out_.modifiers |= *modifier;
    return true;
  }

  bool take_space(std::string_view word) {
    const Space* space = find(spaces(), word.substr(0, word.find("::")));
    if (space == nullptr || !takes(Takes::space) || out_.space != Space::generic) return false;
    if (word.find("::") != std::string_view::npos) {
      if (word != "shared::cta" && word != "shared::cluster" && word != "param::entry" &&
          word != "param::func") {
        return false;
      }
      out_.rest.emplace_back(word);
    }
    out_.space = *space;
    return true;
  }

  [[noreturn]] void refuse_types() const {
    fail(line_, fmt::format("Unexpected instruction types specified for '{}'", message_name(out_)));
  }

  [[noreturn]] void refuse(std::string_view word) const {
    const std::string name = message_name(out_);
    if (types().contains(word)) refuse_types();
    if (out_.rounding != Rounding::none && roundings().contains(word)) {
      fail(line_, "Multiple rounding modifiers specified");
    }
    if (const std::uint32_t* modifier = find(modifiers(), word); modifier != nullptr && out_.has(*modifier)) {
      fail(line_, fmt::format("Duplicate .{} modifier", word));
    }
    if (roundings().contains(word))
      fail(line_, fmt::format("Illegal rounding modifier for instruction '{}'", name));
    if (modifiers().contains(word))
      fail(line_, fmt::format("Illegal modifier '.{}' for instruction '{}'", word, name));
    if (compares().contains(word)) {
      fail(line_, fmt::format("Comparison qualifier is not allowed for instruction '{}'", name));
    }
    if (spaces().contains(word)) {
      fail(line_, fmt::format("No state space qualifier expected for instruction '{}'", name));
    }
    fail(line_, fmt::format("Illegal modifier '.{}' for instruction '{}'", word, name));
  }

  const OpcodeRow& row_;
  Instruction& out_;
  std::uint32_t line_;
};

// The longest row name that the spelling starts with, at word boundaries: st.async before st.
const OpcodeRow* row_of(std::string_view spelling, std::size_t& length) {
  static constexpr std::string_view kLong[] = {"cp.reduce.async", "red.async", "st.async"};
  for (const std::string_view name : kLong) {
    if (spelling.starts_with(name) && (spelling.size() == name.size() || spelling[name.size()] == '.')) {
      length = name.size();
      return find_row(name);
    }
  }
  length = std::min(spelling.find('.'), spelling.size());
  return find_row(spelling.substr(0, length));
}

}  // namespace

Type find_type(std::string_view word) {
  const Type* type = find(types(), word);
  return type == nullptr ? Type::none : *type;
}

Space find_space(std::string_view word) {
  const Space* space = find(spaces(), word);
  return space == nullptr ? Space::generic : *space;
}

std::string message_name(const Instruction& in) {
  std::string name(name_of(in.op));
  if (in.has(M::lo) && in.op != Op::dp2a) name += ".lo";
  if (in.has(M::hi) && in.op != Op::dp2a) name += ".hi";
  if (in.has(M::wide)) name += ".wide";
  if (in.op == Op::brx) name += ".idx";
  return name;
}

Decoded decode(std::string_view spelling, std::uint32_t line) {
  Decoded decoded;
  std::size_t length = 0;
  decoded.row = row_of(spelling, length);
  if (decoded.row == nullptr) {
    fail(line, fmt::format("unknown opcode `{}`", spelling.substr(0, spelling.find('.'))));
  }
  decoded.instruction.op = decoded.row->op;
  decoded.instruction.spelling = spelling;
  Walk walk(decoded, line);
  for (std::string_view rest = spelling.substr(length); !rest.empty();) {
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('.'), rest.size());
    walk.take(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  check_suffixes(decoded.instruction, *decoded.row, line);
  decoded.operands = check_form(decoded.instruction, *decoded.row, spelling.substr(length), line);
  return decoded;
}

}  // namespace tare::cpu::ptx::detail
