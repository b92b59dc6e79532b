#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "unit/gpu/support.hpp"

namespace tare::testing_support {
namespace {

class Streams : public OnDevice {
 protected:
  /// Stores `value` at `out` on `stream`.
  void store(const Stream& stream, const Buffer& out, int value) {
    store_.launch(stream, {}, out.pointer(), value);
  }

 private:
  Kernel store_ = load(std::string(kHeader) + R"(
.visible .entry store(.param .u64 o, .param .u32 v)
{
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [o];
  ld.param.u32 %r1, [v];
  st.global.u32 [%rd1], %r1;
  ret;
})")
                      .kernel("store");
};

TEST_F(Streams, WorkRunsInTheOrderItWasQueued) {
  const auto out = device_copy<int>({0});
  for (int i = 1; i <= 1000; ++i) store(stream_, out, i);
  stream_.synchronize();
  EXPECT_EQ(host_copy<int>(out)[0], 1000);
}

TEST_F(Streams, AGateHoldsAStreamUntilItIsReleased) {
  const auto out = device_copy<int>({1});
  StreamGate gate(context_);
  Event behind(context_, false);
  gate.hold(stream_);
  store(stream_, out, 2);
  behind.record(stream_);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(behind.done());
  gate.release();
  behind.synchronize();
  EXPECT_TRUE(behind.done());
  EXPECT_EQ(host_copy<int>(out)[0], 2);
}

TEST_F(Streams, AGateHoldsAgainAfterARelease) {
  const auto out = device_copy<int>({0});
  StreamGate gate(context_);
  for (int round = 1; round <= 3; ++round) {
    Event behind(context_, false);
    gate.hold(stream_);
    store(stream_, out, round);
    behind.record(stream_);
    EXPECT_FALSE(behind.done());
    gate.release();
    stream_.synchronize();
    EXPECT_EQ(host_copy<int>(out)[0], round);
  }
}

TEST_F(Streams, DestroyingAGateReleasesTheStreamsItHolds) {
  const auto out = device_copy<int>({0});
  Stream other(context_);
  {
    StreamGate gate(context_);
    gate.hold(stream_);
    gate.hold(other);
    store(stream_, out, 5);
  }
  stream_.synchronize();
  other.synchronize();
  EXPECT_EQ(host_copy<int>(out)[0], 5);
}

TEST_F(Streams, AStreamWaitsForAnotherStreamsEvent) {
  const auto out = device_copy<int>({0});
  StreamGate gate(context_);
  Stream second(context_);
  Event stored(context_);
  gate.hold(stream_);
  store(stream_, out, 1);
  stored.record(stream_);
  second.wait(stored);
  store(second, out, 2);
  gate.release();
  second.synchronize();
  EXPECT_EQ(host_copy<int>(out)[0], 2);
}

TEST_F(Streams, TheTimeBetweenTwoEventsIsNotNegative) {
  Event start(context_), end(context_);
  const auto out = device_copy<int>({0});
  start.record(stream_);
  store(stream_, out, 1);
  end.record(stream_);
  end.synchronize();
  EXPECT_GE(end.milliseconds_since(start), 0.0);
  EXPECT_LE(start.milliseconds_since(end), 0.0);
}

TEST_F(Streams, TheTimeOfAnEventThatHasNotHappenedIsRefused) {
  Event start(context_), end(context_);
  StreamGate gate(context_);
  start.record(stream_);
  gate.hold(stream_);
  end.record(stream_);
  const auto error = error_of([&] { end.milliseconds_since(start); });
  EXPECT_EQ(error.code_name(), "CUDA_ERROR_NOT_READY");
  EXPECT_EQ(error.hint(), "wait for the later event first: synchronize()");
}

TEST_F(Streams, MovingAStreamOrAnEventLeavesNothingBehind) {
  Stream first(context_);
  auto* const handle = first.handle();
  Stream second(std::move(first));
  EXPECT_EQ(first.handle(), nullptr);
  EXPECT_EQ(second.handle(), handle);
  Event one(context_);
  auto* const event = one.handle();
  Event two(std::move(one));
  EXPECT_EQ(one.handle(), nullptr);
  EXPECT_EQ(two.handle(), event);
}

}  // namespace
}  // namespace tare::testing_support
