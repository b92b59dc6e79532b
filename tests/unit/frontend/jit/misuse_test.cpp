// Mistakes in a kernel: what the C++ compiler or the trace says to somebody who sees this for the first time.
#include <algorithm>

#include "compile/child_process.hpp"
#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::error_of;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// A C++ compiler with the library's header compiled once, because each mistake is a program of its own.
class CppCompiler {
 public:
  explicit CppCompiler(std::string path) : path_(std::move(path)) {
    folder_.write("header.hpp", "#include <algorithm>\n#include <cmath>\n#include <tare/jit_row.hpp>\n");
    const auto ended = run({"-x", "c++-header", "header.hpp", "-o", "header.hpp.gch"});
    EXPECT_TRUE(ended.ok()) << ended.errors;
  }
  /// What it says to `statements` in a program that uses the library; empty where it compiles.
  std::string said_to(const std::string& statements) const {
    folder_.write("program.cpp",
                  "void program(tare::StreamRef stream, tare::DeviceSpan<float> a,\n"
                  "             tare::DeviceSpan<const float> c, const tare::Buffer& buffer) {\n\n" +
                      statements + "\n(void)stream; (void)a; (void)c; (void)buffer;\n}\n");
    const auto ended = run({"-include", "header.hpp", "-fsyntax-only", "-x", "c++", "program.cpp"});
    return ended.ok() ? "" : ended.errors;
  }

 private:
  detail::ChildResult run(const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{path_,     "-std=c++20", "-Wall",
                                  "-Wextra", "-Werror",    "-I" TARE_SOURCE_DIR "/include"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return detail::run_child(
        {.argv = std::move(argv), .directory = folder_.path(), .environment = {{"LC_ALL", "C"}}});
  }
  std::string path_;
  fixtures::Folder folder_;
};

struct Mistake {
  const char* statements;
  const char* said;  // on top of the line, which is always in it
};

const Mistake kMistakes[] = {
    {"tare::jit([](auto a) { if (a[0] > 1.0f) a[0] = 0; })({1, 1, stream}, a);",
     "not known while the kernel is traced: use tare::if_"},
    {"tare::jit([](auto a) { auto x = tare::var(1); while (x > 0) --x; })({1, 1, stream}, a);",
     "not known while the kernel is traced: use tare::if_"},
    {"tare::jit([](auto a) { a[0] = 1.0f; })({1, 1, stream}, c);", "this array is const in the kernel"},
    {"tare::jit([](auto a) { tare::atomic_add(a[0], 1); })({1, 1, stream}, c);",
     "this array is const in the kernel"},
    {"tare::jit([](auto a, auto b) { a[0] = b; })({1, 1, stream}, a);",
     "the kernel's lambda does not take these arguments: is their number right, and is each parameter "
     "`auto`, by value"},
    {"(void)tare::jit_row<tare::DeviceSpan<float>>(\"f\", [](auto a, auto b) { a[0] = b; });",
     "the kernel's lambda does not take these arguments: is their number right, and is each parameter "
     "`auto`, by value"},
    {"tare::jit([](auto a) { a[0] = 1; })({1, 1, stream}, a, 2);",
     "the kernel's lambda does not take these arguments: is their number right, and is each parameter "
     "`auto`, by value"},
    {"tare::jit([](auto a) { a[0] = 1; })({1, 1, stream}, buffer);", "tare::device_span<float>(buffer)"},
    {"tare::jit([](auto a, auto x) { a[0] = x; })({1, 1, stream}, a, 1.0L);", "of a jit kernel is no number"},
    {"tare::jit([](auto a) { return a[0] + 1; })({1, 1, stream}, a);",
     "a kernel gives nothing back: write to an array"},
    {"tare::jit([](auto a) { auto x = a[0] + 1; x = x + 1; a[0] = x; })({1, 1, stream}, a);",
     "make it a variable with tare::var"},
    {"tare::jit([](auto a) { auto x = a[0]; x = 1; })({1, 1, stream}, a);", "this is a copy of an element"},
    {"tare::jit([](auto a) { auto x = a[0]; x += 1; })({1, 1, stream}, a);", "this is a copy of an element"},
    {"tare::jit([](auto a) { a[a[0]] = 1; })({1, 1, stream}, a);", "an array's index is an integer"},
    {"tare::jit([](auto a) { a[0] = a[0] % 2; })({1, 1, stream}, a);", "%, &, | and ^ are for integers"},
    {"tare::jit([](auto a) { tare::while_(a[0] > 0, [&] { a[0] -= 1; }); })({1, 1, stream}, a);",
     "give tare::while_ a lambda"},
    {"tare::jit([](auto a) { tare::for_(0, 3, [&] { a[0] += 1; }); })({1, 1, stream}, a);",
     "tare::for_ takes the index"},
    {"tare::jit([](auto a) { tare::if_(a[0] > 0, [&] { return 1; }); })({1, 1, stream}, a);",
     "leave the kernel with tare::return_()"},
    {"tare::jit([](auto a) { tare::atomic_min(a[0], 1); })({1, 1, stream}, a);",
     "atomic operations are on integers of 32 and 64 bits"},
    {"tare::jit([] { tare::atomic_exchange(tare::shared_array<tare::half, 1>()[0], 1); })({1, 1, stream});",
     "atomic_add on half"},
    {"tare::jit([](auto a) { a[0] = a[0] > 1.0f ? 2.0f : 3.0f; })({1, 1, stream}, a);",
     "not known while the kernel is traced: use tare::if_"},
    {"struct Pair { float x, y; }; tare::jit([](auto a, auto p) { a[0] = p.x; })({1, 1, stream}, a, Pair{});",
     "of a jit kernel is no number"},
    {"tare::jit([](auto a) { auto sum = tare::function([](auto x, auto y) { return x + y; }); "
     "a[0] = sum(a[1]); })({1, 1, stream}, a);",
     "the function's lambda does not take these arguments: is their number right, and is each parameter "
     "`auto`, by value"},
    {"tare::jit([](auto a) { tare::function([](auto x) { return std::array{x, x}; })(a[0]); })({1, 1, "
     "stream}, "
     "a);",
     "a function gives back one value, or nothing"},
    {"tare::jit([](auto a) { tare::for_(0, 4, 0.5, [&](auto i) { a[i] = 1; }); })({1, 1, stream}, a);",
     "tare::for_ counts with integers"},
    {"tare::jit([](auto a) { auto s = 0.0f; tare::for_(0, 3, [&](auto i) { s += a[i]; }); })({1, 1, stream}, "
     "a);",
     "make it one with auto x = tare::var"},
    {"tare::jit([](auto a) { tare::print(\"%s\\n\", \"x\"); a[0] = 1; })({1, 1, stream}, a);",
     "tare::print prints numbers: write a text into the format itself"},
    {"tare::jit([](auto a) { auto s = a[0] + 1; s *= a[1]; a[0] = s; })({1, 1, stream}, a);",
     "make it one with auto x = tare::var"},
    {"tare::jit([](auto a) { auto s = a[0] + 1; s -= 2; a[0] = s; })({1, 1, stream}, a);",
     "make it one with auto x = tare::var"},
    {"tare::jit([](auto a) { int s = 0; s <<= a.size(); a[0] = s; })({1, 1, stream}, a);",
     "make it one with auto x = tare::var"},
    {"tare::jit([](auto a) { float s = 0; s = a[0]; a[1] = s; })({1, 1, stream}, a);",
     "it is no plain number"},
    {"tare::jit([](auto a) { int v = a[0]; a[1] = v; })({1, 1, stream}, a);", "it is no plain number"},
    {"tare::jit([](auto a) { float v = a[0] * 2; a[1] = v; })({1, 1, stream}, a);", "it is no plain number"},
    {"tare::jit([](auto a) { a[0] = std::sqrt(a[1] * a[1]); })({1, 1, stream}, a);", "it is no plain number"},
    {"tare::jit([](auto a) { a[0] = std::sqrt(a[1]); })({1, 1, stream}, a);", "it is no plain number"},
    {"tare::jit([](auto a) { a[0] = std::min(a[1] * 2, a[1] + 1); })({1, 1, stream}, a);",
     "not known while the kernel is traced: use tare::if_"},
    {"tare::jit([](auto a) { switch (tare::cast<int>(a[0])) { case 1: break; } })({1, 1, stream}, a);",
     "it is no plain number"},
    {"tare::jit([](auto a) { auto x = tare::var(1); switch (x) { case 1: break; } })({1, 1, stream}, a);",
     "it is no plain number"},
    {"tare::jit([](auto a) { if (a[0]) a[1] = 1; })({1, 1, stream}, a);", "it is no plain number"},
    {"tare::jit([](auto a) { float table[4] = {}; a[0] = table[a.size()]; })({1, 1, stream}, a);",
     "it is no plain number"},
    {"tare::jit([](auto a) { a[0][1] = 1; })({1, 1, stream}, a);", "array[y * width + x]"},
    {"tare::jit([](auto& a) { a[0] = 1; })({1, 1, stream}, a);", "by value (not `auto&`"},
    {"tare::jit([](auto a, float x) { a[0] = x; })({1, 1, stream}, a, 1.0f);", "it is no plain number"},
    {"tare::jit([](auto a, float* p) { a[0] = 1; })({1, 1, stream}, a, c);", "by value (not `auto&`"},
    {"tare::jit([](auto a) { a[0] = a[0] > a[1] ? a[0] * 2 : 3.0f; })({1, 1, stream}, a);",
     "not known while the kernel is traced: use tare::if_"}};

/// Which argument it is: GCC and clang write a template's arguments each in their way.
TEST(JitMistakes, AnArgumentOfAnotherTypeIsNamedByItsNumber) {
  const CppCompiler cpp(TARE_CXX);
  EXPECT_THAT(cpp.said_to("tare::jit([](auto a, auto x) { a[0] = x; })({1, 1, stream}, a, 1.0L);"),
              ContainsRegex("check_argument.*(argument = 2; Type = long double|<2, long double>)"));
}

constexpr const char* kNoMistakes[] = {
    "tare::jit([] { tare::print(\"here\\n\"); })({1, 1, stream});",
    "tare::jit([](auto a) { int s = 1; s += 2; tare::Value<float> v = s; auto x = tare::var(v); x += a[0]; "
    "x = tare::select(s > 2, v, 0.0f); a[0] = x; })({1, 1, stream}, a);",
    "tare::jit([](auto a, auto b) { auto i = tare::grid_index(); tare::if_(i < a.size(), [&] { a[i] = b[i]; "
    "}); "
    "})({1, 1, stream}, a, c);"};

void expect_mistakes_told_by(const std::string& compiler) {
  const CppCompiler cpp(compiler);
  for (const char* const statements : kNoMistakes) EXPECT_EQ(cpp.said_to(statements), "") << statements;
  for (const auto& [statements, said] : kMistakes)
    EXPECT_THAT(cpp.said_to(statements), AllOf(HasSubstr(said), HasSubstr("program.cpp:4"))) << statements;
}

TEST(JitMistakes, AreToldByThisBuildsCompiler) {
  expect_mistakes_told_by(TARE_CXX);
}

TEST(JitMistakes, AreToldByClang) {
  TARE_NEEDS(clang);
  expect_mistakes_told_by(find_clang().tool->path.string());
}

class JitMisuse : public fixtures::JitMisuseTest {};

TEST_F(JitMisuse, AValueFromABlockThatHasEndedIsNamed) {
  const Error error = of([](auto out, auto n) {
    std::optional<Value<int>> kept;
    if_(n > 3, [&] { kept.emplace(out[0] * n); });
    out[1] = *kept;
  });
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_THAT(error.what(),
              ContainsRegex("in the kernel `kernel` made at .*misuse_test.cpp:[0-9]+: "
                            "`\\(argument 1\\[0\\] \\* argument 2\\)` was made inside a block that has"));
  EXPECT_THAT(error.hint(), HasSubstr("tare::var"));
}

TEST_F(JitMisuse, TheRightSideOfAndMayOnlyRead) {
  for (const bool is_and : {true, false}) {
    const Error error = of([is_and](auto out, auto n) {
      const auto i = thread_index().x;
      if (is_and) if_(i < 5u && atomic_add(out[n], 1) > 0, [] {});
      if (!is_and) if_(i < 5u || atomic_add(out[n], 1) > 0, [] {});
    });
    EXPECT_THAT(error.what(),
                HasSubstr(std::string("the right side of ") + (is_and ? "&&" : "||") +
                          " has `an atomic operation on argument 1[argument 2]`, and would be"));
    EXPECT_THAT(error.hint(), HasSubstr("guard it with tare::if_"));
  }
}

TEST_F(JitMisuse, WhatTheRightSideOfAndReadsMayNotBeWrittenMeanwhile) {
  EXPECT_THAT(
      of([](auto out, auto n) {
        const auto left = n > 0;
        const auto right = out[0];
        out[0] = 7;
        if_(left && right == 0, [] {});
      }).what(),
      HasSubstr(
          "the right side of && has `argument 1[0]`, which was read before something else was written"));
}

TEST_F(JitMisuse, AValueOutsideOfItsKernelIsRefused) {
  std::optional<Value<int>> kept;
  const Buffer out = buffer(std::vector<int>(32));
  jit([&](auto a) { kept.emplace(a[0] + 1); })({1, 1, stream_}, device_span<int>(out));
  EXPECT_THAT(error_of([&] { *kept + 1; }).what(), HasSubstr("used outside of the kernel"));
  EXPECT_THAT(of([&](auto a, auto) { a[0] = *kept; }).what(),
              HasSubstr("a value of another kernel, or of an earlier trace, was used"));
}

TEST_F(JitMisuse, LeavingALoopThatIsNotThereNamesTheLine) {
  EXPECT_THAT(
      of([](auto, auto n) { if_(n > 0, [] { break_(); }); }).what(),
      ContainsRegex(
          "misuse_test.cpp:[0-9]+, in the kernel `kernel` made at .*: tare::break_\\(\\) is in no loop"));
  EXPECT_THAT(of([](auto, auto) { continue_(); }).what(), HasSubstr("tare::continue_() is in no loop"));
}

TEST_F(JitMisuse, AnElseFollowsItsIf) {
  EXPECT_THAT(of([](auto out, auto n) {
                const auto first = if_(n > 0, [] {});
                out[0] = 1;
                first.else_([] {});
              }).what(),
              HasSubstr("else_ does not follow its if_ at once"));
}

TEST_F(JitMisuse, AStepHasToBeAboveZero) {
  const Error error = of([](auto out, auto n) { for_(n, 0, -1, [&](auto i) { out[i] = 1; }); });
  EXPECT_THAT(
      error.what(),
      ContainsRegex("misuse_test.cpp:[0-9]+, in the kernel .*: the step of tare::for_, -1, is not above 0"));
  EXPECT_THAT(error.hint(), HasSubstr("tare::while_"));
}

TEST_F(JitMisuse, AStepHasToFitIntoTheLoopsType) {
  EXPECT_THAT(
      of([](auto out, auto n) { for_(0, n, 1LL << 32, [&](auto i) { out[i] = 1; }); }).what(),
      ContainsRegex("misuse_test.cpp:[0-9]+, .*tare::for_, 4294967296, does not fit into .* type, int$"));
  EXPECT_THAT(of([](auto out, auto n) { for_(0, n, 4294967295u, [&](auto i) { out[i] = 1; }); }).what(),
              HasSubstr("4294967295, does not fit"));
  EXPECT_EQ(run_traced<int>(
                [](auto out) { for_(std::int64_t{1}, 32, 4294967295u, [&](auto i) { out[i] = 7; }); })[1],
            7);
}

TEST_F(JitMisuse, AtomicsOnTheThreadsOwnArrayAreRefused) {
  EXPECT_THAT(of([](auto, auto) { atomic_add(local_array<int, 4>()[0], 1); }).what(),
              HasSubstr("which is the thread's own"));
}

TEST_F(JitMisuse, ALaunchOfNegativeOrHugeExtentIsRefused) {
  EXPECT_THAT(error_of([] { Extent(-1); }).what(), HasSubstr("a launch of -1 blocks or threads"));
  EXPECT_THAT(error_of([] { Extent(1, std::size_t{1} << 32); }).what(), HasSubstr("4294967296"));
}

TEST_F(JitMisuse, ANameHasToBeASymbol) {
  for (const char* name : {"", "two words", "1st", "a-b", "\n"}) {
    JitOptions options;
    options.name = name;
    EXPECT_THAT(error_of([&] { jit([](auto) {}, options); }).what(), HasSubstr("cannot be a kernel's name"));
  }
  EXPECT_THAT(of([](auto out, auto n) { out[0] = function([](auto x) { return x; }, "a b")(n); }).what(),
              ContainsRegex("misuse_test.cpp:[0-9]+: `a b` cannot be a function's name"));
}

TEST_F(JitMisuse, TheDevicesOwnNamesAreReserved) {
  for (const char* name : {"vprintf", "malloc", "free", "__assertfail", "__nv_sinf", "WARP_SZ", "_"}) {
    JitOptions options;
    options.name = name;
    EXPECT_THAT(error_of([&] { jit([](auto) {}, options); }).hint(), HasSubstr("it is reserved")) << name;
  }
}

TEST_F(JitMisuse, TextsThatDoNotFitNameTheLine) {
  const std::string half(40000, 'x'), other(40000, 'y');
  const Error print_error = of([&](auto, auto) {
    for (int i = 0; i < 3; ++i) print(half.c_str());  // there once
    print(other.c_str());
  });
  EXPECT_EQ(print_error.kind(), ErrorKind::argument);
  EXPECT_THAT(print_error.what(),
              ContainsRegex(
                  "misuse_test.cpp:[0-9]+, in the kernel `kernel`: a format of tare::print of 40001 bytes"));
  EXPECT_THAT(of([&](auto, auto n) {
                assert_(n > 0, half.c_str());
                assert_(n > 1, other.c_str());
              }).what(),
              ContainsRegex("misuse_test.cpp:[0-9]+, in .*: a text of tare::assert_ of 400[0-9]+ bytes"));
  EXPECT_THAT(of([](auto out, auto n) { out[0] = constant_array(std::array<int, 20000>{})[n]; }).what(),
              HasSubstr("a tare::constant_array of 80000 bytes"));
  const auto kernel = jit([&](auto out) {
    for (int i = 0; i < 3; ++i) if_(out[0] > 1000 + i, [&] { print(half.c_str()); });
    out[0] = 9;
  });
  EXPECT_EQ(run<int>(kernel)[0], 9);
}

TEST_F(JitMisuse, AnExceptionCaughtOutOfABlockNamesTheBlock) {
  const auto expect_named = [](const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::argument);
    EXPECT_THAT(error.what(), ContainsRegex("misuse_test.cpp:[0-9]+, in the kernel `kernel` made at .*: an "
                                            "exception left the block that begins here"));
    EXPECT_THAT(error.hint(), HasSubstr("inside of the block's body"));
  };
  const auto caught = [](auto block) {
    try {
      block();
    } catch (const int&) {
    }
  };
  expect_named(of([&](auto, auto n) { caught([&] { if_(n > 0, [] { throw 1; }); }); }));
  expect_named(of([&](auto out, auto n) {
    caught([&] { if_(n > 0, [] {}).else_([] { throw 1; }); });
    if_(n > 5, [&] { out[3] = 3; });
  }));
  expect_named(
      of([&](auto, auto n) { if_(n > 0, [&] { caught([&] { for_(0, n, [](auto) { throw 1; }); }); }); }));
  expect_named(of([&](auto, auto n) { caught([&] { while_([&] { return n > 0; }, [] { throw 1; }); }); }));
  expect_named(of([&](auto, auto n) { caught([&] { while_([&] { return throw 1, n > 0; }, [] {}); }); }));
  expect_named(of([&](auto, auto n) {
    caught([&] {
      select(
          n > 0, [&] { return throw 1, n; }, n);
    });
  }));
  EXPECT_THAT(of([&](auto, auto n) {
                function([&](auto x) { caught([&] { if_(x > 0, [] { throw 1; }); }); }, "inner")(n);
              }).what(),
              ContainsRegex("misuse_test.cpp:[0-9]+, in the function `kernel_inner_0`, .*an exception left"));
}

TEST_F(JitMisuse, AnExceptionThatLeavesAFunctionOrIsCaughtInABlockIsTheLambdasOwn) {
  const auto result = run_traced<int>([](auto out) {
    const auto broken = function([](auto x) {
      if_(x > 0, [] { throw 1; });
      return x;
    });
    try {
      broken(1);
    } catch (const int&) {
      out[0] = 5;
    }
    if_(out[0] == 5, [&] {
      try {
        throw 1;
      } catch (const int&) {
        out[1] = 6;
      }
    });
  });
  EXPECT_EQ(result[0], 5);
  EXPECT_EQ(result[1], 6);
}

TEST_F(JitMisuse, WhatThrowsInTheLambdaIsThrownByTheCallAndTriedAgain) {
  int traces = 0;
  const auto kernel = jit([&](auto a) {
    if (++traces == 1) throw std::runtime_error("not yet");
    a[0] = 42;
  });
  const Buffer out = buffer(std::vector<int>(1));
  EXPECT_THROW(kernel({1, 1, stream_}, device_span<int>(out)), std::runtime_error);
  kernel({1, 1, stream_}, device_span<int>(out));
  EXPECT_EQ(read<int>(out)[0], 42);
}

/// A cast that no reader of IR takes, which the vocabulary does not let through.
const auto kRefused = [](auto out) {
  out[0] = Value<int>(detail::bit_cast(detail::Scalar::i32, cast<double>(out[1]).node()));
};

void expect_fault_of_tare(const JitOptions& options, const Buffer& out, const Stream& stream,
                          const char* said) {
  const auto kernel = jit(kRefused, options);
  const Error error = error_of([&] { kernel({1, 1, stream}, device_span<int>(out)); });
  EXPECT_EQ(error.kind(), ErrorKind::compile);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("cannot compile kernel(int[])"), HasSubstr(said)));
  EXPECT_THAT(error.hint(), AllOf(HasSubstr("fault of tare"), HasSubstr("kernel.ir()")));
  EXPECT_THAT(kernel.ir(), HasSubstr("bitcast double"));
  EXPECT_TRUE(kernel.specializations().empty());
}

TEST_F(JitMisuse, WhatLibNvvmSaysAgainstTheIrIsShown) {
  TARE_NEEDS(nvvm);
  JitOptions options;
  options.compiler = JitCompiler::libnvvm;
  expect_fault_of_tare(options, buffer(std::vector<int>(2)), stream_, "invalid cast opcode");
}

TEST_F(JitMisuse, WhatClangSaysAgainstTheIrIsShown) {
  TARE_NEEDS(clang);
  JitOptions options;
  options.compiler = JitCompiler::clang;
  expect_fault_of_tare(options, buffer(std::vector<int>(2)), stream_, "invalid cast opcode");
}

TEST_F(JitMisuse, WithoutACompilerEveryPlaceIsNamed) {
  const fixtures::ScopedEnvironment none(fixtures::ScopedEnvironment::Changes{
      {"TARE_TOOLKIT_SEARCH", "explicit"}, {"TARE_NVVM", ""}, {"TARE_CLANG", ""}});
  const Error error = of([](auto, auto) {});
  EXPECT_EQ(error.kind(), ErrorKind::not_found);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("libNVVM not found: looked in TARE_NVVM (not set)"),
                                  HasSubstr("clang not found: looked in TARE_CLANG (not set)")));
  EXPECT_THAT(error.hint(), HasSubstr("install one of them"));
}

/// What the first call throws where this compiler is named.
Error with_compiler(const JitOptions& options, const Buffer& out, const Stream& stream) {
  const auto kernel = jit([](auto a) { a[0] = 1; }, options);
  return error_of([&] { kernel({1, 1, stream}, device_span<int>(out)); });
}

TEST_F(JitMisuse, ANamedCompilerThatCannotBeUsedIsNotReplacedByAnother) {
  const Buffer out = buffer(std::vector<int>(1));
  fixtures::Folder folder;
  const std::string text = folder.write("libnvvm.so", "no library\n");
  for (const JitCompiler compiler : {JitCompiler::automatic, JitCompiler::libnvvm}) {
    JitOptions options;
    options.compiler = compiler;
    {
      const fixtures::ScopedEnvironment named(fixtures::ScopedEnvironment::Changes{{"TARE_NVVM", "/nope"}});
      const Error error = with_compiler(options, out, stream_);
      EXPECT_EQ(error.kind(), ErrorKind::not_found);
      EXPECT_STREQ(error.what(), "libNVVM not found: looked in TARE_NVVM (no such file: /nope)");
      EXPECT_EQ(error.hint(), "TARE_NVVM names it: correct or unset that");
    }
    options.compiler_path = "/nope";
    const Error error = with_compiler(options, out, stream_);
    EXPECT_STREQ(error.what(), "libNVVM not found: looked in the given path (no such file: /nope)");
    EXPECT_THAT(error.hint(),
                HasSubstr("JitOptions::compiler_path names it: correct that, or leave it empty"));
    options.compiler_path = text;
    const Error no_library = with_compiler(options, out, stream_);
    EXPECT_THAT(no_library.what(), HasSubstr("cannot load " + text + " as libNVVM"));
    EXPECT_THAT(no_library.hint(), HasSubstr("nvvm/lib64/libnvvm.so"));
  }
  JitOptions clang;
  clang.compiler = JitCompiler::clang;
  clang.compiler_path = "/nope";
  const Error error = with_compiler(clang, out, stream_);
  EXPECT_THAT(error.what(), HasSubstr("clang not found: looked in the given path (no such file: /nope)"));
  EXPECT_THAT(error.hint(), HasSubstr("JitOptions::compiler_path names it"));
}

TEST_F(JitMisuse, APathThatNamesClangNeedsNoFurtherOption) {
  TARE_NEEDS(clang);
  JitOptions options;
  options.compiler_path = find_clang().tool->path;
  const auto kernel = jit([](auto out) { out[0] = 8; }, options);
  EXPECT_EQ(run<int>(kernel)[0], 8);
  EXPECT_THAT(kernel.specializations()[0]->compiled.compiler, HasSubstr("clang"));
}

TEST_F(JitMisuse, AFunctionOfTheDeviceLibraryNeedsIt) {
  TARE_NEEDS(clang);
  const fixtures::ScopedEnvironment none(
      fixtures::ScopedEnvironment::Changes{{"TARE_TOOLKIT_SEARCH", "explicit"},
                                           {"TARE_NVVM", ""},
                                           {"TARE_CLANG", find_clang().tool->path.string()}});
  const Error error = of([](auto a, auto n) { a[0] = cast<int>(sin(n)); });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("tare::sin is in NVIDIA's device library"));
}

}  // namespace
}  // namespace tare
