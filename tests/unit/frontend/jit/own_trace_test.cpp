// Kernels that are used while they are traced, by this thread and by others, and kernels that were moved.
#include <future>

#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::error_of;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class JitOwnTrace : public fixtures::JitTest {
 protected:
  JitOwnTrace() : out_(buffer(std::vector<int>(32))) {}
  template <class Kernel>
  void launch(const Kernel& kernel) const {
    kernel({1, 1, stream_}, device_span<int>(out_));
  }
  Buffer out_;
};

TEST_F(JitOwnTrace, AKernelThatLaunchesItselfIsRefused) {
  std::function<void()> again;
  const auto kernel = jit([&](auto out) {
    out[0] = 1;
    again();
  });
  again = [&] { launch(kernel); };
  const Error error = error_of([&] { launch(kernel); });
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_THAT(error.what(),
              ContainsRegex("the kernel `kernel` made at .*own_trace_test.cpp:[0-9]+ is being traced "
                            "by this thread"));
  again = [&] { (void)kernel.template specialization<DeviceSpan<float>>(); };
  EXPECT_THAT(error_of([&] { launch(kernel); }).what(), HasSubstr("is being traced by this thread"));
  again = [&] {
    EXPECT_EQ(kernel.ir() + kernel.ptx() + std::to_string(kernel.specializations().size()), "0");
  };
  launch(kernel);
  EXPECT_EQ(read<int>(out_)[0], 1);
}

TEST_F(JitOwnTrace, KernelsThatLaunchEachOtherAreRefused) {
  std::function<void()> first_again;
  const auto first = jit([&](auto out) {
    out[0] = 1;
    first_again();
  });
  const auto second = jit([&](auto out) {
    out[0] = 2;
    launch(first);
  });
  first_again = [&] { launch(second); };
  EXPECT_THAT(error_of([&] { launch(first); }).what(), HasSubstr("is being traced by this thread"));
}

TEST_F(JitOwnTrace, AKernelMayLaunchAnother) {
  const auto inner = jit([](auto out) { out[1] = 4; });
  launch(jit([&](auto out) {
    launch(inner);
    out[0] = 3;
  }));
  EXPECT_EQ(read<int>(out_)[0], 3);
  EXPECT_EQ(read<int>(out_)[1], 4);
}

TEST_F(JitOwnTrace, ThreadsWhoseKernelsLaunchEachOtherEndInErrors) {
  std::promise<void> in_first, in_second;
  std::function<void()> first_again, second_again;
  const auto first = jit([&](auto out) {
    out[0] = 1;
    first_again();
  });
  const auto second = jit([&](auto out) {
    out[0] = 2;
    second_again();
  });
  // Each is being traced before either thread asks for the other one.
  first_again = [&, waits = true]() mutable {
    if (std::exchange(waits, false)) {
      in_first.set_value();
      in_second.get_future().wait();
    }
    launch(second);
  };
  second_again = [&, waits = true]() mutable {
    if (std::exchange(waits, false)) {
      in_second.set_value();
      in_first.get_future().wait();
    }
    launch(first);
  };
  const auto said = [&](const auto& kernel) {
    const auto scope = context_.enter();
    return std::string(error_of([&] { launch(kernel); }).what());
  };
  auto other = std::async(std::launch::async, [&] { return said(second); });
  EXPECT_THAT(said(first), HasSubstr("is being traced by"));
  EXPECT_THAT(other.get(), HasSubstr("is being traced by"));
}

TEST_F(JitOwnTrace, ThreadsThatWantOneKernelTraceItOnce) {
  std::atomic<int> traces{0};
  const auto kernel = jit([&](auto out) {
    ++traces;
    out[0] = 6;
  });
  std::vector<std::future<void>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(std::async(std::launch::async, [&] {
      const auto scope = context_.enter();
      launch(kernel);
    }));
  for (auto& one : all) one.get();
  EXPECT_EQ(traces, 1);
  EXPECT_EQ(read<int>(out_)[0], 6);
}

TEST_F(JitOwnTrace, AMovedKernelOrFunctionIsWhatItWas) {
  auto doubled = function([](auto x) { return x * 2; });
  const auto moved_function = std::move(doubled);
  auto kernel = jit([&, one = std::make_unique<int>(1)](auto out) {
    out[0] = doubled(out[0] + *one) + moved_function(20);
  });
  const auto moved = std::move(kernel);
  launch(kernel);
  EXPECT_EQ(read<int>(out_)[0], 42);
  launch(moved);
  EXPECT_EQ(read<int>(out_)[0], 126);
  EXPECT_EQ(kernel.specializations(), moved.specializations());
}

TEST_F(JitOwnTrace, AKernelsNameIsNoOtherSymbolsOfIt) {
  for (const char* name : {"shared0", "shared1", "constant0", "constant1", "format2", "dynamic_shared"}) {
    JitOptions options;
    options.name = name;
    const auto kernel = jit(
        [](auto out) {
          const auto table = constant_array(std::array{7, 8});
          const auto tile = shared_array<int, 4>();
          tile[0] = table[out[0]];
          if_(out[0] == 100, [] { print("never\n"); });
          dynamic_shared_array<int>(1)[0] = tile[0];
          out[1] = dynamic_shared_array<int>(1)[0];
        },
        options);
    const Buffer out = buffer(std::vector<int>{1, 0});
    kernel({1, 1, stream_, 4}, device_span<int>(out));
    EXPECT_EQ(read<int>(out)[1], 8) << name;
  }
}

}  // namespace
}  // namespace tare
