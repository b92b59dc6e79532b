#include <array>

#include "checks.hpp"
#include "kernels.hpp"
#include "tare/driver.hpp"

namespace tare::gpu_check {

namespace {

constexpr int kInvalidValue = 1;
constexpr int kOutOfResources = 701;
constexpr int kMultiprocessors = 16, kMaxRegistersPerBlock = 12, kSharedOptIn = 97;

std::function<bool(const Error&)> says(ErrorKind kind, const std::string& text) {
  return [=](const Error& error) {
    return error.kind() == kind && std::string(error.what()).find(text) != std::string::npos;
  };
}

std::function<bool(const Error&)> refused_with(int code, const std::string& text) {
  return [=](const Error& error) { return error.code() == code && says(ErrorKind::argument, text)(error); };
}

std::string list_of(const Kernel& kernel) {
  if (!kernel.parameters()) return "unknown";
  std::string text;
  for (const auto& parameter : *kernel.parameters())
    text += fmt::format("{}{}+{}", text.empty() ? "" : " ", parameter.offset, parameter.size);
  return text;
}

}  // namespace

void check_arguments(Report& report, const PrimaryContext& context) {
  const auto module = Module::load(context, bytes_of(basic_kernels()));
  const Stream stream(context);
  const Buffer out(context, 6 * sizeof(double));
  const auto o = out.pointer();

  const auto scalars = module.kernel("k");
  report.expect_equal("scalar parameters, offset+size", list_of(scalars), "0+8 8+4 12+1 16+8 24+1");
  scalars.launch(stream, {}, o, 0.1f, char(-3), 1LL << 40, true);
  stream.synchronize();
  auto values = read<double>(out);
  report.expect("scalars arrive with their value", values[0] == double(0.1f) && values[1] == -3 &&
                                                       values[2] == 1099511627776.0 && values[3] == 1);
  const auto refusal = [&](const std::string& name, auto... arguments) {
    report.expect_error(
        name, [&] { scalars.launch(stream, {}, arguments...); }, says(ErrorKind::argument, "kernel `k`"));
  };
  refusal("a double for a float is refused", o, 2.0, 'c', 1LL, true);
  refusal("an int for a long long is refused", o, 2.0f, 'c', 1, true);
  refusal("an int for a bool is refused", o, 2.0f, 'c', 1LL, 1);
  refusal("no arguments are refused");
  refusal("4 of 5 arguments are refused", o, 2.0f, 'c', 1LL);
  refusal("6 of 5 arguments are refused", o, 2.0f, 'c', 1LL, true, 6);
  report.expect_equal("a kernel without parameters has none", list_of(module.kernel("nothing")), "");

  struct Padded {
    char tag;
    double weight;
    short count;
  };
  struct alignas(16) Aligned {
    float x, y, z;
  };
  struct Three {
    float x, y, z;
  };
  const auto structs = module.kernel("structs");
  report.expect_equal("struct parameters, offset+size", list_of(structs), "0+8 8+24 32+16 48+12 60+4");
  structs.launch(stream, {}, o, Padded{'x', 2.5, -7}, Aligned{1, 2, 3.25f}, Three{4, 5, 6.5f}, -9);
  stream.synchronize();
  values = read<double>(out);
  report.expect("structs arrive member by member",
                values == std::vector<double>{120, 2.5, -7, 3.25, 6.5, -9});

  const auto half = module.kernel("half");
  bool equal = true;
  for (const std::uint16_t bits : std::initializer_list<std::uint16_t>{0x3e00, 0x8000, 0x7e55, 0x0001}) {
    half.launch(stream, {}, o, bits);
    stream.synchronize();
    equal = equal && read<std::uint16_t>(out)[0] == bits;
  }
  report.expect("halves arrive bit for bit", equal);
}

void check_limits(Report& report, const PrimaryContext& context) {
  const auto module = Module::load(context, bytes_of(basic_kernels()));
  const Stream stream(context);
  const auto kernel = module.kernel("nothing");
  const auto refusal = [&](const Launch& shape, const std::string& text) {
    report.expect_error(
        "a launch is refused: " + text, [&] { kernel.launch(stream, shape); },
        refused_with(kInvalidValue, text));
  };
  refusal({.grid = {0, 1, 1}}, "grid.x of kernel `nothing` is 0");
  refusal({.grid = {1, 65536, 1}}, "grid.y of kernel `nothing` is 65536");
  refusal({.block = {1, 1, 65}}, "block.z of kernel `nothing` is 65");
  refusal({.block = {1025}}, "block.x of kernel `nothing` is 1025");
  refusal({.block = {64, 32}}, "has 2048 threads");
  const auto small = module.kernel("small");
  report.expect_equal("a declared block limit is the kernel's own", small.attributes().max_threads_per_block,
                      256);
  report.expect_error(
      "a block over the declared limit is refused", [&] { small.launch(stream, {.block = {512}}); },
      says(ErrorKind::argument, "256"));
  kernel.launch(stream, {});
  stream.synchronize();
  report.expect("the stream is usable after refused launches", true);
}

void check_shared_memory(Report& report, const PrimaryContext& context) {
  const auto kernel = Module::load(context, bytes_of(shared_kernel())).kernel("sum");
  const Stream stream(context);
  const Buffer out(context, sizeof(float));
  const auto sum = [&](unsigned bytes) {
    kernel.launch(stream, {.dynamic_shared_bytes = bytes}, out.pointer(), static_cast<int>(bytes / 4));
    stream.synchronize();
    return read<float>(out)[0];
  };
  const auto most = static_cast<unsigned>(context.device().attribute(kSharedOptIn));
  const auto fixed = static_cast<unsigned>(kernel.attributes().static_shared_bytes);
  report.expect("4 static bytes are counted, with their padding", fixed >= 4 && fixed <= 16,
                fmt::format("{}", fixed));
  report.expect_equal("48 KiB in all", sum(49152 - fixed), 67584.0f);
  report.expect_equal("49152 dynamic bytes beside the static ones need the opt-in", sum(49152), 67584.0f);
  float all = 0;
  for (unsigned i = 0; i < (most - fixed) / 4; i += 1024) all += static_cast<float>(i);
  report.expect_equal(fmt::format("the opt-in limit of {} bytes is reached", most), sum(most - fixed), all);
  report.expect_error(
      "4 bytes more are refused", [&] { sum(most - fixed + 4); },
      says(ErrorKind::argument, fmt::format("the device allows {}", most)));
}

void check_registers(Report& report, const PrimaryContext& context) {
  if (driver_info().is_cpu_device)
    throw Error(ErrorKind::unsupported, "the CPU device has no register limit");
  const auto kernel = Module::load(context, bytes_of(hungry_kernel(200))).kernel("hungry");
  const Stream stream(context);
  const Buffer data(context, 4096);
  data.fill(0);
  const auto attributes = kernel.attributes();
  fmt::print("# hungry: {} registers per thread, at most {} threads per block, {} registers per block\n",
             attributes.registers, attributes.max_threads_per_block,
             context.device().attribute(kMaxRegistersPerBlock));
  report.expect("the kernel allows fewer threads than the device", attributes.max_threads_per_block < 1024,
                fmt::format("{}", attributes.max_threads_per_block));
  report.expect_error(
      "1024 threads are refused", [&] { kernel.launch(stream, {.block = {1024}}, data.pointer()); },
      refused_with(kOutOfResources, "registers per thread"));
  kernel.launch(stream, {.block = {static_cast<unsigned>(attributes.max_threads_per_block)}}, data.pointer());
  stream.synchronize();
  report.expect("as many as it allows run", true);
}

void check_cooperative(Report& report, const PrimaryContext& context) {
  const auto kernel = Module::load(context, bytes_of(basic_kernels())).kernel("nothing");
  const Stream stream(context);
  // The largest grid that is accepted, by halving: the driver's own limit, found without asking for it.
  unsigned accepted = 0;
  for (unsigned step = 1u << 16; step > 0; step /= 2) {
    try {
      kernel.launch(stream, {.grid = {accepted + step}, .block = {256}, .cooperative = true});
      accepted += step;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::argument) throw;
    }
  }
  stream.synchronize();
  const auto per_multiprocessor = static_cast<unsigned>(context.device().attribute(kMultiprocessors));
  report.expect("the largest cooperative grid is a multiple of the multiprocessors",
                accepted > 0 && accepted % per_multiprocessor == 0, fmt::format("{} blocks", accepted));
  report.expect_error(
      "one block more is refused",
      [&] { kernel.launch(stream, {.grid = {accepted + 1}, .block = {256}, .cooperative = true}); },
      refused_with(720, fmt::format("the device holds {} at once", accepted)));
}

void check_clusters(Report& report, const PrimaryContext& context) {
  if (context.device().compute_capability() < 90)
    throw Error(ErrorKind::unsupported, "clusters need compute capability 9.0");
  const auto kernel = Module::load(context, bytes_of(cluster_kernel())).kernel("clustered");
  const Stream stream(context);
  const Buffer out(context, 130 * sizeof(unsigned));
  kernel.launch(stream, {.grid = {128}, .block = {32}, .cluster = Dim3{4}}, out.pointer());
  stream.synchronize();
  const auto sizes = read<unsigned>(out);
  report.expect("128 blocks run in clusters of 4", sizes[0] == 4 && sizes[127] == 4);
  report.expect_error(
      "130 blocks do not divide into clusters of 4",
      [&] { kernel.launch(stream, {.grid = {130}, .block = {32}, .cluster = Dim3{4}}, out.pointer()); },
      says(ErrorKind::argument, "not a multiple of the cluster's 4"));
}

void check_modules(Report& report, const PrimaryContext& context) {
  const auto module = Module::load(context, bytes_of(basic_kernels()));
  report.expect_error(
      "a missing kernel is answered with those there are", [&] { module.kernel("missing"); },
      says(ErrorKind::not_found, "`nothing`"));
  auto newer = basic_kernels();
  newer.replace(newer.find("8.0"), 3, "9.9");
  report.expect_error(
      "PTX newer than the driver names both versions", [&] { Module::load(context, bytes_of(newer)); },
      [](const Error& error) {
        return error.code() == 222 && says(ErrorKind::driver, "the text is PTX 9.9, the driver (")(error);
      });
  auto damaged = basic_kernels();
  damaged.replace(damaged.find("{ ret; }"), 8, "{ rat; }");
  report.expect_error(
      "damaged PTX is answered with the log", [&] { Module::load(context, bytes_of(damaged)); },
      says(ErrorKind::driver, "rat"));
  report.expect_error(
      "bytes that are no image are refused",
      [&] {
        Module::load(context, bytes_of(std::string("\x7f"
                                                   "ELF\x02\x01\x01\x00 not a cubin",
                                                   20)));
      },
      [](const Error& error) { return error.kind() == ErrorKind::driver; });
}

}  // namespace tare::gpu_check
