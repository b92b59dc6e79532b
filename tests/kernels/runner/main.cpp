// tare_gpu_kernels: runs the complete kernels on a machine with a GPU and no compilers, and writes what that
// GPU gave. `prepare` compiles here, into a folder that goes along; `run` needs that folder and a driver.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "../harness/compare.hpp"
#include "../harness/compilers.hpp"
#include "../harness/records.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace {

using nlohmann::json;
using namespace tare;
using namespace tare::kernels;
namespace fs = std::filesystem;

constexpr const char* kUsage =
    "tare_gpu_kernels prepare FOLDER [SOURCES]       compile every kernel with every compiler there is\n"
    "tare_gpu_kernels run FOLDER RESULT [KERNEL...]  run what was prepared, compare, write RESULT (JSON)\n";

int prepare(const fs::path& folder, const std::string& sources) {
  fs::create_directories(folder);
  json index = json::object();
  int failed = 0;
  for (const Compiler compiler : kCompilers) {
    if (const std::string reason = why_missing(compiler); !reason.empty()) {
      std::printf("skipped: %s\n", reason.c_str());
      continue;
    }
    for (const Complete& kernel : all_kernels()) {
      const std::string name = kernel.name + "." + to_string(compiler) + ".ptx";
      try {
        const Compiled compiled = compile(kernel, compiler, sources);
        std::ofstream(folder / name, std::ios::binary)
            .write(reinterpret_cast<const char*>(compiled.image.data()),
                   static_cast<std::streamsize>(compiled.image.size()));
        index[kernel.name][to_string(compiler)] = {
            {"file", name}, {"names", compiled.lowered_names}, {"compiler", compiled.compiler}};
      } catch (const CompileError& error) {
        std::printf("FAILED %s: %s\n%s\n", name.c_str(), error.what(), error.log().c_str());
        ++failed;
      }
    }
  }
  std::ofstream(folder / "index.json") << index.dump(1) << "\n";
  std::printf("%zu kernels in %s, %d failed to compile\n", index.size(), folder.c_str(), failed);
  return failed == 0 ? 0 : 1;
}

Compiled read_compiled(const fs::path& folder, const json& entry) {
  const fs::path path = folder / entry.at("file").get<std::string>();
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ErrorKind::io, "cannot read " + path.string());
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Compiled compiled;
  compiled.code = Code::ptx;
  const auto bytes = std::as_bytes(std::span(text));
  compiled.image.assign(bytes.begin(), bytes.end());
  compiled.lowered_names = entry.at("names").get<std::map<std::string, std::string>>();
  compiled.compiler = entry.at("compiler");
  return compiled;
}

std::string today() {
  const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date(day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text;
}

/// The device's context while it lives. One in which a kernel failed is of no more use: a fault stays with
/// it.
struct Session {
  PrimaryContext context;
  PrimaryContext::Scope scope = context.enter();
};

/// Runs one prepared kernel and notes what it gave. False where it failed or gave something else.
bool run_one(const PrimaryContext& context, const Complete& kernel, const std::string& compiler,
             const fs::path& folder, const json& entry, Recording& recording) {
  std::string wrong;
  try {
    const Compiled compiled = read_compiled(folder, entry);
    recording.compilers[compiler] = compiled.compiler;
    const LoadedProgram program(context, compiled);
    const Outputs got = kernel.run(Stage(context, program)), expected = kernel.expected();
    wrong = difference(got, expected, kernel.max_ulps);
    if (kernel.max_ulps == 0)
      recording.hashes[kernel.name][compiler] = hash(got);
    else
      recording.ulps[kernel.name][compiler] = largest_ulps(got, expected);
  } catch (const Error& error) {
    wrong = error.what();
    if (!error.hint().empty()) wrong += "; " + error.hint();
  }
  if (!wrong.empty()) recording.failures[kernel.name][compiler] = wrong;
  std::printf("%-7s %s %s%s%s\n", wrong.empty() ? "matches" : "FAILED", kernel.name.c_str(), compiler.c_str(),
              wrong.empty() ? "" : ": ", wrong.c_str());
  std::fflush(stdout);
  return wrong.empty();
}

int run(const fs::path& folder, const std::string& result, std::span<char*> wanted) {
  std::ifstream in(folder / "index.json");
  const json index = json::parse(in);
  auto session = std::make_unique<Session>();
  Recording recording;
  recording.device = session->context.device().name();
  recording.compute_capability = session->context.device().compute_capability();
  recording.driver_version = driver_info().version;
  recording.date = today();
  int failed = 0, matched = 0;
  for (const Complete& kernel : all_kernels()) {
    const auto named = [&](const char* name) { return kernel.name == name; };
    if (!index.contains(kernel.name) ||
        (!wanted.empty() && std::none_of(wanted.begin(), wanted.end(), named)))
      continue;
    for (const auto& [compiler, entry] : index.at(kernel.name).items()) {
      if (run_one(session->context, kernel, compiler, folder, entry, recording)) {
        ++matched;
        continue;
      }
      ++failed;
      session.reset();
      session = std::make_unique<Session>();
    }
    write_recording(result, recording);  // after each, so that one that hangs takes nothing along
  }
  std::printf("%s: %d match, %d failed; written to %s\n", recording.device.c_str(), matched, failed,
              result.c_str());
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  try {
    if (argc >= 3 && std::strcmp(argv[1], "prepare") == 0)
      return prepare(argv[2], argc > 3 ? argv[3] : TARE_KERNELS_FOLDER);
    if (argc >= 4 && std::strcmp(argv[1], "run") == 0) return run(argv[2], argv[3], arguments.subspan(4));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  std::fputs(kUsage, stderr);
  return 2;
}
