// Checks of what a driver answers when something is refused or goes wrong: the CPU device answers the same.
// A fault ends its context, so each is tried in a process of its own.
#include <array>
#include <cstdio>
#include <memory>

#include "checks.hpp"
#include "tare/clocks.hpp"
#include "tare/driver.hpp"

namespace tare::gpu_check {

namespace {

const std::string kFaults = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry exactly_64() .reqntid 64 { ret; }
.visible .entry traps() { trap; }
.visible .entry misaligned(.param .u64 p) {
  .reg .b64 %p;
  .reg .b32 %v;
  ld.param.u64 %p, [p];
  ld.global.u32 %v, [%p+1];
  st.global.u32 [%p], %v;
  ret;
}
)";

const std::string kUnresolved = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .func nowhere();
.visible .entry calls() { call nowhere, (); ret; }
)";

int launched(const char* kernel, unsigned threads) {
  const PrimaryContext context;
  const auto scope = context.enter();
  const Stream stream(context);
  Module::load(context, bytes_of(kFaults)).kernel(kernel).launch(stream, {.block = {threads}});
  stream.synchronize();
  return 0;
}

int launched_misaligned() {
  const PrimaryContext context;
  const auto scope = context.enter();
  const Stream stream(context);
  const Buffer buffer(context, 64);
  Module::load(context, bytes_of(kFaults)).kernel("misaligned").launch(stream, {}, buffer.pointer());
  stream.synchronize();
  return 0;
}

int opened_by_its_owner() {
  const PrimaryContext context;
  const Buffer buffer(context, 4 << 20);
  Buffer::open(context, buffer.ipc_handle(), buffer.bytes());
  return 0;
}

/// The handle of a process that is gone: this program prints one as the role `--export` and ends.
int opened_after_its_owner() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> other(popen("/proc/$PPID/exe --export", "r"),
                                                              &pclose);
  IpcHandle handle{};
  if (!other || std::fread(handle.data(), 1, handle.size(), other.get()) != handle.size())
    throw Error(ErrorKind::io, "the exporting process gave no handle");
  while (std::fgetc(other.get()) != EOF) continue;  // it has ended, or is about to
  const PrimaryContext context;
  Buffer::open(context, handle, 4 << 20);
  return 0;
}

int loaded_unresolved() {
  const PrimaryContext context;
  Module::load(context, bytes_of(kUnresolved));
  return 0;
}

struct Fault {
  const char* name;
  int code;  // what a GPU answers
  int (*run)();
};

constexpr std::array kAll{
    Fault{"a block that is not .reqntid's", 1, [] { return launched("exactly_64", 32); }},
    Fault{"a trap", 719, [] { return launched("traps", 32); }},
    Fault{"a misaligned address", 716, launched_misaligned},
    Fault{"a handle opened by the process that made it", 201, opened_by_its_owner},
    Fault{"a handle whose process has ended", 400, opened_after_its_owner},
    Fault{"a function that is nowhere", 218, loaded_unresolved},
};

int code_of(const Fault& fault) {
  try {
    return fault.run();
  } catch (const Error& error) {
    std::fprintf(stderr, "# %s\n", error.what());
    return error.code();
  }
}

}  // namespace

int export_and_end() {
  const PrimaryContext context;
  const Buffer buffer(context, 4 << 20);
  const IpcHandle handle = buffer.ipc_handle();
  return std::fwrite(handle.data(), 1, handle.size(), stdout) == handle.size() ? 0 : 1;
}

void print_fault(std::size_t number) {
  fmt::print("{}\n", code_of(kAll.at(number)));
}

void check_faults(Report& report) {
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    std::fflush(stdout);
    const std::string command = fmt::format("/proc/$PPID/exe --fault {}", i);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> other(popen(command.c_str(), "r"), &pclose);
    int code = -1;
    if (!other || std::fscanf(other.get(), "%d", &code) != 1) code = -1;
    report.expect_equal(fmt::format("{} answers", kAll.at(i).name), code, kAll.at(i).code);
  }
}

void check_clocks(Report& report, const PrimaryContext& context) {
  const ClockReader clocks(context.device());
  const auto now = clocks.read();
  report.expect("the clocks can be read, or it is said why not",
                now ? now->sm_mhz > 0 : !clocks.why().empty(),
                now ? fmt::format("SM {} MHz, memory {} MHz, held back by {} things", now->sm_mhz,
                                  now->memory_mhz, now->slowed_by.size())
                    : clocks.why());
  const std::string loading = module_loading();
  report.expect("the driver tells how modules are loaded", loading == "lazy" || loading == "eager", loading);
}

}  // namespace tare::gpu_check
