// tare::function: recorded once per argument types, called as often as wanted, by both compilers.
#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::error_of;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

class JitFunctions : public fixtures::JitTest, public ::testing::WithParamInterface<JitCompiler> {
 protected:
  void SetUp() override {
    if (GetParam() == JitCompiler::clang) TARE_NEEDS(clang);
    if (GetParam() == JitCompiler::libnvvm) TARE_NEEDS(nvvm);
  }
  template <class Function>
  auto made(Function function) const {
    JitOptions options;
    options.compiler = GetParam();
    return jit(std::move(function), options);
  }
  template <class T>
  static std::vector<T> expected(T (*make)(int)) {
    std::vector<T> all(32);
    for (int i = 0; i < 32; ++i) all[static_cast<std::size_t>(i)] = make(i);
    return all;
  }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_P(JitFunctions, AreRecordedOncePerArgumentTypes) {
  int traces = 0;
  const auto mix = function(
      [&traces](auto x, auto y) {
        ++traces;
        return x * y + x;
      },
      "mix");
  const auto kernel = made([&](auto out) {
    const auto i = cast<int>(thread_index().x);
    auto sum = var(0.0);
    for (int k = 0; k < 10; ++k) sum += mix(i, k);
    for (int k = 0; k < 10; ++k) sum += mix(i, 0.5);
    // An int, whether a variable or a plain number.
    const auto nought = var(0);
    sum += mix(nought, 7) + mix(0, nought);
    out[i] = sum;
  });
  EXPECT_THAT(run<double>(kernel), ElementsAreArray(expected<double>([](int i) { return 70.0 * i; })));
  EXPECT_EQ(traces, 2);
  EXPECT_EQ(count(kernel.ir(), "define internal "), 2u);
  EXPECT_THAT(kernel.ir(), AllOf(HasSubstr("@kernel_mix_0(i32 %p0, i32 %p1)"),
                                 HasSubstr("@kernel_mix_1(i32 %p0, double %p1)")));
}

TEST_P(JitFunctions, KeepAKernelFromGrowingWithEveryCallOfACall) {
  const auto kernel = [&](auto twice) {
    return made([twice](auto out) {
      const auto i = thread_index().x;
      auto f = [&](auto x) { return twice(twice(x)); };
      auto g = [&](auto x) { return f(f(x)); };
      out[i] = g(g(g(g(i))));
    });
  };
  const auto body = [](auto x) { return (x ^ x >> 3) * 5u + 1u; };
  const auto inlined = kernel(body);
  const auto called = kernel(function(body));
  EXPECT_THAT(run<unsigned>(called), ElementsAreArray(run<unsigned>(inlined)));
  EXPECT_EQ(count(inlined.ir(), " mul "), 16u);
  EXPECT_EQ(count(called.ir(), " mul "), 1u);
}

TEST_P(JitFunctions, CallOneAnother) {
  const auto square = function([](auto x) { return x * x; });
  const auto sum = function([&](auto x, auto y) { return square(x) + square(y); });
  const auto kernel = made([&](auto out) {
    const auto i = cast<int>(thread_index().x);
    out[i] = sum(i, 3) - square(i);
  });
  EXPECT_THAT(run<int>(kernel), Each(9));
}

TEST_P(JitFunctions, AreLeftFromAnywhereWithAValue) {
  const auto collatz = function([](auto start, auto most) {
    auto n = var(start);
    for_(0, most, [&](auto step) {
      if_(n == 1u, [&] { return_(step); });
      if_(n % 2u == 0u, [&] { n /= 2u; }).else_([&] { n = n * 3u + 1u; });
    });
    return -1;
  });
  const auto kernel = made([&](auto out) {
    const auto i = thread_index().x;
    out[i] = collatz(i + 1u, 20);
  });
  EXPECT_THAT(run<int>(kernel), ElementsAreArray(expected<int>([](int i) {
                int n = i + 1;
                for (int step = 0; step < 20; ++step) {
                  if (n == 1) return step;
                  n = n % 2 == 0 ? n / 2 : n * 3 + 1;
                }
                return -1;
              })));
}

TEST_P(JitFunctions, TakeEveryKindOfArrayAndWriteToIt) {
  const auto add_to = function([](auto array, auto index, auto amount) { array[index] += amount; });
  const auto read = function([](auto array, auto index) { return array[index]; });
  const auto size = function([](auto array) { return array.size(); });
  const auto kernel = made([&](auto out) {
    const auto i = cast<int>(thread_index().x);
    auto shared = shared_array<int, 32>();
    auto own = local_array<int, 2>();
    const auto table = constant_array(std::array{100, 200});
    shared[i] = i;
    own[0] = 1;
    own[1] = 2;
    sync_threads();
    add_to(shared, 31 - i, 1000);
    add_to(own, 1, 5);
    sync_threads();
    out[i] = read(shared, i) + read(own, 1) + read(table, i % 2);
    add_to(out, i, size(out));
  });
  EXPECT_THAT(run<int>(kernel),
              ElementsAreArray(expected<int>([](int i) { return i + 1000 + 7 + 100 * (i % 2 + 1) + 32; })));
}

TEST_P(JitFunctions, HaveSharedMemoryAndWaitForTheBlock) {
  const auto block_sum = function([](auto value) {
    auto sums = shared_array<int, 32>();
    const auto thread = thread_index().x;
    sums[thread] = value;
    sync_threads();
    auto sum = var(0);
    for_(0, 32, [&](auto i) { sum += sums[i]; });
    sync_threads();
    return sum;
  });
  const auto kernel = made([&](auto out) {
    const auto i = cast<int>(thread_index().x);
    out[i] = block_sum(i) * 10000 + block_sum(1);
  });
  EXPECT_THAT(run<int>(kernel), Each(496 * 10000 + 32));
}

TEST_P(JitFunctions, PassAndGiveBackBools) {
  const auto both = function([](auto a, auto b) { return a && b; });
  const auto kernel = made([&](auto out) {
    const auto i = cast<int>(thread_index().x);
    out[i] = select(both(i > 3, i < 9), 1, 2);
  });
  EXPECT_THAT(run<int>(kernel),
              ElementsAreArray(expected<int>([](int i) { return i > 3 && i < 9 ? 1 : 2; })));
}

TEST_P(JitFunctions, OnTheRightSideOfAndAreCalledOnlyWhereTheLeftOneHolds) {
  const auto element_is_set = function([](auto array, auto index) { return array[index] != 0; });
  const auto kernel = made([&](auto out, auto one) {
    const auto i = cast<int>(thread_index().x);
    // Beyond its first element `one` is not to be read.
    out[i] = select(i == 0 && element_is_set(one, cast<long>(i) << 40), 1, 2);
  });
  const Buffer one = buffer(std::vector<int>{1});
  std::vector<int> wanted(32, 2);
  wanted[0] = 1;
  EXPECT_EQ(run<int>(kernel, device_span<int>(one)), wanted);
}

INSTANTIATE_TEST_SUITE_P(Both, JitFunctions, ::testing::Values(JitCompiler::libnvvm, JitCompiler::clang),
                         [](const auto& param_info) {
                           return param_info.param == JitCompiler::clang ? "Clang" : "LibNvvm";
                         });

class JitFunctionMisuse : public fixtures::JitMisuseTest {};

TEST_F(JitFunctionMisuse, ACallersValueIsNamed) {
  const Error error = of([](auto out, auto n) { out[0] = function([&](auto x) { return x + n * 2; })(1); });
  EXPECT_THAT(error.what(),
              AllOf(ContainsRegex("in the function `kernel_function_0`, in the kernel `kernel`"),
                    HasSubstr("`argument 2` belongs to the function's caller")));
  EXPECT_THAT(error.hint(), HasSubstr("pass what it uses as an argument"));
}

TEST_F(JitFunctionMisuse, RecursionIsToldFromALoop) {
  std::function<Value<int>(Value<int>)> again;
  const auto recursive = function([&](auto x) { return again(x); }, "factorial");
  again = [&](const Value<int>& x) { return recursive(x); };
  const Error error = of([&](auto out, auto n) { out[0] = recursive(n); });
  EXPECT_THAT(error.what(), HasSubstr("the function `factorial` calls itself"));
  EXPECT_THAT(error.hint(), HasSubstr("use a loop"));
}

TEST_F(JitFunctionMisuse, APlainFunctionThatNeverEndsIsToldFromItsBlocks) {
  std::function<void(Value<int>)> down;
  down = [&](const Value<int>& x) { if_(x > 0, [&] { down(x - 1); }); };
  const Error error = of([&](auto, auto n) { down(n); });
  EXPECT_THAT(error.what(), AllOf(ContainsRegex("function_test.cpp:[0-9]+, "),
                                  HasSubstr("does a C++ function call itself?")));
  EXPECT_THAT(error.hint(), HasSubstr("tare::while_"));
  std::function<Value<int>(Value<int>)> factorial;
  factorial = [&](const Value<int>& x) { return select(x <= 1, 1, [&] { return x * factorial(x - 1); }); };
  EXPECT_THAT(of([&](auto out, auto n) { out[0] = factorial(n); }).what(), HasSubstr("500 deep"));
}

TEST_F(JitFunctionMisuse, ReturnFitsWhatItIsIn) {
  EXPECT_THAT(of([](auto, auto n) { return_(n); }).what(),
              HasSubstr("tare::return_(value) is in a kernel, which gives nothing back"));
  EXPECT_THAT(
      of([](auto out, auto n) { function([](auto a, auto x) { a[0] = 1, return_(x); })(out, n); }).what(),
      HasSubstr("is in a function whose lambda gives nothing back"));
  EXPECT_THAT(of([](auto out, auto n) {
                out[0] = function([](auto x) {
                  if_(x > 3, [] { return_(); });
                  return x;
                })(n);
              }).what(),
              HasSubstr("tare::return_() is in a function that gives back a value"));
}

TEST_F(JitFunctionMisuse, ACallThatWritesMayNotStandOnTheRightSideOfAnd) {
  EXPECT_THAT(of([](auto out, auto n) {
                const auto count = function([](auto a) { return atomic_add(a[0], 1) == 0; }, "count");
                if_(n > 3 && count(out), [] {});
              }).what(),
              HasSubstr("the right side of && has `kernel_count_0(...)`"));
}

}  // namespace
}  // namespace tare
