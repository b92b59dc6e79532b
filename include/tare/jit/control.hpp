// Control flow that depends on run-time data: if_, for_, while_, and leaving them. A plain `if` or `for` runs
// while the kernel is traced: it chooses and repeats what is recorded.
#pragma once

#include <utility>

#include "tare/jit/memory.hpp"

namespace tare {
namespace detail {

template <class Body, class... Args>
void run_body(Body&& body, Args&&... args) {
  static_assert(
      std::is_invocable_v<Body, Args...>,
      "a body is a lambda, [&] { ... }, and that of tare::for_ takes the index: [&](auto i) { ... }");
  static_assert(
      std::is_void_v<std::invoke_result_t<Body, Args...>>,
      "a body gives nothing back: leave the kernel with tare::return_(), a loop with tare::break_()");
  std::forward<Body>(body)(std::forward<Args>(args)...);
}

/// Records a part of the block that is open. An exception abandons the block: who catches it inside of the
/// kernel would go on with half of one, so the trace will end in an error.
template <class Record>
void in_block(Record&& record) {
  try {
    record();
  } catch (...) {
    abandon_block();
    throw;
  }
}

}  // namespace detail

/// What if_ gives, so that an else may follow at once.
class If {
 public:
  explicit If(detail::Node end) : end_(end) {}
  template <class Body>
  void else_(Body&& body, const detail::Where& where = detail::Where::current()) const {
    detail::at_line(where);
    detail::begin_else(end_, where);
    detail::in_block([&] { detail::run_body(std::forward<Body>(body)); });
    detail::end_if();
  }

 private:
  detail::Node end_;
};

/// `tare::if_(x > 0, [&] { ... })` or `tare::if_(x > 0, [&] { ... }).else_([&] { ... })`.
template <detail::Operand C, class Body>
If if_(const C& condition, Body&& body, const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  detail::begin_if(detail::node_as<bool>(condition), where);
  detail::in_block([&] { detail::run_body(std::forward<Body>(body)); });
  return If(detail::end_if());
}

namespace detail {

/// A plain or symbolic value as it is, or what the lambda gives.
template <class X>
decltype(auto) given_by(X&& x) {
  if constexpr (std::is_invocable_v<X>)
    return std::forward<X>(x)();
  else
    return std::forward<X>(x);
}
template <class X>
using given_t = std::remove_cvref_t<decltype(given_by(std::declval<X>()))>;

}  // namespace detail

/// `condition ? yes : no` in which lambdas stand for what is evaluated only where it is chosen:
/// `tare::select(i < n, [&] { return a[i]; }, 0.0f)`.
template <detail::Operand C, class Yes, class No>
requires(std::is_invocable_v<Yes> ||
         std::is_invocable_v<No>) auto select(const C& condition, Yes&& yes, No&& no,
                                              const detail::Where& where = detail::Where::current()) {
  using A = detail::given_t<Yes>;
  using B = detail::given_t<No>;
  static_assert(detail::Operand<A> && detail::Operand<B>, "what tare::select chooses from are values");
  using T = detail::choice_t<A, B>;
  detail::at_line(where);
  const detail::Node chosen = detail::local_memory(detail::scalar_of<T>(), 1);
  if_(
      condition, [&] { detail::store(chosen, detail::node_as<T>(detail::given_by(yes))); }, where)
      .else_([&] { detail::store(chosen, detail::node_as<T>(detail::given_by(no))); }, where);
  return Value<T>(detail::load(chosen));
}

/// Runs `body` for as long as `condition()` holds; it is evaluated before each turn.
template <class Condition, class Body>
void while_(Condition&& condition, Body&& body, const detail::Where& where = detail::Where::current()) {
  static_assert(
      !detail::Operand<std::remove_cvref_t<Condition>>,
      "a value is taken once: give tare::while_ a lambda, [&] { return x > 0; }, to be evaluated before "
      "each turn");
  detail::at_line(where);
  detail::begin_loop(where);
  detail::in_block([&] {
    detail::loop_condition(detail::node_as<bool>(condition()));
    detail::run_body(std::forward<Body>(body));
    detail::loop_step();
  });
  detail::end_loop();
}

/// Runs `body(i)` for i = begin, begin + step, ... while i < end. `begin`, `end` and `step` are taken once,
/// `step` as the type that `begin` and `end` have in common. It has to be above 0 there: a plain one that is
/// not, or that does not fit, throws Error(argument).
template <detail::Operand B, detail::Operand E, detail::Operand S, class Body>
void for_(const B& begin, const E& end, const S& step, Body&& body,
          const detail::Where& where = detail::Where::current()) {
  using T = detail::common_t<B, E>;
  static_assert(std::integral<T> && std::integral<detail::operand_t<S>>,
                "tare::for_ counts with integers: so are its begin, its end and its step");
  detail::at_line(where);
  if constexpr (detail::Plain<S>) {
    const auto by = static_cast<T>(step);
    if (step < S{1} || by < T{1} || static_cast<S>(by) != step)
      detail::refuse_step(std::to_string(step), detail::scalar_of<T>());
  }
  const Value<T> last = detail::value_of(end), by = detail::value_of(step);
  Variable<T> next(begin);
  detail::begin_loop(where);
  detail::in_block([&] {
    const Value<T> index = next;
    detail::loop_condition((index < last).node());
    detail::run_body(std::forward<Body>(body), index);
    detail::loop_step();
    next = Value<T>(next) + by;
  });
  detail::end_loop();
}
/// With a step of 1.
template <detail::Operand B, detail::Operand E, class Body>
void for_(const B& begin, const E& end, Body&& body, const detail::Where& where = detail::Where::current()) {
  for_(begin, end, 1, std::forward<Body>(body), where);
}

/// Leaves the innermost loop. Throws Error(argument) where there is none; so does continue_.
inline void break_(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  detail::leave_loop();
}
/// Goes on with the innermost loop's next turn.
inline void continue_(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  detail::continue_loop();
}
/// The thread leaves the kernel, or the tare::function that this is in.
inline void return_(const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  detail::leave_kernel();
}
/// Leaves the tare::function that this is in with a value, which is converted to the type that the function's
/// lambda gives back. Throws Error(argument) in a kernel, and in a function that gives nothing back.
template <detail::Operand X>
void return_(const X& value, const detail::Where& where = detail::Where::current()) {
  detail::at_line(where);
  detail::leave_function(detail::value_of(value).node());
}

}  // namespace tare
