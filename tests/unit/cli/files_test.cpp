// Files that are written whole or not at all.
#include "cli/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "tare/error.hpp"

namespace tare::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string name = (fs::temp_directory_path() / "tare-files-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder_); }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

std::string refusal(auto&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Files, ReplacingLeavesOneFileWithTheNewContent) {
  const fs::path path = folder_ / "run.json";
  replace_file(path, "old");
  replace_file(path, std::string(100000, 'x') + '\0' + "end");
  EXPECT_EQ(read_file(path), std::string(100000, 'x') + '\0' + "end");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, AReplacedFileHasTheUsualPermissions) {
  const fs::path path = folder_ / "run.json";
  replace_file(path, "x");
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(static_cast<mode_t>(fs::status(path).permissions()), 0666 & ~mask);
}

TEST_F(Files, AReaderOfTheOldFileStillSeesAllOfIt) {
  const fs::path path = folder_ / "run.json";
  replace_file(path, "old");
  const fs::path link = folder_ / "link";
  fs::create_hard_link(path, link);
  replace_file(path, "new");
  EXPECT_EQ(read_file(link), "old");
  EXPECT_EQ(read_file(path), "new");
}

TEST_F(Files, SpecialFilesAreWrittenToAndNotReplaced) {
  replace_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, AFolderThatIsNotThereIsFoundBeforeTheRun) {
  EXPECT_THAT(refusal([&] { check_replaceable(folder_ / "none" / "run.json"); }),
              HasSubstr("none/run.json: No such file or directory"));
  EXPECT_THAT(refusal([&] { check_replaceable(folder_); }), HasSubstr("Is a directory"));
  EXPECT_EQ(refusal([&] { check_replaceable(folder_ / "run.json"); }), "");
  EXPECT_EQ(count(), 0u);
}

TEST_F(Files, AFullDeviceIsAnErrorAndLeavesNothing) {
  EXPECT_THAT(refusal([] { replace_file("/dev/full", "x"); }), HasSubstr("No space left on device"));
}

TEST_F(Files, CreatingNeverOverwrites) {
  const fs::path path = folder_ / "my.toml";
  create_file(path, "mine");
  EXPECT_THAT(refusal([&] { create_file(path, "theirs"); }), HasSubstr("my.toml exists already"));
  EXPECT_EQ(read_file(path), "mine");
}

TEST_F(Files, ReadingSaysWhyItCannot) {
  EXPECT_THAT(refusal([&] { read_file(folder_ / "none"); }), HasSubstr("No such file or directory"));
  create_file(folder_ / "empty", "");
  EXPECT_EQ(read_file(folder_ / "empty"), "");
}

}  // namespace
}  // namespace tare::cli
