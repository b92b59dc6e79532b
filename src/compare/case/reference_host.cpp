// The reference as a program: generated, compiled by the host's compiler, run on a copy of the buffers in
// memory that it shares with this process, so that nothing it does can hurt us.
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "compare/case/case.hpp"
#include "compare/case/reference_child.hpp"
#include "compare/case/reference_runs.hpp"
#include "compile/child_process.hpp"
#include "compile/temporary_directory.hpp"
#include "tare/error.hpp"

namespace tare::compare {
namespace {

// What the generated program says of itself, in the first bytes of the shared memory. An exit code would
// not do: the reference may call exit() with any.
enum class State : std::uint64_t { not_there = 0, started = 1, returned = 2, wrong_arguments = 3 };

struct Header {
  State state;
  char compiler[120];  // "g++ 12.2.0"
};

constexpr std::array kOptions{"-O2", "-ffp-contract=off"};

static_assert(sizeof(Header) <= ReferenceMemory::kFirst);

/// Calls FUNCTION with arguments taken from shared memory. Types come from the function itself, so that a
/// case never has to be able to spell them.
constexpr const char* kCaller = R"caller(
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
namespace tare_caller {
template <class A>
A argument(char* at) {
  if constexpr (std::is_pointer_v<A>) return (A)(void*)at;
  else return *(std::remove_cv_t<std::remove_reference_t<A>>*)at;
}
template <class A>
constexpr long long size_of() { return std::is_pointer_v<A> ? 0 : (long long)sizeof(std::remove_reference_t<A>); }
template <class R, class... A, std::size_t... I>
int call(R (*function)(A...), char* base, std::index_sequence<I...>) {
  if (sizeof...(A) != kCount) {
    fprintf(stderr, "takes %d arguments, the case has %d", (int)sizeof...(A), kCount);
    return 3;
  }
  const long long sizes[] = {size_of<A>()..., 0};
  for (int i = 0; i < kCount; ++i) {
    if (sizes[i] == kSizes[i]) continue;
    fprintf(stderr, "takes %s as argument %d, the case has %s", sizes[i] == 0 ? "a pointer" : "a value", i,
            kSizes[i] == 0 ? "a buffer" : sizes[i] == 0 ? "a value" : "a value of another size");
    return 3;
  }
  function(argument<A>(base + kOffsets[I])...);
  return 2;
}
template <class R, class... A>
int call(R (*function)(A...), char* base) {
  return call(function, base, std::index_sequence_for<A...>());
}
}  // namespace tare_caller
int main(int, char** argv) {
  const int fd = open(argv[1], O_RDWR);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) return 1;
  void* base = mmap(nullptr, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return 1;
#ifdef __clang__
  snprintf((char*)base + 8, 120, "clang++ %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  snprintf((char*)base + 8, 120, "g++ %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  volatile unsigned long long* state = (volatile unsigned long long*)base;
  *state = 1;
  *state = (unsigned long long)tare_caller::call(&TARE_FUNCTION, (char*)base);
  return 0;
}
)caller";

/// Empty where there is none.
std::filesystem::path find_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return access(name.c_str(), X_OK) == 0 ? std::filesystem::path(name) : std::filesystem::path();
  }
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, colon)) / name;
    if (colon != 0 && access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return {};
}

std::filesystem::path find_host_compiler(std::string& looked_in) {
  const char* chosen = std::getenv("TARE_CXX");
  if (chosen != nullptr && *chosen != '\0') {
    looked_in = "TARE_CXX (" + std::string(chosen) + ")";
    return find_in_path(chosen);
  }
  looked_in = "PATH for c++, g++, clang++";
  for (const char* name : {"c++", "g++", "clang++"}) {
    if (std::filesystem::path found = find_in_path(name); !found.empty()) return found;
  }
  return {};
}

std::string generated_tables(const Job& job, const std::vector<ReferenceMemory::Place>& places) {
  std::string sizes = "0", offsets = "0";
  if (!places.empty()) sizes = offsets = "";
  for (std::size_t i = 0; i < places.size(); ++i) {
    sizes += (i == 0 ? "" : ", ") + std::to_string(job.arguments[i].is_buffer ? 0 : places[i].bytes);
    offsets += (i == 0 ? "" : ", ") + std::to_string(places[i].offset);
  }
  const std::string count = std::to_string(places.size());
  // A parameter list longer than the case's would index past a table of the case's length.
  return "namespace tare_caller { constexpr int kCount = " + count +
         "; constexpr long long kSizes[1024] = {" + sizes + "}; constexpr long long kOffsets[1024] = {" +
         offsets + "}; }\n";
}

std::string program_text(const Job& job, const std::vector<ReferenceMemory::Place>& places,
                         bool with_kernel) {
  std::string text = std::string(kHostPrelude) + "\n";
  if (with_kernel) {
    text += line_directive(job.source_first_line, job.source_file_name) + without_cuda_includes(job.source) +
            "\n";
  }
  text += line_directive(job.reference_first_line, job.source_file_name) +
          without_cuda_includes(job.reference_source) + "\n";
  text += line_directive(1, "tare's caller of the reference") + generated_tables(job, places);
  return text + "#define TARE_FUNCTION " + job.reference_name + "\n" + kCaller;
}

/// The reference stands alone if it can; where it uses the kernel region's types that region goes in front.
tare::detail::ChildResult compile(const std::filesystem::path& compiler, const Job& job,
                                  const std::vector<ReferenceMemory::Place>& places,
                                  const ReferenceSettings& settings,
                                  const tare::detail::TemporaryDirectory& directory) {
  const auto attempt = [&](bool with_kernel) {
    const std::filesystem::path source =
        directory.write("reference.cpp", program_text(job, places, with_kernel));
    std::vector<std::string> argv{compiler.string(), "-std=c++17", "-w", "-fno-strict-aliasing"};
    argv.insert(argv.end(), kOptions.begin(), kOptions.end());
    const std::filesystem::path beside = job.kernel_file.parent_path();
    argv.insert(argv.end(), {"-iquote", beside.empty() ? "." : beside.string(), "-o",
                             (directory.path() / "reference").string(), source.string()});
    tare::detail::ChildResult result = run_reference_child(
        std::move(argv), settings, std::max<std::chrono::duration<double>>(settings.limit, kLeastForCompiler),
        directory.path());
    if (result.timed_out)
      throw CaseError(reference_place(job) + "is not compiled: " + compiler.string() + " " +
                      too_long(result));
    return result;
  };
  tare::detail::ChildResult alone = attempt(false);
  if (alone.ok()) return alone;
  tare::detail::ChildResult both = attempt(true);
  if (both.ok()) return both;
  return alone;
}

void check_end(const Job& job, const tare::detail::ChildResult& result, State state) {
  if (result.ok() && state == State::returned) return;
  if (result.timed_out) throw CaseError(reference_place(job) + too_long(result));
  if (state == State::wrong_arguments) throw CaseError(reference_place(job) + result.errors);
  if (state == State::not_there && result.signal == 0)
    throw CaseError(reference_place(job) + "could not reach the buffers");
  std::string how = result.how_it_ended();
  if (state == State::started && result.signal == 0) how = "ended early: it " + how + " before it returned";
  const std::string tail =
      result.errors.substr(result.errors.size() - std::min<std::size_t>(result.errors.size(), 2000));
  throw CaseError(reference_place(job) + how + (tail.empty() ? "" : "\n" + tail));
}

}  // namespace

std::string without_cuda_includes(const std::string& text) {
  static constexpr std::array<std::string_view, 8> kHeaders{
      "cuda_fp16.h",    "cuda_bf16.h",        "cuda_runtime.h", "cuda_runtime_api.h",
      "vector_types.h", "vector_functions.h", "cuda.h",         "device_launch_parameters.h"};
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    bool drop = false;
    if (const std::size_t hash = line.find_first_not_of(" \t"); hash != line.npos && line[hash] == '#') {
      const std::size_t open = line.find_first_of("<\"", hash);
      if (line.find("include", hash) < open && open != line.npos) {
        const std::string_view name = line.substr(open + 1, line.find_first_of(">\"", open + 1) - open - 1);
        drop = std::find(kHeaders.begin(), kHeaders.end(), name) != kHeaders.end();
      }
    }
    if (!drop) result += line;
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

std::string line_directive(int line, const std::string& file) {
  std::string text = "#line " + std::to_string(line) + " \"";
  for (const char c : file) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"\n";
}

ReferenceRun run_on_host(const Job& job, const std::vector<HostBuffer>& inputs,
                         const ReferenceSettings& settings) {
  ReferenceRun found;
  std::string looked_in;
  const std::filesystem::path compiler = find_host_compiler(looked_in);
  if (compiler.empty()) {
    found.problem = "no host compiler: looked in " + looked_in;
    return found;
  }
  try {
    const tare::detail::TemporaryDirectory directory(settings.directory);
    const tare::detail::ChildResult compiled =
        compile(compiler, job, ReferenceMemory::places_of(job), settings, directory);
    if (!compiled.ok()) {
      found.problem = compiler.string() + " " + compiled.how_it_ended();
      found.log = compiled.errors;
      return found;
    }
    const ReferenceMemory memory(job, inputs);
    const tare::detail::ChildResult result =
        run_reference_child({(directory.path() / "reference").string(), memory.path()}, settings,
                            settings.limit, directory.path());
    Header header;
    std::memcpy(&header, memory.header(), sizeof header);
    check_end(job, result, header.state);
    found.ran = true;
    found.how = job.reference_name + "() compiled by " +
                std::string(header.compiler, strnlen(header.compiler, sizeof header.compiler));
    for (const char* option : kOptions) found.how += std::string(" ") + option;
    found.outputs = memory.outputs(job);
  } catch (const tare::Error& error) {
    found.problem = error.what();
  }
  return found;
}

}  // namespace tare::compare
