// Runs the PTX programs of this folder through whatever CUDA driver there is, each in a process of its own,
// and writes what they answered: NAME.bits beside NAME.ptx. Needs a driver and nothing else:
//   g++ -O1 -std=c++20 record.cpp -ldl -o record && ./record FOLDER [OUTPUT-FOLDER]
//
// A program is an entry with a line `//! run ENTRY grid X[,Y,Z] block X[,Y,Z] out WORDS [shared BYTES]
// [cooperative]` in its file. Its parameters are two addresses: 4096 words of input, which are the same
// everywhere, and `out`, where every word is 0xcdcdcdcd before.
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr unsigned kInputWords = 4096;
constexpr unsigned kSeconds = 20;  // a program that takes longer hangs

struct Run {
  std::string entry;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned out_words = 0, shared_bytes = 0;
  bool cooperative = false;
};

void read_triple(const std::string& text, unsigned (&to)[3]) {
  std::sscanf(text.c_str(), "%u,%u,%u", &to[0], &to[1], &to[2]);
}

std::vector<Run> runs_of(const std::string& ptx) {
  std::vector<Run> runs;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("//! run ", 0) != 0) continue;
    std::istringstream words(line.substr(8));
    Run run;
    words >> run.entry;
    for (std::string key, value; words >> key;) {
      if (key == "cooperative") {
        run.cooperative = true;
        continue;
      }
      words >> value;
      if (key == "grid") read_triple(value, run.grid);
      if (key == "block") read_triple(value, run.block);
      if (key == "out") run.out_words = static_cast<unsigned>(std::stoul(value));
      if (key == "shared") run.shared_bytes = static_cast<unsigned>(std::stoul(value));
    }
    runs.push_back(run);
  }
  return runs;
}

std::vector<std::uint32_t> input() {
  std::vector<std::uint32_t> words(kInputWords);
  std::uint32_t state = 1;
  for (std::uint32_t& word : words) {
    state = state * 1664525u + 1013904223u;
    word = state ^ state >> 16;
  }
  return words;
}

struct Answer {
  int code = 0;  // the first CUresult that was not 0; 9999 on a hang
  std::vector<std::uint32_t> words;
};

template <typename... Arguments>
int call(void* driver, const char* name, Arguments... arguments) {
  auto* function = reinterpret_cast<int (*)(Arguments...)>(dlsym(driver, name));
  return function == nullptr ? 500 : function(arguments...);
}

Answer run_here(const std::string& ptx, const Run& run, const char* driver_path) {
  Answer answer;
  void* driver = dlopen(driver_path, RTLD_NOW);
  if (driver == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::_Exit(3);
  }
  const auto ok = [&](int code) {
    if (answer.code == 0) answer.code = code;
    return code == 0;
  };
  void *context = nullptr, *module = nullptr, *function = nullptr;
  std::uint64_t in = 0, out = 0;
  const std::vector<std::uint32_t> words = input();
  answer.words.resize(run.out_words);
  if (!ok(call(driver, "cuInit", 0u)) || !ok(call(driver, "cuDevicePrimaryCtxRetain", &context, 0)) ||
      !ok(call(driver, "cuCtxSetCurrent", context)) ||
      !ok(call(driver, "cuModuleLoadData", &module, static_cast<const void*>(ptx.c_str()))) ||
      !ok(call(driver, "cuModuleGetFunction", &function, module, run.entry.c_str())) ||
      !ok(call(driver, "cuMemAlloc_v2", &in, std::size_t{kInputWords} * 4)) ||
      !ok(call(driver, "cuMemAlloc_v2", &out, std::size_t{run.out_words} * 4)) ||
      !ok(call(driver, "cuMemcpyHtoD_v2", in, static_cast<const void*>(words.data()),
               std::size_t{kInputWords} * 4)) ||
      !ok(call(driver, "cuMemsetD32_v2", out, 0xcdcdcdcdu, std::size_t{run.out_words}))) {
    return answer;
  }
  void* parameters[] = {&in, &out};
  const char* how = run.cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel";
  const int launched =
      run.cooperative
          ? call(driver, how, function, run.grid[0], run.grid[1], run.grid[2], run.block[0], run.block[1],
                 run.block[2], run.shared_bytes, static_cast<void*>(nullptr), static_cast<void**>(parameters))
          : call(driver, how, function, run.grid[0], run.grid[1], run.grid[2], run.block[0], run.block[1],
                 run.block[2], run.shared_bytes, static_cast<void*>(nullptr), static_cast<void**>(parameters),
                 static_cast<void**>(nullptr));
  if (ok(launched) && ok(call(driver, "cuCtxSynchronize"))) {
    ok(call(driver, "cuMemcpyDtoH_v2", static_cast<void*>(answer.words.data()), out,
            std::size_t{run.out_words} * 4));
  }
  return answer;
}

/// In a child, which may be killed: its answer comes through a pipe.
Answer run_apart(const std::string& ptx, const Run& run, const char* driver_path) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(3);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    const Answer answer = run_here(ptx, run, driver_path);
    std::vector<std::uint32_t> message{static_cast<std::uint32_t>(answer.code)};
    if (answer.code == 0) message.insert(message.end(), answer.words.begin(), answer.words.end());
    const char* at = reinterpret_cast<const char*>(message.data());
    for (std::size_t left = message.size() * 4; left != 0;) {
      const ssize_t written = write(ends[1], at, left);
      if (written <= 0) break;
      at += written;
      left -= static_cast<std::size_t>(written);
    }
    std::_Exit(0);
  }
  close(ends[1]);
  std::string bytes;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    bytes.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  std::vector<std::uint32_t> message(bytes.size() / 4);
  std::memcpy(message.data(), bytes.data(), message.size() * 4);
  Answer answer;
  answer.code = message.empty() ? 9999 : static_cast<int>(message[0]);
  if (!message.empty()) answer.words.assign(message.begin() + 1, message.end());
  return answer;
}

/// "NVIDIA H200, driver 13.0", told by a child so that this process never touches the driver.
std::string describe(const char* driver_path) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(3);
  if (fork() == 0) {
    void* driver = dlopen(driver_path, RTLD_NOW);
    char name[256] = "no driver";
    int version = 0;
    if (driver != nullptr && call(driver, "cuInit", 0u) == 0) {
      call(driver, "cuDeviceGetName", static_cast<char*>(name), 255, 0);
      call(driver, "cuDriverGetVersion", &version);
    }
    std::ifstream proc("/proc/driver/nvidia/version");
    std::string line;
    std::getline(proc, line);
    dprintf(ends[1], "%s; CUDA driver %d; %s", name, version, line.c_str());
    std::_Exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[512];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  wait(nullptr);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  const std::filesystem::path to = argc > 2 ? std::filesystem::path(argv[2]) : folder;
  const char* chosen = std::getenv("TARE_DRIVER");
  const char* driver = chosen == nullptr ? "libcuda.so.1" : chosen;
  const std::string device = describe(driver);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file);
    const std::string ptx((std::istreambuf_iterator<char>(in)), {});
    std::ofstream bits(to / file.stem().concat(".bits"));
    char date[32];
    const time_t now = time(nullptr);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    bits << "# " << device << "; " << date << "\n";
    for (const Run& run : runs_of(ptx)) {
      const Answer answer = run_apart(ptx, run, driver);
      bits << run.entry << " " << answer.code << " " << answer.words.size() << "\n";
      for (std::size_t i = 0; i < answer.words.size(); ++i) {
        char word[16];
        std::snprintf(word, sizeof word, "%x%c", answer.words[i],
                      i % 16 == 15 || i + 1 == answer.words.size() ? '\n' : ' ');
        bits << word;
      }
      std::printf("%s %s: %d\n", file.filename().c_str(), run.entry.c_str(), answer.code);
      std::fflush(stdout);
    }
  }
}
