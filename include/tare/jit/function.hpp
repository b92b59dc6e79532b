// Functions that stay functions in the kernel: recorded once per argument types and called, where a plain C++
// function becomes part of the kernel anew at each call.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "tare/jit/control.hpp"

namespace tare {
namespace detail {

/// What a function is given for an argument: a value is passed by value, an array as where it is.
template <class X>
struct Passed {
  static_assert(kNever<X>, "a function's argument is a value, an array of the kernel's, or a part of one");
};
template <Operand X>
struct Passed<X> {
  using type = Value<operand_t<X>>;
  static void add(std::vector<Node>& nodes, const X& argument) {
    nodes.push_back(Value<operand_t<X>>(value_of(argument)).node());
  }
  static type make(std::size_t& index) { return type(function_parameter(index++)); }
};
template <class T>
struct Passed<ArrayArgument<T>> {
  using type = ArrayArgument<T>;
  static void add(std::vector<Node>& nodes, const type& array) {
    nodes.push_back(array.begin());
    nodes.push_back(array.size().node());
  }
  static type make(std::size_t& index) {
    const Node begin = function_parameter(index++), size = function_parameter(index++);
    return type(begin, Value<std::size_t>(size));
  }
};
template <class T, std::size_t... extents>
struct Passed<FixedArray<T, extents...>> {
  using type = FixedArray<T, extents...>;
  static void add(std::vector<Node>& nodes, const type& array) { nodes.push_back(array.begin()); }
  static type make(std::size_t& index) { return type(function_parameter(index++)); }
};

}  // namespace detail

/// Made by tare::function; called in a kernel like a C++ function. Copies are the same function, and to move
/// one is to copy it.
template <class Body>
class Function {
 public:
  Function(Body body, std::string name)
      : shared_(std::make_shared<const Shared>(std::move(body), std::move(name))) {}
  Function(const Function&) = default;
  Function& operator=(const Function&) = default;

  /// Calls it. The first call in a kernel with a list of argument types records the body. Throws
  /// Error(argument) where the body calls the function itself, or uses values of its caller's that are no
  /// arguments.
  template <class... Args>
  auto operator()(const Args&... arguments) const {
    static_assert(std::is_invocable_v<const Body&, typename detail::Passed<Args>::type...>,
                  "the function's lambda does not take these arguments: is their number right, and is each "
                  "parameter `auto`, by value (not `auto&`)?");
    using Result =
        std::remove_cvref_t<std::invoke_result_t<const Body&, typename detail::Passed<Args>::type...>>;
    static_assert(std::is_void_v<Result> || detail::Operand<Result>,
                  "a function gives back one value, or nothing: write others to an array");
    std::vector<detail::Node> nodes;
    (detail::Passed<Args>::add(nodes, arguments), ...);
    if constexpr (std::is_void_v<Result>) {
      call<Args...>(nullptr, nodes, [this](auto&&... passed) { shared_->body(passed...); });
    } else if constexpr (detail::Operand<Result>) {
      using T = detail::operand_t<Result>;
      const detail::Scalar type = detail::scalar_of<T>();
      return Value<T>(call<Args...>(&type, nodes, [this](auto&&... passed) {
        detail::leave_function(detail::node_as<T>(shared_->body(passed...)));
      }));
    }
  }

 private:
  template <class... Args, class Record>
  detail::Node call(const detail::Scalar* result, const std::vector<detail::Node>& nodes,
                    const Record& record) const {
    return detail::call({std::shared_ptr<const std::string>(shared_, &shared_->name),
                         typeid(void (*)(typename detail::Passed<Args>::type...)), result,
                         [&] {
                           std::size_t index = 0;
                           // Braces make them in the order of the arguments.
                           std::apply(record, std::tuple<typename detail::Passed<Args>::type...>{
                                                  detail::Passed<Args>::make(index)...});
                         }},
                        nodes);
  }

  struct Shared {
    Shared(Body with, std::string called) : body(std::move(with)), name(std::move(called)) {}
    const Body body;
    const std::string name;
  };
  std::shared_ptr<const Shared> shared_;
};

/// Makes a device function of a lambda over symbolic values: `tare::function([](auto x, auto y) { ... })`.
/// Values are passed by value, arrays by where they are; what it gives back is a value or nothing. `name` is
/// part of its symbol in the PTX. Throws Error(argument) for a name that is no symbol, at the first call.
template <class Body>
Function<Body> function(Body body, std::string name = "function") {
  return {std::move(body), std::move(name)};
}

}  // namespace tare
