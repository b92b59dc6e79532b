// The reference as a program: generated, compiled by the host's compiler, run on a copy of the buffers in
// memory that it shares with this process, so that nothing it does can hurt us.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "compare/case/case.hpp"
#include "compare/case/reference_runs.hpp"
#include "compile/child_process.hpp"
#include "compile/temporary_directory.hpp"
#include "tare/error.hpp"

namespace tare::compare {
namespace {

// Exit codes of the generated program that mean something.
constexpr int kWrongCount = 96, kWrongSize = 97, kNoMemory = 98;

constexpr std::array kOptions{"-O2", "-ffp-contract=off"};

constexpr std::size_t kAlignment = 256;  // of each argument in the shared memory

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
    return 96;
  }
  const long long sizes[] = {size_of<A>()..., 0};
  for (int i = 0; i < kCount; ++i) {
    if (sizes[i] == kSizes[i]) continue;
    fprintf(stderr, "takes %s as argument %d, the case has %s", sizes[i] == 0 ? "a pointer" : "a value", i,
            kSizes[i] == 0 ? "a buffer" : sizes[i] == 0 ? "a value" : "a value of another size");
    return 97;
  }
  function(argument<A>(base + kOffsets[I])...);
  return 0;
}
template <class R, class... A>
int call(R (*function)(A...), char* base) {
  return call(function, base, std::index_sequence_for<A...>());
}
}  // namespace tare_caller
int main(int, char** argv) {
#ifdef __clang__
  printf("clang++ %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  printf("g++ %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  const int fd = open(argv[1], O_RDWR);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) return 98;
  void* base = mmap(nullptr, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return 98;
  const int result = tare_caller::call(&TARE_FUNCTION, (char*)base);
  return fflush(stdout) == 0 ? result : 98;
}
)caller";

struct Place {
  std::size_t offset = 0, bytes = 0;
};

std::vector<Place> places_of(const Job& job, std::size_t& total) {
  std::vector<Place> places;
  total = 0;
  for (const JobArgument& argument : job.arguments) {
    const std::size_t bytes = argument.is_buffer ? argument.bytes() : argument.value.size();
    places.push_back({total, bytes});
    total += (bytes + kAlignment) / kAlignment * kAlignment;  // never nothing, so that all addresses differ
  }
  total = std::max(total, kAlignment);
  return places;
}

/// Memory without a name in the file system; another process of ours reaches it through /proc.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes) : bytes_(bytes) {
    fd_ = memfd_create("tare-reference", MFD_CLOEXEC);
    if (fd_ < 0 || posix_fallocate(fd_, 0, static_cast<off_t>(bytes)) != 0) return;
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (mapped != MAP_FAILED) data_ = static_cast<std::byte*>(mapped);
  }
  ~SharedMemory() {
    if (data_ != nullptr) munmap(data_, bytes_);
    if (fd_ >= 0) close(fd_);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }
  std::string path() const { return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd_); }

 private:
  std::size_t bytes_;
  int fd_ = -1;
  std::byte* data_ = nullptr;
};

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

std::string generated_tables(const Job& job, const std::vector<Place>& places) {
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

std::string program_text(const Job& job, const std::vector<Place>& places, bool with_kernel) {
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
                                  const std::vector<Place>& places,
                                  const tare::detail::TemporaryDirectory& directory) {
  const auto attempt = [&](bool with_kernel) {
    const std::filesystem::path source =
        directory.write("reference.cpp", program_text(job, places, with_kernel));
    tare::detail::ChildRequest request;
    request.argv = {compiler.string(), "-std=c++17", "-w", "-fno-strict-aliasing"};
    request.argv.insert(request.argv.end(), kOptions.begin(), kOptions.end());
    const std::filesystem::path beside = job.kernel_file.parent_path();
    request.argv.insert(request.argv.end(), {"-iquote", beside.empty() ? "." : beside.string(), "-o",
                                             (directory.path() / "reference").string(), source.string()});
    return run_child(request);
  };
  tare::detail::ChildResult alone = attempt(false);
  if (alone.ok()) return alone;
  tare::detail::ChildResult both = attempt(true);
  if (both.ok()) return both;
  return alone;
}

void check_end(const Job& job, const tare::detail::ChildResult& result) {
  if (result.ok()) return;
  const std::string who = job.source_file_name + ":" + std::to_string(job.reference_first_line) + ": " +
                          job.reference_name + "() ";
  if (result.exit_status == kWrongCount || result.exit_status == kWrongSize)
    throw CaseError(who + result.errors);
  if (result.exit_status == kNoMemory) throw CaseError(who + "could not reach the buffers");
  std::string tail =
      result.errors.substr(result.errors.size() - std::min<std::size_t>(result.errors.size(), 2000));
  throw CaseError(who + result.how_it_ended() + (tail.empty() ? "" : "\n" + tail));
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

ReferenceRun run_on_host(const Job& job, const std::vector<HostBuffer>& inputs) {
  ReferenceRun run;
  std::string looked_in;
  const std::filesystem::path compiler = find_host_compiler(looked_in);
  if (compiler.empty()) {
    run.problem = "no host compiler: looked in " + looked_in;
    return run;
  }
  std::size_t total = 0;
  const std::vector<Place> places = places_of(job, total);
  try {
    const tare::detail::TemporaryDirectory directory;
    const tare::detail::ChildResult compiled = compile(compiler, job, places, directory);
    if (!compiled.ok()) {
      run.problem = compiler.string() + " " + compiled.how_it_ended();
      run.log = compiled.errors;
      return run;
    }
    const SharedMemory memory(total);
    if (memory.data() == nullptr) {
      run.problem = "no " + std::to_string(total) + " bytes of memory for a copy of the buffers";
      return run;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::vector<std::byte>& from = job.arguments[i].is_buffer ? inputs[i] : job.arguments[i].value;
      std::memcpy(memory.data() + places[i].offset, from.data(), std::min(from.size(), places[i].bytes));
    }
    tare::detail::ChildRequest request;
    request.argv = {(directory.path() / "reference").string(), memory.path()};
    request.timeout = std::chrono::minutes(10);
    const tare::detail::ChildResult result = run_child(request);
    check_end(job, result);
    run.ran = true;
    run.how = job.reference_name + "() compiled by " + result.output;
    for (const char* option : kOptions) run.how += std::string(" ") + option;
    for (std::size_t i = 0; i < places.size(); ++i) {
      run.outputs.emplace_back();
      if (!job.arguments[i].is_output()) continue;
      const std::byte* at = memory.data() + places[i].offset;
      run.outputs.back().emplace(at, at + places[i].bytes);
    }
  } catch (const tare::Error& error) {
    run.problem = error.what();
  }
  return run;
}

}  // namespace tare::compare
