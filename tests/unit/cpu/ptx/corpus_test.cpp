// Whole files as compilers write them, and what becomes of them when they are cut and mangled.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#if TARE_HAVE_RAPIDCHECK
#include <rapidcheck.h>
#endif

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "unit/cpu/ptx/parse_helpers.hpp"

namespace tare::cpu::ptx {
namespace {

std::map<std::string, std::string> corpus() {
  std::map<std::string, std::string> made;
  for (const auto& entry : std::filesystem::directory_iterator(TARE_SOURCE_DIR "/tests/data/ptx")) {
    if (entry.path().extension() != ".ptx") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    made[entry.path().stem().string()] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  return made;
}

TEST(PtxCorpus, EveryCompilersFileParses) {
  const auto files = corpus();
  const std::set<std::string> expected{"clang_O0", "clang_O2",      "clang_g", "nvcc_75",
                                       "nvcc_90",  "nvcc_lineinfo", "nvrtc_90"};
  std::set<std::string> found;
  for (const auto& [name, text] : files) {
    SCOPED_TRACE(name);
    found.insert(name);
    const Module module = parsed(text);
    for (const char* kernel : {"vectorAdd", "saxpy", "reduce"}) {
      const Function* entry = module.find_entry(kernel);
      ASSERT_NE(entry, nullptr) << kernel;
      EXPECT_GT(entry->body.size(), 10u);
    }
    EXPECT_EQ(module.find_entry("vectorAdd")->parameter_bytes, 32u);
    EXPECT_EQ(module.find_entry("saxpy")->parameter_bytes, 24u);
    EXPECT_EQ(module.find_entry("reduce")->parameter_bytes, 20u);
  }
  EXPECT_EQ(found, expected);
}

TEST(PtxCorpus, TheMixedKernelKeepsItsConstructs) {
  const Module module = parsed(corpus().at("nvcc_90"));
  const Function* mixed = module.find_entry("mixed");
  ASSERT_NE(mixed, nullptr);
  EXPECT_EQ(mixed->parameters[0].size, 16u);
  EXPECT_EQ(mixed->parameters[0].alignment, 8u);
  EXPECT_EQ(mixed->parameter_bytes, 44u);
  EXPECT_EQ(mixed->prototypes.size(), 1u);
  std::map<Op, int> count;
  for (const Instruction& in : mixed->body) ++count[in.op];
  EXPECT_EQ(count[Op::vote], 2);
  EXPECT_EQ(count[Op::trap], 1);
  EXPECT_EQ(count[Op::call], 2);
  EXPECT_EQ(count[Op::shfl], 2);
  const auto table = std::find_if(module.variables.begin(), module.variables.end(),
                                  [](const Variable& v) { return v.name == "operations"; });
  ASSERT_NE(table, module.variables.end());
  EXPECT_EQ(table->relocations.size(), 2u);
}

TEST(PtxCorpus, LineInformationNamesTheSource) {
  const Module module = parsed(corpus().at("nvcc_lineinfo"));
  const Function* add = module.find_entry("vectorAdd");
  ASSERT_NE(add, nullptr);
  std::set<std::uint32_t> lines;
  for (const Instruction& in : add->body) {
    if (in.source_line == 0) continue;
    EXPECT_EQ(module.files.at(in.source_file), "kernels.cu");
    lines.insert(in.source_line);
  }
  EXPECT_THAT(lines, testing::IsSupersetOf({26u, 27u}));
}

// Either a module or an error whose line is inside the text.
void expect_sound(const std::string& text) {
  const auto result = parse(text);
  if (const auto* error = std::get_if<ParseError>(&result)) {
    EXPECT_FALSE(error->message.empty());
    EXPECT_GE(error->line, 1u);
    EXPECT_LE(error->line, 1u + static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')));
  }
}

TEST(PtxCorpus, EveryPrefixOfAFileIsAnsweredSoundly) {
  const std::string text = corpus().at("clang_O2");
  for (std::size_t length = 0; length < text.size(); ++length) expect_sound(text.substr(0, length));
}

TEST(PtxCorpus, TenMegabytesParse) {
  std::string text = kHead;
  std::size_t kernels = 0;
  for (; text.size() < 10'000'000; ++kernels) {
    text += fmt::format(".visible .entry k{}(.param .u64 p)\n{{\n.reg .b32 %r<200>; .reg .pred %p<9>;\n",
                        kernels);
    for (int i = 0; i < 100; ++i) {
      text += fmt::format("L{0}:\tadd.s32 %r{1}, %r{0}, 1;\n\tsetp.lt.s32 %p1, %r1, %r{0};\n@%p1 bra L99;\n",
                          i, i + 1);
    }
    text += "ret;\n}\n";
  }
  const Module module = parsed(text);
  ASSERT_EQ(module.functions.size(), kernels);
  EXPECT_EQ(module.functions.back().body.size(), 301u);
  EXPECT_EQ(module.functions.back().registers.size(), 102u);
}

#if TARE_HAVE_RAPIDCHECK

TEST(PtxCorpus, RandomDamageIsAnsweredSoundly) {
  const auto files = corpus();
  std::vector<std::string> texts;
  std::vector<std::string> words;  // what a mutation may put in
  for (const auto& [name, text] : files) {
    texts.push_back(text);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
      if (end > at) words.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  for (const char* word : {"{",
                           "}",
                           "(",
                           ")",
                           "[",
                           "]",
                           ";",
                           ":",
                           "|",
                           "-",
                           "0x",
                           "0f",
                           "\"",
                           "/*",
                           ".",
                           "@",
                           "!",
                           "99999999999999999999",
                           "<4000000000>",
                           "= {{1}}",
                           ".reg",
                           ".branchtargets"}) {
    words.push_back(word);
  }
  const bool held = rc::check("a damaged file is refused or read, never worse", [&] {
    std::string text = *rc::gen::elementOf(texts);
    const int damages = *rc::gen::inRange(1, 8);
    for (int i = 0; i < damages; ++i) {
      if (text.empty()) break;
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      const auto length = std::min(*rc::gen::inRange<std::size_t>(0, 40), text.size() - at);
      switch (*rc::gen::inRange(0, 5)) {
        case 0:
          text.resize(at);
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.replace(at, length, *rc::gen::elementOf(words));
          break;
        case 3:
          text[at] = *rc::gen::arbitrary<char>();
          break;
        default:
          text.insert(at, text.substr(*rc::gen::inRange<std::size_t>(0, text.size()), length));
          break;
      }
    }
    expect_sound(text);
    RC_ASSERT(!testing::Test::HasFailure());
  });
  EXPECT_TRUE(held);
}

#else

TEST(PtxCorpus, RandomDamageIsAnsweredSoundly) {
  GTEST_SKIP() << "rapidcheck was not found when the tests were configured";
}

#endif

}  // namespace
}  // namespace tare::cpu::ptx
