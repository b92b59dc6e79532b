// Calls of the functions that a device brings along.
#include "cpu/codegen/instructions.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Type;

class DeviceCall {
 public:
  DeviceCall(Emitter& e, const Instruction& i) : e_(e), b_(e.b), i_(i) {}

  bool emit() {
    const std::string& name = e_.module().functions[i_.operands[1].symbol].name;
    if (name == "vprintf" && has(2, 1)) {
      result(call("tare_print", b_.getInt32Ty(), {pointer(0), pointer(1)}));
    } else if (name == "malloc" && has(1, 1)) {
      result(b_.CreatePtrToInt(call("tare_allocate", b_.getPtrTy(), {wide(0)}), b_.getInt64Ty()));
    } else if (name == "free" && has(1, 0)) {
      call("tare_release", b_.getVoidTy(), {pointer(0)});
    } else if (name == "__assertfail" && has(5, 0)) {
      fail();
    } else {
      e_.refuse(i_.line, i_.spelling + " of `" + name + "`");
    }
    return true;
  }

 private:
  bool has(std::size_t arguments, std::size_t results) const {
    return i_.operands[2].elements.size() == arguments && i_.operands[0].elements.size() == results;
  }
  Value* wide(std::size_t k) { return e_.read(i_.operands[2].elements[k], Type::u64); }
  Value* pointer(std::size_t k) { return b_.CreateGEP(b_.getInt8Ty(), e_.around.base, wide(k)); }
  Value* call(const char* name, llvm::Type* type, std::vector<Value*> arguments) {
    arguments.insert(arguments.begin(), e_.around.context);
    return e_.call_runtime(name, type, arguments, false);
  }
  void result(Value* value) { e_.write(i_.operands[0].elements[0], value); }

  void fail() {
    llvm::Type* word = b_.getInt32Ty();
    Value* numbers = e_.stack(llvm::ArrayType::get(word, 6), "where");
    for (unsigned k = 0; k < 6; ++k) {
      b_.CreateStore(k < 3 ? e_.around.ctaid[k] : e_.around.tid[k - 3],
                     b_.CreateConstGEP1_64(word, numbers, k));
    }
    Value* line = e_.read(i_.operands[2].elements[2], Type::u32);
    call("tare_assertion", b_.getVoidTy(), {pointer(0), pointer(1), line, pointer(3), numbers});
    e_.emit_fault(Fault::assertion, e_.i32(i_.line));
    b_.SetInsertPoint(e_.new_block("after_the_end"));
  }

  Emitter& e_;
  llvm::IRBuilder<>& b_;
  const Instruction& i_;
};

}  // namespace

bool emit_device_call(Emitter& e, const Instruction& i) {
  return DeviceCall(e, i).emit();
}

}  // namespace tare::cpu::codegen
