// Eager compilation: nvcc runs once, counted by a program in its place, and not again until something it
// read has changed.
#include "tare/source_module.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"
#include "tare/error.hpp"

namespace tare {
namespace {

using fixtures::adds;
using fixtures::Folder;
using fixtures::kVectorAdd;
using fixtures::ScopedEnvironment;
namespace fs = std::filesystem;

bool adds_with(const PrimaryContext& context, const Kernel& kernel) {
  return adds(context, [&](auto stream, const auto& shape, auto a, auto b, auto out, auto n) {
    kernel.launch(stream, shape, a, b, out, n);
  });
}

TEST(SourceModuleChild, DISABLED_RunsOnce) {
  const std::string report_file = std::getenv("TARE_TEST_REPORT");
  const PrimaryContext context;
  const SourceModule module(context, kVectorAdd);
  const bool right = adds_with(context, module.kernel("vectorAdd"));
  std::ofstream(report_file) << (right ? "right" : "wrong") << " compiled=" << module.report().compiled
                             << " cache=" << module.report().cache_result << "\n";
  EXPECT_TRUE(right);
}

class Eager : public ::testing::Test {
 protected:
  void SetUp() override {
    TARE_NEEDS(nvcc);
    const std::string script = "#!/bin/sh\necho \"$*\" >> " + calls().string() + "\nexec " +
                               find_nvcc().tool->path.string() + " \"$@\"\n";
    wrapper_ = folder_.write("bin/nvcc", script, true);
  }
  fs::path calls() const { return folder_.path() / "calls"; }
  Cache cache() const { return Cache(folder_.path() / "cache"); }
  CompileOptions options() const {
    CompileOptions options;
    options.compiler = wrapper_;
    return options;
  }
  Folder folder_;
  fs::path wrapper_;
  PrimaryContext context_;
};

TEST_F(Eager, TheConstructorCompilesAndTheNextOneDoesNot) {
  const SourceModule first(context_, kVectorAdd, options(), {}, cache());
  EXPECT_TRUE(first.report().compiled);
  EXPECT_EQ(first.report().cache_result, "miss");
  EXPECT_TRUE(adds_with(context_, first.kernel("vectorAdd")));
  const std::size_t calls_before = fixtures::count_lines(calls());
  EXPECT_GE(calls_before, 1u);
  const SourceModule second(context_, kVectorAdd, options(), {}, cache());
  EXPECT_FALSE(second.report().compiled);
  EXPECT_EQ(second.report().cache_result, "hit");
  EXPECT_TRUE(adds_with(context_, second.kernel("vectorAdd")));
  EXPECT_EQ(fixtures::count_lines(calls()), calls_before);
}

TEST_F(Eager, TheSecondProcessStartsNoNvccAtAll) {
  const std::map<std::string, std::string> variables{
      {"TARE_TEST_REPORT", (folder_.path() / "report").string()},
      {"TARE_CACHE_DIR", (folder_.path() / "cache").string()},
      {"TARE_NVCC", wrapper_.string()}};
  const std::string child = "SourceModuleChild.DISABLED_RunsOnce";
  EXPECT_EQ(fixtures::wait_for(fixtures::start_test(child, variables)), 0);
  EXPECT_EQ(fixtures::first_line(folder_.path() / "report"), "right compiled=1 cache=miss");
  const std::size_t calls_before = fixtures::count_lines(calls());
  EXPECT_EQ(fixtures::wait_for(fixtures::start_test(child, variables)), 0);
  EXPECT_EQ(fixtures::first_line(folder_.path() / "report"), "right compiled=0 cache=hit");
  EXPECT_EQ(fixtures::count_lines(calls()), calls_before);
}

TEST_F(Eager, AHeaderOnTheHostCompilersOwnPathIsWatchedToo) {
  folder_.write("system/value.h", "#define VALUE 0\n");
  const ScopedEnvironment environment(
      ScopedEnvironment::Changes{{"CPATH", (folder_.path() / "system").string()}});
  const std::string source = "#include <value.h>\n" + kVectorAdd;
  EXPECT_EQ(SourceModule(context_, source, options(), {}, cache()).report().cache_result, "miss");
  EXPECT_EQ(SourceModule(context_, source, options(), {}, cache()).report().cache_result, "hit");
  folder_.write("system/value.h", "#define VALUE 1234\n");
  EXPECT_EQ(SourceModule(context_, source, options(), {}, cache()).report().cache_result, "miss");
  EXPECT_EQ(SourceModule(context_, source, options(), {}, cache()).report().cache_result, "hit");
}

TEST_F(Eager, TemplateInstancesAreMadeAndFound) {
  const std::string source =
      "template <class T> __global__ void sum(const T* a, const T* b, T* out, size_t n) {\n"
      "  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = a[i] + b[i];\n}\n";
  for (const char* expected : {"miss", "hit"}) {
    const SourceModule module(context_, source, options(), {"sum<float>"}, cache());
    EXPECT_EQ(module.report().cache_result, expected);
    EXPECT_TRUE(adds_with(context_, module.kernel("sum<float>")));
  }
}

TEST_F(Eager, AFailedCompileIsNotKept) {
  EXPECT_THROW(SourceModule(context_, "broken", options(), {}, cache()), CompileError);
  EXPECT_TRUE(cache().entries().empty());
}

}  // namespace
}  // namespace tare
