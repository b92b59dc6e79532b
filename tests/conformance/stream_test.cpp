// Streams and events: what is ordered after what, and what is not.
#include <atomic>
#include <thread>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

class Streams : public WithContext {
 protected:
  abi::Stream stream(unsigned flags = 0) {
    abi::Stream made = nullptr;
    EXPECT_OK(call("cuStreamCreate", &made, flags));
    return made;
  }
  static abi::Event event(unsigned flags = 0) {
    abi::Event made = nullptr;
    EXPECT_OK(call("cuEventCreate", &made, flags));
    return made;
  }
  static constexpr unsigned kNonBlocking = 1;
  static inline const abi::Stream kLegacy = reinterpret_cast<abi::Stream>(std::uintptr_t{1});
  static inline const abi::Stream kPerThread = reinterpret_cast<abi::Stream>(std::uintptr_t{2});
};

TEST_F(Streams, WorkIsAsynchronousAndInOrder) {
  Gate gate;
  const abi::Stream s = stream(kNonBlocking);
  const DeviceArray<std::uint32_t> word(std::vector<std::uint32_t>{0});
  gate.hold(s);
  for (std::uint32_t i = 1; i <= 100; ++i)
    ASSERT_OK(call("cuMemsetD32Async", word.pointer(), i, std::size_t{1}, s));
  EXPECT_RESULT(abi::kNotReady, call("cuStreamQuery", s));
  std::uint32_t now = 99;
  const abi::Stream other = stream(kNonBlocking);
  EXPECT_OK(call("cuMemcpyDtoHAsync_v2", static_cast<void*>(&now), word.pointer(), std::size_t{4}, other));
  EXPECT_EQ(now, 0u) << "another stream goes on, and the held one has done nothing";
  gate.open();
  EXPECT_OK(call("cuStreamSynchronize", s));
  EXPECT_OK(call("cuStreamQuery", s));
  EXPECT_EQ(word.read()[0], 100u);
}

TEST_F(Streams, WorkOfADestroyedStreamIsWaitedFor) {
  for (const unsigned flags : {0u, kNonBlocking}) {
    SCOPED_TRACE(flags);
    Gate gate;
    const abi::Stream s = stream(flags);
    const abi::Event after = event();
    DeviceArray<std::uint32_t> word(std::vector<std::uint32_t>{0});
    gate.hold(s);
    ASSERT_OK(call("cuMemsetD32Async", word.pointer(), 5u, std::size_t{1}, s));
    ASSERT_OK(call("cuEventRecord", after, s));
    ASSERT_OK(call("cuStreamDestroy_v2", s));
    EXPECT_RESULT(abi::kNotReady, call("cuEventQuery", after));
    std::atomic<bool> done{false};
    std::thread waits([&] {
      EXPECT_OK(call("cuCtxSetCurrent", context_));
      EXPECT_OK(call("cuCtxSynchronize"));
      done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(done);
    gate.open();
    waits.join();
    EXPECT_OK(call("cuEventQuery", after));
    EXPECT_EQ(word.read()[0], 5u);
    EXPECT_OK(call("cuEventDestroy_v2", after));
  }
}

TEST_F(Streams, TheLegacyStreamWaitsForBlockingStreams) {
  Gate gate;
  const abi::Stream blocking = stream();
  const DeviceArray<std::uint32_t> word(std::vector<std::uint32_t>{0});
  gate.hold(blocking);
  EXPECT_OK(call("cuMemsetD32Async", word.pointer(), 1u, std::size_t{1}, blocking));
  EXPECT_OK(call("cuMemsetD32Async", word.pointer(), 2u, std::size_t{1}, kLegacy));
  EXPECT_RESULT(abi::kNotReady, call("cuStreamQuery", kLegacy));
  gate.open();
  EXPECT_OK(call("cuStreamSynchronize", kLegacy));
  EXPECT_EQ(word.read()[0], 2u);
}

TEST_F(Streams, BlockingStreamsWaitForTheLegacyStream) {
  Gate gate;
  const abi::Stream blocking = stream(), free_running = stream(kNonBlocking);
  const DeviceArray<std::uint32_t> words(std::vector<std::uint32_t>{0, 0});
  gate.hold(kLegacy);
  EXPECT_OK(call("cuMemsetD32Async", words.pointer(), 1u, std::size_t{1}, blocking));
  EXPECT_OK(call("cuMemsetD32Async", words.pointer() + 4, 1u, std::size_t{1}, free_running));
  EXPECT_OK(call("cuStreamSynchronize", free_running));
  EXPECT_RESULT(abi::kNotReady, call("cuStreamQuery", blocking));
  gate.open();
  EXPECT_OK(call("cuStreamSynchronize", blocking));
  EXPECT_EQ(words.read(), (std::vector<std::uint32_t>{1, 1}));
}

TEST_F(Streams, ThePerThreadStreamIsEachThreadsOwn) {
  Gate gate;
  unsigned long long here = 0, there = 0;
  EXPECT_OK(call("cuStreamGetId", kPerThread, &here));
  const DeviceArray<std::uint32_t> word(std::vector<std::uint32_t>{0});
  gate.hold(kPerThread);
  std::thread([&] {
    EXPECT_OK(call("cuCtxSetCurrent", context_));
    EXPECT_OK(call("cuStreamGetId", kPerThread, &there));
    EXPECT_OK(call("cuMemsetD32Async_ptsz", word.pointer(), 5u, std::size_t{1}, abi::Stream{}));
    EXPECT_OK(call("cuStreamSynchronize_ptsz", abi::Stream{}));
  }).join();
  EXPECT_NE(here, there);
  EXPECT_RESULT(abi::kNotReady, call("cuStreamQuery_ptsz", abi::Stream{}));
  gate.open();
  EXPECT_OK(call("cuStreamSynchronize", kPerThread));
  EXPECT_EQ(word.read()[0], 5u);
}

TEST_F(Streams, AStreamWaitsForAnEventAsItWasRecordedAtTheCall) {
  Gate first, second;
  const abi::Stream a = stream(kNonBlocking), b = stream(kNonBlocking);
  const abi::Event e = event();
  const DeviceArray<std::uint32_t> word(std::vector<std::uint32_t>{0});
  first.hold(a);
  EXPECT_OK(call("cuMemsetD32Async", word.pointer(), 1u, std::size_t{1}, a));
  EXPECT_OK(call("cuEventRecord", e, a));
  EXPECT_OK(call("cuStreamWaitEvent", b, e, 0u));
  EXPECT_OK(call("cuMemsetD32Async", word.pointer(), 2u, std::size_t{1}, b));
  // Recorded again behind a second gate: b waits for the first recording only.
  second.hold(a);
  EXPECT_OK(call("cuEventRecord", e, a));
  EXPECT_RESULT(abi::kNotReady, call("cuStreamQuery", b));
  first.open();
  EXPECT_OK(call("cuStreamSynchronize", b));
  EXPECT_EQ(word.read()[0], 2u);
  EXPECT_RESULT(abi::kNotReady, call("cuEventQuery", e));
  second.open();
  EXPECT_OK(call("cuEventSynchronize", e));
  EXPECT_OK(call("cuEventQuery", e));
}

TEST_F(Streams, ElapsedTimeIsTakenWhereTheStreamReachesTheEvents) {
  Gate gate;
  const abi::Stream s = stream(kNonBlocking);
  const abi::Event start = event(), end = event(), untimed = event(2);
  float ms = -1;
  EXPECT_RESULT(abi::kInvalidHandle, call("cuEventElapsedTime", &ms, start, end)) << "never recorded";
  EXPECT_OK(call("cuEventQuery", start)) << "an event never recorded is complete";
  EXPECT_OK(call("cuEventRecord", start, s));
  gate.hold(s);
  EXPECT_OK(call("cuEventRecord", end, s));
  EXPECT_RESULT(abi::kNotReady, call("cuEventElapsedTime", &ms, start, end));
  EXPECT_OK(call("cuEventSynchronize", start));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gate.open();
  EXPECT_OK(call("cuEventSynchronize", end));
  EXPECT_OK(call("cuEventElapsedTime_v2", &ms, start, end));
  EXPECT_GE(ms, 20.0f) << "the gate lay between them";
  EXPECT_OK(call("cuEventElapsedTime", &ms, end, end));
  EXPECT_EQ(ms, 0.0f);
  EXPECT_OK(call("cuEventRecord", untimed, s));
  EXPECT_RESULT(abi::kInvalidHandle, call("cuEventElapsedTime", &ms, start, untimed));
}

TEST_F(Streams, HostFunctionsRunInOrderAndMayNotCallTheDriver) {
  struct Seen {
    std::atomic<int> calls{0};
    Result inside = abi::kSuccess;
    Result status = abi::kUnknown;
  } seen;
  const abi::Stream s = stream();
  const DeviceArray<std::uint32_t> word(std::vector<std::uint32_t>{0});
  EXPECT_OK(call("cuMemsetD32Async", word.pointer(), 3u, std::size_t{1}, s));
  EXPECT_OK(call("cuLaunchHostFunc", s, static_cast<abi::HostFunction>([](void* data) {
                   auto& out = *static_cast<Seen*>(data);
                   out.inside = call("cuCtxSynchronize");
                   ++out.calls;
                 }),
                 static_cast<void*>(&seen)));
  EXPECT_OK(call("cuStreamAddCallback", s,
                 static_cast<abi::StreamCallback>([](abi::Stream, Result status, void* data) {
                   auto& out = *static_cast<Seen*>(data);
                   out.status = status;
                   out.calls += 10;
                 }),
                 static_cast<void*>(&seen), 0u));
  EXPECT_OK(call("cuStreamSynchronize", s));
  EXPECT_EQ(seen.calls.load(), 11);
  EXPECT_RESULT(abi::kNotPermitted, seen.inside);
  EXPECT_RESULT(abi::kSuccess, seen.status);
}

TEST_F(Streams, ValuesInMemoryHoldAndReleaseStreams) {
  const DeviceArray<std::uint64_t> words(std::vector<std::uint64_t>{0, 0});
  const abi::Stream a = stream(kNonBlocking), b = stream(kNonBlocking);
  EXPECT_OK(call("cuStreamWaitValue64_v2", a, words.pointer(), std::uint64_t{5}, 0u));
  EXPECT_OK(call("cuStreamWriteValue32_v2", a, words.pointer() + 8, 9u, 0u));
  EXPECT_OK(call("cuStreamWriteValue64_v2", b, words.pointer(), std::uint64_t{4}, 0u));
  EXPECT_OK(call("cuStreamSynchronize", b));
  EXPECT_RESULT(abi::kNotReady, call("cuStreamQuery", a)) << "4 is less than 5";
  EXPECT_OK(call("cuStreamWriteValue64_v2", b, words.pointer(), std::uint64_t{6}, 0u));
  EXPECT_OK(call("cuStreamSynchronize", a));
  EXPECT_EQ(words.read(), (std::vector<std::uint64_t>{6, 9}));
}

TEST_F(Streams, ABatchOfMemoryOperationsIsDoneInItsOrder) {
  namespace kind = abi::stream_memory_operation;
  const DeviceArray<std::uint64_t> words(std::vector<std::uint64_t>{0, 0});
  const abi::Stream s = stream(kNonBlocking);
  const abi::StreamMemoryOperation operations[] = {
      {kind::write_value_32, words.pointer(), 3, 0, 0, 0},
      {kind::barrier, 0, 0, 0, 0, 0},
      {kind::wait_value_64, words.pointer(), 3, abi::wait_value::eq, 0, 0},
      {kind::write_value_64, words.pointer() + 8, 0x1122334455667788, 0, 0, 0},
  };
  const abi::StreamMemoryOperation* const first = operations;
  EXPECT_OK(call("cuStreamBatchMemOp_v2", s, 4u, first, 0u));
  EXPECT_OK(call("cuStreamSynchronize", s));
  EXPECT_EQ(words.read(), (std::vector<std::uint64_t>{3, 0x1122334455667788}));
  EXPECT_RESULT(abi::kInvalidValue, call("cuStreamBatchMemOp_v2", s, 0u, first, 0u));
}

TEST_F(Streams, EachKindOfWaitHasItsCondition) {
  const DeviceArray<std::uint32_t> word(std::vector<std::uint32_t>{0x80000001});
  const abi::Stream s = stream(kNonBlocking);
  // All of these hold already: cyclic >=, equal, a bit in common, a bit clear in both.
  EXPECT_OK(call("cuStreamWaitValue32_v2", s, word.pointer(), 0x7fffffffu, abi::wait_value::geq));
  EXPECT_OK(call("cuStreamWaitValue32_v2", s, word.pointer(), 0x80000001u, abi::wait_value::eq));
  EXPECT_OK(call("cuStreamWaitValue32_v2", s, word.pointer(), 0x1u, abi::wait_value::and_));
  EXPECT_OK(call("cuStreamWaitValue32_v2", s, word.pointer(), 0x7ffffffcu, abi::wait_value::nor));
  EXPECT_OK(call("cuStreamSynchronize", s));
  EXPECT_RESULT(abi::kInvalidValue, call("cuStreamWaitValue32_v2", s, word.pointer() + 2, 0u, 0u))
      << "misaligned";
  EXPECT_RESULT(abi::kInvalidValue, call("cuStreamWaitValue32_v2", s, DevicePointer{4096}, 0u, 0u))
      << "unknown address";
  EXPECT_RESULT(abi::kInvalidValue, call("cuStreamWaitValue32_v2", s, word.pointer(), 0u, 4u))
      << "no such condition";
}

TEST_F(Streams, ADestroyedStreamFinishesItsWork) {
  Gate gate;
  const DeviceArray<std::uint32_t> word(std::vector<std::uint32_t>{0});
  const abi::Stream s = stream();
  gate.hold(s);
  EXPECT_OK(call("cuMemsetD32Async", word.pointer(), 8u, std::size_t{1}, s));
  EXPECT_OK(call("cuStreamDestroy_v2", s));
  EXPECT_RESULT(abi::kInvalidHandle, call("cuStreamQuery", s));
  gate.open();
  EXPECT_EQ(word.read()[0], 8u) << "a blocking stream: the legacy stream's copy is ordered after it";
}

TEST_F(Streams, HandlesAndFlagsAreChecked) {
  abi::Stream made = nullptr;
  EXPECT_RESULT(abi::kInvalidValue, call("cuStreamCreate", &made, 2u));
  EXPECT_RESULT(abi::kInvalidValue, call("cuStreamCreate", static_cast<abi::Stream*>(nullptr), 0u));
  const auto wild = reinterpret_cast<abi::Stream>(std::uintptr_t{0x1234560});
  EXPECT_RESULT(abi::kInvalidHandle, call("cuStreamSynchronize", wild));
  EXPECT_RESULT(abi::kInvalidHandle, call("cuStreamDestroy_v2", abi::Stream{}));
  EXPECT_RESULT(abi::kInvalidHandle,
                call("cuEventRecord", reinterpret_cast<abi::Event>(std::uintptr_t{64}), abi::Stream{}));
  abi::Event e = nullptr;
  EXPECT_RESULT(abi::kInvalidValue, call("cuEventCreate", &e, 0x100u));
  unsigned flags = 9;
  int priority = 9;
  ASSERT_OK(call("cuStreamCreateWithPriority", &made, 1u, -99));
  EXPECT_OK(call("cuStreamGetFlags", made, &flags));
  EXPECT_EQ(flags, 1u);
  EXPECT_OK(call("cuStreamGetPriority", made, &priority));
  EXPECT_EQ(priority, -5) << "clamped to the range";
  abi::Context owner = nullptr;
  EXPECT_OK(call("cuStreamGetCtx", made, &owner));
  EXPECT_EQ(owner, context_);
}

TEST_F(Streams, ManyThreadsMayFeedOneStream) {
  constexpr int kThreads = 4, kEach = 2000;
  const DeviceArray<std::uint32_t> words(std::vector<std::uint32_t>(kThreads, 0u));
  const abi::Stream s = stream();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      EXPECT_OK(call("cuCtxSetCurrent", context_));
      for (std::uint32_t i = 1; i <= kEach; ++i) {
        EXPECT_OK(
            call("cuMemsetD32Async", words.pointer() + 4 * static_cast<unsigned>(t), i, std::size_t{1}, s));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_OK(call("cuStreamSynchronize", s));
  EXPECT_EQ(words.read(), std::vector<std::uint32_t>(kThreads, kEach));
}

}  // namespace
}  // namespace tare::conformance
