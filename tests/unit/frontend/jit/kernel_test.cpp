// A kernel as a whole: made from a lambda, compiled once per argument types, by whichever compiler there is.
#include <tare/jit.hpp>

#include "fixture.hpp"
#include "tare/program.hpp"

namespace tare {
namespace {

using fixtures::error_of;
using fixtures::ScopedEnvironment;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr unsigned kCount = 1000, kRoom = 1024;

class JitKernels : public fixtures::JitTest {};

const auto kAdd = [](auto a, auto b, auto out) {
  auto i = grid_index();
  if_(i < out.size(), [&] { out[i] = a[i] + b[i]; });
};

template <class T>
std::vector<T> numbers(double scale) {
  std::vector<T> all(kRoom);
  for (std::size_t i = 0; i < kRoom; ++i) all[i] = static_cast<T>(static_cast<double>(i) * scale);
  return all;
}

TEST_F(JitKernels, AVectorAddIsTracedOncePerArgumentTypes) {
  int traces = 0;
  const auto kernel = jit([&traces](auto a, auto b, auto out) {
    ++traces;
    kAdd(a, b, out);
  });
  EXPECT_EQ(kernel.ir(), "");
  const auto check = [&]<class A, class B, class Out>(A, B, Out) {
    using Sum = decltype(A{} + B{});
    const auto a = numbers<A>(0.37), b = numbers<B>(1.1);
    const Buffer da = buffer(a), db = buffer(b), dout = buffer(std::vector<Out>(kRoom, Out{7}));
    const DeviceSpan<Out> out{dout.address(), kCount};
    kernel({4, 256, stream_}, device_span<A>(da), device_span<B>(db), out);
    const auto result = read<Out>(dout);
    for (std::size_t i = 0; i < kRoom; ++i)
      ASSERT_EQ(result[i], i < kCount ? static_cast<Out>(Sum(a[i]) + Sum(b[i])) : Out{7}) << i;
  };
  check(float{}, float{}, float{});
  check(float{}, float{}, float{});
  EXPECT_EQ(traces, 1);
  check(double{}, double{}, double{});
  check(int{}, int{}, int{});
  check(int{}, float{}, double{});
  check(short{}, std::uint8_t{}, long{});
  EXPECT_EQ(traces, 5);
  check(float{}, float{}, float{});
  check(int{}, float{}, double{});
  EXPECT_EQ(traces, 5);
  const auto all = kernel.specializations();
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0]->signature, "kernel(float[], float[], float[])");
  EXPECT_EQ(all[3]->signature, "kernel(int[], float[], double[])");
  EXPECT_EQ(kernel.ir(), all[4]->ir);
  EXPECT_THAT(kernel.ptx(), HasSubstr(".entry kernel("));
}

class JitCompilers : public JitKernels, public ::testing::WithParamInterface<JitCompiler> {};

TEST_P(JitCompilers, TakeTheSameTrace) {
  if (GetParam() == JitCompiler::clang) TARE_NEEDS(clang);
  if (GetParam() == JitCompiler::libnvvm) TARE_NEEDS(nvvm);
  JitOptions options;
  options.compiler = GetParam();
  const auto kernel = jit(kAdd, options);
  EXPECT_TRUE(fixtures::adds(context_, [&](auto stream, const auto& shape, auto a, auto b, auto out, auto n) {
    kernel({shape.grid, shape.block, stream}, DeviceSpan<const float>{a.address, n},
           DeviceSpan<const float>{b.address, n}, DeviceSpan<float>{out.address, n});
  }));
  const JitSpecialization& made = *kernel.specializations().at(0);
  EXPECT_EQ(made.signature, "kernel(const float[], const float[], float[])");
  const bool clang = GetParam() == JitCompiler::clang;
  EXPECT_THAT(made.compiled.compiler, StartsWith(clang ? "clang " : "libNVVM "));
  EXPECT_THAT(made.ir, HasSubstr(clang ? "ptr addrspace(1) %a0" : "float addrspace(1)* %a0"));
}

TEST_P(JitCompilers, HeedHowExactDivisionAndSquareRootAre) {
  if (GetParam() == JitCompiler::clang) TARE_NEEDS(clang);
  if (GetParam() == JitCompiler::libnvvm) TARE_NEEDS(nvvm);
  for (const bool exact : {true, false}) {
    JitOptions options;
    options.compiler = GetParam();
    options.prec_div = options.prec_sqrt = exact;
    const auto kernel = jit([](auto x) { x[0] = sqrt(x[1]) / x[2]; }, options);
    const Buffer x = buffer(std::vector<float>{0, 16, 2});
    kernel({1, 1, stream_}, device_span<float>(x));
    EXPECT_EQ(read<float>(x)[0], 2);
    EXPECT_THAT(kernel.ptx(), HasSubstr(exact ? "sqrt.rn.f32" : "sqrt.approx.f32"));
    EXPECT_THAT(kernel.ptx(), HasSubstr(exact ? "div.rn.f32" : "div.full.f32"));
  }
}

INSTANTIATE_TEST_SUITE_P(Both, JitCompilers, ::testing::Values(JitCompiler::libnvvm, JitCompiler::clang),
                         [](const auto& param_info) {
                           return param_info.param == JitCompiler::clang ? "Clang" : "LibNvvm";
                         });

}  // namespace
}  // namespace tare
