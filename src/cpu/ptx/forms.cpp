// Which suffixes stand together: a row for each form of an opcode, as PTX ISA 9.0 writes them and ptxas 13.0
// takes them. What the other checks say in ptxas's words comes before; here nothing is left over.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cpu/ptx/decode.hpp"
#include "cpu/ptx/lexer.hpp"

namespace tare::cpu::ptx::detail {
namespace {

using Words = std::vector<std::string_view>;

/// Sets of suffixes that rows share.
constexpr struct {
  char letter;
  std::string_view words;
} kSets[] = {
    {'I', "u16|s16|u32|s32|u64|s64"},
    {'W', "u32|s32"},
    {'X', "u32|s32|u64|s64"},
    {'B', "b16|b32|b64"},
    {'A', "u32|u64"},
    {'F', "f16|f16x2|bf16|bf16x2|f32|f64|f32x2"},
    {'H', "f16|f16x2|bf16|bf16x2"},
    {'R', "rn|rz|rm|rp"},
    {'C', "eq|ne|lt|le|gt|ge"},
    {'O', "add|min|max"},
    {'S', "cta|cluster|gpu|sys"},
    {'G', "global|shared|shared::cta|shared::cluster"},
    {'M', "global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func"},
    {'D', "global|shared|shared::cta|shared::cluster|local|const|param|param::func"},
    {'E', "global|shared|shared::cta|shared::cluster|local|const|param|param::entry"},
    {'L', "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {'K', "L2::evict_normal|L2::evict_first|L2::evict_last"},
    {'U', "L2::evict_first|L2::evict_unchanged"},
    {'N', "L2::64B|L2::128B|L2::256B"},
    {'V', "v2|v4|v8"},
};

struct Form {
  std::string_view opcodes;  // separated by spaces
  /// A place for each suffix, separated by spaces: alternatives with `|`, of which `@I` are those of a set
  /// and `@T` any type; after `?` it may be left out. Suffixes stand in any order but for a place after `.`,
  /// which is part of the opcode's name. `*`: whatever else there is.
  std::string_view places;
  std::string_view operands =
      "=";  // as OpcodeRow::operands, lists by their length with `/`; `=`: those of the row
};

constexpr Form kForms[] = {
    {"add sub", "?sat @I|u16x2|s16x2"},
    {"add sub", "cc @X"},
    {"add sub", "?@R ?ftz ?sat @F"},
    {"add sub", "?@R ?sat f32 f16|bf16"},
    {"addc subc", "@I"},
    {"addc subc", "cc @X"},
    {"mul", ".lo|hi|wide @I"},
    {"mul", "?@R ?ftz ?sat @F"},
    {"mad", ".lo|hi ?cc @I"},
    {"mad", ".hi sat s32"},
    {"mad", ".wide @I"},
    {"mad", "@R ?ftz ?sat f32|f64"},
    {"madc", ".lo|hi ?cc @X"},
    {"fma", "@R ?ftz ?sat|relu @F"},
    {"fma", "@R oob ?relu @F"},
    {"fma", "@R ?sat f32 f16|bf16"},
    {"mul24", ".lo|hi @W"},
    {"mad24", ".lo|hi @W"},
    {"mad24", ".hi sat s32"},
    {"dp2a", ".lo|hi @W @W"},
    {"div", "@I"},
    {"div", ".full ?ftz f32"},
    {"div", "approx|@R ?ftz f32|f64"},
    {"min max", "@I|u16x2|s16x2"},
    {"min max", "relu s32|s16x2"},
    {"min max", "?ftz ?NaN ?abs @F"},
    {"min max", "?ftz ?NaN xorsign abs f32|@H"},
    {"slct", "?ftz @I|@B|f32|f64 s32|f32"},
    {"testp", "finite|infinite|number|notanumber|normal|subnormal f32|f64"},
    {"shf", ".l|r clamp|wrap b32"},
    {"bmsk", "clamp|wrap b32"},
    {"szext", "clamp|wrap @W"},
    {"prmt", "b32 ?f4e|b4e|rc8|ecl|ecr|rc16"},
    {"cvt", "?@R|rni|rzi|rmi|rpi|rna|rs ?ftz ?sat ?relu ?satfinite ?scaled::n2::ue8m0 @T @T"},
    {"cvt", ".pack sat @T|u2|s2 @T ?@T"},
    {"cvta", ".to @E @A"},
    {"cvta", "@E @A"},
    {"isspacep", "@E"},
    {"mapa getctarank", "?shared::cluster @A"},

    {"ld", "?weak ?@M ?ca|cg|cs|lu|cv ?@N ?L2::cache_hint ?@V @T"},
    {"ld", "?weak ?@M @L ?@N ?L2::cache_hint ?@V @T"},
    {"ld", "volatile ?@M ?@N ?@V @T"},
    {"ld", "relaxed|acquire @S ?@M ?@L ?@N ?L2::cache_hint ?@V @T"},
    {"ld", "mmio relaxed sys ?@M @T"},
    {"ld", "global nc ?ca|cg|cs|@L ?@N ?L2::cache_hint ?@V @T"},
    {"ld", "?relaxed|acquire ?@S ?weak ?global ?nc ?@L @K ?@N ?L2::cache_hint v8 b32|u32|s32|f32"},
    {"ld", "?relaxed|acquire ?@S ?weak ?global ?nc ?@L @K ?@N ?L2::cache_hint v4 b64|u64|s64|f64"},
    {"ldu", "?global ?v2|v4 @T"},
    {"st", "?weak ?@D ?wb|cg|cs|wt|@L ?L2::cache_hint ?@V @T"},
    {"st", "volatile ?@D ?@V @T"},
    {"st", "relaxed|release @S ?@D ?@L ?L2::cache_hint ?@V @T"},
    {"st", "mmio relaxed sys ?@D @T"},
    {"st", "?relaxed|release ?@S ?weak ?global ?@L @K ?L2::cache_hint v8 b32|u32|s32|f32"},
    {"st", "?relaxed|release ?@S ?weak ?global ?@L @K ?L2::cache_hint v4 b64|u64|s64|f64"},

    {"atom", "?relaxed|acquire|release|acq_rel ?@S ?@G add ?L2::cache_hint u32|s32|u64|f32|f64"},
    {"atom", "?relaxed|acquire|release|acq_rel ?@S ?@G add noftz ?L2::cache_hint @H"},
    {"atom", "?relaxed|acquire|release|acq_rel ?@S ?@G inc|dec ?L2::cache_hint u32"},
    {"atom", "?relaxed|acquire|release|acq_rel ?@S ?@G min|max ?L2::cache_hint @X"},
    {"atom", "?relaxed|acquire|release|acq_rel ?@S ?@G and|or|xor ?L2::cache_hint b32|b64"},
    {"atom", "?relaxed|acquire|release|acq_rel ?@S ?@G exch ?L2::cache_hint b32|b64|b128"},
    {"atom", "?relaxed|acquire|release|acq_rel ?@S ?@G cas b16|b32|b64|b128"},
    {"atom", "?relaxed|acquire|release|acq_rel ?@S ?global add ?L2::cache_hint v2|v4 f32"},
    {"atom", "?relaxed|acquire|release|acq_rel ?@S ?global @O noftz ?L2::cache_hint v2|v4 f16x2|bf16x2"},
    {"atom", "?relaxed|acquire|release|acq_rel ?@S ?global @O noftz ?L2::cache_hint @V f16|bf16"},
    {"red", "?relaxed|release ?@S ?@G add ?L2::cache_hint u32|s32|u64|f32|f64"},
    {"red", "?relaxed|release ?@S ?@G add noftz ?L2::cache_hint @H"},
    {"red", "?relaxed|release ?@S ?@G inc|dec ?L2::cache_hint u32"},
    {"red", "?relaxed|release ?@S ?@G min|max ?L2::cache_hint @X"},
    {"red", "?relaxed|release ?@S ?@G and|or|xor ?L2::cache_hint b32|b64"},
    {"red", "?relaxed|release ?@S ?global add ?L2::cache_hint v2|v4 f32"},
    {"red", "?relaxed|release ?@S ?global @O noftz ?L2::cache_hint v2|v4 f16x2|bf16x2"},
    {"red", "?relaxed|release ?@S ?global @O noftz ?L2::cache_hint @V f16|bf16"},

    {"membar", "cta|gl|sys", ""},
    {"membar", "proxy alias|async|async.global", ""},
    {"fence", "?sc|acq_rel|acquire|release @S", ""},
    {"fence", "acquire sync_restrict::shared::cluster cluster", ""},
    {"fence", "release sync_restrict::shared::cta cluster", ""},
    {"fence", "mbarrier_init release cluster", ""},
    {"fence", "proxy alias", ""},
    {"fence", "proxy async ?global|shared::cta|shared::cluster", ""},
    {"fence", "proxy async::generic acquire sync_restrict::shared::cluster cluster", ""},
    {"fence", "proxy async::generic release sync_restrict::shared::cta cluster", ""},
    {"fence", "proxy tensormap::generic release @S", ""},
    {"fence", "proxy tensormap::generic acquire @S", "Ak"},
    {"bar", ".sync", "n/nc"},
    {"bar", ".cta .sync", "n/nc"},
    {"bar", ".arrive", "nc"},
    {"bar", ".cta .arrive", "nc"},
    {"bar", ".red popc u32", "inp/incp"},
    {"bar", ".red and|or pred", "pnp/pncp"},
    {"bar", ".cta .red popc u32", "inp/incp"},
    {"bar", ".cta .red and|or pred", "pnp/pncp"},
    {"bar", ".warp .sync", "i"},
    {"barrier", ".sync ?aligned", "n/nc"},
    {"barrier", ".cta .sync ?aligned", "n/nc"},
    {"barrier", ".arrive ?aligned", "nc"},
    {"barrier", ".cta .arrive ?aligned", "nc"},
    {"barrier", ".red popc ?aligned u32", "inp/incp"},
    {"barrier", ".cta .red popc ?aligned u32", "inp/incp"},
    {"barrier", ".red and|or ?aligned pred", "pnp/pncp"},
    {"barrier", ".cta .red and|or ?aligned pred", "pnp/pncp"},
    {"barrier", ".cluster .arrive ?release|relaxed ?aligned", ""},
    {"barrier", ".cluster .wait ?acquire ?aligned", ""},
    {"vote", "?sync all|any|uni pred"},
    {"vote", "?sync ballot b32"},
    {"shfl", "?sync up|down|bfly|idx b32"},
    {"match", "any|all sync b32|b64"},
    {"redux", "sync add|min|max @W"},
    {"redux", "sync and|or|xor b32"},
    {"redux", "sync min|max ?abs ?NaN f32"},
    {"elect", ".sync"},
    {"griddepcontrol", "launch_dependents|wait"},
    {"pmevent", ""},
    {"pmevent", ".mask"},

    {"createpolicy", ".fractional @K|L2::evict_unchanged ?@U b64", "l/lf"},
    {"createpolicy", ".range ?global @K|L2::evict_unchanged ?@U b64", "lAii"},
    {"createpolicy", ".cvt L2 b64", "ll"},
    {"prefetch", "?global|local L1|L2"},
    {"prefetch", "?global L2::evict_last|L2::evict_normal"},
    {"prefetch", "?const|param tensormap"},
    {"prefetchu", "L1"},
    {"discard", "?global L2", "Ak"},
    {"applypriority", "?global L2::evict_normal", "Ak"},
    {"cp", ".async .ca|cg .shared|shared::cta .global ?@N", "YZk/YZko"},
    {"cp", ".async .ca|cg .shared|shared::cta .global ?@N L2::cache_hint", "YZkl/YZkol"},
    {"cp", ".async .commit_group|wait_all", ""},
    {"cp", ".async .wait_group", "k"},
    {"cp", ".async .bulk|mbarrier *"},

    {"vadd vsub vabsdiff vmin vmax", "@W @W @W ?sat", "Sss/Sssm"},
    {"vadd vsub vabsdiff vmin vmax", "@W @W @W ?sat @O", "Sssm"},
    {"vshl vshr", "@W @W u32 ?sat clamp|wrap", "Sss/Sssm"},
    {"vshl vshr", "@W @W u32 ?sat clamp|wrap @O", "Sssm"},
    {"vset", "@W @W @C", "Sss/Sssm"},
    {"vset", "@W @W @C @O", "Sssm"},
    {"vmad", "@W @W @W ?po ?sat ?shr7|shr15"},
    {"vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2", "@W @W @W ?sat|add", "Szzr"},
    {"vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4", "@W @W @W ?sat|add", "Szzr"},
    {"vset2 vset4", "@W @W @C ?add", "Szzr"},
};

/// The piece of a list before `separator`, which goes from the list.
std::string_view take_piece(std::string_view& list, char separator) {
  const std::size_t end = std::min(list.find(separator), list.size());
  const std::string_view piece = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return piece;
}

bool contains(std::string_view list, char separator, std::string_view word) {
  while (!list.empty()) {
    if (take_piece(list, separator) == word) return true;
  }
  return false;
}

/// Whether one of a place's alternatives is the suffix.
bool has(std::string_view place, std::string_view word) {
  while (!place.empty()) {
    const std::string_view alternative = take_piece(place, '|');
    if (alternative == word) return true;
    if (!alternative.starts_with('@')) continue;
    if (alternative[1] == 'T' && find_type(word) != Type::none) return true;
    for (const auto& [letter, words] : kSets) {
      if (letter == alternative[1] && contains(words, '|', word)) return true;
    }
  }
  return false;
}

class Matcher {
 public:
  explicit Matcher(std::string_view places) {
    while (!places.empty()) {
      std::string_view place = take_piece(places, ' ');
      if (place == "*") {
        takes_more_ = true;
        continue;
      }
      Place& made = places_[count_++];
      made.is_optional = place.starts_with('?');
      if (place.starts_with('.')) ++fixed_;
      if (made.is_optional || place.starts_with('.')) place.remove_prefix(1);
      made.words = place;
    }
  }

  bool matches(const Words& words) const {
    std::uint32_t filled = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::size_t at = i < fixed_ ? i : fixed_;
      const std::size_t end = i < fixed_ ? i + 1 : count_;
      while (at < end && ((filled >> at & 1) != 0 || !has(places_[at].words, words[i]))) ++at;
      if (at < end) {
        filled |= 1u << at;
      } else if (i < fixed_ || !takes_more_) {
        return false;
      }
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (!places_[i].is_optional && (filled >> i & 1) == 0) return false;
    }
    return true;
  }

  bool knows(std::string_view word) const {
    return takes_more_ || std::any_of(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(count_),
                                      [&](const Place& place) { return has(place.words, word); });
  }

 private:
  static constexpr std::size_t kMostPlaces = 16;
  struct Place {
    std::string_view words;
    bool is_optional = false;
  };
  std::array<Place, kMostPlaces> places_;
  std::size_t count_ = 0;
  std::size_t fixed_ = 0;  // leading places that are part of the name
  bool takes_more_ = false;
};

}  // namespace

std::string_view check_form(const Instruction& in, const OpcodeRow& row, std::string_view suffixes,
                            std::uint32_t line) {
  Words words;
  while (!suffixes.empty()) {
    suffixes.remove_prefix(1);
    words.push_back(suffixes.substr(0, suffixes.find('.')));
    suffixes.remove_prefix(words.back().size());
  }
  std::vector<Matcher> forms;
  for (const Form& form : kForms) {
    if (!contains(form.opcodes, ' ', name_of(in.op))) continue;
    forms.emplace_back(form.places);
    if (forms.back().matches(words)) return form.operands == "=" ? row.operands : form.operands;
  }
  if (forms.empty()) return row.operands;
  for (const std::string_view word : words) {
    if (std::none_of(forms.begin(), forms.end(), [&](const Matcher& form) { return form.knows(word); })) {
      fail(line, fmt::format("Illegal modifier '.{}' for instruction '{}'", word, name_of(in.op)));
    }
  }
  fail(line, fmt::format("Modifiers of '{}' do not go together", in.spelling));
}

}  // namespace tare::cpu::ptx::detail
