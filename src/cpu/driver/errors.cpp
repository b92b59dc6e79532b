// cuGetErrorName and cuGetErrorString, from the table in errors.inc.
#include "cpu/driver/api.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

struct ErrorText {
  const char* name;
  const char* text;
};

ErrorText describe(Result code) {
  switch (code) {
#define TARE_ERROR(constant, value, name, text) \
  case value:                                   \
    return {#name, text};
#include "cpu/driver/errors.inc"
#undef TARE_ERROR
    default:
      return {nullptr, nullptr};
  }
}

}  // namespace

TARE_API Result cuGetErrorName(Result code, const char** name) {
  if (name == nullptr) return abi::kInvalidValue;
  *name = describe(code).name;
  return *name == nullptr ? abi::kInvalidValue : abi::kSuccess;
}

TARE_API Result cuGetErrorString(Result code, const char** text) {
  if (text == nullptr) return abi::kInvalidValue;
  *text = describe(code).text;
  return *text == nullptr ? abi::kInvalidValue : abi::kSuccess;
}

}  // namespace tare::cpu
