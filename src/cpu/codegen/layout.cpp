// Offsets of variables in their segments, in the order of their declarations.
#include "cpu/codegen/layout.hpp"

#include <algorithm>

#include "cpu/analysis/flow.hpp"
#include "cpu/analysis/inline.hpp"
#include "cpu/codegen/kernel.hpp"

namespace tare::cpu::codegen {
namespace {

constexpr std::uint64_t kDynamicSharedAlignment = 16;
constexpr std::uint64_t kLocalAlignment = 16;

std::uint64_t align_up(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

std::uint64_t alignment_of(const ptx::Variable& variable) {
  const std::uint64_t natural = std::max<std::uint64_t>(1, ptx::size_of(variable.type));
  return std::max<std::uint64_t>(variable.alignment, variable.alignment == 0 ? natural : 1);
}

std::uint64_t place(const ptx::Variable& variable, std::uint64_t& end) {
  const std::uint64_t offset = align_up(end, alignment_of(variable));
  end = offset + variable.size;
  return offset;
}

bool is_dynamic(const ptx::Variable& variable) {
  return variable.is_extern && variable.size == 0;
}

void mark_shared(const ptx::Module& module, const ptx::Operand& operand, std::vector<bool>& used) {
  if (operand.symbol_kind == ptx::Operand::SymbolKind::module_variable &&
      module.variables[operand.symbol].space == ptx::Space::shared) {
    used[operand.symbol] = true;
  }
  for (const ptx::Operand& element : operand.elements) mark_shared(module, element, used);
}

/// Clears the mark of every variable whose address is used as a value.
void mark_addressed(const ptx::Operand& operand, std::vector<bool>& is_transient) {
  if (operand.symbol_kind == ptx::Operand::SymbolKind::function_variable &&
      operand.kind != ptx::Operand::Kind::address) {
    is_transient[operand.symbol] = false;
  }
  for (const ptx::Operand& element : operand.elements) mark_addressed(element, is_transient);
}

std::vector<bool> find_transient(const ptx::Function& entry) {
  std::vector<bool> is_transient;
  for (const ptx::Variable& variable : entry.variables) {
    is_transient.push_back(variable.space == ptx::Space::param);
  }
  for (const ptx::Instruction& instruction : entry.body) {
    if (analysis::stops(instruction)) return std::vector<bool>(entry.variables.size(), false);
    for (const ptx::Operand& operand : instruction.operands) mark_addressed(operand, is_transient);
  }
  return is_transient;
}

}  // namespace

ModuleLayout layout_module(ptx::Module& module) {
  ModuleLayout layout;
  for (ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::global) variable.offset = place(variable, layout.global_bytes);
    if (variable.space == ptx::Space::constant) variable.offset = place(variable, layout.constant_bytes);
  }
  return layout;
}

KernelLayout layout_kernel(const ptx::Module& module, const ptx::Function& entry) {
  KernelLayout layout;
  std::vector<bool> used(module.variables.size(), false);
  for (const ptx::Instruction& instruction : entry.body) {
    for (const ptx::Operand& operand : instruction.operands) mark_shared(module, operand, used);
  }
  layout.is_transient = find_transient(entry);
  std::uint64_t shared = 0;
  std::uint64_t local = 0;
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    if (used[i] && !is_dynamic(module.variables[i]))
      layout.module_shared[i] = place(module.variables[i], shared);
  }
  for (std::uint32_t i = 0; i < entry.variables.size(); ++i) {
    const ptx::Variable& variable = entry.variables[i];
    if (variable.space == ptx::Space::shared) {
      if (!is_dynamic(variable)) layout.function_variables[i] = place(variable, shared);
    } else if (!layout.is_transient[i] && i != entry.stack) {
      // The .param variables of calls live with the thread, as its locals do.
      layout.function_variables[i] = place(variable, local);
    }
  }
  if (entry.stack != ptx::kNoId) {
    layout.has_stack = true;
    layout.function_variables[entry.stack] = place(entry.variables[entry.stack], local);
  }
  layout.static_shared_bytes = shared;
  layout.dynamic_shared_offset = align_up(shared, kDynamicSharedAlignment);
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    if (used[i] && is_dynamic(module.variables[i])) layout.module_shared[i] = layout.dynamic_shared_offset;
  }
  for (std::uint32_t i = 0; i < entry.variables.size(); ++i) {
    if (entry.variables[i].space == ptx::Space::shared && is_dynamic(entry.variables[i])) {
      layout.function_variables[i] = layout.dynamic_shared_offset;
    }
  }
  layout.local_bytes_per_thread = align_up(local, kLocalAlignment);
  return layout;
}

KernelSizes sizes_of(const ptx::Module& module, const ptx::Function& entry) {
  KernelLayout layout;
  if (analysis::has_calls(entry)) {
    const auto flat = analysis::flatten(module, entry);
    const auto* function = std::get_if<ptx::Function>(&flat);
    layout = layout_kernel(module, function == nullptr ? entry : *function);
  } else {
    layout = layout_kernel(module, entry);
  }
  KernelSizes sizes;
  sizes.static_shared_bytes = layout.static_shared_bytes;
  sizes.local_bytes_per_thread = layout.local_bytes_per_thread;
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::constant) {
      sizes.constant_bytes = std::max(sizes.constant_bytes, variable.offset + variable.size);
    }
  }
  return sizes;
}

}  // namespace tare::cpu::codegen
