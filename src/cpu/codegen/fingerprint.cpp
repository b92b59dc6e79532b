// A length-prefixed encoding of the parsed kernel, hashed once.
#include "cpu/codegen/fingerprint.hpp"

#include <xxhash.h>

namespace tare::cpu::codegen {
namespace {

/// Changes whenever the same kernel would give other machine code.
constexpr std::uint32_t kGeneratorVersion = 12;

class Encoder {
 public:
  template <typename Number>
  void number(Number value) {
    const auto wide = static_cast<std::uint64_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&wide), sizeof wide);
  }
  void text(const std::string& value) {
    number(value.size());
    bytes_ += value;
  }

  void operand(const ptx::Operand& value) {
    number(static_cast<std::uint64_t>(value.kind) | std::uint64_t{value.negated} << 8 |
           std::uint64_t{value.is_f32} << 9 | static_cast<std::uint64_t>(value.special) << 16 |
           static_cast<std::uint64_t>(value.symbol_kind) << 24 | std::uint64_t{value.selector} << 32);
    number(std::uint64_t{value.id} | std::uint64_t{value.symbol} << 32);
    number(value.integer);
    number(value.real_bits);
    number(value.elements.size());
    for (const ptx::Operand& element : value.elements) operand(element);
  }

  void instruction(const ptx::Instruction& value) {
    number(static_cast<std::uint64_t>(value.op) | std::uint64_t{value.line} << 32);
    text(value.spelling);
    number(std::uint64_t{value.predicate} | std::uint64_t{value.predicate_negated} << 32);
    number(value.operands.size());
    for (const ptx::Operand& each : value.operands) operand(each);
  }

  void variable(const ptx::Variable& value) {
    number(static_cast<std::uint64_t>(value.space) | static_cast<std::uint64_t>(value.type) << 8 |
           std::uint64_t{value.alignment} << 16 | std::uint64_t{value.is_extern} << 60);
    number(value.size);
    number(value.offset);
  }

  void variables(const std::vector<ptx::Variable>& values) {
    number(values.size());
    for (const ptx::Variable& each : values) variable(each);
  }

  void function(const ptx::Function& value) {
    text(value.name);
    variables(value.parameters);
    variables(value.returns);
    variables(value.variables);
    number(value.parameter_bytes);
    number(value.stack);
    number(value.registers.size());
    for (const ptx::Register& each : value.registers) number(each.type);
    number(value.labels.size());
    for (const ptx::Label& each : value.labels) number(each.target);
    number(value.body.size());
    for (const ptx::Instruction& each : value.body) instruction(each);
  }

  ObjectKey key() const {
    const XXH128_hash_t hash = XXH3_128bits(bytes_.data(), bytes_.size());
    return {hash.high64, hash.low64};
  }

 private:
  std::string bytes_;
};

}  // namespace

ObjectKey fingerprint(const ptx::Module& module, const ptx::Function& entry, const CompileOptions& options,
                      const std::string& processor) {
  Encoder encoder;
  encoder.number(kGeneratorVersion);
  encoder.text(processor);
  encoder.number(static_cast<std::uint64_t>(options.tier));
  encoder.number(options.optimisation);
  encoder.variables(module.variables);
  encoder.function(entry);
  return encoder.key();
}

}  // namespace tare::cpu::codegen
