// The programs of conformance/gpu against what a GPU answered to them. A record's first line names the GPU,
// its driver and the day; conformance/gpu/record.cpp makes records, and says how programs are written.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

constexpr unsigned kInputWords = 4096;

struct Program {
  std::string file, entry;
  Shape shape;
  unsigned out_words = 0;
  bool cooperative = false;
};

struct Answer {
  int code = 0;
  std::vector<std::uint32_t> words;
};

std::filesystem::path folder() {
  return std::filesystem::path(TARE_SOURCE_DIR) / "tests/conformance/gpu";
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Program> programs_of(const std::string& file) {
  std::vector<Program> programs;
  std::istringstream lines(text_of(folder() / (file + ".ptx")));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("//! run ")) continue;
    std::istringstream words(line.substr(8));
    Program program;
    program.file = file;
    words >> program.entry;
    for (std::string key, value; words >> key;) {
      if (key == "cooperative") {
        program.cooperative = true;
        continue;
      }
      words >> value;
      const auto triple = [&](unsigned(&to)[3]) {
        std::sscanf(value.c_str(), "%u,%u,%u", &to[0], &to[1], &to[2]);
      };
      if (key == "grid") triple(program.shape.grid);
      if (key == "block") triple(program.shape.block);
      if (key == "shared") program.shape.shared_bytes = static_cast<unsigned>(std::stoul(value));
      if (key == "out") program.out_words = static_cast<unsigned>(std::stoul(value));
    }
    programs.push_back(program);
  }
  return programs;
}

std::map<std::string, Answer> record_of(const std::string& file) {
  std::map<std::string, Answer> answers;
  std::ifstream in(folder() / (file + ".bits"));
  std::string line;
  std::getline(in, line);
  std::string entry;
  std::size_t count = 0;
  int code = 0;
  while (in >> entry >> code >> count) {
    Answer& answer = answers[entry];
    answer.code = code;
    answer.words.resize(count);
    for (std::uint32_t& word : answer.words) in >> std::hex >> word;
    in >> std::dec;
  }
  return answers;
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

/// Words that a program is not held to, and why.
bool is_free(const Program& program, std::size_t word) {
  // %warpid is the place that the hardware had for a warp.
  if (program.file == "special" && program.entry == "registers") return word % 30 == 1;
  // Here shared memory begins at 0; a GPU keeps its first KiB for itself.
  if (program.entry == "first_shared_address") return true;
  // Approximate functions are bounded elsewhere.
  if (program.entry.find("_approx_") != std::string::npos) return true;
  if (program.entry == "flushing" && word % 6 == 4) return true;  // the lower half of a rsqrt.approx.f64
  // A saturated result that goes to .h1 is 0 on an H200, whatever the operands; PTX says otherwise.
  return program.file == "video" && program.entry.ends_with("_s32_s32_s32_sat") &&
         program.entry.find_first_of("24") == program.entry.find("32") + 1;
}

class GpuRecord : public WithContext, public ::testing::WithParamInterface<const char*> {
 protected:
  static Answer run(abi::Module module, const Program& program) {
    Answer answer;
    DeviceArray<std::uint32_t> in(input());
    DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>(program.out_words, 0xcdcdcdcdu));
    abi::Function function = nullptr;
    answer.code = call("cuModuleGetFunction", &function, module, program.entry.c_str());
    if (answer.code != abi::kSuccess) return answer;
    std::vector<void*> parameters{in.argument(), out.argument()};
    const Shape& shape = program.shape;
    answer.code = program.cooperative
                      ? call("cuLaunchCooperativeKernel", function, shape.grid[0], shape.grid[1],
                             shape.grid[2], shape.block[0], shape.block[1], shape.block[2],
                             shape.shared_bytes, shape.stream, parameters.data())
                      : launch(function, shape, parameters);
    if (answer.code == abi::kSuccess) answer.code = call("cuCtxSynchronize");
    if (answer.code == abi::kSuccess) answer.words = out.read();
    return answer;
  }
};

TEST_P(GpuRecord, IsMatchedBitForBit) {
  const std::string file = GetParam();
  if (!std::filesystem::exists(folder() / (file + ".bits"))) {
    GTEST_SKIP() << "no record of a GPU for " << file << ".ptx yet";
  }
  const auto record = record_of(file);
  const abi::Module module = load(text_of(folder() / (file + ".ptx")));
  for (const Program& program : programs_of(file)) {
    SCOPED_TRACE(file + ".ptx, " + program.entry);
    const auto expected = record.find(program.entry);
    ASSERT_NE(expected, record.end());
    if (expected->second.code != abi::kSuccess) continue;  // FaultsAreMatched
    const Answer answer = run(module, program);
    // The fast tier alone refuses what waits, and says so.
    if (answer.code != abi::kSuccess && last_error().find("the fast tier does not run") != std::string::npos)
      continue;
    ASSERT_EQ(name_of(answer.code), name_of(abi::kSuccess)) << last_error();
    std::size_t wrong = 0;
    std::string first;
    for (std::size_t i = 0; i < answer.words.size(); ++i) {
      if (answer.words[i] == expected->second.words[i] || is_free(program, i)) continue;
      if (wrong++ == 0) {
        char text[96];
        std::snprintf(text, sizeof text, "first at word %zu: %08x, a GPU has %08x", i, answer.words[i],
                      expected->second.words[i]);
        first = text;
      }
    }
    EXPECT_EQ(wrong, 0u) << "of " << answer.words.size() << " words; " << first;
  }
}

/// How a program ends that the record says has ended otherwise than well.
int code_here(int on_a_gpu) {
  constexpr int kHangs = 9999;  // there it had to be killed; here it is an error
  if (on_a_gpu == kHangs) return abi::kLaunchFailed;
  return on_a_gpu;
}

/// Each in a context of its own, one after the other in one process: a fault ends its context and no more.
TEST_P(GpuRecord, FaultsAreMatched) {
  const std::string file = GetParam();
  std::map<std::string, int> expected;
  for (const auto& [entry, answer] : record_of(file)) expected[entry] = answer.code;
  for (const Program& program : programs_of(file)) {
    const auto found = expected.find(program.entry);
    if (found == expected.end() || (found->second == abi::kSuccess && file != "faults")) continue;
    SCOPED_TRACE(file + ".ptx, " + program.entry);
    TearDown();
    SetUp();
    const Answer answer = run(load(text_of(folder() / (file + ".ptx"))), program);
    if (answer.code != abi::kSuccess && last_error().find("the fast tier does not run") != std::string::npos)
      continue;
    EXPECT_EQ(name_of(answer.code), name_of(code_here(found->second))) << last_error();
    if (found->second == 9999) {
      EXPECT_NE(last_error().find("waits for threads"), std::string::npos);
    }
    if (program.entry == "malloc_of_more_than_there_is") {
      EXPECT_EQ(answer.words, std::vector<std::uint32_t>(program.out_words, 1)) << "null for every thread";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, GpuRecord,
                         ::testing::Values("shuffle", "warp", "barrier", "atomics", "special", "calls",
                                           "operations", "video", "risky", "faults", "alignment",
                                           "out_of_bounds", "random", "convert"),
                         [](const auto& program) { return std::string(program.param); });

}  // namespace
}  // namespace tare::conformance
