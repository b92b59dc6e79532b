// One mapping per object, large enough for all its sections, so that every reference between them is
// near; written first, then made executable.
#include "cpu/codegen/loader.hpp"

#include <llvm/ExecutionEngine/JITSymbol.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/codegen/runtime.hpp"

namespace tare::cpu::codegen {
namespace {

class Memory final : public llvm::RuntimeDyld::MemoryManager {
 public:
  Memory() = default;
  ~Memory() override {
    if (start_ != nullptr) munmap(start_, code_ + data_);
  }

  bool needsToReserveAllocationSpace() override { return true; }

  void reserveAllocationSpace(std::uintptr_t code, llvm::Align, std::uintptr_t constants, llvm::Align,
                              std::uintptr_t variables, llvm::Align) override {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto pages = [&](std::uintptr_t bytes) { return (bytes + page - 1) / page * page; };
    // A little more than asked: every section may have to be aligned anew.
    code_ = pages(code + page);
    data_ = pages(constants + variables + page);
    void* place = mmap(nullptr, code_ + data_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) return;
    start_ = static_cast<std::uint8_t*>(place);
  }

  std::uint8_t* allocateCodeSection(std::uintptr_t size, unsigned alignment, unsigned,
                                    llvm::StringRef) override {
    return take(code_used_, code_, 0, size, alignment);
  }

  std::uint8_t* allocateDataSection(std::uintptr_t size, unsigned alignment, unsigned, llvm::StringRef,
                                    bool) override {
    return take(data_used_, data_, code_, size, alignment);
  }

  void registerEHFrames(std::uint8_t*, std::uint64_t, std::size_t) override {}
  void deregisterEHFrames() override {}

  bool finalizeMemory(std::string*) override {
    return start_ == nullptr || mprotect(start_, code_, PROT_READ | PROT_EXEC) != 0;
  }

 private:
  std::uint8_t* take(std::uintptr_t& used, std::uintptr_t limit, std::uintptr_t offset, std::uintptr_t size,
                     unsigned alignment) {
    const std::uintptr_t align = alignment == 0 ? 16 : alignment;
    const std::uintptr_t at = (used + align - 1) / align * align;
    if (start_ == nullptr || at + size > limit) return nullptr;
    used = at + size;
    return start_ + offset + at;
  }

  std::uint8_t* start_ = nullptr;
  std::uintptr_t code_ = 0, data_ = 0, code_used_ = 0, data_used_ = 0;
};

class Resolver final : public llvm::LegacyJITSymbolResolver {
 public:
  llvm::JITSymbol findSymbol(const std::string& name) override {
    void* address = find_runtime_function(name);
    if (address == nullptr) return nullptr;
    return {reinterpret_cast<std::uint64_t>(address), llvm::JITSymbolFlags::Exported};
  }
  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }
};

}  // namespace

LoadedObject load_object(std::string_view object, const std::string& symbol) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()), "kernel");
  auto file = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  auto memory = std::make_shared<Memory>();
  Resolver resolver;
  llvm::RuntimeDyld linker(*memory, resolver);
  const auto loaded = linker.loadObject(**file);
  if (!loaded || linker.hasError()) return {};
  linker.resolveRelocations();
  if (linker.hasError() || memory->finalizeMemory(nullptr)) return {};
  const auto found = linker.getSymbol(symbol);
  if (!found) return {};
  return {reinterpret_cast<void*>(found.getAddress()), memory};
}

}  // namespace tare::cpu::codegen
