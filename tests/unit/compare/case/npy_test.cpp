// NumPy files as inputs and as references.
#include <gtest/gtest.h>

#include <cstring>

#include "case_files.hpp"
#include "compare/case/npy.hpp"
#include "compare/case/types.hpp"

namespace tare::compare::test {
namespace {

std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string padded = header;
  const std::size_t fixed = version == 1 ? 10 : 12;
  while ((fixed + padded.size() + 1) % 64 != 0) padded += ' ';
  padded += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  file += static_cast<char>(padded.size() & 0xff);
  file += static_cast<char>(padded.size() >> 8);
  if (version > 1) file += std::string(2, '\0');
  return file + padded + data;
}

std::string floats(std::initializer_list<float> values) {
  std::string data;
  for (const float value : values) data.append(reinterpret_cast<const char*>(&value), sizeof value);
  return data;
}

class Npy : public testing::Test {
 protected:
  HostBuffer read(const std::string& type, std::uint64_t count, const std::string& file) {
    files_.write("a.npy", file);
    return read_npy(files_.path("a.npy"), parse_type(type).element, count, "a");
  }
  std::string complaint(const std::string& type, std::uint64_t count, const std::string& file) {
    try {
      read(type, count, file);
    } catch (const CaseError& error) {
      return std::string(error.what()).substr(files_.path("a.npy").string().size());
    }
    return {};
  }
  CaseFiles files_;
};

const std::string kThree = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";

TEST_F(Npy, VersionsOneToThreeAreRead) {
  for (int version = 1; version <= 3; ++version) {
    const HostBuffer buffer = read("float", 3, npy(kThree, floats({1, 2.5, -3}), version));
    ASSERT_EQ(buffer.size(), 12u);
    EXPECT_EQ(std::memcmp(buffer.data(), floats({1, 2.5, -3}).data(), 12), 0);
  }
}

TEST_F(Npy, ShapesAreTakenFlatAndVectorsByLane) {
  const std::string file =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", floats({1, 2, 3, 4}));
  EXPECT_EQ(read("float", 4, file).size(), 16u);
  EXPECT_EQ(read("float2", 2, file).size(), 16u);
  EXPECT_EQ(
      read("float", 1, npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", floats({1}))).size(),
      4u);
}

TEST_F(Npy, EveryMismatchIsNamed) {
  EXPECT_EQ(complaint("double", 3, npy(kThree, floats({1, 2, 3}))),
            ": dtype `<f4`, but `a` of element type `double` needs `<f8`");
  EXPECT_EQ(complaint("bool", 3, npy(kThree, floats({1, 2, 3}))),
            ": dtype `<f4`, but `a` of element type `bool` needs `|b1`");
  EXPECT_EQ(complaint("float", 4, npy(kThree, floats({1, 2, 3}))), ": 3 elements, but `a` needs 4");
  EXPECT_EQ(complaint("float", 3, npy(kThree, floats({1, 2}))), ": ends before its last element");
  EXPECT_EQ(complaint("float", 3, npy(kThree, floats({1, 2, 3, 4}))), ": has more bytes than `a` needs");
  EXPECT_EQ(
      complaint("float", 4,
                npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", floats({1, 2, 3, 4}))),
      ": Fortran order; save it in C order");
  EXPECT_EQ(complaint("float", 3, "PK\x03\x04 something else"),
            ": not a NumPy file of format version 1 to 3");
  EXPECT_EQ(complaint("float", 3, npy(kThree, "").substr(0, 40)), ": ends inside its header");
  EXPECT_EQ(complaint("float", 3, npy("{'descr': '<f4'}", "")).substr(0, 20), ": not a NumPy header");
}

}  // namespace
}  // namespace tare::compare::test
