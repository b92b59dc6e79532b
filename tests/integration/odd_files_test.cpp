// What a case names may be anything that a path can lead to: it is refused at once, with its name, or read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::uintmax_t kHuge = std::uintmax_t{20} << 30;  // 20 GiB, of which nothing is on the disk

class OddFiles : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  void huge(const std::string& name) const {
    write(name, "");
    fs::resize_file(path(name), kHuge);
  }
  /// A case with this kernel file; its input x is filled from x.npy.
  std::string toml(const std::string& kernel_file) const {
    write("k.toml", "[kernel]\nfile = \"" + kernel_file +
                        "\"\nname = \"k\"\n[values]\nn = 4\n[launch]\nblock = [4]\ncovers = [\"n\"]\n"
                        "[[arguments]]\nname = \"x\"\ntype = \"const float*\"\ncount = \"n\"\nfill = { npy = "
                        "\"x.npy\" }\n[[arguments]]\nname = \"y\"\ntype = \"float*\"\ncount = \"n\"\ncheck = "
                        "\"bits\"\n");
    return path("k.toml");
  }
  /// What is said of the command, which has to end by itself with exit code 2 and without much memory.
  std::string refusal(const std::vector<std::string>& arguments) {
    const auto begin = std::chrono::steady_clock::now();
    const Ran ran = run_tare(folder_, arguments);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
    EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
    return ran.err;
  }
  Scratch folder_;
  const std::string kernel_ =
      "__global__ void k(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }\n";
};

TEST_F(OddFiles, AsACaseAreRefused) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  huge("huge");
  EXPECT_THAT(refusal({"compare", "/dev/zero"}),
              HasSubstr("cannot read /dev/zero: it is a device, not a file"));
  EXPECT_THAT(refusal({"compare", path("pipe")}), HasSubstr(path("pipe") + ": it is a pipe, not a file"));
  EXPECT_THAT(refusal({"compare", path("")}), HasSubstr("it is a directory"));
  EXPECT_THAT(refusal({"compare", path("huge")}), HasSubstr(path("huge") + ": it is longer than 64 MiB"));
}

TEST_F(OddFiles, AsAKernelAreRefused) {
  ASSERT_EQ(mkfifo(path("pipe.cu").c_str(), 0600), 0);
  fs::create_directory(path("folder.cu"));
  huge("huge.cu");
  EXPECT_THAT(refusal({"compare", toml("/dev/zero")}),
              HasSubstr("cannot read /dev/zero: it is a device, not a file"));
  EXPECT_THAT(refusal({"compare", toml("pipe.cu")}), HasSubstr("pipe.cu: it is a pipe, not a file"));
  EXPECT_THAT(refusal({"compare", toml("folder.cu")}), HasSubstr("folder.cu: it is a directory"));
  EXPECT_THAT(refusal({"compare", toml("huge.cu")}), HasSubstr("huge.cu: it is longer than 64 MiB"));
  EXPECT_THAT(refusal({"init", path("pipe.cu")}), HasSubstr("pipe.cu: it is a pipe, not a file"));
}

TEST_F(OddFiles, AsAFillAreRefused) {
  write("k.cu", kernel_);
  const std::string toml_file = toml("k.cu");
  const auto said = [&] { return refusal({"compare", "--rows", "clang", toml_file}); };
  ASSERT_EQ(mkfifo(path("x.npy").c_str(), 0600), 0);
  EXPECT_THAT(said(), HasSubstr("x.npy for `x`: it is a pipe, not a file"));
  fs::remove(path("x.npy"));
  fs::create_directory(path("x.npy"));
  EXPECT_THAT(said(), HasSubstr("x.npy for `x`: it is a directory"));
  fs::remove(path("x.npy"));
  fs::create_symlink("/dev/zero", path("x.npy"));
  EXPECT_THAT(said(), HasSubstr("x.npy for `x`: it is a device, not a file"));
  fs::remove(path("x.npy"));
  huge("x.npy");
  EXPECT_THAT(said(), HasSubstr("x.npy: not a NumPy file"));
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }";
  header.resize(117, ' ');
  write("x.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n");
  fs::resize_file(path("x.npy"), kHuge);
  EXPECT_THAT(said(), HasSubstr("x.npy: has more bytes than `x` needs"));
}

TEST_F(OddFiles, WithAByteOrderMarkAreReadByEveryRow) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }";
  header.resize(117, ' ');
  write("x.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + std::string(16, '\x3f'));
  const std::string mark = "\xEF\xBB\xBF";
  for (const std::string& text :
       {mark + kernel_, mark + "// snippet: kernel\n" + kernel_ + "// end snippet\n"}) {
    write("k.cu", text);
    const std::string toml_file = toml("k.cu");
    const Ran ran = compare(folder_, {toml_file, "--rows", "nvrtc,raw,nvcc,clang"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    for (const json& row : ran.record["passes"].back()["rows"])
      EXPECT_TRUE(row["status"] == "ok" || row["status"] == "skipped") << row["row"] << row["reason"];
    EXPECT_EQ(row_of(ran.record, "cold", "clang")["status"], "ok");
  }
}

}  // namespace
}  // namespace tare::test
