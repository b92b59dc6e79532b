// The specializations of a kernel: found by argument types, or traced, compiled and loaded under a lock.
#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <mutex>

#include "driver/loader.hpp"
#include "frontend/jit/make.hpp"
#include "frontend/jit/symbols.hpp"
#include "frontend/jit/trace.hpp"
#include "frontend/jit/turn.hpp"
#include "tare/driver.hpp"

namespace tare {
namespace detail {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

std::string signature_of(const std::string& name, std::span<const JitParameter> parameters) {
  std::string text = name + "(";
  for (const auto& [type, is_array, is_const] : parameters) {
    if (text.back() != '(') text += ", ";
    text += std::string(is_const ? "const " : "") + cpp_name(type) + (is_array ? "[]" : "");
  }
  return text + ")";
}

struct JitState::Table {
  Table(JitOptions with, const Where& at) : options(std::move(with)), where(at) {}
  const JitOptions options;
  const Where where;
  TurnHolder maker;
  std::optional<PrimaryContext> context;  // the maker's
  mutable std::mutex mutex;               // of what follows; never held while the lambda runs
  std::deque<Made> made;                  // never moved, so that a launch may go on using one
  std::string refused_ir;                 // that the compiler did not take, where that was what came last

  const Made* find(const std::type_info& types) const {
    const std::lock_guard lock(mutex);
    for (const Made& one : made)
      if (*one.types == types) return &one;
    return nullptr;
  }

  JitSpecialization make(std::span<const JitParameter> parameters, const std::function<void()>& record,
                         Turn& turn) {
    JitSpecialization specialization;
    const auto start = Clock::now();
    Trace trace(options.name, parameters, where);
    record();
    trace.finish();
    turn.lambda_has_returned();
    specialization.signature = signature_of(options.name, parameters);
    specialization.trace_ms = ms_since(start);
    specialization.dynamic_shared_bytes = trace.program().dynamic_shared_bytes;
    if (!context) context = options.context ? *options.context : PrimaryContext();
    try {
      specialization.kernel =
          make_module(options, trace.program(), *context, specialization).kernel(options.name);
    } catch (const CompileError&) {
      const std::lock_guard lock(mutex);
      refused_ir = std::move(specialization.ir);
      throw;
    }
    return specialization;
  }
};

void refuse_dynamic_shared(const JitSpecialization& made, std::uint64_t given) {
  throw Error(ErrorKind::argument,
              fmt::format("{}: the launch gives {} bytes of dynamic shared memory, and the kernel's "
                          "tare::dynamic_shared_array has {}",
                          made.signature, given, made.dynamic_shared_bytes),
              fmt::format("launch it with {{grid, block, stream, {}}}", made.dynamic_shared_bytes));
}

JitState::JitState(JitOptions options, const Where& where) {
  check_kernel_name(options.name);
  table_ = std::make_unique<Table>(std::move(options), where);
}

JitState::~JitState() = default;

const JitSpecialization& JitState::find_or_make(const std::type_info& types,
                                                std::span<const JitParameter> parameters,
                                                const std::function<void()>& record) {
  refuse_forked_child();  // whose parent may hold the lock for ever
  const Made* made = table_->find(types);
  if (made == nullptr) {
    Turn turn(table_->maker, "the kernel `" + table_->options.name + "` made at " + line_of(table_->where));
    made = table_->find(types);  // another thread may have had its turn
    if (made == nullptr) {
      JitSpecialization specialization = table_->make(parameters, record, turn);
      const std::lock_guard lock(table_->mutex);
      made = &table_->made.emplace_back(Made{&types, std::move(specialization)});
      table_->refused_ir.clear();
    }
  }
  last_.store(made, std::memory_order_release);
  return made->specialization;
}

std::vector<const JitSpecialization*> JitState::specializations() const {
  const std::lock_guard lock(table_->mutex);
  std::vector<const JitSpecialization*> all;
  for (const Made& made : table_->made) all.push_back(&made.specialization);
  return all;
}

std::string JitState::ir() const {
  const std::lock_guard lock(table_->mutex);
  if (!table_->refused_ir.empty()) return table_->refused_ir;
  return table_->made.empty() ? "" : table_->made.back().specialization.ir;
}

}  // namespace detail

std::string JitSpecialization::ptx() const {
  return {reinterpret_cast<const char*>(compiled.image.data()), compiled.image.size()};
}

}  // namespace tare
