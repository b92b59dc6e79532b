// Special registers: their names, and the operands that they are.
#include <fmt/format.h>

#include <algorithm>

#include "cpu/ptx/parser_state.hpp"

namespace tare::cpu::ptx::detail {

namespace {

using Kind = Operand::Kind;

const std::unordered_map<std::string_view, Special>& specials() {
  static const std::unordered_map<std::string_view, Special> all{
      {"%tid.x", Special::tid_x},
      {"%tid.y", Special::tid_y},
      {"%tid.z", Special::tid_z},
      {"%ntid.x", Special::ntid_x},
      {"%ntid.y", Special::ntid_y},
      {"%ntid.z", Special::ntid_z},
      {"%ctaid.x", Special::ctaid_x},
      {"%ctaid.y", Special::ctaid_y},
      {"%ctaid.z", Special::ctaid_z},
      {"%nctaid.x", Special::nctaid_x},
      {"%nctaid.y", Special::nctaid_y},
      {"%nctaid.z", Special::nctaid_z},
      {"%laneid", Special::laneid},
      {"%warpid", Special::warpid},
      {"%nwarpid", Special::nwarpid},
      {"%smid", Special::smid},
      {"%nsmid", Special::nsmid},
      {"%gridid", Special::gridid},
      {"%lanemask_eq", Special::lanemask_eq},
      {"%lanemask_le", Special::lanemask_le},
      {"%lanemask_lt", Special::lanemask_lt},
      {"%lanemask_ge", Special::lanemask_ge},
      {"%lanemask_gt", Special::lanemask_gt},
      {"%clock", Special::clock},
      {"%clock_hi", Special::clock_hi},
      {"%clock64", Special::clock64},
      {"%globaltimer", Special::globaltimer},
      {"%globaltimer_lo", Special::globaltimer_lo},
      {"%globaltimer_hi", Special::globaltimer_hi},
      {"%dynamic_smem_size", Special::dynamic_smem_size},
      {"%total_smem_size", Special::total_smem_size},
      {"%aggr_smem_size", Special::aggr_smem_size},
      {"%clusterid.x", Special::clusterid_x},
      {"%clusterid.y", Special::clusterid_y},
      {"%clusterid.z", Special::clusterid_z},
      {"%nclusterid.x", Special::nclusterid_x},
      {"%nclusterid.y", Special::nclusterid_y},
      {"%nclusterid.z", Special::nclusterid_z},
      {"%cluster_ctaid.x", Special::cluster_ctaid_x},
      {"%cluster_ctaid.y", Special::cluster_ctaid_y},
      {"%cluster_ctaid.z", Special::cluster_ctaid_z},
      {"%cluster_nctaid.x", Special::cluster_nctaid_x},
      {"%cluster_nctaid.y", Special::cluster_nctaid_y},
      {"%cluster_nctaid.z", Special::cluster_nctaid_z},
      {"%cluster_ctarank", Special::cluster_ctarank},
      {"%cluster_nctarank", Special::cluster_nctarank},
      {"%is_explicit_cluster", Special::is_explicit_cluster},
      {"%current_graph_exec", Special::current_graph_exec},
  };
  return all;
}

// %envreg0..31, %pm0..7 and their 64-bit twins, what else the ISA names.
bool is_other_special(std::string_view name) {
  const auto numbered = [&](std::string_view prefix, int count, std::string_view suffix = {}) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) return false;
    const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    if (digits.empty() || digits.size() > 2) return false;
    int value = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return false;
      value = value * 10 + (c - '0');
    }
    return value < count;
  };
  return numbered("%envreg", 32) || numbered("%pm", 8) || numbered("%pm", 8, "_64") ||
         name == "%reserved_smem_offset_begin" || name == "%reserved_smem_offset_end" ||
         name == "%reserved_smem_offset_cap" || numbered("%reserved_smem_offset_", 2);
}

}  // namespace

Operand Parser::special_operand(std::string_view name) {
  const std::uint32_t line = token_.line;
  const std::string_view suffixes = lexer_.take_suffixes();
  const std::string_view whole(name.data(), name.size() + suffixes.size());
  Operand operand;
  operand.kind = Kind::special;
  if (const auto it = specials().find(whole); it != specials().end()) {
    operand.special = it->second;
  } else if (const auto first = specials().find(std::string(whole) + ".x"); first != specials().end()) {
    // `%tid` whole is a vector of four whose last component is 0.
    const auto base = static_cast<std::uint8_t>(first->second);
    Operand vector;
    vector.kind = Kind::vector;
    for (std::uint8_t i = 0; i < 3; ++i) {
      operand.special = static_cast<Special>(base + i);
      vector.elements.push_back(operand);
    }
    Operand zero;
    zero.kind = Kind::integer;
    vector.elements.push_back(zero);
    advance();
    return vector;
  } else if (whole.ends_with(".w") &&
             specials().contains(std::string(whole.substr(0, whole.size() - 1)) + "x")) {
    operand.kind = Kind::integer;
  } else if (is_other_special(whole)) {
    std::vector<std::string>& others = function_->other_specials;
    const auto it_other = std::find(others.begin(), others.end(), whole);
    operand.id = static_cast<std::uint32_t>(it_other - others.begin());
    if (it_other == others.end()) others.emplace_back(whole);
  } else {
    fail(line, fmt::format("Unknown symbol '{}'", whole));
  }
  advance();
  return operand;
}

}  // namespace tare::cpu::ptx::detail
