// Checks about order, contexts and other processes. Where another process is needed the program starts itself
// again with a role.
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "checks.hpp"
#include "kernels.hpp"
#include "tare/driver.hpp"

extern char** environ;

namespace tare::gpu_check {

namespace {

/// Starts this program with a role and returns its exit code, -1 where it did not end by itself.
int spawn_self(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "tare_gpu_check");
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  std::fflush(stdout);
  pid_t child = 0;
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, pointers.data(), environ) != 0) return -1;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string to_hex(const IpcHandle& handle) {
  std::string text;
  for (const auto byte : handle) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

IpcHandle from_hex(const std::string& text) {
  IpcHandle handle{};
  for (std::size_t i = 0; i < handle.size(); ++i)
    handle[i] = static_cast<std::byte>(std::strtoul(text.substr(2 * i, 2).c_str(), nullptr, 16));
  return handle;
}

/// The other process of check_ipc: finds `before` in every byte, writes `after`.
int open_shared(const std::string& handle, std::size_t bytes, std::uint8_t before, std::uint8_t after) {
  const PrimaryContext context;
  const auto buffer = Buffer::open(context, from_hex(handle), bytes);
  if (read<std::uint8_t>(buffer) != std::vector<std::uint8_t>(bytes, before)) return 3;
  buffer.fill(after);
  return 0;
}

int store_nowhere() {
  const PrimaryContext context;
  const auto scope = context.enter();
  const Stream stream(context);
  const auto kernel = Module::load(context, bytes_of(basic_kernels())).kernel("store");
  try {
    kernel.launch(stream, {}, DevicePointer{16}, 1u);
    stream.synchronize();
  } catch (const Error& error) {
    fmt::print("# {} | {}\n", error.what(), error.hint());
    return error.code() == 700 ? 0 : 3;
  }
  return 4;
}

struct Everything {
  PrimaryContext context;
  PrimaryContext::Scope scope{context.handle()};
  Stream stream{context};
  Event event{context};
  Buffer buffer{context, 64};
  StreamGate gate{context};
  Module module = Module::load(context, bytes_of(basic_kernels()));
  Kernel kernel = module.kernel("nothing");
};

int leave_static_objects() {
  static std::optional<Everything> objects;
  objects.emplace();
  objects->kernel.launch(objects->stream, {});
  std::exit(7);
}

int guarded(const std::function<int()>& role) {
  try {
    return role();
  } catch (const Error& error) {
    fmt::print("# {} | {}\n", error.what(), error.hint());
    return 9;
  }
}

}  // namespace

bool run_role(std::span<const std::string> arguments, int& exit_code) {
  if (arguments.empty()) return false;
  const auto& role = arguments[0];
  if (role == "--open" && arguments.size() == 5) {
    const auto number = [&](std::size_t i) { return std::strtoull(arguments[i].c_str(), nullptr, 10); };
    exit_code = guarded([&] {
      return open_shared(arguments[1], number(2), static_cast<std::uint8_t>(number(3)),
                         static_cast<std::uint8_t>(number(4)));
    });
    return true;
  }
  if (role == "--store-nowhere") {
    exit_code = guarded(store_nowhere);
    return true;
  }
  if (role == "--leave-static-objects") {
    exit_code = guarded(leave_static_objects);
    return true;
  }
  if (role == "--export") {
    exit_code = guarded(export_and_end);
    return true;
  }
  if (role == "--fault" && arguments.size() == 2) {
    print_fault(std::strtoull(arguments[1].c_str(), nullptr, 10));
    exit_code = 0;
    return true;
  }
  fmt::print(stderr, "tare_gpu_check takes no arguments\n");
  exit_code = 2;
  return true;
}

void check_gate(Report& report, const PrimaryContext& context) {
  const auto module = Module::load(context, bytes_of(basic_kernels()));
  const auto store = module.kernel("store");
  const Stream stream(context);
  const Buffer out(context, sizeof(unsigned));
  out.fill(0);
  StreamGate gate(context);
  for (unsigned round = 1; round <= 3; ++round) {
    const Event behind(context, false);
    gate.hold(stream);
    for (int i = 0; i < 100; ++i) store.launch(stream, {}, out.pointer(), round);
    behind.record(stream);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    report.expect(fmt::format("round {}: 100 launches wait behind the gate", round), !behind.done());
    gate.release();
    stream.synchronize();
    report.expect_equal(fmt::format("round {}: they run after the release", round), read<unsigned>(out)[0],
                        round);
  }

  const auto device_us = [&](bool gated) {
    const Event start(context), end(context);
    if (gated) gate.hold(stream);
    start.record(stream);
    for (int i = 0; i < 100; ++i) store.launch(stream, {}, out.pointer(), 1u);
    end.record(stream);
    if (gated) gate.release();
    end.synchronize();
    return end.milliseconds_since(start) * 1000 / 100;
  };
  device_us(false);
  const double plain = device_us(false), held = device_us(true);
  report.expect("100 small kernels back to back take some time behind the gate", held > 0,
                fmt::format("{:.2f} us each, {:.2f} us when launched as they run", held, plain));
}

void check_foreign_context(Report& report, const PrimaryContext& context) {
  void* driver = dlopen(driver_info().path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  using Create = int (*)(CUctx_st**, unsigned, int);
  using OfContext = int (*)(CUctx_st*);
  using Current = int (*)(CUctx_st**);
  const auto create = reinterpret_cast<Create>(dlsym(driver, "cuCtxCreate_v2"));
  const auto destroy = reinterpret_cast<OfContext>(dlsym(driver, "cuCtxDestroy_v2"));
  const auto current = reinterpret_cast<Current>(dlsym(driver, "cuCtxGetCurrent"));
  CUctx_st* foreign = nullptr;
  if (create == nullptr || create(&foreign, 0, context.device().handle()) != 0)
    throw Error(ErrorKind::unsupported, "the driver makes no context by cuCtxCreate_v2");
  {
    const Stream stream(context);
    const Event event(context);
    const Buffer buffer(context, 64);
    buffer.fill(1);
    event.record(stream);
    stream.synchronize();
    const auto module = Module::load(context, bytes_of(basic_kernels()));
    report.expect_error(
        "a launch with a foreign context current says so",
        [&] { module.kernel("nothing").launch(StreamRef(nullptr), {}); },
        [](const Error& error) { return error.hint().find("PrimaryContext::enter()") != std::string::npos; });
  }
  CUctx_st* now = nullptr;
  current(&now);
  report.expect("a foreign context is current again after every call", now == foreign);
  destroy(foreign);
}

void check_ipc(Report& report, const PrimaryContext& context) {
  // Two small allocations share a page of the driver's, so that the second shows whether offsets are kept.
  const Buffer first(context, 256), second(context, 256), large(context, 48u << 20);
  for (const auto* buffer : {&first, &second, &large}) buffer->fill(0x11);
  std::uint8_t mark = 0x20;
  for (const auto& [name, buffer] :
       {std::pair{"256 bytes", &first}, std::pair{"256 bytes beside them", &second},
        std::pair{"48 MiB", &large}}) {
    const auto after = ++mark;
    const auto code = spawn_self({"--open", to_hex(buffer->ipc_handle()), std::to_string(buffer->bytes()),
                                  std::to_string(0x11), std::to_string(after)});
    report.expect_equal(fmt::format("another process reads {}", name), code, 0);
    report.expect(fmt::format("what it wrote to {} is seen here", name),
                  read<std::uint8_t>(*buffer) == std::vector<std::uint8_t>(buffer->bytes(), after));
  }
}

void check_fork(Report& report, const PrimaryContext& context) {
  const auto kernel = Module::load(context, bytes_of(basic_kernels())).kernel("nothing");
  const Stream stream(context);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    int refused = 0;
    for (const std::function<void()>& use : {std::function<void()>([&] { kernel.launch(stream, {}); }),
                                             std::function<void()>([] { device_count(); })}) {
      try {
        use();
      } catch (const Error& error) {
        refused += error.kind() == ErrorKind::forked;
      }
    }
    _exit(refused == 2 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  report.expect("a forked child is refused and does not hang", WIFEXITED(status) && WEXITSTATUS(status) == 0,
                fmt::format("status {:#x}", status));
  kernel.launch(stream, {});
  stream.synchronize();
  report.expect("the parent goes on", true);
}

void check_illegal_address(Report& report) {
  report.expect_equal("a store to nowhere is an illegal address (700)", spawn_self({"--store-nowhere"}), 0);
}

void check_exit(Report& report) {
  report.expect_equal("static objects leave the exit code alone", spawn_self({"--leave-static-objects"}), 7);
}

}  // namespace tare::gpu_check
