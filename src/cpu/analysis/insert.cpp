#include "cpu/analysis/insert.hpp"

#include <utility>

namespace tare::cpu::analysis {

void insert_before(ptx::Function& function, std::map<std::uint32_t, ptx::Instruction> instructions) {
  if (instructions.empty()) return;
  std::vector<ptx::Instruction> body;
  std::vector<std::uint32_t> moved_to;
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    moved_to.push_back(static_cast<std::uint32_t>(body.size()));
    if (const auto found = instructions.find(i); found != instructions.end())
      body.push_back(std::move(found->second));
    body.push_back(std::move(function.body[i]));
  }
  moved_to.push_back(static_cast<std::uint32_t>(body.size()));
  for (ptx::Label& label : function.labels) label.target = moved_to[label.target];
  function.body = std::move(body);
}

}  // namespace tare::cpu::analysis
