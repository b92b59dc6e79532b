// What a traced kernel tells the host: what it prints, and an assertion that fails.
#include "fixture.hpp"
#include "frontend/jit/printf_format.hpp"

namespace tare {
namespace {

using fixtures::JitLanguage;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class JitReports : public fixtures::JitMisuseTest {};

TEST_F(JitLanguage, PrintReachesStdout) {
  const auto kernel = jit([](auto n) {
    if_(thread_index().x == 1u,
        [&] { print("n %d, half %.2f, big %lld, %c%%\n", n, n * 0.5f, cast<long>(n) << 40, 'x'); });
    if_(thread_index().x == 2u, [] { print("plain\n"); });
  });
  ::testing::internal::CaptureStdout();
  kernel({1, 4, stream_}, 3);
  stream_.synchronize();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "n 3, half 1.50, big 3298534883328, x%\nplain\n");
}

TEST_F(JitLanguage, AnAssertionThatFailsIsTheLaunchs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a child of its own, because the failure is the context's
  JitOptions options;
  options.name = "few";
  const auto kernel = jit([](auto n) { assert_(thread_index().x < n, "few threads"); }, options);
  EXPECT_EXIT(
      {
        kernel({1, 4, stream_}, 4u);
        stream_.synchronize();
        kernel({1, 4, stream_}, 3u);
        try {
          stream_.synchronize();
        } catch (const Error& error) {
          std::fprintf(stderr, "%s", error.code_name().c_str());
          std::_Exit(3);
        }
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(3),
      "report_test.cpp:[0-9]+: few: block: \\[0,0,0\\], thread: \\[3,0,0\\] Assertion "
      "`\\(thread_index\\(\\).x < argument 1\\) && \"few threads\"` failed.*CUDA_ERROR_ASSERT");
}

TEST_F(JitLanguage, AnAssertionWithoutAMessageSaysItsCondition) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto kernel = jit([](auto a) {
    const auto check = function([](auto x) { assert_(x); });
    check(a[0] + 1);
  });
  const Buffer a = buffer(std::vector<int>{-1});
  EXPECT_EXIT(
      {
        kernel({1, 1, stream_}, device_span<int>(a));
        try {
          stream_.synchronize();
        } catch (const Error&) {
          std::_Exit(3);
        }
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(3),
      "report_test.cpp:[0-9]+: kernel: block: .* Assertion `argument 1` failed");
}

TEST_F(JitReports, AFormatHasToFitItsArguments) {
  EXPECT_THAT(of([](auto, auto n) { print("%lld\n", n); }).what(),
              ContainsRegex("report_test.cpp:[0-9]+, .*`%lld` does not take argument 1, an int"));
  const auto hint = [&](const char* format) { return of([&](auto, auto n) { print(format, n); }).hint(); };
  EXPECT_EQ(hint("%s\n"), "a kernel has numbers alone: write the text into the format");
  EXPECT_THAT(hint("%lld"), HasSubstr("write %d for it"));
  EXPECT_THAT(hint("%d %d"), HasSubstr("an argument for each conversion"));
  EXPECT_THAT(hint("none"), HasSubstr("%d for argument 1"));
  EXPECT_THAT(hint("100%"), HasSubstr("written %%"));
  EXPECT_THAT(hint("%*d"), HasSubstr("a width is written in the format"));
  using detail::fault_in_format;
  using detail::Scalar;
  const auto fault = [](const std::string& format, std::vector<Scalar> types) {
    const auto found = fault_in_format(format, types);
    EXPECT_NE(found ? found->remedy : "none", "");
    return found ? found->what : "";
  };
  EXPECT_EQ(
      fault("%d%%%-08.3f %+lu %zx %hhd\n", {Scalar::i32, Scalar::f64, Scalar::u64, Scalar::i64, Scalar::i32}),
      "");
  EXPECT_EQ(fault("%d %d", {Scalar::i32}), "the format wants more than the 1 argument that there is");
  EXPECT_EQ(fault("%d", {Scalar::i32, Scalar::i32}), "the format has 1 conversion for 2 arguments");
  EXPECT_EQ(fault("%d", {Scalar::f64}), "`%d` does not take argument 1, a double");
  EXPECT_EQ(fault("%f", {Scalar::u32}), "`%f` does not take argument 1, an unsigned int");
  EXPECT_EQ(fault("%s", {Scalar::i32}), "a kernel cannot print `%s`");
  EXPECT_EQ(fault("%n", {}), "a kernel cannot print `%n`");
  EXPECT_EQ(fault("%*d", {Scalar::i32}), "a kernel cannot print `%*`");
  EXPECT_EQ(fault("100%", {}), "`%` is not finished");
  EXPECT_EQ(fault("%l", {}), "`%l` is not finished");
}

TEST_F(JitReports, WhatFollowsAFailureNamesItAsTheReason) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        jit([](auto n) { assert_(n > 0); })({1, 1, stream_}, 0);
        EXPECT_THROW(stream_.synchronize(), Error);
        try {
          jit([](auto n) { print("%d\n", n); })({1, 1, stream_}, 0);
        } catch (const Error& error) {
          std::fprintf(stderr, "%s; %s", error.what(), error.hint().c_str());
          std::_Exit(3);
        }
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(3),
      "cuModuleLoadDataEx on PTX .* was refused, because an earlier failure has lost the context: "
      "CUDA_ERROR_ASSERT .*start a new process");
}

}  // namespace
}  // namespace tare
