#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "unit/gpu/support.hpp"

namespace tare::testing_support {
namespace {

using testing::HasSubstr;

class Memory : public OnDevice {};

TEST_F(Memory, WhatIsWrittenIsRead) {
  std::vector<int> numbers(100000);
  std::iota(numbers.begin(), numbers.end(), -7);
  EXPECT_EQ(host_copy<int>(device_copy(numbers)), numbers);
}

TEST_F(Memory, OffsetsAreInBytes) {
  const auto buffer = device_copy<std::uint8_t>({1, 2, 3, 4, 5, 6});
  const std::uint8_t two[] = {20, 30};
  buffer.copy_from(std::as_bytes(std::span(two)), 1);
  std::vector<std::uint8_t> tail(3);
  buffer.copy_to(std::as_writable_bytes(std::span(tail)), 2);
  EXPECT_EQ(tail, (std::vector<std::uint8_t>{30, 4, 5}));
}

TEST_F(Memory, FillSetsEveryByteAndIsDoneWhenItReturns) {
  Buffer buffer(context_, 1027);
  buffer.fill(0xff);
  EXPECT_EQ(host_copy<std::uint8_t>(buffer), std::vector<std::uint8_t>(1027, 0xff));
}

TEST_F(Memory, ABufferIsCopiedIntoALargerOne) {
  const auto from = device_copy<int>({1, 2, 3});
  const auto to = device_copy<int>({9, 9, 9, 9});
  to.copy_from(from);
  EXPECT_EQ(host_copy<int>(to), (std::vector<int>{1, 2, 3, 9}));
  EXPECT_STREQ(error_of([&] { from.copy_from(to); }).what(),
               "copying 16 bytes at offset 0 does not fit in a buffer of 12 bytes");
}

TEST_F(Memory, ASpanThatDoesNotFitIsRefused) {
  Buffer buffer(context_, 8);
  std::vector<std::byte> host(5);
  const auto error = error_of([&] { buffer.copy_from(host, 4); });
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_STREQ(error.what(), "copying 5 bytes at offset 4 does not fit in a buffer of 8 bytes");
  EXPECT_STREQ(error_of([&] { buffer.copy_to(host, std::size_t(-2)); }).what(),
               "reading 5 bytes at offset 18446744073709551614 does not fit in a buffer of 8 bytes");
}

TEST_F(Memory, NoBytesAreAnEmptyBuffer) {
  Buffer buffer(context_, 0);
  EXPECT_EQ(buffer.address(), 0u);
  EXPECT_EQ(buffer.bytes(), 0u);
  buffer.fill(1);
  buffer.copy_from(std::span<const std::byte>());
  EXPECT_STREQ(error_of([&] { buffer.ipc_handle(); }).what(),
               "an empty buffer has no handle for other processes");
}

TEST_F(Memory, MoreThanThereIsIsRefusedWithNeededAndAvailable) {
  const std::size_t bytes = std::size_t{1} << 50;
  const auto error = error_of([&] { Buffer(context_, bytes); });
  EXPECT_EQ(error.kind(), ErrorKind::out_of_memory);
  EXPECT_EQ(error.code_name(), "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_THAT(error.what(), HasSubstr("device memory: 1125899906842624 bytes are needed, "));
  EXPECT_THAT(error.what(),
              HasSubstr(std::to_string(context_.device().total_memory_bytes()) + " are available"));
}

TEST_F(Memory, MovingLeavesAnEmptyBufferAndFreesOnce) {
  Buffer first(context_, 64);
  const auto address = first.address();
  Buffer second(std::move(first));
  EXPECT_EQ(first.address(), 0u);
  EXPECT_EQ(second.address(), address);
  Buffer third;
  third = std::move(second);
  EXPECT_EQ(third.address(), address);
  EXPECT_EQ(third.bytes(), 64u);
}

TEST_F(Memory, AHandleIsNotForTheProcessThatMadeIt) {
  Buffer buffer(context_, 64);
  const auto handle = buffer.ipc_handle();
  EXPECT_TRUE(std::any_of(handle.begin(), handle.end(), [](std::byte b) { return b != std::byte{0}; }));
  const auto error = error_of([&] { Buffer::open(context_, handle, 64); });
  EXPECT_EQ(error.code_name(), "CUDA_ERROR_INVALID_CONTEXT");
  EXPECT_EQ(error.hint(), "a handle cannot be opened in the process that made it");
}

TEST_F(Memory, BytesThatAreNoHandleAreRefused) {
  IpcHandle handle;
  handle.fill(std::byte{0x5a});
  EXPECT_NE(error_of([&] { Buffer::open(context_, handle, 64); }).code(), 0);
}

}  // namespace
}  // namespace tare::testing_support
