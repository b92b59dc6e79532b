// From an object file to code that runs. Private to the code generator; no LLVM in this header.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tare::cpu::codegen {

struct LoadedObject {
  void* function = nullptr;  // null if the object could not be loaded
  std::shared_ptr<void> memory;
};

/// Maps the object's sections, resolves its references and finds `symbol`. The bytes are not needed after.
LoadedObject load_object(std::string_view object, const std::string& symbol);

}  // namespace tare::cpu::codegen
