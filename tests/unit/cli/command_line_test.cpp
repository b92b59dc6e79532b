// The command line as data: what parses to what, and which mistakes are named how.
#include "cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

CommandLine parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "tare");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

std::string complaint(std::vector<const char*> arguments) {
  try {
    parse(std::move(arguments));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(CommandLine, CompareHasTheLessonsDefaults) {
  const CommandLine line = parse({"compare"});
  EXPECT_EQ(line.command, Command::compare);
  EXPECT_TRUE(line.compare.case_file.empty());
  EXPECT_TRUE(line.compare.rows.empty());
  EXPECT_TRUE(line.compare.overrides.values.empty());
  EXPECT_FALSE(line.compare.overrides.block.has_value());
  EXPECT_EQ(line.compare.settings.warmup, 3);
  EXPECT_EQ(line.compare.settings.timed, 10);
  EXPECT_EQ(line.compare.settings.rounds, 30);
  EXPECT_EQ(line.compare.settings.samples, 3);
  EXPECT_EQ(line.compare.settings.fp, "default");
  EXPECT_EQ(line.compare.worker_timeout_seconds, 120);
  EXPECT_FALSE(line.no_color);
}

TEST(CommandLine, CompareTakesEveryOption) {
  const CommandLine line =
      parse({"compare",   "my.toml", "--rows",     "nvrtc,raw",   "--n",       "4M",       "--value",
             "k=-3",      "--value", "m=2^10",     "--threads",   "16x8",      "--warmup", "5",
             "--timed",   "20",      "--rounds",   "7",           "--samples", "2",        "--device",
             "cpu",       "--fp",    "strict",     "--json",      "-",         "--seed",   "42",
             "--timeout", "1.5",     "--prebuilt", "clang=k.ptx", "--no-color"});
  EXPECT_EQ(line.compare.case_file, "my.toml");
  EXPECT_THAT(line.compare.rows, ElementsAre("nvrtc", "raw"));
  EXPECT_EQ(line.compare.overrides.values.at("n"), 4194304);
  EXPECT_EQ(line.compare.overrides.values.at("k"), -3);
  EXPECT_EQ(line.compare.overrides.values.at("m"), 1024);
  EXPECT_THAT(*line.compare.overrides.block, ElementsAre(16u, 8u));
  EXPECT_EQ(line.compare.settings.warmup, 5);
  EXPECT_EQ(line.compare.settings.timed, 20);
  EXPECT_EQ(line.compare.settings.rounds, 7);
  EXPECT_EQ(line.compare.settings.samples, 2);
  EXPECT_EQ(line.compare.device, "cpu");
  EXPECT_EQ(line.compare.settings.fp, "strict");
  EXPECT_EQ(line.compare.json, "-");
  EXPECT_EQ(line.compare.settings.seed, 42u);
  EXPECT_EQ(line.compare.worker_timeout_seconds, 1.5);
  EXPECT_EQ(line.compare.prebuilt.at("clang"), "k.ptx");
  EXPECT_TRUE(line.no_color);
}

TEST(CommandLine, CompareTakesInterpretersAndWhatElseIsToBePrinted) {
  const CommandLine line = parse({"compare", "--python", "cupy=/a/bin/python", "--python", "numba=/b",
                                  "--cuda", "12", "--timeline", "--first-boot"});
  EXPECT_EQ(line.compare.python.at("cupy"), "/a/bin/python");
  EXPECT_EQ(line.compare.python.at("numba"), "/b");
  EXPECT_EQ(line.compare.cuda, 12);
  EXPECT_TRUE(line.compare.timeline);
  EXPECT_TRUE(line.compare.first_boot);
  EXPECT_EQ(complaint({"compare", "--python", "cupy"}), "--python: `cupy` has not the form ROW=PATH");
  EXPECT_NE(complaint({"compare", "--cuda", "11"}), "");
}

TEST(CommandLine, SweepTakesARangeOfSizes) {
  EXPECT_EQ(parse({"sweep"}).command, Command::sweep);
  EXPECT_EQ(parse({"sweep"}).sizes.size(), 17u);
  EXPECT_EQ(parse({"sweep"}).sizes.front(), 1024);
  EXPECT_EQ(parse({"sweep"}).sizes.back(), 64 << 20);
  EXPECT_THAT(parse({"sweep", "my.toml", "--n", "10..1000", "--points", "3"}).sizes,
              ElementsAre(10, 100, 1000));
  EXPECT_EQ(complaint({"sweep", "--n", "4M"}), "--n: `4M` is not a range");
  EXPECT_EQ(complaint({"sweep", "--n", "0..4"}), "--n: `0..4` is no range of sizes from 1 upwards");
  EXPECT_EQ(complaint({"sweep", "--n", "8..4"}), "--n: `8..4` is no range of sizes from 1 upwards");
}

TEST(CommandLine, RowsInstallAndDownloadAreCommandsOfTheirOwn) {
  EXPECT_EQ(parse({"rows", "--json"}).command, Command::rows);
  EXPECT_TRUE(parse({"rows", "--json"}).rows_json);
  const CommandLine install = parse({"rows", "install", "cupy", "numba", "--cuda", "12", "--wheelhouse", "w",
                                     "--offline", "--python", "python3.12"});
  EXPECT_EQ(install.command, Command::rows_install);
  EXPECT_THAT(install.install.rows, ElementsAre("cupy", "numba"));
  EXPECT_EQ(install.install.cuda, 12);
  EXPECT_EQ(install.install.wheelhouse, "w");
  EXPECT_TRUE(install.install.offline);
  EXPECT_EQ(install.install.interpreter, "python3.12");
  const CommandLine download =
      parse({"rows", "download", "--dir", "d", "--python", "3.12", "--machine", "aarch64"});
  EXPECT_EQ(download.command, Command::rows_download);
  EXPECT_EQ(download.download.directory, "d");
  EXPECT_EQ(download.download.version, "3.12");
  EXPECT_EQ(download.download.machine, "aarch64");
  EXPECT_NE(complaint({"rows", "download"}), "");
  EXPECT_EQ(complaint({"rows", "download", "--dir", "d", "--python", "312"}),
            "--python: `312` is not a version like 3.12");
  EXPECT_EQ(complaint({"rows", "instal"}), "unknown command `instal`; did you mean `install`?");
}

TEST(CommandLine, AValueBeforeTheCaseDoesNotSwallowIt) {
  const CommandLine line = parse({"compare", "--value", "n=4", "my.toml"});
  EXPECT_EQ(line.compare.case_file, "my.toml");
  EXPECT_EQ(line.compare.overrides.values.at("n"), 4);
  EXPECT_EQ(parse({"compare", "--rows", "raw", "my.toml"}).compare.case_file, "my.toml");
  EXPECT_EQ(parse({"compare", "--prebuilt", "a=b", "my.toml"}).compare.case_file, "my.toml");
}

TEST(CommandLine, QuickAndThoroughSetTheSamplesAndExcludeOneAnother) {
  EXPECT_EQ(parse({"compare", "--quick"}).compare.settings.samples, 1);
  EXPECT_EQ(parse({"compare", "--thorough"}).compare.settings.samples, 10);
  EXPECT_NE(complaint({"compare", "--quick", "--thorough"}), "");
  EXPECT_NE(complaint({"compare", "--quick", "--samples", "2"}), "");
}

TEST(CommandLine, OtherCommandsHaveTheirOwnOptions) {
  const CommandLine rows = parse({"rows", "--device", "1"});
  EXPECT_EQ(rows.command, Command::rows);
  EXPECT_EQ(rows.compare.device, "1");
  const CommandLine init = parse({"init", "my.cu", "--kernel", "saxpy", "-o", "x.toml"});
  EXPECT_EQ(init.command, Command::init);
  EXPECT_EQ(init.init.cu, "my.cu");
  EXPECT_EQ(init.init.kernel, "saxpy");
  EXPECT_EQ(init.init.output, "x.toml");
  EXPECT_EQ(parse({"cache", "stats"}).command, Command::cache_stats);
  EXPECT_EQ(parse({"cache", "clear", "--dir", "/x"}).cache.directory, "/x");
  const CommandLine explain =
      parse({"cache", "explain", "my.cu", "--kernel", "k", "--arch", "sm_90", "-D", "A=1"});
  EXPECT_EQ(explain.command, Command::cache_explain);
  EXPECT_EQ(explain.cache.source, "my.cu");
  EXPECT_EQ(explain.cache.arch, "sm_90");
  EXPECT_THAT(explain.cache.defines, ElementsAre("A=1"));
  EXPECT_EQ(parse({"doctor"}).command, Command::doctor);
}

TEST(CommandLine, MistakesNameTheNearestThatThereIs) {
  EXPECT_EQ(complaint({"compare", "--rwos", "a"}), "unknown option `--rwos`; did you mean `--rows`?");
  EXPECT_EQ(complaint({"compare", "--sample=4"}), "unknown option `--sample`; did you mean `--samples`?");
  EXPECT_EQ(complaint({"compair"}), "unknown command `compair`; did you mean `compare`?");
  EXPECT_EQ(complaint({"cache", "stat"}), "unknown command `stat`; did you mean `stats`?");
  EXPECT_EQ(complaint({"compare", "a.toml", "b.toml"}), "`b.toml` is one argument too many");
  EXPECT_THAT(complaint({"init"}), HasSubstr("source"));
  EXPECT_NE(complaint({"cache"}), "");
  EXPECT_NE(complaint({}), "");
}

TEST(CommandLine, NumbersThatMakeNoSenseAreRefused) {
  EXPECT_EQ(complaint({"compare", "--n", "many"}), "--n: `many` is not a whole number in 64 bits");
  EXPECT_EQ(complaint({"compare", "--value", "n"}), "--value: `n` has not the form NAME=N");
  EXPECT_EQ(complaint({"compare", "--prebuilt", "clang"}), "--prebuilt: `clang` has not the form NAME=FILE");
  EXPECT_EQ(complaint({"compare", "--threads", "0"}), "--threads: `0` is not a block shape");
  EXPECT_EQ(complaint({"compare", "--device", "tpu"}),
            "--device: `tpu` is not gpu, cpu or a device's number");
  for (const auto& [option, value] :
       {std::pair("--rounds", "0"), std::pair("--timed", "0"), std::pair("--samples", "0"),
        std::pair("--samples", "x"), std::pair("--warmup", "-1"), std::pair("--timeout", "0"),
        std::pair("--fp", "fast"), std::pair("--seed", "-1")})
    EXPECT_THAT(complaint({"compare", option, value}), HasSubstr(option)) << option << " " << value;
}

TEST(CommandLine, HelpAndVersionAreAnswersNotCommands) {
  EXPECT_THAT(*parse({"--version"}).answer, StartsWith("tare " TARE_VERSION "\n"));
  EXPECT_THAT(*parse({"--help"}).answer, HasSubstr("Examples:"));
  EXPECT_THAT(*parse({"compare", "--help"}).answer, HasSubstr("Exit codes:"));
  EXPECT_THAT(*parse({"compare", "--help"}).answer,
              HasSubstr("3 no row ran, or none could be compared (--fp strict)"));
  EXPECT_THAT(*parse({"cache", "explain", "--help"}).answer, HasSubstr("--arch"));
}

TEST(ParseCount, TakesSuffixesAndPowers) {
  EXPECT_EQ(parse_count("0", "n"), 0);
  EXPECT_EQ(parse_count("4194915", "n"), 4194915);
  EXPECT_EQ(parse_count("-7", "n"), -7);
  EXPECT_EQ(parse_count("1K", "n"), 1024);
  EXPECT_EQ(parse_count("2m", "n"), 2 << 20);
  EXPECT_EQ(parse_count("3G", "n"), 3ll << 30);
  EXPECT_EQ(parse_count("2^28", "n"), 1 << 28);
  EXPECT_EQ(parse_count("10^3", "n"), 1000);
  EXPECT_EQ(parse_count("2^62", "n"), 1ll << 62);
  EXPECT_EQ(parse_count("9223372036854775807", "n"), 9223372036854775807ll);
}

TEST(ParseCount, RefusesWhatIsNoWholeNumberOrDoesNotFit) {
  for (const char* text : {"", "K", "1.5M", "1 000", "0x10", "2^", "^2", "2^64", "2^-1",
                           "9223372036854775808", "9007199254740992K", "1KK", "+1", "1T", "2^2K"})
    EXPECT_THROW(parse_count(text, "n"), UsageError) << text;
}

TEST(ParseBlock, TakesOneToThreeAxes) {
  EXPECT_THAT(parse_block("256"), ElementsAre(256u));
  EXPECT_THAT(parse_block("16x16"), ElementsAre(16u, 16u));
  EXPECT_THAT(parse_block("8,8,4"), ElementsAre(8u, 8u, 4u));
  for (const char* text : {"", "x", "16x", "1x2x3x4", "-1", "a", "4294967296"})
    EXPECT_THROW(parse_block(text), UsageError) << text;
}

}  // namespace
}  // namespace tare::cli
