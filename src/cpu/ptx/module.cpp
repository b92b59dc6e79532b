// Sizes and names of types, and look-up in a module.
#include "cpu/ptx/module.hpp"

namespace tare::cpu::ptx {

namespace {

struct TypeRow {
  const char* name;
  std::size_t size;
};

// In the order of Type.
constexpr TypeRow kTypes[] = {
    {"none", 0},    {"pred", 0},   {"b8", 1},     {"b16", 2},        {"b32", 4},     {"b64", 8},
    {"b128", 16},   {"u8", 1},     {"u16", 2},    {"u32", 4},        {"u64", 8},     {"s8", 1},
    {"s16", 2},     {"s32", 4},    {"s64", 8},    {"f16", 2},        {"f16x2", 4},   {"bf16", 2},
    {"bf16x2", 4},  {"tf32", 4},   {"f32", 4},    {"f64", 8},        {"u16x2", 4},   {"s16x2", 4},
    {"f32x2", 8},   {"e4m3x2", 2}, {"e5m2x2", 2}, {"e2m1x2", 1},     {"e2m3x2", 2},  {"e3m2x2", 2},
    {"ue8m0x2", 2}, {"e4m3x4", 4}, {"e5m2x4", 4}, {"e2m1x4", 2},     {"e2m3x4", 4},  {"e3m2x4", 4},
    {"b1", 0},      {"s4", 0},     {"u4", 0},     {"e4m3", 1},       {"e5m2", 1},    {"e2m1", 0},
    {"e2m3", 1},    {"e3m2", 1},   {"texref", 8}, {"samplerref", 8}, {"surfref", 8},
};
static_assert(sizeof(kTypes) / sizeof(kTypes[0]) == static_cast<std::size_t>(Type::surfref) + 1);

}  // namespace

std::size_t size_of(Type type) {
  return kTypes[static_cast<std::size_t>(type)].size;
}
const char* name_of(Type type) {
  return kTypes[static_cast<std::size_t>(type)].name;
}

const Function* Module::find_entry(const std::string& name) const {
  for (const Function& function : functions) {
    if (function.is_entry && function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace tare::cpu::ptx
