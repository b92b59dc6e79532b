// The cache of traced kernels: asked for, hit by the next process, and missed where anything differs that
// decides what is compiled.
#include <gmock/gmock.h>

#include <fstream>

#include "compile/child_process.hpp"
#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::Folder;
using fixtures::ScopedEnvironment;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

JitOptions cached(JitCompiler compiler = JitCompiler::automatic) {
  JitOptions options;
  options.cache = true;
  options.compiler = compiler;
  return options;
}

auto scaled_sum(float factor, const JitOptions& options) {
  return jit(
      [factor](auto out, auto x) { out[thread_index().x] = x * factor + cast<float>(thread_index().x); },
      options);
}

class JitCache : public fixtures::JitTest {
 protected:
  /// Compiled or found, run, and right; what the look-up gave.
  std::string result_of(float factor, const JitOptions& options) const {
    const auto kernel = scaled_sum(factor, options);
    const std::vector<float> out = run<float>(kernel, 3.0f);
    for (std::size_t i = 0; i < out.size(); ++i)
      EXPECT_EQ(out[i], 3.0f * factor + static_cast<float>(i)) << "element " << i;
    return kernel.specializations().at(0)->cache_result;
  }
  static CacheCounters counters() { return Cache().counters(); }

  Folder folder_;
  ScopedEnvironment environment_{{{"TARE_CACHE_DIR", (folder_.path() / "cache").string()}}};
};

/// What one process finds in the cache that its parent names, written for it. Disabled: only its parent runs
/// it.
class JitCacheChild : public fixtures::JitTest {};
TEST_F(JitCacheChild, DISABLED_RunsOnce) {
  const auto kernel = scaled_sum(2.0f, cached());
  const bool right = run<float>(kernel, 3.0f).at(5) == 11.0f;
  const JitSpecialization& made = *kernel.specializations().at(0);
  std::ofstream(std::getenv("TARE_TEST_REPORT"))
      << (right ? "right" : "wrong") << " cache=" << made.cache_result
      << " libnvvm=" << fixtures::has_loaded("libnvvm") << " ir=" << made.ir.size()
      << " by=" << made.compiled.compiler << '\n';
}

class JitCacheOfBoth : public JitCache, public ::testing::WithParamInterface<JitCompiler> {};

TEST_P(JitCacheOfBoth, TheSecondProcessStartsNoCompilerAndLoadsNone) {
  std::map<std::string, std::string> variables{{"TARE_CACHE_DIR", (folder_.path() / "shared").string()}};
  const fs::path starts = folder_.path() / "starts";
  if (GetParam() == JitCompiler::clang) {
    TARE_NEEDS(clang);
    const fs::path script = folder_.write("clang",
                                          "#!/bin/sh\necho started >> " + starts.string() + "\nexec " +
                                              fs::absolute(find_clang().tool->path).string() + " \"$@\"\n",
                                          true);
    variables["TARE_CLANG"] = script;
    variables["TARE_NVVM"] = "";
    variables["TARE_TOOLKIT_SEARCH"] = "explicit";
  } else {
    TARE_NEEDS(nvvm);
  }
  std::string reports[2];
  std::size_t clang_starts[2];
  for (const int i : {0, 1}) {
    const fs::path report = folder_.path() / "report";
    variables["TARE_TEST_REPORT"] = report;
    ASSERT_EQ(fixtures::wait_for(fixtures::start_test("JitCacheChild.DISABLED_RunsOnce", variables)), 0);
    reports[i] = fixtures::first_line(report);
    clang_starts[i] = fixtures::count_lines(starts);
  }
  const bool libnvvm = GetParam() == JitCompiler::libnvvm;
  EXPECT_THAT(reports[0], HasSubstr(libnvvm ? "right cache=miss libnvvm=1" : "right cache=miss libnvvm=0"));
  EXPECT_THAT(reports[1], HasSubstr("right cache=hit libnvvm=0"));
  const auto rest = [](const std::string& line) { return line.substr(line.find(" ir=")); };
  EXPECT_EQ(rest(reports[0]), rest(reports[1])) << "IR and compiler are as the first process had them";
  EXPECT_EQ(clang_starts[0] > 0, !libnvvm);
  EXPECT_EQ(clang_starts[1], clang_starts[0]);
  const CacheCounters all = Cache(folder_.path() / "shared").stats();
  EXPECT_EQ(all.misses, 1u);
  EXPECT_EQ(all.stores, 1u);
  EXPECT_EQ(all.hits, 1u);
}
TEST_P(JitCacheOfBoth, AMissIsExplainedFromTheIr) {
  const bool libnvvm = GetParam() == JitCompiler::libnvvm;
  if (!libnvvm) TARE_NEEDS(clang);
  if (libnvvm) TARE_NEEDS(nvvm);
  const auto kernel = scaled_sum(2.0f, cached(GetParam()));
  run<float>(kernel, 3.0f);
  const std::string arch = std::to_string(Device().compute_capability());
  const auto explain = [&](const std::string& ir, const std::vector<std::string>& more) {
    const std::string file = folder_.write("kernel.ll", ir);
    std::vector<std::string> argv{
        TARE_BINARY_DIR "/bin/tare",   "cache",    "explain", file,     "--compiler",
        libnvvm ? "libnvvm" : "clang", "--kernel", "kernel",  "--arch", "sm_" + arch};
    argv.insert(argv.end(), more.begin(), more.end());
    detail::ChildRequest request;
    request.argv = std::move(argv);
    const auto ended = detail::run_child(request);
    EXPECT_TRUE(ended.ok()) << ended.errors;
    return ended.output;
  };
  EXPECT_EQ(explain(kernel.ir(), {}), "would hit: " + Cache().entries().at(0).key + "\n");
  const std::string strict = explain(kernel.ir(), {"--fp", "strict"});
  EXPECT_THAT(strict, HasSubstr("would miss: "));
  EXPECT_THAT(strict, HasSubstr("option fmad: false is wanted, unset is kept"));
  EXPECT_THAT(strict, Not(HasSubstr("source")));
  JitOptions uncached;
  uncached.compiler = GetParam();
  const auto other = scaled_sum(4.0f, uncached);
  run<float>(other, 3.0f);
  EXPECT_THAT(explain(other.ir(), {}),
              AllOf(HasSubstr("differs in\n  source: sha256:"), Not(HasSubstr("option"))));
  const auto sine = jit([](auto out, auto x) { out[thread_index().x] = tare::sin(x); }, cached(GetParam()));
  if (find_nvvm().tool && !libdevice_of(*find_nvvm().tool).empty()) {
    run<float>(sine, 3.0f);
    EXPECT_THAT(explain(sine.ir(), {}), HasSubstr("would hit: "));
  }
}
INSTANTIATE_TEST_SUITE_P(Both, JitCacheOfBoth, ::testing::Values(JitCompiler::libnvvm, JitCompiler::clang),
                         [](const auto& each) {
                           return each.param == JitCompiler::clang ? "clang" : "libnvvm";
                         });

TEST_F(JitCache, IsOffUnlessItIsAskedFor) {
  if (!fixtures::has_nvvm()) TARE_NEEDS(clang);
  EXPECT_EQ(result_of(2.0f, JitOptions()), "none");
  EXPECT_FALSE(fs::exists(Cache::default_directory()));
}

TEST_F(JitCache, AnotherConstantTypeNameOrOptionMisses) {
  if (!fixtures::has_nvvm()) TARE_NEEDS(clang);
  EXPECT_EQ(result_of(2.0f, cached()), "miss");
  EXPECT_EQ(result_of(2.0f, cached()), "hit");
  EXPECT_EQ(result_of(4.0f, cached()), "miss");
  JitOptions options = cached();
  options.name = "other";
  EXPECT_EQ(result_of(2.0f, options), "miss");
  const auto each = [&](const char* what, auto set) {
    JitOptions changed = cached();
    set(changed);
    EXPECT_EQ(result_of(2.0f, changed), "miss") << what;
    EXPECT_EQ(result_of(2.0f, changed), "hit") << what;
  };
  each("fmad", [](JitOptions& o) { o.fmad = false; });
  each("ftz", [](JitOptions& o) { o.ftz = true; });
  each("prec_div", [](JitOptions& o) { o.prec_div = true; });
  each("prec_sqrt", [](JitOptions& o) { o.prec_sqrt = true; });
  each("strict", [](JitOptions& o) { o.set_strict_fp(); });
  const auto kernel = scaled_sum(2.0f, cached());
  run<float>(kernel, 3.0);
  EXPECT_EQ(kernel.specializations().at(0)->cache_result, "miss") << "a double in place of a float";
  EXPECT_EQ(result_of(2.0f, cached()), "hit") << "and what was there still is";
}

TEST_F(JitCache, ADamagedEntryIsCompiledAnew) {
  if (!fixtures::has_nvvm()) TARE_NEEDS(clang);
  EXPECT_EQ(result_of(2.0f, cached()), "miss");
  const fs::path entry = Cache().entries().at(0).path;
  {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(-40, std::ios::end);
    const int byte = file.peek();
    file.seekp(-40, std::ios::end);
    file.put(static_cast<char>(byte ^ 1));
  }
  EXPECT_EQ(result_of(2.0f, cached()), "repaired");
  EXPECT_EQ(counters().repaired, 1u);
  EXPECT_EQ(result_of(2.0f, cached()), "hit");
}

TEST_F(JitCache, AnotherLibNvvmOrDeviceLibraryMisses) {
  TARE_NEEDS(nvvm);
  const Tool nvvm = *find_nvvm().tool;
  const fs::path copy = folder_.path() / "toolkit/nvvm/lib64/libnvvm.so.4";
  fs::create_directories(copy.parent_path());
  fs::copy_file(fs::canonical(nvvm.path), copy);
  const fs::path device_library = folder_.path() / "toolkit/nvvm/libdevice/libdevice.10.bc";
  fs::create_directories(device_library.parent_path());
  if (!libdevice_of(nvvm).empty()) fs::copy_file(libdevice_of(nvvm), device_library);

  EXPECT_EQ(result_of(2.0f, cached()), "miss");
  JitOptions options = cached(JitCompiler::libnvvm);
  options.compiler_path = copy;
  EXPECT_EQ(result_of(2.0f, options), "miss") << "a libNVVM elsewhere";
  EXPECT_EQ(result_of(2.0f, options), "hit");
  const auto touch = [](const fs::path& file) {
    fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
  };
  touch(copy);
  EXPECT_EQ(result_of(2.0f, options), "miss") << "another in its place";
  if (libdevice_of(nvvm).empty()) return;
  const auto sine = [&] {
    const auto kernel = jit([](auto out, auto x) { out[thread_index().x] = tare::sin(x); }, options);
    run<float>(kernel, 3.0f);
    return kernel.specializations().at(0)->cache_result;
  };
  EXPECT_EQ(sine(), "miss");
  EXPECT_EQ(sine(), "hit");
  touch(device_library);
  EXPECT_EQ(sine(), "miss") << "another device library";
  EXPECT_EQ(result_of(2.0f, options), "hit") << "which this kernel has nothing of";
}

TEST_F(JitCache, AnotherClangMisses) {
  TARE_NEEDS(clang);
  const std::string real = fs::absolute(find_clang().tool->path).string();
  const auto script = [&](const std::string& comment) {
    return folder_.write("clang", "#!/bin/sh\n# " + comment + "\nexec " + real + " \"$@\"\n", true);
  };
  JitOptions options = cached(JitCompiler::clang);
  EXPECT_EQ(result_of(2.0f, options), "miss");
  options.compiler_path = script("one");
  EXPECT_EQ(result_of(2.0f, options), "miss");
  EXPECT_EQ(result_of(2.0f, options), "hit");
  script("another");
  EXPECT_EQ(result_of(2.0f, options), "miss");
}

TEST_F(JitCache, ADirectoryThatCannotBeWrittenKeepsItInMemory) {
  if (!fixtures::has_nvvm()) TARE_NEEDS(clang);
  folder_.write("cache", "a file where the cache's folder should be");
  ASSERT_NE(Cache().unusable(), "");
  for (const bool again : {false, true}) {
    const auto kernel = scaled_sum(2.0f, cached());
    EXPECT_EQ(run<float>(kernel, 3.0f).at(5), 11.0f);
    EXPECT_EQ(kernel.specializations().at(0)->cache_result, "unusable: " + Cache().unusable());
    EXPECT_EQ(kernel.specializations().at(0)->from_cache, again);
  }
}

}  // namespace
}  // namespace tare
