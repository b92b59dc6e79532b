// What a traced kernel tells the host: what it prints, and an assertion that fails.
#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::JitLanguage;

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
  const auto kernel = jit([](auto n) { assert_(thread_index().x < n, "few threads"); });
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
      ::testing::ExitedWithCode(3), "report_test.cpp:[0-9]+.*few threads.*CUDA_ERROR_ASSERT");
}

}  // namespace
}  // namespace tare
