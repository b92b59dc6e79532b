// Which line of the kernel's source a mistake is said with.
#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::error_of;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A call to it stands on the line that the message has to name.
class Line {
 public:
  void here(const detail::Where& where = detail::Where::current()) { where_ = where; }
  std::string text() const { return std::string(where_.file_name()) + ":" + std::to_string(where_.line()); }

 private:
  detail::Where where_;
};

class JitLines : public fixtures::JitMisuseTest {
 protected:
  /// The message names line_ as the one, as the one or an earlier one, or as the ended block's.
  void expect_exactly(const Error& error, const std::string& said) const {
    EXPECT_THAT(error.what(), StartsWith(line_.text() + ", in the "));
    EXPECT_THAT(error.what(), HasSubstr(said));
  }
  void expect_or_after(const Error& error, const std::string& said) const {
    EXPECT_THAT(error.what(), StartsWith(line_.text() + " or just after it, in the "));
    EXPECT_THAT(error.what(), HasSubstr(said));
  }
  void expect_block(const Error& error) const {
    EXPECT_THAT(error.what(), HasSubstr("the body of the if_, for_ or while_ at " + block_.text()));
  }
  Line line_, block_;
};

TEST_F(JitLines, AValueFromABlockThatHasEndedNamesTheBlockAndTheUse) {
  std::optional<Value<int>> kept;
  const auto used_after = [&](auto block) {
    const Error error = of([&](auto out, auto n) {
      block(n, [&](auto&&...) { kept.emplace(n + 1); });
      line_.here(), out[0] = *kept;
      out[2] = 0;
    });
    expect_or_after(error, "`(argument 2 + 1)` was made inside a block that has ended");
    expect_block(error);
  };
  used_after([&](auto n, auto body) { block_.here(), if_(n > 0, [&] { body(); }); });
  used_after([&](auto n, auto body) {
    const auto first = if_(n > 0, [] {});
    block_.here(), first.else_([&] { body(); });
  });
  used_after([&](auto n, auto body) { block_.here(), for_(0, n, body); });
  used_after([&](auto n, auto body) { block_.here(), while_([&] { return n > 0; }, [&] { body(); }); });
}

TEST_F(JitLines, TheRightSideOfAndIsNamed) {
  const Error error = of([&](auto out, auto n) {
    const auto i = thread_index().x;
    line_.here(), if_(i < 5u && atomic_add(out[n], 1) > 0, [] {});
  });
  expect_or_after(error, "the right side of && has");
}

TEST_F(JitLines, LeavingAFunctionOrAKernelTheWrongWayIsNamed) {
  const Error in_kernel = of([&](auto, auto n) { line_.here(), return_(n); });
  expect_exactly(in_kernel, "tare::return_(value) is in a kernel");
  const Error without = of([&](auto out, auto n) {
    const auto f = function([&](auto x) {
      line_.here(), return_();
      return x;
    });
    out[0] = f(n);
  });
  expect_exactly(without, "tare::return_() is in a function that gives back a value");
  const Error with = of([&](auto, auto n) { function([&](auto x) { line_.here(), return_(x); })(n); });
  expect_exactly(with, "in a function whose lambda gives nothing back");
  const Error no_loop = of([&](auto, auto) { line_.here(), break_(); });
  expect_exactly(no_loop, "tare::break_() is in no loop");
}

TEST_F(JitLines, AValueOfAnotherKernelIsNamedWhereItIsUsed) {
  std::optional<Value<int>> value;
  std::optional<FixedArray<int, 4>> array;
  const Buffer out = buffer(std::vector<int>(32));
  jit([&](auto a) {
    for (int i = 0; i < 100; ++i) value.emplace(a[0] + 1);  // the next kernel has no node of that number
    array.emplace(local_array<int, 4>());
  })({1, 1, stream_}, device_span<int>(out));
  const auto expect_named = [&](auto use) {
    const Error error = of(use);
    expect_or_after(error, "a value of another kernel, or of an earlier trace, was used");
  };
  expect_named([&](auto a, auto) { line_.here(), a[0] = *value; });
  expect_named([&](auto a, auto) { line_.here(), a[1] = a[0] + *value; });
  expect_named([&](auto a, auto n) { line_.here(), a[0] = (*array)[n]; });
  expect_named([&](auto, auto n) { line_.here(), atomic_add((*array)[n], 1); });
  expect_named([&](auto, auto) { line_.here(), (*array)[4] = 0; });
  expect_named([&](auto a, auto) {
    line_.here(), a[0] = 1;
    bit_cast<unsigned>(*value);
  });
}

TEST_F(JitLines, WhatAFunctionCapturesIsNamedWhereItIsUsed) {
  const Error error = of([&](auto out, auto n) {
    const auto doubled = out[0] * 2;
    const auto sum = function([&](auto x) {
      auto all = (line_.here(), var(x));
      return all + doubled;
    });
    out[1] = sum(n);
  });
  expect_or_after(error, "`(argument 1[0] * 2)` belongs to the function's caller");
}

TEST_F(JitLines, WordsOfAKernelOutsideOfAnyNameTheirLine) {
  const auto expect_line = [&](auto word) {
    const Error error = error_of(word);
    EXPECT_EQ(error.what(), line_.text() + ": a kernel's value was used outside of the kernel");
  };
  expect_line([&] { line_.here(), grid_index(); });
  expect_line([&] { line_.here(), grid_index<2>(); });
  expect_line([&] { line_.here(), thread_index(); });
  expect_line([&] { line_.here(), sync_threads(); });
  expect_line([&] { line_.here(), lane_index(); });
  expect_line([&] { line_.here(), shared_array<int, 4>(); });
  expect_line([&] { line_.here(), var(0); });
  expect_line([&] { line_.here(), if_(true, [] {}); });
  expect_line([&] { line_.here(), for_(0, 3, [](auto) {}); });
  expect_line([&] { line_.here(), while_([] { return Value<bool>(true); }, [] {}); });
  expect_line([&] { line_.here(), return_(); });
  expect_line([&] { line_.here(), break_(); });
  expect_line([&] { line_.here(), print("x\n"); });
  expect_line([&] { line_.here(), assert_(true); });
}

TEST_F(JitLines, WhatIsUsedOutsideWithoutAWordNamesTheLastKernel) {
  std::optional<Value<int>> kept;
  const Buffer out = buffer(std::vector<int>(32));
  const auto kernel = (line_.here(), jit([&](auto a) { kept.emplace(a[0] + 1); }));
  kernel({1, 1, stream_}, device_span<int>(out));
  const Error error = error_of([&] { *kept + 1; });
  EXPECT_THAT(error.what(),
              HasSubstr("outside of the kernel (the kernel that was traced last is `kernel` made at " +
                        line_.text() + ")"));
}

TEST_F(JitLines, AFunctionOfTheDeviceLibraryThatIsNotThereIsNamed) {
  TARE_NEEDS(clang);
  const fixtures::ScopedEnvironment none(
      fixtures::ScopedEnvironment::Changes{{"TARE_TOOLKIT_SEARCH", "explicit"},
                                           {"TARE_NVVM", ""},
                                           {"TARE_CLANG", find_clang().tool->path.string()}});
  const Error error = of([&](auto a, auto n) { line_.here(), a[0] = cast<int>(sin(n)); });
  expect_exactly(error, "tare::sin is in NVIDIA's device library");
}

TEST_F(JitLines, NoWordOfTareNamesALineOfItsOwnHeaders) {
  std::optional<Value<int>> kept;
  const auto expect_own_line = [&](auto words) {
    const Error error = of([&](auto out, auto n) {
      if_(n > 0, [&] { kept.emplace(n + 1); });
      words(out, n);
      kept.emplace(*kept + 1);
    });
    expect_or_after(error, "was made inside a block that has ended");
    EXPECT_THAT(error.what(), Not(HasSubstr("include/tare")));
  };
  expect_own_line([&](auto out, auto n) { line_.here(), atomic_sub(out[0], n); });
  expect_own_line([&](auto, auto n) { line_.here(), any_sync(kWholeWarp, n); });
  expect_own_line([&](auto, auto n) { line_.here(), all_sync(kWholeWarp, n); });
  expect_own_line([&](auto, auto) { line_.here(), sync_warp(); });
  expect_own_line([&](auto, auto n) { line_.here(), sync_threads_or(n); });
  expect_own_line([&](auto, auto n) { line_.here(), sync_threads_and(n); });
  expect_own_line([&](auto, auto n) { line_.here(), ffs(n); });
  expect_own_line([&](auto, auto n) { line_.here(), abs(n * 0.5f); });
  expect_own_line([&](auto, auto n) { line_.here(), min(n * 0.5f, 1.0f); });
  expect_own_line([&](auto, auto n) { line_.here(), max(n * 0.5f, 1.0f); });
  expect_own_line([&](auto, auto n) { line_.here(), assert_(n > 0); });
  expect_own_line([&](auto, auto n) {
    line_.here(), select(
                      n > 0, [&] { return n; }, 0);
  });
  expect_own_line([&](auto, auto) { line_.here(), grid_index<3>(); });
  expect_own_line([&](auto, auto n) { line_.here(), shfl_sync(kWholeWarp, n * 0.5, 0); });
}

}  // namespace
}  // namespace tare
