// The specializations of a kernel: found by argument types, or traced, compiled and loaded under a lock.
#include <chrono>
#include <deque>
#include <mutex>

#include "driver/loader.hpp"
#include "frontend/jit/make.hpp"
#include "frontend/jit/trace.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace tare {
namespace detail {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// A symbol that PTX and every tool on the way take.
void check_name(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  bool good = !name.empty() && is_letter(name[0]);
  for (const char c : name) good = good && (is_letter(c) || (c >= '0' && c <= '9'));
  if (!good)
    throw Error(ErrorKind::argument, "`" + name + "` cannot be a kernel's name",
                "a name has letters, digits and _, and does not start with a digit");
}

const char* cpp_name(Scalar type) {
  constexpr const char* kNames[] = {"bool",     "int8_t",  "uint8_t",  "int16_t", "uint16_t", "int",
                                    "unsigned", "int64_t", "uint64_t", "float",   "double",   "half"};
  return kNames[static_cast<std::size_t>(type)];
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
  mutable std::mutex mutex;
  std::optional<PrimaryContext> context;
  std::deque<Made> made;  // never moved, so that a launch may go on using one

  JitSpecialization make(std::span<const JitParameter> parameters, const std::function<void()>& record) {
    JitSpecialization specialization;
    const auto start = Clock::now();
    Trace trace(options.name, parameters, where);
    record();
    specialization.signature = signature_of(options.name, parameters);
    specialization.trace_ms = ms_since(start);
    if (!context) context = options.context ? *options.context : PrimaryContext();
    specialization.kernel =
        make_module(options, trace.program(), *context, specialization).kernel(options.name);
    return specialization;
  }
};

JitState::JitState(JitOptions options, const Where& where) {
  check_name(options.name);
  table_ = std::make_unique<Table>(std::move(options), where);
}

JitState::~JitState() = default;

const JitSpecialization& JitState::find_or_make(const std::type_info& types,
                                                std::span<const JitParameter> parameters,
                                                const std::function<void()>& record) {
  refuse_forked_child();  // whose parent may hold the lock for ever
  const std::lock_guard lock(table_->mutex);
  for (const Made& made : table_->made)
    if (*made.types == types) {
      last_.store(&made, std::memory_order_release);
      return made.specialization;
    }
  const Made& made = table_->made.emplace_back(Made{&types, table_->make(parameters, record)});
  last_.store(&made, std::memory_order_release);
  return made.specialization;
}

std::vector<const JitSpecialization*> JitState::specializations() const {
  const std::lock_guard lock(table_->mutex);
  std::vector<const JitSpecialization*> all;
  for (const Made& made : table_->made) all.push_back(&made.specialization);
  return all;
}

}  // namespace detail

std::string JitSpecialization::ptx() const {
  return {reinterpret_cast<const char*>(compiled.image.data()), compiled.image.size()};
}

}  // namespace tare
