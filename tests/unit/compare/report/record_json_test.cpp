// The JSON record: every field of schema "tare.record/1", read back.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "unit/compare/report/records.hpp"

namespace tare::compare {
namespace {

using json = nlohmann::json;
using namespace tare::compare::testing;

Record two_rows() {
  Record record = gpu_record();
  add_passes(record, [](const std::string& pass) {
    RowResult nvrtc = matching_row("nvrtc", pass == "cold" ? 21 : 20, 0.3, 0.0169);
    compiles_in(nvrtc, "build");
    nvrtc.compiler = "NVRTC 13.0";
    nvrtc.compiler_path = "/opt/libnvrtc.so.13";
    nvrtc.options = {"--gpu-architecture=sm_90", "--std=c++17"};
    nvrtc.environment = {{"CUDA_CACHE_PATH", "/tmp/x/cuda"}};
    return std::vector<RowResult>{
        nvrtc, row_without_figures("nvcc", Status::skipped, "nvcc not found: looked in PATH")};
  });
  return record;
}

TEST(RecordJson, HoldsTheFieldsOfTheSchema) {
  Record record = two_rows();
  judge(record, {{"the same bits", "bits.differing == 0", {}, 1}});
  const std::string text = to_json(record);
  EXPECT_EQ(text.back(), '\n');
  const json parsed = json::parse(text);
  EXPECT_EQ(parsed["schema"], "tare.record/1");
  EXPECT_EQ(parsed["tare"], "0.1.0");
  EXPECT_EQ(parsed["started"], "2025-01-02T03:04:05Z");
  EXPECT_EQ(parsed["machine"]["device"], "NVIDIA H200");
  EXPECT_EQ(parsed["machine"]["driver"]["version"], "13.0");
  EXPECT_EQ(parsed["machine"]["l2_bytes"], 62914560);
  EXPECT_EQ(parsed["machine"]["toolkit"]["nvrtc"], "13.0 /usr/local/cuda/lib64/libnvrtc.so.13");
  EXPECT_EQ(parsed["case"]["kernel"], "vectorAdd");
  EXPECT_EQ(parsed["case"]["values"]["n"], 4194915);
  EXPECT_EQ(parsed["case"]["grid"], json({16387, 1, 1}));
  EXPECT_EQ(parsed["case"]["moved_bytes"], 50338980.0);
  EXPECT_EQ(parsed["case"]["arguments"].size(), 4u);
  EXPECT_EQ(parsed["case"]["arguments"][2], json({{"name", "out"},
                                                  {"type", "float*"},
                                                  {"count", 4194915},
                                                  {"bytes", 16779660},
                                                  {"output", true},
                                                  {"check", "bits"}}));
  EXPECT_EQ(parsed["case"]["arguments"][3], json({{"name", "n"}, {"type", "size_t"}}));
  EXPECT_EQ(parsed["settings"]["rounds"], 30);
  EXPECT_EQ(parsed["settings"]["fp"], "default");
  ASSERT_EQ(parsed["passes"].size(), 2u);
  EXPECT_EQ(parsed["passes"][1]["name"], "warm");
  EXPECT_EQ(parsed["claims"][0]["verdict"], "held");
  EXPECT_EQ(parsed["claims"][0]["holds"], "bits.differing == 0");
  EXPECT_EQ(parsed["findings"].size(), record.findings.size());
}

TEST(RecordJson, HoldsEveryFieldOfARow) {
  const json row = json::parse(to_json(two_rows()))["passes"][0]["rows"][0];
  EXPECT_EQ(row["row"], "nvrtc");
  EXPECT_EQ(row["title"], "nvrtc by hand");
  EXPECT_EQ(row["version"], "13.0");
  EXPECT_EQ(row["status"], "ok");
  EXPECT_EQ(row["build_ms"], json({{"median", 21.0}, {"low", 21 * 0.97}, {"high", 21 * 1.04}, {"count", 3}}));
  EXPECT_EQ(row["start_ms"]["median"], 3.0);
  EXPECT_EQ(row["first_ms"]["median"], 0.3);
  EXPECT_EQ(row["launch_us"], 2.7);
  EXPECT_EQ(row["mean_ms"], 0.0169);
  EXPECT_EQ(row["host_bound"], false);
  EXPECT_EQ(row["samples"].size(), 3u);
  EXPECT_EQ(row["samples"][1]["open_ms"], 9.0);
  EXPECT_EQ(row["rounds"].size(), 30u);
  EXPECT_EQ(row["rounds"][1], json({{"mean_ms", 0.0169},
                                    {"launches", 10},
                                    {"sm_mhz", nullptr},
                                    {"memory_mhz", nullptr},
                                    {"slowed_by", json::array()}}));
  EXPECT_EQ(row["events"][2], json({{"t_ms", 30.0}, {"what", "compiler"}}));
  EXPECT_EQ(row["bits"]["equal"], true);
  EXPECT_EQ(row["bits"]["differing"], 0);
  EXPECT_TRUE(row["bits"]["first_index"].is_null());
  EXPECT_EQ(row["bits"]["max_ulp"], 0);
  EXPECT_EQ(row["compiler"], "NVRTC 13.0");
  EXPECT_EQ(row["options"], json({"--gpu-architecture=sm_90", "--std=c++17"}));
  EXPECT_EQ(row["cache"]["compiles"], 1);
  EXPECT_EQ(row["environment"]["CUDA_CACHE_PATH"], "/tmp/x/cuda");
  EXPECT_FALSE(row.contains("twin"));
}

TEST(RecordJson, ASkippedRowHasItsReasonAndNulls) {
  const json row = json::parse(to_json(two_rows()))["passes"][0]["rows"][1];
  EXPECT_EQ(row["status"], "skipped");
  EXPECT_EQ(row["reason"], "nvcc not found: looked in PATH");
  for (const char* field :
       {"start_ms", "build_ms", "first_ms", "launch_us", "mean_ms", "kernel_ms", "gb_per_s", "bits"})
    EXPECT_TRUE(row[field].is_null()) << field;
}

TEST(RecordJson, AWrongRowSaysWhereAndWhat) {
  Record record = two_rows();
  RowResult& row = record.passes[0].rows[0];
  row.status = Status::wrong;
  row.late_differences = {equal_output("other"),
                          differing_output(611, 4194304, "nan (0xffffffff)", "2.5 (0x40200000)")};
  const json written = json::parse(to_json(record))["passes"][0]["rows"][0];
  EXPECT_EQ(written["status"], "wrong");
  const json& bits = written["bits"];
  EXPECT_EQ(bits["equal"], false);
  EXPECT_EQ(bits["argument"], "out");
  EXPECT_EQ(bits["differing"], 611);
  EXPECT_EQ(bits["first_index"], 4194304);
  EXPECT_EQ(bits["got"], "nan (0xffffffff)");
  EXPECT_EQ(bits["want"], "2.5 (0x40200000)");
  EXPECT_TRUE(bits["max_ulp"].is_null());
  EXPECT_EQ(bits["outputs"].size(), 1u);
  EXPECT_EQ(bits["late_outputs"].size(), 2u);
}

TEST(RecordJson, WritesChecksAsTheCaseSpellsThem) {
  Record record = two_rows();
  Check& check = record.job.arguments[2].check;
  const auto written = [&] { return json::parse(to_json(record))["case"]["arguments"][2]["check"]; };
  check.kind = Check::Kind::ulps;
  check.ulps = 4;
  EXPECT_EQ(written(), json({{"ulps", 4}}));
  check.kind = Check::Kind::tolerance;
  check.rtol = 0.25;
  EXPECT_EQ(written(), json({{"rtol", 0.25}, {"atol", 0.0}}));
  check.kind = Check::Kind::none;
  EXPECT_TRUE(written().is_null());
}

TEST(RecordJson, NotANumberAndInfinityAreNull) {
  Record record = two_rows();
  record.passes[0].rows[0].mean_ms = std::numeric_limits<double>::quiet_NaN();
  record.passes[0].rows[0].launch_us = std::numeric_limits<double>::infinity();
  const json row = json::parse(to_json(record))["passes"][0]["rows"][0];
  EXPECT_TRUE(row["mean_ms"].is_null());
  EXPECT_TRUE(row["launch_us"].is_null());
}

TEST(RecordJson, StaysValidWhateverAWorkerPrinted) {
  Record record = two_rows();
  record.passes[0].rows[0].stderr_tail = "bad \xff\xfe bytes, a \"quote\", a tab\t and a NUL ";
  record.passes[0].rows[0].stderr_tail += '\0';
  const json row = json::parse(to_json(record))["passes"][0]["rows"][0];
  std::string kept = "bad \xef\xbf\xbd\xef\xbf\xbd bytes, a \"quote\", a tab\t and a NUL ";
  kept += '\0';
  EXPECT_EQ(row["stderr_tail"], kept);
}

TEST(RecordJson, NumbersSurviveTheRoundTrip) {
  Record record = two_rows();
  const double awkward = 0.1 + 0.2;
  record.passes[0].rows[0].kernel_ms = awkward;
  record.settings.seed = 18446744073709551615u;
  const json parsed = json::parse(to_json(record));
  EXPECT_EQ(parsed["passes"][0]["rows"][0]["kernel_ms"].get<double>(), awkward);
  EXPECT_EQ(parsed["settings"]["seed"].get<std::uint64_t>(), 18446744073709551615u);
}

}  // namespace
}  // namespace tare::compare
