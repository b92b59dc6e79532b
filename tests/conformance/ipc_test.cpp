// Device memory between processes. The other process is this program started anew.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "conformance/driver.hpp"
#include "conformance/fresh_process.hpp"

extern char** environ;

namespace tare::conformance {
namespace {

constexpr const char* kPeerVariable = "TARE_CONFORMANCE_PEER";

/// This program started anew as the exporter of a buffer; the two talk over pipes.
class Peer {
 public:
  Peer() {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 3);
    std::string self = "conformance";
    char* arguments[] = {self.data(), nullptr};
    setenv(kPeerVariable, "1", 1);
    const int failed = posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, arguments, environ);
    unsetenv(kPeerVariable);
    if (failed != 0) throw std::runtime_error("spawn");
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    in_ = from[0];
    out_ = to[1];
  }
  ~Peer() {
    close(out_);
    close(in_);
    if (pid_ > 0) wait();
  }
  template <typename T>
  void send(const T& value) {
    EXPECT_EQ(write(out_, &value, sizeof value), static_cast<ssize_t>(sizeof value));
  }
  template <typename T>
  T receive() {
    T value{};
    EXPECT_EQ(read(in_, &value, sizeof value), static_cast<ssize_t>(sizeof value));
    return value;
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    wait();
  }
  int wait() {
    int status = -1;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return status;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  int in_ = -1, out_ = -1;
};

template <typename T>
T from_parent() {
  T value{};
  if (read(0, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) _exit(3);
  return value;
}
template <typename T>
void to_parent(const T& value) {
  if (write(3, &value, sizeof value) != static_cast<ssize_t>(sizeof value)) _exit(3);
}

/// Exports a buffer that holds 0, 1, 2, ...; tells what its last word is when asked; frees it; ends.
void export_a_buffer() {
  EXPECT_IN_CHILD(call("cuInit", 0u) == abi::kSuccess);
  abi::Context context = nullptr;
  EXPECT_IN_CHILD(call("cuDevicePrimaryCtxRetain", &context, 0) == abi::kSuccess);
  EXPECT_IN_CHILD(call("cuCtxSetCurrent", context) == abi::kSuccess);
  const auto bytes = from_parent<std::size_t>();
  std::vector<std::uint32_t> values(bytes / 4);
  std::iota(values.begin(), values.end(), 0u);
  DevicePointer pointer = 0;
  EXPECT_IN_CHILD(call("cuMemAlloc_v2", &pointer, bytes) == abi::kSuccess);
  EXPECT_IN_CHILD(call("cuMemcpyHtoD_v2", pointer, static_cast<const void*>(values.data()), bytes) ==
                  abi::kSuccess);
  abi::IpcMemHandle handle{};
  EXPECT_IN_CHILD(call("cuIpcGetMemHandle", &handle, pointer) == abi::kSuccess);
  to_parent(handle);
  (void)from_parent<char>();
  std::uint32_t last = 0;
  EXPECT_IN_CHILD(call("cuMemcpyDtoH_v2", static_cast<void*>(&last), pointer + bytes - 4, sizeof last) ==
                  abi::kSuccess);
  to_parent(last);
  (void)from_parent<char>();
  EXPECT_IN_CHILD(call("cuMemFree_v2", pointer) == abi::kSuccess);
  to_parent('f');
  (void)from_parent<char>();
}

/// The peer's work is done before main(), so that it is no test of its own.
[[maybe_unused]] const bool is_the_parent = [] {
  if (std::getenv(kPeerVariable) == nullptr) return true;
  export_a_buffer();
  _exit(0);
}();

using Ipc = WithContext;

abi::IpcMemHandle exported_by(Peer& peer, std::size_t bytes) {
  peer.send(bytes);
  return peer.receive<abi::IpcMemHandle>();
}

class IpcOfSize : public WithContext, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(IpcOfSize, BothProcessesSeeTheSameBytes) {
  const std::size_t bytes = GetParam();
  Peer peer;
  const abi::IpcMemHandle handle = exported_by(peer, bytes);
  DevicePointer pointer = 0;
  ASSERT_OK(call("cuIpcOpenMemHandle_v2", &pointer, handle, 1u));
  std::vector<std::uint32_t> values(bytes / 4);
  ASSERT_OK(call("cuMemcpyDtoH_v2", static_cast<void*>(values.data()), pointer, bytes));
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], i);
  ASSERT_OK(call("cuMemsetD32_v2", pointer + bytes - 4, 0xfeedu, std::size_t{1}));
  ASSERT_OK(call("cuCtxSynchronize"));
  peer.send('x');
  EXPECT_EQ(peer.receive<std::uint32_t>(), 0xfeedu) << "written here, read there";

  DevicePointer again = 0;
  EXPECT_OK(call("cuIpcOpenMemHandle_v2", &again, handle, 1u));
  EXPECT_EQ(again, pointer) << "a second open counts, and gives the same address";
  EXPECT_OK(call("cuIpcCloseMemHandle", again));
  EXPECT_OK(call("cuMemsetD32_v2", pointer, 1u, std::size_t{1}));
  EXPECT_OK(call("cuIpcCloseMemHandle", pointer));
  EXPECT_RESULT(abi::kInvalidValue, call("cuIpcCloseMemHandle", pointer));
  EXPECT_RESULT(abi::kInvalidValue, call("cuMemsetD32_v2", pointer, 1u, std::size_t{1}));
  peer.send('x');
  (void)peer.receive<char>();
  peer.send('x');
  EXPECT_EQ(peer.wait(), 0);
}
INSTANTIATE_TEST_SUITE_P(SmallAndLarge, IpcOfSize, ::testing::Values(4096, 16u << 20));

TEST_P(IpcOfSize, AnAccessBeyondWhatWasOpenedIsAnIllegalAddress) {
  const std::size_t bytes = GetParam();
  Peer peer;
  const abi::IpcMemHandle handle = exported_by(peer, bytes);
  abi::Context fresh = nullptr;
  ASSERT_OK(call("cuCtxCreate_v2", &fresh, 0u, abi::Device{0}));
  DevicePointer pointer = 0;
  ASSERT_OK(call("cuIpcOpenMemHandle_v2", &pointer, handle, 1u));
  const abi::Function function = function_of(load(ptx(R"(
.visible .entry stray(.param .u64 at) {
  .reg .b64 %at; ld.param.u64 %at, [at]; st.global.u8 [%at], 7; ret;
}
)")),
                                             "stray");
  for (DevicePointer inside : {pointer, pointer + bytes - 1}) {
    ASSERT_OK(launch(function, {}, {&inside}));
    EXPECT_OK(call("cuCtxSynchronize"));
  }
  DevicePointer beyond = pointer + bytes;
  ASSERT_OK(launch(function, {}, {&beyond}));
  EXPECT_RESULT(abi::kIllegalAddress, call("cuCtxSynchronize"));
  EXPECT_OK(call("cuCtxDestroy_v2", fresh));
  peer.kill();
}

TEST_F(Ipc, MemoryOutlivesAnExporterThatIsKilledButItsHandleDoesNot) {
  Peer peer;
  const abi::IpcMemHandle handle = exported_by(peer, 4u << 20);
  DevicePointer pointer = 0;
  ASSERT_OK(call("cuIpcOpenMemHandle_v2", &pointer, handle, 1u));
  peer.kill();
  std::uint32_t value = 0;
  EXPECT_OK(call("cuMemcpyDtoH_v2", static_cast<void*>(&value), pointer + 400, sizeof value));
  EXPECT_EQ(value, 100u);
  EXPECT_OK(call("cuIpcCloseMemHandle", pointer));
  EXPECT_RESULT(abi::kInvalidHandle, call("cuIpcOpenMemHandle_v2", &pointer, handle, 1u));
  EXPECT_NE(last_error().find("is not there"), std::string::npos) << last_error();
}

TEST_F(Ipc, FreedMemoryCannotBeOpened) {
  Peer peer;
  const abi::IpcMemHandle handle = exported_by(peer, 4u << 20);
  peer.send('x');
  (void)peer.receive<std::uint32_t>();
  peer.send('x');
  (void)peer.receive<char>();
  DevicePointer pointer = 0;
  EXPECT_RESULT(abi::kInvalidHandle, call("cuIpcOpenMemHandle_v2", &pointer, handle, 1u));
  peer.send('x');
}

TEST_F(Ipc, AHandleIsNotForTheProcessThatMadeIt) {
  const DeviceArray<std::uint32_t> device(16);
  abi::IpcMemHandle handle{};
  ASSERT_OK(call("cuIpcGetMemHandle", &handle, device.pointer()));
  DevicePointer pointer = 0;
  EXPECT_RESULT(abi::kInvalidContext, call("cuIpcOpenMemHandle_v2", &pointer, handle, 1u));
}

TEST_F(Ipc, OtherBytesAreNoHandleAndOtherMemoryHasNone) {
  abi::IpcMemHandle handle{};
  std::memset(&handle, 0x5a, sizeof handle);
  DevicePointer pointer = 0;
  EXPECT_RESULT(abi::kInvalidValue, call("cuIpcOpenMemHandle_v2", &pointer, handle, 1u));
  void* host = nullptr;
  ASSERT_OK(call("cuMemHostAlloc", &host, std::size_t{64}, 0u));
  EXPECT_RESULT(abi::kInvalidValue,
                call("cuIpcGetMemHandle", &handle, DevicePointer{reinterpret_cast<std::uintptr_t>(host)}));
  EXPECT_RESULT(abi::kInvalidValue, call("cuIpcGetMemHandle", &handle, DevicePointer{64}));
}

}  // namespace
}  // namespace tare::conformance
