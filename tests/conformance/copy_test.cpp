#include <numeric>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

using Copies = WithContext;

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 1000u);
  return values;
}

TEST_F(Copies, EveryDirectionKeepsTheBits) {
  const auto values = counting(100'000);
  const std::size_t bytes = values.size() * 4;
  const DeviceArray<std::uint32_t> first(values), second(values.size()), third(values.size());
  EXPECT_OK(call("cuMemcpyDtoD_v2", second.pointer(), first.pointer(), bytes));
  EXPECT_EQ(second.read(), values);
  EXPECT_OK(call("cuMemcpy", third.pointer(), second.pointer(), bytes));
  EXPECT_EQ(third.read(), values);
  std::vector<std::uint32_t> host(values.size());
  EXPECT_OK(
      call("cuMemcpyDtoHAsync_v2", static_cast<void*>(host.data()), third.pointer(), bytes, abi::Stream{}));
  EXPECT_EQ(host, values) << "pageable memory is written before the call returns";
  EXPECT_OK(call("cuMemcpyPeer", first.pointer(), context_, third.pointer(), context_, bytes));
}

TEST_F(Copies, APageableSourceMayBeOverwrittenAsSoonAsTheCallReturns) {
  Gate gate;
  abi::Stream stream = nullptr;
  ASSERT_OK(call("cuStreamCreate", &stream, 1u));
  gate.hold(stream);
  auto values = counting(1000);
  const auto kept = values;
  const DeviceArray<std::uint32_t> device(values.size());
  EXPECT_OK(call("cuMemcpyHtoDAsync_v2", device.pointer(), static_cast<const void*>(values.data()),
                 values.size() * 4, stream));
  values.assign(values.size(), 0u);
  gate.open();
  EXPECT_OK(call("cuStreamSynchronize", stream));
  EXPECT_EQ(device.read(), kept);
}

TEST_F(Copies, RangesOutsideAnAllocationAreInvalid) {
  const DeviceArray<std::uint32_t> device(16);
  std::uint32_t host[32] = {};
  const void* const from = host;
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemcpyHtoD_v2", device.pointer(), from, std::size_t{65}));
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemcpyHtoD_v2", device.pointer() + 60, from, std::size_t{8}));
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemcpyHtoD_v2", DevicePointer{4096}, from, std::size_t{8}));
  EXPECT_RESULT(abi::kInvalidValue,
                call("cuMemcpyHtoD_v2", device.pointer(), static_cast<const void*>(nullptr), std::size_t{8}));
  EXPECT_OK(call("cuMemcpyHtoD_v2", device.pointer(), from, std::size_t{0}));
  EXPECT_OK(call("cuMemcpyHtoD_v2", device.pointer(), from, std::size_t{64}));
}

TEST_F(Copies, ATileOfAMatrixIsCopiedByRows) {
  constexpr std::size_t kPitch = 40;  // 10 words
  const auto matrix = counting(10 * 8);
  const DeviceArray<std::uint32_t> device(matrix);
  std::vector<std::uint32_t> tile(3 * 4, 0u);
  abi::Memcpy2D copy{};
  copy.src_memory_type = abi::memory_type::device;
  copy.src_device = device.pointer();
  copy.src_pitch = kPitch;
  copy.src_x_in_bytes = 8;  // from column 2
  copy.src_y = 3;           // and row 3
  copy.dst_memory_type = abi::memory_type::host;
  copy.dst_host = tile.data();
  copy.dst_pitch = 12;
  copy.width_in_bytes = 12;
  copy.height = 4;
  ASSERT_OK(call("cuMemcpy2D_v2", static_cast<const abi::Memcpy2D*>(&copy)));
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t x = 0; x < 3; ++x)
      EXPECT_EQ(tile[y * 3 + x], matrix[(y + 3) * 10 + x + 2]) << x << ", " << y;
  }
  copy.height = 6;
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemcpy2D_v2", static_cast<const abi::Memcpy2D*>(&copy)))
      << "past the end";
  copy.height = 4;
  copy.src_pitch = 8;
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemcpy2D_v2", static_cast<const abi::Memcpy2D*>(&copy)))
      << "pitch < width";
  copy.src_memory_type = abi::memory_type::array;
  EXPECT_RESULT(abi::kNotSupported, call("cuMemcpy2D_v2", static_cast<const abi::Memcpy2D*>(&copy)));
}

TEST_F(Copies, ABoxIsCopiedBySlices) {
  const auto volume = counting(4 * 3 * 5);  // width 4, height 3, depth 5
  const DeviceArray<std::uint32_t> device(volume);
  std::vector<std::uint32_t> box(2 * 2 * 2, 0u);
  abi::Memcpy3D copy{};
  copy.src_memory_type = abi::memory_type::device;
  copy.src_device = device.pointer();
  copy.src_pitch = 16;
  copy.src_height = 3;
  copy.src_x_in_bytes = 4;
  copy.src_y = 1;
  copy.src_z = 2;
  copy.dst_memory_type = abi::memory_type::host;
  copy.dst_host = box.data();
  copy.dst_pitch = 8;
  copy.dst_height = 2;
  copy.width_in_bytes = 8;
  copy.height = 2;
  copy.depth = 2;
  ASSERT_OK(call("cuMemcpy3D_v2", static_cast<const abi::Memcpy3D*>(&copy)));
  for (std::size_t z = 0; z < 2; ++z) {
    for (std::size_t y = 0; y < 2; ++y) {
      for (std::size_t x = 0; x < 2; ++x) {
        EXPECT_EQ(box[(z * 2 + y) * 2 + x], volume[((z + 2) * 3 + y + 1) * 4 + x + 1]);
      }
    }
  }
}

TEST_F(Copies, ABoxWhoseSizeWrapsIsInvalid) {
  const DeviceArray<std::uint32_t> device(std::vector<std::uint32_t>(64, 7u));
  std::vector<std::uint32_t> host(64, 0u);
  constexpr std::size_t kHalf = std::size_t{1} << 63;
  abi::Memcpy3D good{};
  good.src_memory_type = abi::memory_type::device;
  good.src_device = device.pointer();
  good.src_pitch = 16;
  good.src_height = 2;
  good.dst_memory_type = abi::memory_type::host;
  good.dst_host = host.data();
  good.dst_pitch = 16;
  good.dst_height = 2;
  good.width_in_bytes = 8;
  good.height = 2;
  good.depth = 2;
  const auto with = [&](auto change) {
    abi::Memcpy3D copy = good;
    change(copy);
    return call("cuMemcpy3D_v2", static_cast<const abi::Memcpy3D*>(&copy));
  };
  ASSERT_OK(with([](abi::Memcpy3D&) {}));
  // Each of these is a small number modulo 2^64.
  EXPECT_RESULT(abi::kInvalidValue, with([](auto& c) { c.src_height = kHalf / 8; })) << "a slice";
  EXPECT_RESULT(abi::kInvalidValue, with([](auto& c) { c.dst_height = kHalf / 8; }))
      << "a slice of the host's";
  EXPECT_RESULT(abi::kInvalidValue, with([](auto& c) { c.src_height = kHalf / 16, c.depth = 3; }))
      << "two slices";
  EXPECT_RESULT(abi::kInvalidValue, with([](auto& c) { c.src_z = kHalf / 16; })) << "the first slice";
  EXPECT_RESULT(abi::kInvalidValue, with([](auto& c) { c.dst_z = kHalf / 16; })) << "the host's first slice";
  EXPECT_RESULT(abi::kInvalidValue, with([](auto& c) { c.src_y = SIZE_MAX, c.src_height = SIZE_MAX; }));
  EXPECT_RESULT(abi::kInvalidValue, with([](auto& c) { c.src_x_in_bytes = SIZE_MAX - 3; })) << "column -4";
  EXPECT_RESULT(abi::kInvalidValue, with([](auto& c) { c.src_pitch = SIZE_MAX - 15; })) << "pitch -16";
  EXPECT_RESULT(abi::kInvalidValue, with([](auto& c) { c.dst_pitch = SIZE_MAX - 15; }))
      << "the host's pitch -16";
  EXPECT_OK(with([](auto& c) { c.depth = 1, c.src_height = SIZE_MAX; }))
      << "of one slice the height does not count";

  abi::Memcpy2D plane{};
  plane.src_memory_type = abi::memory_type::device;
  plane.src_device = device.pointer();
  plane.src_pitch = kHalf;
  plane.dst_memory_type = abi::memory_type::device;
  plane.dst_device = device.pointer() + 128;
  plane.dst_pitch = kHalf;
  plane.width_in_bytes = 8;
  plane.height = 3;
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemcpy2D_v2", static_cast<const abi::Memcpy2D*>(&plane)));
  plane.height = 1;
  plane.src_y = 2;
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemcpy2D_v2", static_cast<const abi::Memcpy2D*>(&plane)));
  plane.src_y = 0;
  plane.src_x_in_bytes = SIZE_MAX - 7;
  plane.src_device = device.pointer() + 8;
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemcpy2D_v2", static_cast<const abi::Memcpy2D*>(&plane)));
  EXPECT_RESULT(abi::kInvalidValue,
                call("cuMemcpyDtoH_v2", static_cast<void*>(host.data()), device.pointer(), SIZE_MAX));
  EXPECT_RESULT(abi::kInvalidValue,
                call("cuMemsetD2D32_v2", device.pointer(), kHalf, 5u, std::size_t{2}, std::size_t{3}));
  EXPECT_EQ(device.read(), std::vector<std::uint32_t>(64, 7u));
}

TEST_F(Copies, MemsetFillsWordsOfEachSize) {
  const DeviceArray<std::uint32_t> device(std::vector<std::uint32_t>(8, 0u));
  EXPECT_OK(call("cuMemsetD32_v2", device.pointer(), 0x01020304u, std::size_t{4}));
  EXPECT_OK(call("cuMemsetD16_v2", device.pointer() + 16, std::uint16_t{0xabcd}, std::size_t{4}));
  EXPECT_OK(
      call("cuMemsetD8Async", device.pointer() + 24, std::uint8_t{0xff}, std::size_t{4}, abi::Stream{}));
  EXPECT_EQ(device.read(), (std::vector<std::uint32_t>{0x01020304, 0x01020304, 0x01020304, 0x01020304,
                                                       0xabcdabcd, 0xabcdabcd, 0xffffffff, 0}));
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemsetD32_v2", device.pointer() + 2, 1u, std::size_t{1}))
      << "misaligned";
  EXPECT_RESULT(abi::kInvalidValue,
                call("cuMemsetD8_v2", device.pointer(), std::uint8_t{1}, std::size_t{33}));
}

TEST_F(Copies, MemsetFillsTheRowsOfAPlane) {
  const DeviceArray<std::uint32_t> device(std::vector<std::uint32_t>(4 * 3, 0u));
  EXPECT_OK(call("cuMemsetD2D32_v2", device.pointer(), std::size_t{16}, 5u, std::size_t{2}, std::size_t{3}));
  EXPECT_EQ(device.read(), (std::vector<std::uint32_t>{5, 5, 0, 0, 5, 5, 0, 0, 5, 5, 0, 0}));
}

}  // namespace
}  // namespace tare::conformance
