// The names: all that CUDA 13.0's library has, ours, and no other.
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

std::set<std::string> listed() {
  std::set<std::string> names;
  std::ifstream file(TARE_SOURCE_DIR "/src/cpu/driver/exports.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("cu")) names.insert(line.substr(0, line.find(' ')));
  }
  return names;
}

/// The names that the library's dynamic symbol table defines.
std::set<std::string> exported() {
  std::ifstream file(driver_path(), std::ios::binary);
  const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Elf64_Ehdr header{};
  std::memcpy(&header, image.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), image.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  std::set<std::string> names;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM) continue;
    const char* strings = image.data() + sections[section.sh_link].sh_offset;
    for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      std::memcpy(&symbol, image.data() + section.sh_offset + at, sizeof symbol);
      if (symbol.st_shndx != SHN_UNDEF && symbol.st_name != 0) names.insert(strings + symbol.st_name);
    }
  }
  return names;
}

TEST(Exports, TheListHasTheNamesOfCuda13) {
  EXPECT_EQ(listed().size(), 637u);
}

TEST(Exports, EveryListedNameResolves) {
  for (const std::string& name : listed()) EXPECT_NE(symbol(name.c_str()), nullptr) << name;
}

TEST(Exports, NothingElseIsExportedButTheDevicesOwnQueries) {
  std::set<std::string> expected = listed();
  expected.insert({"tareCpuDeviceInfo", "tareCpuLastError"});
  EXPECT_EQ(exported(), expected);
}

TEST(Exports, ANameThatIsNotImplementedAnswersNotSupported) {
  ASSERT_OK(call("cuInit", 0u));
  for (const char* name :
       {"cuGraphCreate", "cuMemAllocAsync", "cuTexObjectCreate", "cuArrayCreate_v2", "cuMemCreate",
        "cuStreamBeginCapture_v2", "cuMulticastCreate", "cuGreenCtxCreate"}) {
    EXPECT_RESULT(abi::kNotSupported, call(name)) << name;
  }
}

TEST(Exports, TheDeviceSaysWhatItIsAndWhatCodeItLoads) {
  EXPECT_STREQ(call_as<const char*>("tareCpuDeviceInfo"),
               "{\"name\":\"tare CPU device\",\"version\":\"" TARE_VERSION
               "\",\"code\":[\"ptx\"],\"ptx\":\"9.0\"}");
}

}  // namespace
}  // namespace tare::conformance
